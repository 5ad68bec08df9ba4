"""Random rounds of random games with noise, compared with an independent model of the money.

Two tables share one journal. Any position may send any request at any time, requests are repeated, and the tables
are interrupted.
"""

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
from roundhouse.table.names import SeatId
from tests.support.money_model import PRICES, Model
from tests.support.tables import EVERYBODY, GAMES, SPUN_FIRST, TERMINALS, TWO, Json, Play, chips, kinds, replayed

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
        request = play.request(do, **({"by": by} if by else {}), **sent)
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
                model.follow_round(do, fields, events)

    # Actions of people.

    def advance(self, n: int, outcome: str) -> None:
        """Take the next regular step of the round."""
        play = self.plays[n]
        spun_first = play.name in SPUN_FIRST
        evidence = play.writer.table.state.evidence
        read = sorted(evidence.outcomes) if evidence else []
        decision: Json = {"round": play.number, "ruling": "settle" if read else "void", "reason": "confirmed"}
        confirm: tuple[str, Json] = ("confirm_result", {})
        if evidence and play.writer.table.state.readings_disagree:
            confirm = ("correct_result", {"round": play.number, "outcome": read[0]})
        elif evidence and evidence.reports_differ and not evidence.spin_accepted:
            confirm = ("refer", {"round": play.number, "question": "how did it spin?"})
        elif evidence and not evidence.spin_accepted and (evidence.revolutions is None or not self.directions(n)):
            confirm = ("observe_spin", play.spun())
        steps: dict[str, tuple[str, Json]] = {
            "closed": ("open_table", {}),
            "idle": ("open_bets", {}),
            "bets_open": ("start_spin" if spun_first else "close_bets", {}),
            "spinning_bets_open": ("close_bets", {}),
            "bets_closed": ("start_spin", {}),
            "spinning": ("ball_at_rest", {"outcome": outcome}),
            "interrupted": ("ball_at_rest", {"outcome": outcome, **TWO}),
            "at_rest": ("register_result", {"outcome": read[0] if read else outcome}),
            "registered": confirm,
            "referred": ("decide", {**decision, "outcome": read[0]} if read else decision),
        }
        do, fields = steps[play.phase]
        assert self.ask(n, do, fields), (play.phase, do)

    def directions(self, n: int) -> bool:
        """Return whether the directions of the spin are attested, if the game has them."""
        evidence = self.plays[n].writer.table.state.evidence
        return self.plays[n].name == "rws-money-wheel" or bool(evidence and evidence.ball and evidence.wheel)

    @rule(n=TABLE, steps=st.integers(1, 4), data=st.data())
    def the_dealer_continues(self, n: int, steps: int, data: st.DataObject) -> None:
        outcome = data.draw(self.outcomes(n))
        for _ in range(steps):
            self.advance(n, outcome)

    @rule(n=TABLE, steps=st.integers(0, 7), data=st.data())
    def a_round_is_played(self, n: int, steps: int, data: st.DataObject) -> None:
        """Place bets at several seats and take some of the remaining steps of the round."""
        outcome = data.draw(self.outcomes(n))
        while not self.betting(n):
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

    def betting(self, n: int) -> bool:
        return self.plays[n].phase in ("bets_open", "spinning_bets_open")

    def outcomes(self, n: int) -> st.SearchStrategy[str]:
        likely = ["1", "17", "0", "00", "36"] if self.plays[n].name != "rws-money-wheel" else ["1", "20", "RWS", "3"]
        return st.sampled_from(likely)

    def a_slip(self, n: int, seat: str, data: st.DataObject) -> None:
        model = self.models[n]
        cents = st.integers(1, 40).map(lambda chips: 10 * chips)
        slip = data.draw(st.dictionaries(st.sampled_from(sorted(model.prices)), cents, min_size=1))
        # The slip is valid, so the answer depends only on the phase and the credits.
        expected = self.betting(n) and sum(slip.values()) <= model.credits(seat)
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
            possible = self.betting(n) and self.possible(model, do, seat)
            assert self.ask(n, do, {"seat": seat}) is possible, do

    def possible(self, model: Model, do: str, seat: str) -> bool:
        """Return whether there are chips to act on and enough credits."""
        slips = model.slips[seat], model.last[seat], *model.history[seat][-1:]
        on_layout, last, *before = [sum(slip.values()) for slip in slips]
        applicable = {"undo": bool(before), "clear": on_layout > 0, "repeat": last > 0, "double": on_layout > 0}[do]
        cost = {"undo": before[0] - on_layout if before else 0, "clear": 0, "repeat": last, "double": on_layout}[do]
        return applicable and cost <= model.credits(seat)

    @rule(
        n=st.sampled_from([0, 1]), seat=st.sampled_from(SEATS), cents=st.integers(1, 200).map(lambda chips: 10 * chips)
    )
    def a_player_buys(self, n: int, seat: str, cents: int) -> None:
        assert self.ask(n, "buy_credits", {"seat": seat, "cents": cents}) is (self.plays[n].phase != "closed")

    @rule(n=st.sampled_from([0, 1]), seat=st.sampled_from(SEATS))
    def a_player_cashes_out(self, n: int, seat: str) -> None:
        colour = self.plays[n].writer.table.state.seats[SeatId(seat)].colour
        applicable = self.models[n].credits(seat) > 0 and not colour
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

    @rule(n=TABLE, times=st.integers(2, 6), data=st.data())
    def a_past_round_is_decided_again_and_again(self, n: int, times: int, data: st.DataObject) -> None:
        """Void, settle and reinstate a round, as a whole and for single seats, in any order."""
        self.a_round_is_played(n, 7, data)
        number = data.draw(st.integers(1, self.models[n].number))
        for _ in range(times):
            self.ask(n, "refer", {"round": number, "question": "again?"})
            ruling = data.draw(st.sampled_from(["void", "settle"]))
            decision: Json = {"round": number, "ruling": ruling, "reason": "seen"}
            if ruling == "settle":
                decision["outcome"] = data.draw(self.outcomes(n))
            if (seat := data.draw(st.sampled_from([*SEATS, ""]))) != "":
                decision["seat"] = seat
            self.ask(n, "decide", decision)

    @rule(n=TABLE, data=st.data())
    def the_pit_intervenes(self, n: int, data: st.DataObject) -> None:
        number = data.draw(st.integers(1, max(1, self.models[n].number)))
        outcome = data.draw(self.outcomes(n))
        seat = data.draw(st.sampled_from(SEATS))
        several = data.draw(st.lists(st.integers(1, max(1, self.models[n].number)), min_size=1, max_size=3))
        actions: list[tuple[str, Json]] = [
            ("declare", {"irregularity": "interference"}),
            ("declare", {"irregularity": "ball_broke", "rounds": several, "by": "pit_manager"}),
            ("declare", {"irregularity": "ball_broke", "rounds": several, "by": "pit_manager"}),
            ("declare", {"irregularity": "interrupted_without_outcome"}),
            ("declare", {"irregularity": "terminals_interrupted", "seats": [seat]}),
            ("correct_result", {"round": number, "outcome": outcome}),
            ("correct_result", {"round": number, "outcome": outcome}),
            ("call_no_spin", {}),
            ("observe_spin", {**TURNED, "seen": ["interference"], **TWO}),
            ("observe_spin", {**TURNED, "ball": None, "wheel": None}),
            ("observe_spin", {"revolutions": 2, **TWO}),
            ("ball_at_rest", {"outcome": outcome, "by": "pit_supervisor", "who": "kim"}),
            ("amend_reading", {"outcome": outcome, **TWO}),
            ("amend_reading", {"outcome": outcome, "by": "pit_supervisor", "who": "kim"}),
            ("issue_colour", {"seat": seat, "colour": "blue", "value_cents": 10}),
            ("redeem_colour", {"seat": seat}),
            ("refer", {"round": number, "question": "what was that?"}),
            ("decide", {"round": number, "ruling": "void", "reason": "seen"}),
            ("decide", {"round": number, "ruling": "stand", "reason": "seen"}),
            ("decide", {"round": number, "ruling": "settle", "outcome": outcome, "reason": "seen"}),
            ("decide", {"round": number, "seat": seat, "ruling": "void", "reason": "seen"}),
            ("decide", {"round": number, "seat": seat, "ruling": "settle", "outcome": outcome, "reason": "seen"}),
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
        """Reopen both tables. No round ends, and no money moves."""
        if not interrupted:
            return
        self.plays[0].store.close()
        store = SqliteStore(self.plays[0].path)
        for play in self.plays:
            play.store = store
            assert not {"round_settled", "round_voided"} & set(kinds(play.resume()))
        for n in range(len(self.plays)):
            self.compare_with_journal(n)

    @rule(n=TABLE)
    def the_software_is_stopped_in_an_orderly_way(self, n: int) -> None:
        play = self.plays[n]
        play.writer.stop_software()
        assert play.resume() == []
        assert play.phase in ("closed", "idle", "referred")

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
                assert (seat.handle - seat.paid) == -sum(self.won(model, id))
            assert state.house == model.house()
            assert (state.meters.handle, state.meters.paid) == (model.handle(), model.paid())
            void = sum(past.outcome is None for past in model.past.values())
            assert (state.meters.voids, state.meters.rounds) == (void, len(model.past) - void)
            assert state.layout == sum(sum(slip.values()) for slip in model.slips.values())
            assert state.shortfall == -sum(model.owed(seat) for seat in SEATS)
            newest = sorted(model.past, reverse=True)[:50]
            assert [(r.round, r.outcome) for r in state.results] == [(k, model.past[k].outcome) for k in newest]
            play.audit()

    def won(self, model: Model, seat: str) -> list[int]:
        """Return what a seat won or lost in each round that is settled for it."""
        rounds = [past for past in model.past.values() if past.outcome_of(seat) is not None and seat in past.slips]
        return [model.due(p.slips[seat], p.outcome_of(seat)) - sum(p.slips[seat].values()) for p in rounds]


def numbers(**kwargs: Any) -> settings:
    return settings(suppress_health_check=list(HealthCheck), **kwargs)


TestRounds = Rounds.TestCase
TestRounds.settings = numbers(max_examples=75, stateful_step_count=40)
