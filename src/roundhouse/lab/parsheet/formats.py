"""Output formats of a PAR sheet: JSON, HTML and PDF. Equal input gives equal bytes.

The JSON sheet contains fractions as strings. The HTML sheet is one file with embedded pictures and without scripts or
external fonts. The PDF is set by Typst with its bundled fonts, without network access.
"""

import tempfile
from base64 import b64encode
from collections.abc import Iterator
from html import escape
from pathlib import Path

import msgspec

from roundhouse import __version__
from roundhouse.lab.distribution import Json, moments_json
from roundhouse.lab.parsheet.blocks import Block, Heading, Paragraph, Picture, Table
from roundhouse.lab.parsheet.changes import Change, Changes
from roundhouse.lab.parsheet.figures import DISTRIBUTION_ROUNDS, LEVEL, Figures, LayoutFigures, Par, TerminalFigures


def as_json(par: Par, changes: Changes | None = None) -> Json:
    book = par.game.rulebook
    answer: Json = {
        "roundhouse": __version__,
        "game": book.id,
        "title": book.title,
        "operator": book.operator,
        "version": book.version,
        "effective": book.effective.isoformat(),
        "hash": par.game.hash,
        "wheel": {
            "spun": book.wheel.spun,
            "order": par.game.wheel.order,
            "segments": {pocket: par.game.wheel.segments[pocket] for pocket in par.game.wheel.pockets},
        },
        "layouts": [_layout(layout) for layout in par.layouts],
        "terminals": [_terminal(terminal) for terminal in par.terminals],
        "floors": [
            {
                "profile": check.profile.id,
                "minimum_return": str(check.profile.minimum),
                "source": check.profile.source,
                "confirmed": check.profile.confirmed,
                "least_return": str(check.least),
                "passed": check.passed,
                "below": [{"layout": b.layout, "id": b.id, "returned": str(b.returned)} for b in check.below],
            }
            for check in par.minimum_returns
        ],
        "inferred": [{"at": note.at, "grade": note.grade, "why": note.why} for note in book.inferred],
    }
    if changes is not None:
        answer["changes"] = {
            "against": {"game": changes.old.game.id, "hash": changes.old.game.hash},
            "facts": [{"what": what, "before": was, "after": now} for what, was, now in changes.facts],
            "bets": [_change(change) for change in changes.bets],
            "same": changes.same,
            "clauses": [{"clause": clause, "before": was, "after": now} for clause, was, now in changes.clauses],
            "dominated": [{"where": where, "id": id, "now": now} for where, id, now in changes.dominated],
        }
    return answer


def figures_json(figures: Figures) -> Json:
    return {
        "hit": str(figures.hit),
        **moments_json(figures.moments),
        "net": {str(net): weight for net, weight in figures.net.weights.items()},
        "staked": figures.staked,
    }


def _layout(layout: LayoutFigures) -> Json:
    return {
        "id": layout.id,
        "clause": layout.clause,
        "pay_table": layout.pay_table,
        "bets": [
            {
                "id": bet.id,
                "type": bet.type,
                "covers": bet.covers.split(),
                "segments": bet.segments,
                "pays": bet.pays,
                "clause": bet.clause,
                **figures_json(bet.figures),
            }
            for bet in layout.bets
        ],
        "bands": [
            {"kind": kind.name, "rounds": rounds, "level": str(LEVEL), "low": str(low), "high": str(high)}
            for kind in layout.kinds
            for rounds, (low, high) in zip(DISTRIBUTION_ROUNDS, kind.bands)
        ],
        "dominated": [
            {"id": each.id, "cost": str(each.cost), "by": {id: str(part) for id, part in each.by.items()}}
            for each in layout.dominated
        ],
        "liability_units": {"covering": layout.liability.covering, "whole_layout": layout.liability.whole_layout},
    }


def _terminal(terminal: TerminalFigures) -> Json:
    return {
        "id": terminal.id,
        "name": terminal.name,
        "layout": terminal.layout,
        "packages": [
            {
                "id": id,
                "pieces": kind.pieces,
                "made_of": made_of,
                "clause": kind.clause,
                **figures_json(kind.figures),
            }
            for kind in terminal.packages
            for id, made_of in zip(kind.ids, kind.made_of)
        ],
    }


def _change(change: Change) -> Json:
    return {
        "where": change.where,
        "id": change.id,
        "pays": {"before": change.pays[0], "after": change.pays[1]},
        "edge": {
            "before": None if change.before is None else str(change.before.edge),
            "after": None if change.after is None else str(change.after.edge),
        },
        "bands_part_after": change.bands_part_after,
    }


_STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.5 Georgia, 'Times New Roman', serif; color: #1d2b3a; }
body { max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.9rem; margin: 0; } h2 { margin-top: 2.6rem; } h3 { margin-top: 1.8rem; }
.sheet { color: #55606b; letter-spacing: .08em; font-size: .85rem; }
.scroll { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: .84rem; width: 100%; }
th { text-align: left; border-bottom: 1.5px solid #1d2b3a; padding: .25rem .5rem; vertical-align: bottom; }
td { border-bottom: 1px solid #d9dee3; padding: .2rem .5rem; vertical-align: top; overflow-wrap: anywhere; }
td.n, th.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
tr:nth-child(even) td { background: #f4f7f9; }
figure { margin: 1.4rem 0; text-align: center; } img { max-width: 100%; height: auto; }
caption, figcaption { font-style: italic; font-size: .84rem; padding-top: .3rem; }
caption { caption-side: bottom; text-align: left; } figcaption { text-align: center; }
footer { margin-top: 3rem; color: #55606b; font-size: .8rem; overflow-wrap: anywhere; }
@media print { h2 { break-before: page; } .scroll { overflow: visible; } }
"""


def to_html(par: Par, blocks: list[Block]) -> str:
    book = par.game.rulebook
    body = "\n".join(line for block in blocks for line in _block(block))
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>PAR sheet: {escape(book.title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f'<p class="sheet">PAR SHEET</p>\n<h1>{escape(book.title)}</h1>\n<p>{escape(book.operator)}</p>\n'
        f"{body}\n<footer>sha256 {par.game.hash}</footer>\n</body>\n</html>\n"
    )


def _block(block: Block) -> Iterator[str]:
    match block:
        case Heading(text, level):
            yield f"<h{level + 1}>{escape(text)}</h{level + 1}>"
        case Paragraph(text):
            yield f"<p>{escape(text)}</p>"
        case Table():
            yield from _table(block)
        case Picture(svg, caption, width):
            data = b64encode(svg.encode()).decode()
            yield (
                f'<figure><img style="width: {width}" alt="{escape(caption)}" src="data:image/svg+xml;base64,{data}">'
                f"<figcaption>{escape(caption)}</figcaption></figure>"
            )


def _table(block: Table) -> Iterator[str]:
    kinds = [' class="n"' if right else "" for right in block.right]
    yield '<div class="scroll"><table>'
    if block.caption:
        yield f"<caption>{escape(block.caption)}</caption>"
    heads = "".join(f'<th scope="col"{kind}>{escape(name.strip())}</th>' for name, kind in zip(block.columns, kinds))
    yield f"<thead><tr>{heads}</tr></thead>\n<tbody>"
    for row in block.rows:
        yield "<tr>" + "".join(f"<td{kind}>{escape(cell)}</td>" for cell, kind in zip(row, kinds)) + "</tr>"
    yield "</tbody></table></div>"


_TEMPLATE = Path(__file__).parent / "sheet.typ"
_BUNDLED_FONT = "Libertinus Serif"


def to_pdf(par: Par, blocks: list[Block]) -> bytes:
    import typst

    with tempfile.TemporaryDirectory(prefix="roundhouse-") as folder:
        directory = Path(folder)
        typst_blocks = [_typst_block(block, number, directory) for number, block in enumerate(blocks)]
        book = par.game.rulebook
        sheet = {
            "title": book.title,
            "operator": book.operator,
            "rulebook": f"{book.id}, version {book.version}",
            "hash": par.game.hash,
            "blocks": typst_blocks,
        }
        (directory / "sheet.json").write_bytes(msgspec.json.encode(sheet))
        (directory / "sheet.typ").write_text(_TEMPLATE.read_text(encoding="utf-8"), encoding="utf-8")
        pdf = typst.compile(str(directory / "sheet.typ"), root=folder, format="pdf", ignore_system_fonts=True)
    assert isinstance(pdf, bytes)
    return pdf


def _typst_block(block: Block, number: int, directory: Path) -> dict[str, object]:
    match block:
        case Heading(text, level, new_page):
            return {"kind": "heading", "text": text, "level": level, "new_page": new_page}
        case Paragraph(text):
            return {"kind": "paragraph", "text": text}
        case Table():
            return {"kind": "table", **{name: getattr(block, name) for name in Table.__slots__}}
        case Picture(svg, caption, width):
            file = f"picture-{number}.svg"
            with_font = svg.replace("Georgia, 'Times New Roman', serif", _BUNDLED_FONT)
            (directory / file).write_text(with_font, encoding="utf-8")
            return {"kind": "picture", "file": file, "caption": caption, "width": width}
