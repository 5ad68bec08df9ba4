"""The simulated wheel: fair outcomes, physical motion, and every irregularity on demand."""

from collections import Counter
from itertools import pairwise, repeat
from math import isclose

import pytest

from roundhouse.rules.judge import Valid, Void, judge
from roundhouse.rules.names import IrregularityId, Segment
from roundhouse.rules.wheel import Wheel
from roundhouse.wheel.codes import InvalidCodes, codes_for
from roundhouse.wheel.commands import mode_for
from roundhouse.wheel.health.probability import chi_square_tail
from roundhouse.wheel.protocol import Code, State, Status, read
from roundhouse.wheel.readings import OutcomeReading, UnresolvedReading, VoidReading
from roundhouse.wheel.simulator.draws import Chance
from roundhouse.wheel.simulator.machine import Machine
from roundhouse.wheel.simulator.money_wheel import turn_to
from roundhouse.wheel.simulator.motion import DROPS, SLOWED, TURN, Rotor, Run, fitted, segment_under
from roundhouse.wheel.simulator.scenario import Frame, NoSuchIrregularity, scenario, scenarios
from tests.support.recordings import GAMES, find, read_bytes, run, simulated


@pytest.mark.parametrize(("game", "seed"), [("rws-double-zero", 20260301), ("rws-money-wheel", 7)])
def test_a_million_outcomes_are_uniform(game: str, seed: int) -> None:
    wheel, chance = find(game).wheel, Chance(seed)
    counts = Counter(chance.segment(wheel) for _ in range(1_000_000))
    segments = len(wheel.order)
    expected = 1_000_000 / segments
    value = sum((counts[Segment(i)] - expected) ** 2 / expected for i in range(segments))
    assert len(counts) == segments
    assert chi_square_tail(value, segments - 1) > 0.01


class RecordingChance(Chance):
    """A random source that records the drawn segments."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.drawn: list[Segment] = []

    def segment(self, wheel: Wheel) -> Segment:
        self.drawn.append(super().segment(wheel))
        return self.drawn[-1]


def test_the_reported_outcome_is_the_drawn_segment() -> None:
    """The machine draws a segment once per launch, and that segment becomes the outcome."""

    chance = RecordingChance(3)
    plan = scenario(find("rws-triple-zero").rulebook, "no_spin")
    _, played, codes = run("rws-triple-zero", chance, lambda: plan, 300)
    assert [codes.segment_of[one.established] for one in played if one.established] == chance.drawn[:300]
    assert len(set(chance.drawn)) == len(codes.wheel.order)


@pytest.mark.parametrize("segments", [37, 38, 39])
def test_the_ball_comes_to_rest_at_its_target_segment(segments: int) -> None:
    chance = Chance(segments)
    for i in range(2 * segments):
        segment, sign = Segment(i % segments), 1 if i % 2 else -1
        rotor = Rotor(chance.between(0, TURN))
        rotor.to(-sign * chance.between(1.4, 1.9), 1.0)
        rotor.to(-sign * chance.between(1.4, 1.9), 60.0)
        bare = Run(rotor, 1.5, sign, 0.0, chance.between(2.5, 4.5), 5, 0.3)
        speed = chance.between(1.8, 2.2) * TURN
        ball = fitted(bare, segment, segments, speed * 0.9, speed * 1.1)
        assert speed * 0.9 <= ball.launch_speed <= speed * 1.1
        assert segment_under(ball, segments) == segment
        assert ball.revolutions >= 4
        # At rest the ball turns with the rotor, so it is at the same place on it a second later.
        at = ball.rests_after
        offsets = [ball.place(t)[0] - rotor.angle(ball.launched_at + t) for t in (at, at + 1)]
        assert isclose(offsets[0], offsets[1], abs_tol=1e-9)
        assert isclose((offsets[0] - segment * TURN / segments + 1) % TURN, 1, abs_tol=1e-6)


def test_the_ball_slows_down_steadily_without_jumps() -> None:
    rotor = Rotor()
    rotor.to(-1.7, 1.0)
    rotor.to(-1.7, 60.0)
    ball = fitted(Run(rotor, 1.5, 1, 0.0, 3.5, 5, 0.3), Segment(9), 38, 1.8 * TURN, 2.2 * TURN)
    places = [ball.place(i / 100) for i in range(int(ball.rests_after * 100))]
    steps = [after[0] - before[0] for before, after in pairwise(places)]
    rim = int(ball.drops_after * 100) - 1
    assert all(a > b > 0 for a, b in pairwise(steps[:rim]))
    assert isclose(steps[0] * 100, ball.launch_speed, rel_tol=0.01)
    assert isclose(steps[rim - 1] * 100, DROPS, rel_tol=0.02)
    assert isclose(steps[int(ball.slowed_after * 100)] * 100, SLOWED, rel_tol=0.02)
    assert max(abs(a - b) for a, b in pairwise(steps)) < 0.01
    assert places[0][1] == 1.0
    assert abs(places[-1][1] - 0.62) < 0.01


def test_the_money_wheel_stops_at_its_target_segment() -> None:
    for segment in range(52):
        for sign in (1, -1):
            turn = turn_to(Segment(segment), 0.3, 52, 1.0, sign, 3.2)
            assert turn.revolutions >= 3.2
            assert isclose(turn.under_clapper(), (segment + 0.3) % 52, abs_tol=1e-6)
            angle, clapper = turn.place(turn.rests_after / 2)
            assert (angle - 1.0) * sign > 0
            assert abs(clapper) < 0.5
            assert turn.speed(turn.rests_after) == 0.0
    assert isclose(turn_to(Segment(7), 0.5, 52, 0.0, 1, 3.0).under_clapper() % 1, 0.5, abs_tol=1e-6)


READING_KINDS = """
ball_broke             outcome
ball_did_not_drop      unresolved
ball_dropped           outcome
ball_left_wheel        void
foreign_object         outcome
interference           outcome
no_spin                outcome
same_direction         void
too_few_revolutions    outcome
wheel_not_rotating     unresolved
wheel_stopped          unresolved
launch_failed          outcome
sensor_failed          unresolved
power_cut              unresolved
clapper_on_pin         unresolved
"""
KINDS = {"outcome": OutcomeReading, "void": VoidReading, "unresolved": UnresolvedReading}


@pytest.mark.parametrize("game", GAMES)
def test_every_irregularity_can_be_produced(game: str) -> None:
    """Each irregularity gives the expected reading and the expected verdict under the rulebook."""
    rulebook = find(game).rulebook
    expected = dict(row.split() for row in READING_KINDS.strip().splitlines())
    for name, plan in scenarios(rulebook).items():
        lines, played, codes = run(game, Chance(5), repeat(plan).__next__, 6)
        readings = read_bytes(b"".join(line + b"\r\n" for line in lines), game)
        # Further readings may contain warnings of the next launch.
        assert [type(reading) for reading in readings[:6]] == [KINDS[expected[name]]] * 6, name
        for one in played:
            if listed := rulebook.irregularities.get(IrregularityId(name)):
                verdict = judge(rulebook, codes.wheel, one.spin)
                assert isinstance(verdict, Void)
                assert listed.clause in verdict.clauses
            elif one.established:
                assert isinstance(judge(rulebook, codes.wheel, one.spin), Valid)


def test_irregularities_occur_at_the_configured_rate() -> None:
    _, played, _ = simulated(2000, seed=9, rate=0.1)
    assert 150 <= sum(one.wrong is not None for one in played) <= 250
    with pytest.raises(NoSuchIrregularity):
        scenario(find("rws-money-wheel").rulebook, "ball_broke")


def test_the_same_seed_gives_the_same_wheel() -> None:
    assert simulated(20, seed=4)[0] == simulated(20, seed=4)[0] != simulated(20, seed=5)[0]


@pytest.mark.parametrize("game", ["rws-triple-zero", "rws-money-wheel"])
def test_the_angles_for_a_display_end_at_the_outcome(game: str) -> None:
    found = find(game)
    codes = codes_for(found.wheel)
    frames: list[Frame] = []
    played: list[Code] = []
    machine = Machine(
        found.rulebook,
        codes,
        Chance(2),
        played=lambda one: played.append(one.established or Code("")),
        frame=frames.append,
    )
    machine.obey(b"*P 1")
    for _ in machine.run():
        if len(played) > 8:
            break
    n = len(found.wheel.order)
    for game_number in {frame.game for frame in frames} - {frames[-1].game}:
        spin = [frame for frame in frames if frame.game == game_number]
        last = spin[-1]
        at = -last.rotor if last.ball is None else last.ball - last.rotor
        segment = Segment(round(at / (TURN / n)) % n)
        assert codes.code_of[segment] == played[int(game_number) - 1]
        assert all(0 < b.seconds - a.seconds < 0.04 for a, b in pairwise(spin))


def test_the_machine_answers_commands_by_its_state() -> None:
    found = find("mbs-electronic-double-zero")
    machine = Machine(found.rulebook, codes_for(found.wheel), Chance(1), mode=mode_for(found.rulebook))
    running = machine.run()

    def until(state: State) -> None:
        for _ in range(200):
            for line in next(running):
                match read(line):
                    case Status(state=now) if now is state:
                        return
        raise AssertionError(f"the state {state.name} was not reached")

    until(State.CLOSED)
    assert machine.obey(b"*P 0") == (b"*P NO",)
    assert machine.obey(b"*o 131") == (b"*o 131",)
    assert machine.obey(b"*P 1") == (b"*P OK",)
    assert machine.obey(b"*P 1") == (b"*P NO",)
    until(State.PLACE_YOUR_BETS)
    assert machine.obey(b"*o 1") == (b"*o BUSY",)
    for _ in range(300):
        assert all(b"*X;2" in line for line in next(running))  # waiting for the start command
    assert machine.obey(b"*u 1") == (b"*u OK",)
    assert machine.obey(b"*u 1") == (b"*u NO",)
    until(State.BALL_IN_RIM)
    until(State.WINNING_NUMBER)
    assert machine.obey(b"*P 0") == (b"*P OK",)
    until(State.CLOSED)
    assert machine.obey(b"*V")[0].startswith(b"*V ")
    assert machine.obey(b"*T z") == (b"*T z 38",)
    assert machine.obey(b"nonsense") == ()


def test_the_rotor_changes_direction_each_game() -> None:
    lines, _, _ = simulated(20, seed=1, rate=0)
    rim = [s for line in lines if isinstance(s := read(line), Status) and s.state is State.BALL_IN_RIM]
    directions = [s.rotor for s in {s.game: s for s in rim}.values()]
    assert all(a is not b for a, b in pairwise(directions))
    assert not any(s.flags for s in rim)


def test_codes_map_pockets_and_reject_invalid_values() -> None:
    triple = find("rws-triple-zero").wheel
    assert len(codes_for(triple).segment_of) == 39
    assert codes_for(triple, {"000": "37"}).rest(Code("37")) == "000"
    assert codes_for(find("mbs-sands").wheel).rest(Code(" S")) == "S"
    assert codes_for(find("rws-money-wheel").wheel).rest(Code("51")) == 51
    for wrong in ({"000": "00"}, {"4711": "01"}, {"000": "abc"}, {"000": ";1"}, {"000": " "}):
        with pytest.raises(InvalidCodes):
            codes_for(triple, wrong)
