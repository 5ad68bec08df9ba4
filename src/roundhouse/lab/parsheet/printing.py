"""A PAR sheet as PDF, set by Typst with the fonts it brings: nothing is fetched; the same sheet is the same bytes."""

import tempfile
from pathlib import Path

import msgspec

from roundhouse.lab.parsheet.blocks import Block, Heading, Picture, Table, Words
from roundhouse.lab.parsheet.par import Par

_TEMPLATE = Path(__file__).parent / "sheet.typ"
_BUNDLED_FONT = "Libertinus Serif"


def to_pdf(par: Par, blocks: list[Block]) -> bytes:
    import typst

    with tempfile.TemporaryDirectory(prefix="roundhouse-") as folder:
        room = Path(folder)
        written = [_written(block, number, room) for number, block in enumerate(blocks)]
        book = par.game.rulebook
        sheet = {
            "title": book.title,
            "operator": book.operator,
            "rulebook": f"{book.id}, version {book.version}",
            "hash": par.game.hash,
            "blocks": written,
        }
        (room / "sheet.json").write_bytes(msgspec.json.encode(sheet))
        (room / "sheet.typ").write_text(_TEMPLATE.read_text(encoding="utf-8"), encoding="utf-8")
        pdf = typst.compile(str(room / "sheet.typ"), root=folder, format="pdf", ignore_system_fonts=True)
    assert isinstance(pdf, bytes)
    return pdf


def _written(block: Block, number: int, room: Path) -> dict[str, object]:
    match block:
        case Heading(words, level, new_page):
            return {"kind": "heading", "words": words, "level": level, "new_page": new_page}
        case Words(text):
            return {"kind": "words", "text": text}
        case Table():
            return {"kind": "table", **{name: getattr(block, name) for name in Table.__slots__}}
        case Picture(svg, caption, width):
            file = f"picture-{number}.svg"
            drawn = svg.replace("Georgia, 'Times New Roman', serif", _BUNDLED_FONT)
            (room / file).write_text(drawn, encoding="utf-8")
            return {"kind": "picture", "file": file, "caption": caption, "width": width}
