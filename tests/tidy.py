"""Collects the texts that people read in this repository and finds the wordings that STYLE bans.

``python -m tests.tidy [PATH ...]`` lists every finding. ``test_tidy.py`` fails if there is one.
"""

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
CODE = {".py", ".ts", ".svelte", ".css"}
PROSE = {".md"}
MAX_HEAD_CHARACTERS = 120
"""Length of the first sentence of a file."""


class Text(NamedTuple):
    """One text with its place: a docstring, a comment, a message, a heading or a paragraph."""

    path: Path
    line: int
    kind: str
    words: str


class Finding(NamedTuple):
    """A text that breaks a rule."""

    text: Text
    rule: str
    excerpt: str

    def __str__(self) -> str:
        return f"{self.text.path}:{self.text.line}: {self.rule}: {self.excerpt}"


# Wordings that hide the subject or stand where a technical term exists. Questions may begin with any word.
BANNED: dict[str, re.Pattern[str]] = {
    "begins with who or what": re.compile(r"^(Who|Whoever|Whom|Whose|Whosever|What|Whatever)\b(?!.*\?)"),
    "person for a program": re.compile(r"\b(he|him|his|himself|somebody|nobody|anybody)\b", re.IGNORECASE),
    "so many, so long, so far": re.compile(r"\bso (many|long|far|much)\b", re.IGNORECASE),
    "by itself, anew, meanwhile": re.compile(
        r"\b(by itself|anew|meanwhile|whosever|whoever|of its own)\b", re.IGNORECASE
    ),
    "'s to say": re.compile(r"['’]s to (say|decide|tell)\b", re.IGNORECASE),
    "nothing for None": re.compile(
        r"\b(or nothing|nothing (if|when|while|until|unless|before|without|yet))\b", re.IGNORECASE
    ),
}

# Verbs that may begin the docstring of a function, as imperative or with -s.
VERBS = frozenset((Path(__file__).parent / "tidy_verbs.txt").read_text(encoding="utf-8").split())


def sentences(words: str) -> list[str]:
    """Split a text into sentences, table cells and list items, each on one line.

    >>> sentences("Opens the table.  Closes\\nit: or | not | at all")
    ['Opens the table.', 'Closes it:', 'or', 'not', 'at all']
    """
    blocks = re.split(r"\n\s*\n|\n\s*[-*] |\n\s*\d+\. |\|", words)
    flat = [re.sub(r"\s+", " ", block).strip(" *#>-") for block in blocks]
    return [part for block in flat for part in re.split(r"(?<=[.!?:;])\s+", block) if part]


def _docstrings(path: Path, tree: ast.Module) -> Iterator[Text]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            words = ast.get_docstring(node)
            if words:
                yield Text(
                    path, node.body[0].lineno, _kind(node), re.sub(r"(?s)\n\s*>>>.*?(\n\s*\n|\Z)", "\n\n", words)
                )
            for before, after in zip(node.body, node.body[1:]):
                if isinstance(before, ast.Assign | ast.AnnAssign) and (words := _string_of(after)):
                    yield Text(path, after.lineno, "attribute", words)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            yield Text(path, node.lineno, "test name", node.name.removeprefix("test_").replace("_", " ").capitalize())


def _string_of(statement: ast.stmt) -> str:
    """Return the string that a statement consists of, or an empty one."""
    value = statement.value if isinstance(statement, ast.Expr) else None
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""


def _kind(node: ast.AST) -> str:
    if isinstance(node, ast.Module):
        return "module"
    if isinstance(node, ast.ClassDef):
        return "class"
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    decorators = {ast.unparse(each).split("(")[0].split(".")[-1] for each in node.decorator_list}
    noun = {"property", "cached_property", "fixture", "command", "setter", "group"} & decorators
    return "property" if noun else "function"


def _comments(path: Path, source: str) -> Iterator[Text]:
    block: list[str] = []
    first = last = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and not re.match(r"#!|#\s*(type:|noqa|fmt:|ruff:)", token.string):
            if block and token.start[0] != last + 1:
                yield Text(path, first, "comment", " ".join(block))
                block = []
            first = first if block else token.start[0]
            last = token.start[0]
            block.append(token.string.lstrip("# "))
    if block:
        yield Text(path, first, "comment", " ".join(block))


def _messages(path: Path, tree: ast.Module) -> Iterator[Text]:
    documents = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    inner = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            words = "".join(
                part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else "X"
                for part in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documents | inner:
            words = node.value
        else:
            continue
        if len(words.split()) > 2:
            yield Text(path, node.lineno, "message", words)


_WEB = re.compile(
    r"/\*\*?(.*?)\*/|<!--(.*?)-->|(?<![:\w])//([^\n]*(?:\n\s*//[^\n]*)*)|\"((?:[^\"\\\n]|\\.)+)\"", re.DOTALL
)


def _web_texts(path: Path, source: str) -> Iterator[Text]:
    for match in _WEB.finditer(source):
        line = source.count("\n", 0, match.start()) + 1
        block, markup, comment, string = match.groups()
        if string is not None:
            if len(string.split()) > 2:
                yield Text(path, line, "message", string)
            continue
        words = re.sub(r"(?m)^\s*(\*|//) ?", "", block or markup or comment or "")
        head = line == 1 and (block is not None or markup is not None)
        yield Text(path, line, "module" if head else "comment", words.strip())


def _prose(path: Path, source: str) -> Iterator[Text]:
    source = re.sub(r"(?s)```.*?```", lambda match: "\n" * match.group().count("\n"), source)
    line = 1
    for block in re.split(r"(\n\s*\n)", source):
        if block.strip():
            yield Text(path, line, "prose", re.sub(r"`[^`\n]*`", "X", block.strip()))
        line += block.count("\n")


def texts_of(path: Path) -> list[Text]:
    """Collect the texts of one file."""
    source = path.read_text(encoding="utf-8")
    place = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
    if path.suffix == ".py":
        tree = ast.parse(source)
        return [*_docstrings(place, tree), *_comments(place, source), *_messages(place, tree)]
    return list(_prose(place, source) if path.suffix in PROSE else _web_texts(place, source))


def _breaks_head(text: Text) -> str | None:
    first = (sentences(text.words) or [""])[0]
    return first if text.kind == "module" and len(first) > MAX_HEAD_CHARACTERS else None


def _lacks_verb(text: Text) -> str | None:
    if text.kind != "function" or text.path.parts[0] != "src":
        return None
    first = (re.findall(r"[A-Za-z-]+", text.words) or [""])[0].lower()
    forms = {first, first.removesuffix("s"), first.removesuffix("es"), re.sub("ies$", "y", first)}
    return None if forms & VERBS else text.words.split("\n")[0]


CHECKS: dict[str, Callable[[Text], str | None]] = {
    f"first sentence of a file over {MAX_HEAD_CHARACTERS} characters": _breaks_head,
    "docstring of a function does not begin with a verb": _lacks_verb,
}


def findings_in(text: Text) -> Iterator[Finding]:
    """List the rules that a text breaks."""
    for sentence in sentences(text.words):
        for rule, pattern in BANNED.items():
            if pattern.search(sentence):
                yield Finding(text, rule, sentence)
    for rule, check in CHECKS.items():
        if (excerpt := check(text)) is not None:
            yield Finding(text, rule, excerpt)


def checked_files() -> list[Path]:
    """List the tracked files whose texts are checked: code, tests and documents."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    names = [name for name in listed.stdout.decode().split("\0") if name]
    paths = [ROOT / name for name in names] if listed.returncode == 0 else [p for p in ROOT.rglob("*") if p.is_file()]
    return sorted(
        p for p in paths if p.suffix in CODE | PROSE and p.is_file() and p.name not in {"tidy.py", "test_tidy.py"}
    )


def main(arguments: list[str]) -> int:
    """List the findings in these files and folders, or in all."""
    wanted = [(Path.cwd() / name).resolve() for name in arguments] or [ROOT]
    chosen = [path for path in checked_files() if any(path.is_relative_to(each) for each in wanted)]
    found = [finding for path in chosen for text in texts_of(path) for finding in findings_in(text)]
    sys.stdout.writelines(f"{finding}\n" for finding in found)
    sys.stdout.write(f"{len(found)} findings in {len(chosen)} files\n")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
