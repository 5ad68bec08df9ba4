"""The texts of the repository keep to plain English: no banned wording, short file heads, docstrings with a verb."""

from pathlib import Path

import pytest

from tests.tidy import Text, checked_files, findings_in, sentences, texts_of


def test_no_text_has_a_banned_wording() -> None:
    texts = [text for path in checked_files() for text in texts_of(path)]
    assert len(texts) > 9_000, "the collector finds the texts"
    found = [str(finding) for text in texts for finding in findings_in(text)]
    assert not found, "\n".join(found[:50])


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        ("Who reads waits a moment.", "begins with who or what"),
        ("It is open. Whatever comes is taken.", "begins with who or what"),
        ("The client says who he is.", "person for a program"),
        ("Closed by somebody.", "person for a program"),
        ("Waits for so many seconds.", "so many, so long, so far"),
        ("Loaded anew after a fault.", "by itself, anew, meanwhile"),
        ("That is the house's to say.", "'s to say"),
        ("The seat, or nothing.", "nothing for None"),
    ],
)
def test_each_banned_wording_is_found(words: str, rule: str) -> None:
    text = Text(Path("src/x.py"), 1, "comment", words)
    assert [finding.rule for finding in findings_in(text)] == [rule]


@pytest.mark.parametrize("words", ["What does a Top Line pay?", "The theory of this", "Anything."])
def test_plain_wordings_are_not_found(words: str) -> None:
    assert list(findings_in(Text(Path("src/x.py"), 1, "comment", words))) == []


def test_a_long_file_head_and_a_docstring_without_a_verb_are_found() -> None:
    long = Text(Path("src/x.py"), 1, "module", "The " + "very " * 30 + "long head.")
    assert [finding.rule for finding in findings_in(long)] == ["first sentence of a file over 120 characters"]
    noun = Text(Path("src/x.py"), 1, "function", "The seat of a request.")
    assert [finding.rule for finding in findings_in(noun)] == ["docstring of a function does not begin with a verb"]
    assert list(findings_in(noun._replace(words="Return the seat of a request."))) == []


def test_texts_are_collected_from_every_kind_of_file(tmp_path: Path) -> None:
    python = tmp_path / "x.py"
    python.write_text('"""Head."""\n\nA = 1\n"""About A."""\n\n# A comment\n# of two lines\nB = "a message here"\n')
    kinds = {(text.kind, text.words) for text in texts_of(python)}
    assert kinds >= {("module", "Head."), ("attribute", "About A."), ("comment", "A comment of two lines")}
    assert ("message", "a message here") in kinds
    web = tmp_path / "x.svelte"
    web.write_text('<!-- Head. -->\n<script>\n// One\n// two\nconst a = "three words here";\n/** Doc. */\n</script>\n')
    assert {text.words for text in texts_of(web)} == {"Head.", "One\ntwo", "three words here", "Doc."}
    page = tmp_path / "x.md"
    page.write_text("# Title\n\nText with `code`.\n\n```\nWho is not prose\n```\n")
    assert [text.words for text in texts_of(page)] == ["# Title", "Text with X."]
    assert sentences("One. Two: three; four") == ["One.", "Two:", "three;", "four"]
