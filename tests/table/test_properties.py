"""Random rounds of random games with noise, compared with an independent model of the money.

Two tables share one journal. Any position may send any request at any time, requests are repeated, and the tables
are interrupted.
"""

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from roundhouse.journal.entry import decode
from roundhouse.journal.sqlite import SqliteStore
from tests.support.money_model import PRICES, Model
from tests.support.tables import EVERYBODY, GAMES, SPUN_FIRST, TERMINALS, Json, Play, chips, replayed

SOAK = os.environ.get("ROUNDHOUSE_TESTS") == "soak"
SEATS = ("a", "b", "c")
CENTS = st.one_of(st.integers(1, 400), st.sampled_from([0, -1, 5000, 10**11, 10**12, 2**63, 10**30]))
ROUNDS = st.one_of(st.integers(0, 6), st.sampled_from([-1, 2**63, 10**30]))
TABLE = st.sampled_from([0, 0, 0, 1])
CHANGES = ("undo", "undo", "clear", "repeat", "double")
TURNED = {"ball": "clockwise", "wheel": "anticlockwise", "revolutions": 6}


class Rounds(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        # Durability is not tested here, so an in-memory file system is used if there is one, for speed.
        self.folder = Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
        self.plays: list[Play] = []
        self.models: list[Model] = []
        self.sent: list[tuple[int, Json, Json]] = []
        self.tickets: dict[str, int] = {}
        self.redeemed: set[str] = set()

    def teardown(self) -> None:
        for n in range(len(self.plays)):
            self.compare_with_journal(n)
        if self.plays:
            self.plays[0].store.close()
        shutil.rmtree(self.folder)

    # Setup.

    @initialize(games=st.lists(st.sampled_from(GAMES), min_size=2, max_size=2))
    def open_tables(self, games: list[str]) -> None:
        for n, game in enumerate(games):
            beside = self.plays[0] if self.plays else None
            self.plays.append(Play(self.folder / "journal", game, f"t{n}", beside=beside))
            self.models.append(Model(PRICES["wheel" if game == "rws-money-wheel" else "roulette"]))
            self.ask(n, "open_table", {})
            for seat in SEATS:
                assert self.ask(n, "take_seat", {"seat": seat, "terminal": TERMINALS[game]})
                assert self.ask(n, "buy_credits", {"seat": seat, "cents": 1000})

    # Sending requests, and updating the model with the answers.

    def ask(self, n: int, do: str, fields: Json, by: str = "") -> bool:
        play, model = self.plays[n], self.models[n]
        slip = fields.get("bets")
        sent = {**fields, "bets": chips(slip)} if isinstance(slip, dict) else fields
        request = play.request(do, by, **sent)
        before = play.state_json()
        answer = play.send(request)[0]
        self.sent.append((n, request, answer))
        if not answer["ok"]:
            play.unchanged(before, but=("late_bets",))
            return False
        self.follow(model, do, fields, answer["events"])
        return True

    def follow(self, model: Model, do: str, fields: Json, events: list[Json]) -> None:
        seat = fields.get("seat", "")
        match do:
            case "take_seat":
                model.sit(seat)
            case "buy_credits":
                model.bought[seat].append(fields["cents"])
            case "cash_out":
                self.tickets[events[0]["ticket"]] = model.credits(seat)
                model.cashed[seat].append(model.credits(seat))
            case "redeem_ticket":
                assert fields["ticket"] not in self.redeemed, "a ticket was redeemed twice"
                self.redeemed.add(fields["ticket"])
                model.bought[seat].append(self.tickets[fields["ticket"]])
            case "place_bets" | "withdraw_bets":
                model.lay(seat, model.plus(seat, fields["bets"], 1 if do == "place_bets" else -1))
            case "double":
                model.lay(seat, model.plus(seat, model.slips[seat]))
            case "repeat":
                model.lay(seat, model.plus(seat, model.last[seat]))
            case "clear":
                model.lay(seat, {})
            case "undo":
                model.undo(seat)
            case _:
                self.follow_round(model, do, fields, events)

    def follow_round(self, model: Model, do: str, fields: Json, events: list[Json]) -> None:
        match do:
            case "open_bets":
                model.begin()
            case "close_bets":
                model.betting = False
            case "ball_at_rest":
                model.rested = fields["outcome"]
            case "register_result":
                model.registered = fields["outcome"]
            case "confirm_result":
                model.end(model.registered)
            case "call_no_spin":
                model.end(None)
            case "observe_spin" if len(events) > 1:
                model.end(None)
            case "declare":
                for number in sorted(set(fields.get("rounds", [model.number]))):
                    self.void(model, number)
            case "correct_result" if model.open and fields["round"] == model.number:
                # The correction states what the wheel showed, so it is the outcome from now on.
                model.registered = model.rested = fields["outcome"]
            case "correct_result":
                model.restate(fields["round"], fields["outcome"])
            case "refer":
                model.referred.add(fields["round"])
            case "decide":
                self.follow_decision(model, fields)

    def void(self, model: Model, number: int) -> None:
        if model.open and number == model.number:
            model.end(None)
        else:
            assert model.past[number].outcome is not None, "a round was voided twice"
            model.restate(number, None)

    def follow_decision(self, model: Model, fields: Json) -> None:
        number, outcome = fields["round"], fields.get("outcome")
        model.referred.remove(number)
        match fields["ruling"]:
            case "void":
                self.void(model, number)
            case "settle" if model.open and number == model.number:
                model.end(outcome or model.rested)
            case "settle":
                model.restate(number, outcome)

    # Actions of people.

    def advance(self, n: int, outcome: str) -> None:
        """Take the next regular step of the round."""
        play = self.plays[n]
        spun_first = play.name in SPUN_FIRST
        decision = {"round": play.number, "ruling": "settle", "reason": "confirmed", "outcome": outcome}
        steps: dict[str, tuple[str, Json]] = {
            "closed": ("open_table", {}),
            "idle": ("open_bets", {}),
            "bets_open": ("start_spin" if spun_first else "close_bets", {}),
            "spinning_bets_open": ("close_bets", {}),
            "bets_closed": ("start_spin", {}),
            "spinning": ("ball_at_rest", {"outcome": outcome}),
            "at_rest": ("register_result", {"outcome": outcome}),
            "registered": ("confirm_result", {}),
            "referred": ("decide", decision),
        }
        do, fields = steps[play.phase]
        assert self.ask(n, do, fields), (play.phase, do)

    @rule(n=TABLE, steps=st.integers(1, 4), data=st.data())
    def the_dealer_continues(self, n: int, steps: int, data: st.DataObject) -> None:
        outcome = data.draw(self.outcomes(n))
        for _ in range(steps):
            self.advance(n, outcome)

    @rule(n=TABLE, steps=st.integers(0, 7), data=st.data())
    def a_round_is_played(self, n: int, steps: int, data: st.DataObject) -> None:
        """Place bets at several seats and take some of the remaining steps of the round."""
        outcome = data.draw(self.outcomes(n))
        while not self.models[n].betting or self.plays[n].phase == "referred":
            self.advance(n, outcome)
        for seat in SEATS:
            self.a_slip(n, seat, data)
            self.changes(n, seat, data.draw(st.lists(st.sampled_from(CHANGES), max_size=3)))
        for _ in range(steps):
            if self.plays[n].phase != "idle":
                self.advance(n, outcome)

    @rule(n=TABLE, data=st.data())
    def another_round_is_played(self, n: int, data: st.DataObject) -> None:
        self.a_round_is_played(n, 7, data)

    def outcomes(self, n: int) -> st.SearchStrategy[str]:
        likely = ["1", "17", "0", "00", "36"] if self.plays[n].name != "rws-money-wheel" else ["1", "20", "RWS", "3"]
        return st.sampled_from(likely)

    def a_slip(self, n: int, seat: str, data: st.DataObject) -> None:
        model = self.models[n]
        slip = data.draw(st.dictionaries(st.sampled_from(sorted(model.prices)), st.integers(1, 400), min_size=1))
        # The slip is valid, so the answer depends only on the phase and the credits.
        expected = model.betting and self.plays[n].phase != "referred" and sum(slip.values()) <= model.credits(seat)
        assert self.ask(n, "place_bets", {"seat": seat, "bets": slip}) is expected

    @rule(n=TABLE, seat=st.sampled_from(SEATS), data=st.data())
    def a_player_bets(self, n: int, seat: str, data: st.DataObject) -> None:
        self.a_slip(n, seat, data)

    @rule(n=TABLE, seat=st.sampled_from(SEATS), actions=st.lists(st.sampled_from(CHANGES), min_size=1, max_size=5))
    def a_player_changes_the_bets(self, n: int, seat: str, actions: list[str]) -> None:
        self.changes(n, seat, actions)

    def changes(self, n: int, seat: str, actions: list[str]) -> None:
        for do in actions:
            model = self.models[n]
            possible = model.betting and self.plays[n].phase != "referred" and self.possible(model, do, seat)
            assert self.ask(n, do, {"seat": seat}) is possible, do

    def possible(self, model: Model, do: str, seat: str) -> bool:
        """Return whether there are chips to act on and enough credits."""
        slips = model.slips[seat], model.last[seat], *model.history[seat][-1:]
        on_layout, last, *before = [sum(slip.values()) for slip in slips]
        applicable = {"undo": bool(before), "clear": on_layout > 0, "repeat": last > 0, "double": on_layout > 0}[do]
        cost = {"undo": before[0] - on_layout if before else 0, "clear": 0, "repeat": last, "double": on_layout}[do]
        return applicable and cost <= model.credits(seat)

    @rule(n=st.sampled_from([0, 1]), seat=st.sampled_from(SEATS), cents=st.integers(1, 2000))
    def a_player_buys(self, n: int, seat: str, cents: int) -> None:
        assert self.ask(n, "buy_credits", {"seat": seat, "cents": cents}) is (self.plays[n].phase != "closed")

    @rule(n=st.sampled_from([0, 1]), seat=st.sampled_from(SEATS))
    def a_player_cashes_out(self, n: int, seat: str) -> None:
        applicable = self.models[n].credits(seat) > 0
        assert self.ask(n, "cash_out", {"seat": seat}) is applicable

    @rule(n=st.sampled_from([0, 1]), seat=st.sampled_from(SEATS), data=st.data())
    def a_ticket_is_brought(self, n: int, seat: str, data: st.DataObject) -> None:
        """Redeem a ticket at either table, whether or not it was redeemed before."""
        ticket = data.draw(st.sampled_from([*self.tickets, "0" * 20]))
        good = ticket in self.tickets and ticket not in self.redeemed and self.plays[n].phase != "closed"
        assert self.ask(n, "redeem_ticket", {"seat": seat, "ticket": ticket}) is good

    @rule(n=TABLE, leaves=st.sampled_from([*SEATS, ""]), acts=st.integers(1, 4), data=st.data())
    def a_past_round_is_changed(self, n: int, leaves: str, acts: int, data: st.DataObject) -> None:
        """Change past rounds, possibly after a player has cashed out the winnings."""
        self.a_round_is_played(n, 7, data)
        if leaves:
            self.ask(n, "cash_out", {"seat": leaves})
        for _ in range(acts):
            self.the_pit_intervenes(n, data)

    @rule(n=TABLE, data=st.data())
    def the_pit_intervenes(self, n: int, data: st.DataObject) -> None:
        number = data.draw(st.integers(1, max(1, self.models[n].number)))
        outcome = data.draw(self.outcomes(n))
        several = data.draw(st.lists(st.integers(1, max(1, self.models[n].number)), min_size=1, max_size=3))
        actions: list[tuple[str, Json]] = [
            ("declare", {"irregularity": "interference"}),
            ("declare", {"irregularity": "ball_broke", "rounds": several}),
            ("declare", {"irregularity": "ball_broke", "rounds": several}),
            ("correct_result", {"round": number, "outcome": outcome}),
            ("correct_result", {"round": number, "outcome": outcome}),
            ("call_no_spin", {}),
            ("observe_spin", {**TURNED, "seen": ["interference"]}),
            ("observe_spin", {"revolutions": 2}),
            ("refer", {"round": number, "question": "what was that?"}),
            ("decide", {"round": number, "ruling": "void", "reason": "seen"}),
            ("decide", {"round": number, "ruling": "stand", "reason": "seen"}),
            ("decide", {"round": number, "ruling": "settle", "outcome": outcome, "reason": "seen"}),
            ("close_table", {"last_rounds": data.draw(st.integers(0, 3))}),
        ]
        do, fields = data.draw(st.sampled_from(actions))
        done = self.ask(n, do, fields)
        if done and do == "refer" and data.draw(st.booleans()):
            decision = data.draw(st.sampled_from([fields for name, fields in actions if name == "decide"]))
            self.ask(n, "decide", decision)

    @rule(
        n=st.sampled_from([0, 1]),
        by=st.sampled_from(EVERYBODY),
        seat=st.sampled_from([*SEATS, "ghost", ""]),
        cents=CENTS,
        number=ROUNDS,
        outcome=st.sampled_from(["1", "17", "20", "S", "99", ""]),
        position=st.sampled_from(["red", "symbol:1", "straight:17", "nowhere"]),
        data=st.data(),
    )
    def noise(
        self, n: int, by: str, seat: str, cents: int, number: int, outcome: str, position: str, data: st.DataObject
    ) -> None:
        fields: dict[str, Json] = {
            "open_table": {},
            "buy_credits": {"seat": seat, "cents": cents},
            "open_bets": {},
            "close_bets": {},
            "start_spin": {},
            "confirm_result": {},
            "ball_at_rest": {"outcome": outcome},
            "register_result": {"outcome": outcome},
            "place_bets": {"seat": seat, "bets": {position: cents}},
            "withdraw_bets": {"seat": seat, "bets": {position: cents}},
            "correct_result": {"round": number, "outcome": outcome},
            "refer": {"round": number, "question": "?"},
            "decide": {"round": number, "ruling": "void", "reason": "x"},
            "declare": {"irregularity": "ball_broke", "rounds": [number, 1]},
            "cash_out": {"seat": seat},
        }
        do = data.draw(st.sampled_from(sorted(fields)))
        self.ask(n, do, fields[do], by)

    @precondition(lambda self: self.sent)
    @rule(data=st.data())
    def a_request_is_sent_again(self, data: st.DataObject) -> None:
        n, request, first = data.draw(st.sampled_from(self.sent))
        play = self.plays[n]
        before = play.state_json()
        assert play.send(request) == [first]
        assert play.state_json() == before

    @rule(interrupted=st.booleans())
    def the_tables_are_interrupted(self, interrupted: bool) -> None:
        """Reopen both tables. A round with an outcome is settled, and one without is void."""
        if not interrupted:
            return
        self.plays[0].store.close()
        store = SqliteStore(self.plays[0].path)
        for play, model in zip(self.plays, self.models, strict=True):
            waits = play.phase == "referred"
            play.store = store
            play.resume()
            if model.open and not waits:
                model.end(model.rested)
        for n in range(len(self.plays)):
            self.compare_with_journal(n)

    # Invariants.

    def compare_with_journal(self, n: int) -> None:
        play = self.plays[n]
        entries = [decode(row.body) for row in play.store.rows(play.id)]
        assert [entry.seq for entry in entries] == list(range(1, play.writer.version + 1))
        assert msgspec.to_builtins(replayed(play)) == msgspec.to_builtins(play.writer.table.state)
        for number in range(1, play.number + 1):
            ends = [e for e in play.events if e["event"] in ("round_settled.v1", "round_voided.v1")]
            assert sum(e["round"] == number for e in ends) == (number in self.models[n].past), "a round ends once"

    @invariant()
    def the_money_is_right(self) -> None:
        for play, model in zip(self.plays, self.models, strict=True):
            state = play.writer.table.state
            for id, seat in state.seats.items():
                assert seat.credits == model.credits(id) >= 0
                assert seat.bets == model.slips[id]
                assert seat.shortfall == model.owed(id) >= 0
            assert state.house == model.house()
            assert state.layout == sum(sum(slip.values()) for slip in model.slips.values())
            assert state.shortfall == -sum(model.owed(seat) for seat in SEATS)
            newest = sorted(model.past, reverse=True)[:50]
            assert [(r.round, r.outcome) for r in state.results] == [(k, model.past[k].outcome) for k in newest]
            play.audit()


def numbers(**kwargs: Any) -> settings:
    return settings(suppress_health_check=list(HealthCheck), **kwargs)


TestRounds = Rounds.TestCase
TestRounds.settings = (
    numbers(max_examples=2000, stateful_step_count=120) if SOAK else numbers(max_examples=75, stateful_step_count=40)
)
