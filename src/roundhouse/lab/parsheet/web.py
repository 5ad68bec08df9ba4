"""A PAR sheet as one HTML file that needs no other: pictures inside, no script, no font from elsewhere."""

from base64 import b64encode
from collections.abc import Iterator
from html import escape

from roundhouse.lab.parsheet.blocks import Block, Heading, Picture, Table, Words
from roundhouse.lab.parsheet.par import Par

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
        case Heading(words, level):
            yield f"<h{level + 1}>{escape(words)}</h{level + 1}>"
        case Words(text):
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
