"""A PAR sheet for machines: every figure as a fraction in a string, every root as its square."""

from roundhouse import __version__
from roundhouse.lab.parsheet.changes import Change, Changes
from roundhouse.lab.parsheet.par import COUNTED, LEVEL, Figures, LayoutSheet, Par, TerminalSheet
from roundhouse.lab.vocabulary import Json, moments_json


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
            for check in par.floors
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


def _layout(layout: LayoutSheet) -> Json:
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
            for rounds, (low, high) in zip(COUNTED, kind.bands)
        ],
        "dominated": [
            {"id": each.id, "cost": str(each.cost), "by": {id: str(part) for id, part in each.by.items()}}
            for each in layout.dominated
        ],
        "liability_units": {"covering": layout.liability.covering, "whole_layout": layout.liability.whole_layout},
    }


def _terminal(terminal: TerminalSheet) -> Json:
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
