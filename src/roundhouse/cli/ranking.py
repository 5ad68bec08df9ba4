"""What ``roundhouse odds`` shows beyond the odds: ranks, dominated bets, floor checks and liability."""

from roundhouse.cli.figures import counted, exact, show_figures, write_plot
from roundhouse.cli.output import console, emit_json, money, show_table
from roundhouse.cli.slip import signed
from roundhouse.lab.figures import percent
from roundhouse.lab.limits import Limits, OutsideLimits
from roundhouse.rules.game import Game
from roundhouse.rules.layout import Layout
from roundhouse.rules.names import MAX_STAKE_CENTS, Cents, PositionId
from roundhouse.rules.packages import Terminal


def show_ranking(game: Game, layout: Layout, terminal: Terminal | None, as_json: bool) -> None:
    from roundhouse.lab.ranking import odds_of, rank

    ranked = rank(odds_of(layout, terminal))
    if as_json:
        emit_json(
            [
                {"rank": each.rank, "id": each.id, "edge": str(each.odds.edge), "variance": str(each.odds.variance)}
                for each in ranked
            ]
        )
        return
    show_table(
        f"{game.rulebook.title}, layout {layout.id}: {counted(len(ranked), 'bet')} by the house's edge",
        ("rank", "bet", "edge", "edge in %", "variance"),
        ((str(e.rank), e.id, str(e.odds.edge), percent(e.odds.edge), str(e.odds.variance)) for e in ranked),
        right=("rank", "edge", "edge in %", "variance"),
    )


def show_dominated(game: Game, layout: Layout, terminal: Terminal | None, as_json: bool) -> None:
    from roundhouse.lab.ranking import dominated

    found = list(dominated(layout, terminal))
    if as_json:
        emit_json(
            [{"id": d.id, "cost": str(d.cost), "by": {id: str(part) for id, part in d.by.items()}} for d in found]
        )
        return
    if not found:
        console().print(f"{game.rulebook.title}, layout {layout.id}: no bet is dominated", soft_wrap=True)
        return
    show_table(
        f"{game.rulebook.title}, layout {layout.id}: {counted(len(found), 'dominated bet')}",
        ("bet", "the same for", "by staking, of each unit"),
        ((d.id, exact(d.cost), ", ".join(f"{part} on {id}" for id, part in d.by.items())) for d in found),
        right=(),
    )


def check_floor(game: Game, name: str, as_json: bool) -> int:
    """Exit status 1 where a bet returns too little, so that a build can depend on it."""
    from roundhouse.lab.floorcheck import check, find

    result = check(game, find(name))
    profile = result.profile
    if as_json:
        emit_json(
            {
                "game": game.id,
                "hash": game.hash,
                "profile": profile,
                "bets": result.bets,
                "least_return": str(result.least),
                "passed": result.passed,
                "below": [{"layout": b.layout, "id": b.id, "returned": str(b.returned)} for b in result.below],
            }
        )
        return 0 if result.passed else 1
    show_figures(
        f"{game.rulebook.title}: {'passes' if result.passed else 'FAILS'} {profile.name}",
        {
            "demanded of every bet": f"{percent(profile.minimum)} ({profile.source})",
            "least return of any bet": f"{result.least}  {percent(result.least)}",
            "bets checked": str(result.bets),
            "bets below": str(len(result.below)),
            "confirmed": profile.confirmed,
            "note": profile.note or "–",
        },
    )
    if result.below:
        show_table(
            "Bets below the floor",
            ("layout", "bet", "return", "return in %"),
            ((b.layout, b.id, str(b.returned), percent(b.returned)) for b in result.below),
            right=("return", "return in %"),
        )
    return 0 if result.passed else 1


def show_liability(game: Game, layout: Layout, limits: Limits, rounds: int, as_json: bool) -> None:
    from roundhouse.lab.house import NIGHT, bad_night, covering_bets, liability
    from roundhouse.lab.laws import fast_law
    from roundhouse.lab.session import check_rounds
    from roundhouse.lab.slip import make_slip

    if limits.most == MAX_STAKE_CENTS and not limits.by_type:
        raise OutsideLimits("liability is that of a table's limits; give --max CENTS, or --limit TYPE=CENTS")
    check_rounds(rounds)
    owed = liability(layout, limits)
    worst, outcomes = owed.worst, owed.worst_outcomes
    slip = make_slip(game, layout, covering_bets(layout, limits, outcomes[0]))
    night = bad_night(fast_law(slip.net, rounds))
    if as_json:
        emit_json(
            {
                "game": game.id,
                "layout": layout.id,
                "covering": owed.covering,
                "whole_layout": owed.whole_layout,
                "worst": {"outcomes": outcomes, "cents": worst, "staked": slip.staked},
                "night": {"rounds": rounds, "level": str(NIGHT), "loses_at_most_cents": night},
            }
        )
        return
    show_table(
        f"{game.rulebook.title}, layout {layout.id}: what one player at the limits can win in one round",
        ("outcome", "every bet on it at its limit", "the whole layout at its limits"),
        ((p, signed(cents), signed(owed.whole_layout[p])) for p, cents in owed.covering.items()),
        right=("outcome", "every bet on it at its limit", "the whole layout at its limits"),
    )
    show_figures(
        f"Worst for the house: {' or '.join(outcomes)}, where one player wins {money(Cents(worst))}",
        {
            "who stakes, in each round": money(Cents(slip.staked)),
            f"who repeats it for {counted(rounds, 'round')}": "wins no more, in 99.9 % of nights, than "
            f"{money(Cents(max(0, night)))}",
        },
    )


def draw_edges(game: Game, layout: Layout, terminal: Terminal | None, file: str) -> None:
    from roundhouse.lab.plots import plot_edges
    from roundhouse.lab.ranking import odds_of, rank

    kinds: dict[str, float] = {}
    for each in rank(odds_of(layout, terminal)):
        position = layout.by_id.get(PositionId(each.id))
        name = each.id if position is None else f"{position.type}, {position.pays} to 1"
        kinds.setdefault(name, float(each.odds.edge))
    write_plot(file, plot_edges(f"{game.rulebook.title}, layout {layout.id}: the house's edge", kinds))
