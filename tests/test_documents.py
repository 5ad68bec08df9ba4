"""The documents: generated parts are current, links resolve, lines are wrapped and decisions are complete."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from roundhouse.server.reference import BLOCKS, REFERENCE, blocks_in, fresh

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [*sorted(DOCS.rglob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
DECISIONS = sorted((DOCS / "decisions").glob("0*.md"))
GENERATED_ELSEWHERE = {REFERENCE / "cli.md"}
WRITTEN = [page for page in PAGES if page not in GENERATED_ELSEWHERE]
WIDTH = 100
SENTENCES = 2


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def lines_outside_code(page: Path) -> Iterator[str]:
    """Yield the lines of a page outside code blocks and generated parts."""
    text = re.sub(r"<!-- generated:.*?<!-- end -->", "", text_of(page), flags=re.DOTALL)
    yield from re.sub(r"^\s*```.*?^\s*```", "", text, flags=re.DOTALL | re.MULTILINE).splitlines()


def slug(heading: str) -> str:
    """Return the anchor that GitHub gives a heading.

    >>> slug("`[irregularities]`")
    'irregularities'
    >>> slug("Recorded events")
    'recorded-events'
    """
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("page", sorted(REFERENCE.glob("*.md")), ids=lambda page: page.name)
def test_the_generated_parts_are_current(page: Path) -> None:
    assert fresh(text_of(page)) == text_of(page), "run: make reference"


def test_every_generated_part_is_on_one_page() -> None:
    found = [block for page in PAGES for block in blocks_in(text_of(page))]
    assert sorted(found) == sorted(BLOCKS)


def test_a_stale_generated_part_is_detected() -> None:
    page = text_of(REFERENCE / "metrics.md")
    assert fresh(page.replace("roundhouse_bets_total", "roundhouse_bet_total")) == page


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_and_anchor_resolves(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", "\n".join(lines_outside_code(page))):
        if "://" in target:
            continue
        file, _, anchor = target.partition("#")
        other = (page.parent / file) if file else page
        assert other.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", text_of(other), flags=re.MULTILINE)
            assert anchor in map(slug, headings), target


def test_every_page_can_be_reached_from_the_index() -> None:
    seen, waiting = set[Path](), [DOCS / "index.md"]
    while waiting:
        page = waiting.pop()
        if page not in seen:
            seen.add(page)
            links = re.findall(r"\]\(([^)\s#:]+\.md)", text_of(page))
            waiting += [(page.parent / link).resolve() for link in links]
    # Rulebooks inside older journals cite docs/RULEBOOKS.md.
    assert set(DOCS.rglob("*.md")) - seen == {DOCS / "RULEBOOKS.md"}


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: str(page.relative_to(ROOT)))
def test_prose_is_wrapped_and_cells_are_short(page: Path) -> None:
    for line in lines_outside_code(page):
        if line.startswith("|"):
            for cell in re.split(r"(?<!\\)\|", line):
                assert len(re.findall(r"[.?!](?:\s|$)", cell)) <= SENTENCES, cell
        elif not line.startswith(("#", "!")) and " " in re.sub(r"`[^`]*`|\[[^\]]*\]\([^)]*\)", "", line.strip("- ")):
            assert len(line) <= WIDTH, line


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.name)
def test_a_decision_states_its_subject_reason_and_status(page: Path) -> None:
    text = text_of(page)
    number = page.name[:4]
    assert re.match(
        rf"# {number}: [A-Z][a-z]+ .+ because .+\n\n\*\*Status:\*\* (Accepted|Superseded by \[\d{{4}}\])", text
    )
    assert re.findall(r"^## (.*)$", text, flags=re.MULTILINE) == ["Context", "Decision", "Consequences"]
    assert f"]({page.name})" in text_of(DOCS / "decisions" / "index.md")


def test_every_file_that_the_explanations_name_exists() -> None:
    package = ROOT / "src" / "roundhouse"
    text = "\n".join(text_of(page) for page in (DOCS / "explanation").glob("*.md"))
    named = set(re.findall(r"\b[a-z_]+/[a-z_/-]+\.(?:py|toml)\b", text))
    assert len(named) > 30
    assert [file for file in named if not (package / file).exists() and not (ROOT / file).exists()] == []


def test_page_names_are_lower_case_with_dashes() -> None:
    names = {page.name for page in DOCS.rglob("*.md")} - {"RULEBOOKS.md"}
    assert [name for name in names if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*\.md", name)] == []
