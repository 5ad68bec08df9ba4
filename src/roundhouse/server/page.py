"""The plain page: the tables as they stand, written by the server, without a script. It does not play.

It is honest about what it is. Where the screens are built they are the house's first page, and this one stays beside.
"""

from collections.abc import Iterable, Mapping
from html import escape

from roundhouse.server.wire.tables import PublicTable
from roundhouse.table.names import Millis, TableId

REFRESH_SECONDS = 2
_STYLE = """
body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif }
body { color: #1c2420; background: #f6f4ec }
h1 { font-size: 1.5rem }
table { border-collapse: collapse; width: 100% }
caption { text-align: left; padding: .5rem 0 }
th, td { text-align: left; padding: .5rem .75rem; border-bottom: 1px solid #cfcabb; vertical-align: top }
small { font-weight: normal; color: #55605a }
.results { font-variant-numeric: tabular-nums }
footer { margin-top: 2rem; color: #55605a }
@media (prefers-color-scheme: dark) {
  body { color: #e8e6dd; background: #14201b }
  th, td { border-color: #33463d }
  footer, small { color: #a3b0a8 }
  a { color: #9fd0ff }
}
"""
_HEADINGS = "".join(f'<th scope="col">{word}</th>' for word in ("Table", "Round", "Now", "Last results"))
_LAST = 12


def plain_page(house: str, tables: Iterable[PublicTable], titles: Mapping[TableId, str], now: Millis) -> str:
    """``titles`` are those of the games at the tables."""
    rows = "\n".join(_row(table, titles[table.id], now) for table in tables)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="{REFRESH_SECONDS}">
<title>{escape(house)}</title>
<style>{_STYLE}</style>
</head>
<body>
<main>
<h1>{escape(house)}</h1>
<table>
<caption>The tables, as they stand now. The page looks again every {REFRESH_SECONDS} seconds.</caption>
<thead><tr>{_HEADINGS}</tr></thead>
<tbody>
{rows}
</tbody>
</table>
</main>
<footer>This is a plain page that only shows. Terminals and consoles speak to this house by
<a href="/api/openapi.json">its interface</a>.</footer>
</body>
</html>
"""


def _row(table: PublicTable, title: str, now: Millis) -> str:
    phase = table.phrase or table.phase.replace("_", " ")
    outcome = f" · {escape(table.outcome)}" if table.outcome is not None else ""
    if table.deadline is not None:
        outcome += f" · {max(0, -((now - table.deadline) // 1000))} s"
    if table.wheel is not None:
        outcome += f"<br><small>wheel: {escape(table.wheel.state.replace('_', ' '))}</small>"
    if table.mode_reason:
        outcome += f"<br>people deal: {escape(table.mode_reason)}"
    results = " ".join(
        escape(result.outcome) if result.outcome is not None else "void" for result in table.last_results[:_LAST]
    )
    return (
        f'<tr><th scope="row">{escape(title)}<br><small>{escape(table.id)}</small></th>'
        f"<td>{table.round}</td><td>{escape(phase)}{outcome}</td>"
        f'<td class="results">{results or "none yet"}</td></tr>'
    )
