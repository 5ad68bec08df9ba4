"""The automatic dealer with a simulated wheel: whole rounds of every game, and its irregularities."""

import pytest

from roundhouse import rulebooks
from roundhouse.dealer.steps import Pace
from roundhouse.rules.rulebook import Moment
from tests.support.clauses import shows
from tests.support.dealt_table import DealtTable, outcome, run_dealt_table

GAMES = rulebooks.SHIPPED


def in_order(house: DealtTable, *names: str) -> list[str]:
    """Return the events and wheel commands with these names, in order."""
    found = [e["line"] if e["event"] == "wheel_command" else e["event"].partition(".")[0] for e in house.events]
    return [name for name in found if name in names]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            name,
            marks=shows(
                name,
                {
                    "rws-double-zero": "1.8, 1.10, 3.6, 3.7",
                    "rws-triple-zero": "1.8, 1.10, 3.6, 3.7",
                    "mbs-electronic-double-zero": "1.1.3, 1.1.5, 3.6, 3.8",
                    "mbs-sands": "1.1.4, 1.1.6, 3.5, 3.7",
                    "rws-money-wheel": "1 / Revolution, 1 / Spin, 3.4, 3.5",
                },
            ),
        )
        for name in GAMES
    ],
)
def test_whole_rounds_are_settled_exactly(name: str) -> None:
    async def script(house: DealtTable) -> None:
        house.sit()
        layout = next(iter(house.game.layouts.values()))
        prices = house.game.prices(layout.id)
        credits = 1_000_000
        for number in range(1, 4):
            await house.until("bets_opened", number)
            slip = {position.id: 100 * (i + 1) for i, position in enumerate(layout.positions[number::7])}
            bets = [{"position": id, "cents": cents} for id, cents in slip.items()]
            assert house.ask("player", "place_bets", seat="s", bets=bets).ok
            settled = await house.until("round_settled", number)
            expected = outcome(house, house.played[number - 1].established)
            assert settled["outcome"] == expected
            times = prices.all_times(expected)
            credits += sum(cents * times[id] for id, cents in slip.items()) - sum(slip.values())
            assert house.state.seats["s"].credits == credits  # type: ignore[index]
        assert set(house.countdown) <= {50, 40, 30, 20, 10}
        assert house.countdown
        directions = [event["wheel"] for event in house.named("spin_observed")[:3]]
        ball = house.game.rulebook.wheel.spun == "ball"
        assert (directions[0] != directions[1] != directions[2]) == ball
        assert {event["source"]["by"] for event in house.named("spin_started")} == {"automatic_dealer"}
        assert {event["revolutions"] for event in house.named("spin_observed")} == {None}, "no sensor counts them"
        assert all("revolutions" in event["not_measured"] for event in house.named("result_confirmed"))

    run_dealt_table(name, script, Pace(betting_seconds=80, countdown=(50, 40, 30, 20, 10), pause_seconds=1))


@pytest.mark.parametrize("name", GAMES)
def test_bets_close_at_the_moment_that_the_rulebook_sets(name: str) -> None:
    async def script(house: DealtTable) -> None:
        house.sit()
        await house.until("round_settled", 2)
        names = ("bets_closed", "*u 1", "spin_started", "ball_rested")
        found = in_order(house, *names)
        once = [name_found for i, name_found in enumerate(found) if not i or found[i - 1] != name_found][:8]
        while_spinning = house.game.rulebook.betting.closes.moment is Moment.WHILE_SPINNING
        assert once == (
            ["*u 1", "spin_started", "bets_closed", "ball_rested"] * 2
            if while_spinning
            else ["bets_closed", "*u 1", "spin_started", "ball_rested"] * 2
        )

    run_dealt_table(name, script)


def test_the_operator_may_choose_to_close_while_spinning() -> None:
    async def script(house: DealtTable) -> None:
        house.sit()
        await house.until("ball_rested")
        expected = ["spin_started", "bets_closed", "ball_rested"]
        assert in_order(house, *expected) == expected

    run_dealt_table("rws-double-zero", script, Pace(betting_seconds=4, closes_while_spinning=True))


_SEEN_BY_THE_WHEEL = {"same_direction": "5.3.6", "ball_left_wheel": "5.3.4"}


@pytest.mark.parametrize(
    ("name", "irregularity"),
    [
        pytest.param(name, irregularity, marks=shows(name, {"rws-double-zero": clause, "rws-triple-zero": clause}))
        for name in GAMES
        for irregularity, clause in _SEEN_BY_THE_WHEEL.items()
        if name != "rws-money-wheel"
    ],
)
def test_an_irregularity_voids_the_round_under_its_clause(name: str, irregularity: str) -> None:
    async def script(house: DealtTable) -> None:
        house.sit()
        void = await house.until("round_voided")
        assert void["clauses"] == (house.game.rulebook.irregularities[irregularity].clause,)  # type: ignore[index]
        assert void["causes"] == (irregularity,)
        assert (await house.until("round_settled"))["round"] == 2

    run_dealt_table(name, script, faults=(irregularity,))


@pytest.mark.parametrize("irregularity", ["clapper_on_pin", "too_few_revolutions", "sensor_failed", "power_cut"])
def test_an_irregular_money_wheel_spin_is_declared_by_people(irregularity: str) -> None:
    """A money wheel reports no launch flags, so people declare an irregularity and no result is invented."""

    async def script(house: DealtTable) -> None:
        house.sit()
        if irregularity == "too_few_revolutions":
            # The wheel does not count revolutions. The Dealer, who does, takes over during the look time.
            await house.until("result_registered")
            assert house.played[0].spin.revolutions < house.game.rulebook.spin.least_revolutions
            assert house.ask("dealer", "take_over", reason="too few revolutions").ok
        else:
            reason = (await house.until("manual_mode_entered"))["reason"]
            assert "what does the wheel show?" in reason or "no message from the wheel" in reason
            assert house.played[0].established is None
        declared = irregularity if irregularity in house.game.rulebook.irregularities else "clapper_on_pin"
        assert house.ask("pit_manager", "declare", irregularity=declared, who="ann", second="bob").ok
        await house.return_to_automatic()
        settled = await house.until("round_settled")
        assert (settled["round"], settled["outcome"]) == (2, outcome(house, house.played[1].established))

    run_dealt_table(
        "rws-money-wheel", script, Pace(betting_seconds=8, look_seconds=3, pause_seconds=1), faults=(irregularity,)
    )


@pytest.mark.parametrize("name", GAMES)
def test_rounds_are_settled_correctly_over_a_bad_cable(name: str) -> None:
    """A tenth of the lines is damaged: every settled outcome is the one that the wheel established."""

    async def script(house: DealtTable) -> None:
        house.sit()
        await house.until("round_settled", 5)
        settled = {event["round"]: event["outcome"] for event in house.named("round_settled")}
        established = [played.established for played in house.played if played.established]
        assert list(settled.values()) == [outcome(house, code) for code in established[: len(settled)]]

    run_dealt_table(name, script, noise=0.1, seed=3)
