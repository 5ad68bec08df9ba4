"""The automatic dealer with a simulated wheel: whole rounds of every game, and its irregularities."""

import pytest

from roundhouse import rulebooks
from roundhouse.dealer.steps import Pace
from roundhouse.rules.rulebook import Moment
from tests.support.clauses import shows
from tests.support.dealt_table import DealtTable, outcome, run_dealt_table

GAMES = rulebooks.SHIPPED


def order(house: DealtTable, *names: str) -> list[str]:
    """The events of these names, in the order in which they came."""
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
                    "mbs-electronic-double-zero": "1.1.5",
                    "mbs-sands": "1.1.6",
                },
            ),
        )
        for name in GAMES
    ],
)
def test_whole_rounds_settled_to_the_cent(name: str) -> None:
    async def script(house: DealtTable) -> None:
        house.sit()
        layout = next(iter(house.game.layouts.values()))
        prices = house.game.prices(layout.id)
        credits = 1_000_000
        for number in range(1, 4):
            await house.until("bets_opened", number)
            slip = {position.id: 100 + i for i, position in enumerate(layout.positions[number::7])}
            bets = [{"position": id, "cents": cents} for id, cents in slip.items()]
            assert house.ask("player", "place_bets", seat="s", bets=bets).ok
            settled = await house.until("round_settled", number)
            shown = outcome(house, house.played[number - 1].established)
            assert settled["outcome"] == shown
            times = prices.all_times(shown)
            credits += sum(cents * times[id] for id, cents in slip.items()) - sum(slip.values())
            assert house.state.seats["s"].credits == credits  # type: ignore[index]
        assert set(house.countdown) <= {50, 40, 30, 20, 10}
        assert house.countdown
        directions = [event["wheel"] for event in house.named("spin_observed")[:3]]
        ball = house.game.rulebook.wheel.spun == "ball"
        assert (directions[0] != directions[1] != directions[2]) == ball

    run_dealt_table(name, script, Pace(betting_seconds=80, countdown=(50, 40, 30, 20, 10), pause_seconds=1))


@pytest.mark.parametrize("name", GAMES)
def test_bets_close_at_the_moment_of_the_game(name: str) -> None:
    async def script(house: DealtTable) -> None:
        house.sit()
        await house.until("round_settled", 2)
        words = ("bets_closed", "*u 1", "spin_started", "ball_rested")
        found = order(house, *words)
        once = [word for i, word in enumerate(found) if not i or found[i - 1] != word][:8]
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
        assert order(house, *expected) == expected

    run_dealt_table("rws-double-zero", script, Pace(betting_seconds=4, closes_while_spinning=True))


_SEEN_BY_THE_WHEEL = {"same_direction": "5.3.6", "ball_left_wheel": "5.3.4"}


@pytest.mark.parametrize(
    ("name", "word"),
    [
        pytest.param(name, word, marks=shows(name, {"rws-double-zero": clause, "rws-triple-zero": clause}))
        for name in GAMES
        for word, clause in _SEEN_BY_THE_WHEEL.items()
        if name != "rws-money-wheel"
    ],
)
def test_an_irregularity_is_void_under_its_clause(name: str, word: str) -> None:
    async def script(house: DealtTable) -> None:
        house.sit()
        void = await house.until("round_voided")
        assert void["clauses"] == (house.game.rulebook.irregularities[word].clause,)  # type: ignore[index]
        assert void["causes"] == (word,)
        assert (await house.until("round_settled"))["round"] == 2

    run_dealt_table(name, script, faults=(word,))


@pytest.mark.parametrize("word", ["clapper_on_pin", "too_few_revolutions", "sensor_failed", "power_cut"])
def test_what_goes_wrong_with_a_money_wheel(word: str) -> None:
    """It has no launch that a flag could tell of: people see what no number tells, and nothing is made up."""

    async def script(house: DealtTable) -> None:
        house.sit()
        if word == "too_few_revolutions":
            # The wheel cannot count: it reads a symbol, and a Dealer who did count says so in the time to look.
            await house.until("result_registered")
            assert house.played[0].spin.revolutions < house.game.rulebook.spin.least_revolutions
            assert house.ask("dealer", "take_over", reason="that was too little").ok
        else:
            reason = (await house.until("manual_mode_entered"))["reason"]
            assert "what does the wheel show?" in reason or "no message from the wheel" in reason
            assert house.played[0].established is None
        declared = word if word in house.game.rulebook.irregularities else "clapper_on_pin"
        assert house.ask("pit_manager", "declare", irregularity=declared).ok
        await house.return_to_automatic()
        settled = await house.until("round_settled")
        assert (settled["round"], settled["outcome"]) == (2, outcome(house, house.played[1].established))

    run_dealt_table("rws-money-wheel", script, Pace(betting_seconds=8, look_seconds=3, pause_seconds=1), faults=(word,))


@pytest.mark.parametrize("name", GAMES)
def test_a_wheel_on_a_bad_cable_deals_all_the_same(name: str) -> None:
    """A tenth of the lines is spoiled: what was settled was established, and people never had to ask."""

    async def script(house: DealtTable) -> None:
        house.sit()
        await house.until("round_settled", 5)
        settled = {event["round"]: event["outcome"] for event in house.named("round_settled")}
        established = [played.established for played in house.played if played.established]
        assert list(settled.values()) == [outcome(house, code) for code in established[: len(settled)]]

    run_dealt_table(name, script, noise=0.1, seed=3)
