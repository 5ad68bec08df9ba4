"""The visibility of every event type for every audience, as one table.

``all``: the whole event. ``own``: only the part of that seat. ``public``: without amounts of money. ``-``: not sent.
The events concern seats 1 and 2, or only seat 1. An event type without a row fails the test.
"""

import asyncio
from typing import Any, get_args

import msgspec
import pytest

from roundhouse.floor.audience import NAMING_EVENTS, SINGLE_SEAT_EVENTS, public_event, seat_event, split_by_seat
from roundhouse.floor.feed import TableFeed
from roundhouse.floor.opening import feed_of
from roundhouse.floor.subscribers import SeatChange
from roundhouse.journal.entry import Entry, Seq
from roundhouse.rules.judge import Direction
from roundhouse.rules.names import Clause, IrregularityId, StaffPosition
from roundhouse.table import events as e
from roundhouse.table.decision import Facts
from roundhouse.table.evidence import Source
from roundhouse.table.limits import Limits
from roundhouse.table.names import (
    EVIDENCE,
    ChipAction,
    ChipColour,
    Contested,
    Count,
    DisputeNumber,
    Millis,
    PersonName,
    Phase,
    ReadBy,
    RoundNumber,
    Ruling,
    SeatId,
)
from roundhouse.table.protection import PlayLimits
from tests.support.clocks import START
from tests.support.houses import ROULETTE, SANDS
from tests.support.http_house import HttpHouse

TABLE = """
                             watching  seat 1  seat 2  seat 3  staff
table_opened.v1              all       all     all     all     all
last_rounds_announced.v1     all       all     all     all     all
procedure_adopted.v1         all       all     all     all     all
table_closed.v1              all       all     all     all     all
table_stopped.v1             public    public  public  public  all
software_stopped.v1          all       all     all     all     all
table_resumed.v1             public    public  public  public  all
seat_taken.v1                -         all     -       -       all
credits_bought.v1            -         own     -       -       all
bets_opened.v1               all       all     all     all     all
bets_placed.v1               -         all     -       -       all
bets_withdrawn.v1            -         all     -       -       all
late_bet_refused.v1          -         all     -       -       all
late_withdrawal_refused.v1   -         all     -       -       all
bets_closed.v1               public    public  public  public  all
spin_started.v1              public    public  public  public  all
spin_observed.v1             public    public  public  public  all
ball_rested.v1               public    public  public  public  all
outcome_read.v1              -         -       -       -       all
reading_amended.v1           -         -       -       -       all
result_registered.v1         public    public  public  public  all
result_confirmed.v1          public    public  public  public  all
round_settled.v1             public    own     own     public  all
round_voided.v1              public    own     own     public  all
rounds_skipped.v1            all       all     all     all     all
terminals_interrupted.v1     -         own     own     -       all
round_corrected.v1           public    own     own     public  all
round_reversed.v1            public    own     own     public  all
round_reinstated.v1          public    own     own     public  all
seat_decided.v1              -         all     -       -       all
stake_returned.v1            -         all     -       -       all
matter_referred.v1           public    public  public  public  all
decision_made.v1             public    public  public  public  all
manual_mode_entered.v1       all       all     all     all     all
automatic_mode_entered.v1    all       all     all     all     all
cashed_out.v1                -         own     -       -       all
cashed_out.v2                -         own     -       -       all
ticket_redeemed.v1           -         own     -       -       all
ticket_redeemed.v2           -         own     -       -       all
protection_set.v1            -         all     -       -       all
break_taken.v1               -         all     -       -       all
check_acknowledged.v1        -         all     -       -       all
attendant_called.v1          -         all     -       -       all
call_attended.v1             -         own     -       -       all
colour_issued.v1             -         all     -       -       all
colour_redeemed.v1           -         all     -       -       all
interruption_recovered.v1    all       all     all     all     all
purchase_reversed.v1         -         own     -       -       all
cash_out_requested.v1        -         own     -       -       all
limits_changed.v1            public    public  public  public  all
enrolment_allowed.v1         -         own     -       -       all
dispute.v1                   -         own     -       -       all
dispute_closed.v1            -         own     -       -       all
display_questioned.v1        -         -       -       -       all
seat_paused.v1               -         all     -       -       all
seat_resumed.v1              -         all     -       -       all
dealer_changed.v1            -         -       -       -       all
float_counted.v1             -         -       -       -       all
float_filled.v1              -         -       -       -       all
float_credited.v1            -         -       -       -       all
drop_removed.v1              -         -       -       -       all
"""
MONEY = 876543
"""An amount that occurs only in these events, so a frame that contains it reveals money."""
ONE, TWO, THREE = SeatId("1"), SeatId("2"), SeatId("3")
R = RoundNumber(1)
ANN = Source(StaffPosition.DEALER, PersonName("ann-who-deals"))


def _events() -> list[e.AnyEvent]:
    """Return one event of each type, with MONEY in every field for an amount."""
    c: Any = "5.1"
    m: Any = MONEY
    restated = (e.Restated(ONE, m, m, m), e.Restated(TWO, m, m, m))
    slip: Any = {"red": m}
    return [
        e.TableOpened("g", "v", "hash", Limits()),  # type: ignore[arg-type]
        e.LastRoundsAnnounced(3),
        e.ProcedureAdopted(EVIDENCE),
        e.TableClosed(),
        e.TableStopped(f"seat 1 has {MONEY} cents too many"),
        e.SoftwareStopped(R, Phase.SPINNING),
        e.TableResumed(
            f"seat 1 had {MONEY} cents too many", StaffPosition.SHIFT_MANAGER, Clause("5.15"), f"{MONEY} cents"
        ),
        e.SeatTaken(ONE, "rapid-b", "B"),  # type: ignore[arg-type]
        e.CreditsBought(ONE, m, 1, ANN),
        e.BetsOpened(R, "Place your bets", c),
        e.BetsPlaced(ONE, slip),
        e.BetsWithdrawn(ONE, slip),
        e.LateBetRefused(ONE, ChipAction.PLACED, Millis(5), c, slip),
        e.LateWithdrawalRefused(ONE, ChipAction.WITHDRAWN, Millis(5), c, slip),
        e.BetsClosed(R, "No more bets", c, m),
        e.SpinStarted(R, ANN),
        e.SpinObserved(R, 5, Direction.CLOCKWISE, Direction.ANTICLOCKWISE, source=ANN),
        e.BallRested(R, "17", c, ReadBy.WHEEL, ANN),  # type: ignore[arg-type]
        e.OutcomeRead(R, "17", ANN),  # type: ignore[arg-type]
        e.ReadingAmended(R, "18", "17", ANN),  # type: ignore[arg-type]
        e.ResultRegistered(R, "17", source=ANN),  # type: ignore[arg-type]
        e.ResultConfirmed(R, "17", source=ANN),  # type: ignore[arg-type]
        e.RoundSettled(R, "17", m, m, {ONE: (m, m), TWO: (m, m)}),  # type: ignore[arg-type]
        e.RoundVoided(R, (c,), c, {ONE: m, TWO: m}),
        e.RoundsSkipped((R,), IrregularityId("ball_broke"), c),
        e.TerminalsInterrupted(R, (ONE, TWO), c),
        e.RoundCorrected(R, "17", "18", c, restated),  # type: ignore[arg-type]
        e.RoundReversed(R, "17", (c,), restated),  # type: ignore[arg-type]
        e.RoundReinstated(R, "17", c, restated),  # type: ignore[arg-type]
        e.SeatDecided(R, Ruling.VOID, c, restated[0]),
        e.StakeReturned(R, ONE, m, c),
        e.MatterReferred(R, f"seat 1 says it had {MONEY}", "shift_manager", c),  # type: ignore[arg-type]
        e.DecisionMade(R, Ruling.STAND, f"seat 1 had {MONEY}", "shift_manager", c),  # type: ignore[arg-type]
        e.ManualModeEntered("the wheel stands still"),
        e.AutomaticModeEntered(),
        e.CashedOut(ONE, m, "12345", Millis(5), ANN),  # type: ignore[arg-type]
        e.ConcealedCashOut(ONE, m, "12345", Millis(5), ANN),  # type: ignore[arg-type]
        e.TicketRedeemed(ONE, m, "12345", ANN),  # type: ignore[arg-type]
        e.ConcealedRedemption(ONE, m, "12345", ANN),  # type: ignore[arg-type]
        e.ProtectionSet(ONE, PlayLimits(loss_cents=m)),
        e.BreakTaken(ONE, m),
        e.CheckAcknowledged(ONE, m, m),
        e.AttendantCalled(ONE),
        e.CallAttended(ONE, ANN.by, ANN.who),
        e.ColourIssued(ONE, ChipColour("yellow"), m, c),
        e.ColourRedeemed(ONE, ChipColour("yellow"), m, c),
        e.InterruptionRecovered(R, "spinning", "power", c),  # type: ignore[arg-type]
        e.PurchaseReversed(ONE, m, 1, ANN, "ann-who-deals mistyped it"),
        e.CashOutRequested(ONE, m, ANN),
        e.LimitsChanged(Limits(), Limits(), "ann-who-deals asked for it", ANN),
        e.EnrolmentAllowed(ONE, m, Millis(5), "ann-who-deals saw a broken screen", ANN),
        e.Disputed(
            DisputeNumber(1), R, ONE, Contested.PAYMENT, "", StaffPosition.SHIFT_MANAGER, c, "", None, m, m, "", ANN
        ),
        e.DisputeClosed(DisputeNumber(1), R, ONE, "paid", StaffPosition.SHIFT_MANAGER, c, m, m, ANN.who),
        e.DisplayQuestioned(f"it shows {MONEY}", R),
        e.SeatPaused(ONE, "a moment, please"),
        e.SeatResumed(ONE),
        e.DealerChanged(ANN.who, ANN.who, f"ann-who-deals had {MONEY}"),
        e.FloatCounted(Count.OPENER, m, m, 0),
        e.FloatFilled(m),
        e.FloatCredited(m),
        e.DropTaken(m),
    ]


SHARED = (
    e.RoundSettled | e.RoundVoided | e.RoundCorrected | e.RoundReversed | e.RoundReinstated | e.TerminalsInterrupted
)
"""Events of which each seat gets its own part."""
EVENTS = {str(type(event).__struct_config__.tag): event for event in _events()}


class RecordingSubscriber:
    """A subscriber that stores the frames it receives."""

    def __init__(self) -> None:
        self.frames: list[str] = []

    def send(self, frame: str) -> None:
        self.frames.append(frame)

    def send_seat_change(self, change: SeatChange, public: str | None) -> None:
        self.frames.append(change.frame(public))

    def feed_failed(self) -> None:
        raise AssertionError("the feed failed")

    def events(self) -> list[dict[str, Any]]:
        parts = [part for frame in self.frames for part in msgspec.json.decode(frame).values() if "events" in part]
        return [event for part in parts for event in part["events"]]


def feed_of_table(house: HttpHouse, table: Any = ROULETTE) -> TableFeed:
    """Create a second feed of the table with a third seat. Its events do not reach the journal."""
    writer, facts = house.writers[table], house.service.floor.tables[table].projection.facts
    feed = feed_of(writer, house.store, writer.table.game, facts, "epoch", lambda: START)
    kind = next(iter(feed.projection.game.terminals))
    feed.committed([entry(feed, e.SeatTaken(seat, kind)) for seat in (ONE, TWO, THREE)], {})
    return feed


def entry(feed: TableFeed, *events: e.AnyEvent, request: Any = None) -> Entry:
    return Entry(Seq(feed.projection.version + 1), Facts(START), request, list(events))


def publish(house: HttpHouse, event: e.AnyEvent) -> tuple[e.AnyEvent, dict[str, RecordingSubscriber]]:
    feed = feed_of_table(house)
    feed.committed([entry(feed, *(e.BetsPlaced(seat, {"red": MONEY}) for seat in (ONE, TWO)))], {})  # type: ignore[dict-item]
    if isinstance(event, e.ReadingAmended):
        feed.committed([entry(feed, e.OutcomeRead(R, event.was, ANN))], {})
    if isinstance(event, e.DisputeClosed):
        feed.committed([entry(feed, EVENTS["dispute.v1"])], {})
    if isinstance(event, e.FloatFilled | e.FloatCredited | e.DropTaken):
        feed.committed([entry(feed, EVENTS["float_counted.v1"])], {})
    if isinstance(event, e.DecisionMade):
        feed.projection.state.before_referral = Phase.IDLE
    if isinstance(event, e.TableOpened):
        event = msgspec.structs.replace(event, rulebook=feed.projection.game.hash)
    subscribers = {name: RecordingSubscriber() for name in ("watching", "seat 1", "seat 2", "seat 3", "staff")}
    for name, subscriber in subscribers.items():
        seat = SeatId(name[-1]) if name.startswith("seat") else None
        feed.subscribers.join(subscriber, seat, name == "staff")
    feed.committed([entry(feed, event)], {})
    return event, subscribers


def cell(event: e.AnyEvent, name: str, subscriber: RecordingSubscriber) -> str:
    found = subscriber.events()
    if not found:
        return "-"
    whole, public = _plain(event), _plain(public_event(event))
    own = _plain(seat_event(event, SeatId(name[-1]))) if name.startswith("seat") else None
    labels = []
    for one in found:
        if one == whole:
            labels.append("all")
        else:
            labels.append("own" if one == own else "public" if one == public else "?")
    # A seat receives its own part in addition to the public event, and staff receive the whole event.
    best = [label for label in ("?", "all", "own", "public") if label in labels]
    return best[0]


def _plain(event: object) -> Any:
    """Convert to JSON types, as a client receives them."""
    return msgspec.json.decode(msgspec.json.encode(event))


def rows() -> dict[str, list[str]]:
    lines = [line.split() for line in TABLE.splitlines()[2:]]
    return {name: cells for name, *cells in lines}


def test_every_event_type_has_a_row_in_the_table() -> None:
    kinds = [str(kind.__struct_config__.tag) for kind in get_args(e.AnyEvent)]
    assert list(rows()) == kinds == list(EVENTS)


@pytest.mark.parametrize("event_name", EVENTS)
def test_each_audience_receives_what_the_table_states(ready_house: HttpHouse, event_name: str) -> None:
    event, subscribers = publish(ready_house, EVENTS[event_name])
    assert [cell(event, audience, subscriber) for audience, subscriber in subscribers.items()] == rows()[event_name]
    for audience in ("watching", "seat 3"):
        assert str(MONEY) not in "".join(subscribers[audience].frames), f"{audience} received another seat's money"
    for audience in ("watching", "seat 1", "seat 2", "seat 3"):
        assert "ann-who-deals" not in "".join(subscribers[audience].frames), f"{audience} received who read what"
    if type(event) in SINGLE_SEAT_EVENTS and not isinstance(event, e.ColourIssued | e.ColourRedeemed):
        assert subscribers["seat 2"].frames == []
    assert len({len(subscriber.frames) for subscriber in subscribers.values()} - {0}) == 1, (
        "a batch is sent as one frame"
    )


@pytest.mark.parametrize("name", EVENTS)
def test_splitting_an_event_by_seat_gives_each_seat_its_own_part(name: str) -> None:
    event = EVENTS[name]
    parts = dict(split_by_seat(event))
    assert parts == {seat: part for seat in (ONE, TWO, THREE) if (part := seat_event(event, seat)) is not None}
    shared = isinstance(event, SHARED)
    single = type(event) in SINGLE_SEAT_EVENTS | NAMING_EVENTS or isinstance(event, e.SeatDecided)
    assert set(parts) == ({ONE, TWO} if shared else {ONE} if single else set())
    for seat, part in parts.items():
        assert type(part) is type(event)
        if shared:
            other = TWO if seat == ONE else ONE
            assert f'"{other}"' not in msgspec.json.encode(part).decode(), "only the seat's own share"


def test_chips_on_a_shared_layout_are_public_but_credits_are_not(ready_house: HttpHouse) -> None:
    """Whether the layout is shared follows from the rulebook, not from the game's name."""
    feed = feed_of_table(ready_house, SANDS)
    observer, other = RecordingSubscriber(), RecordingSubscriber()
    feed.subscribers.join(observer, None, False)
    feed.subscribers.join(other, TWO, False)

    async def script() -> None:
        feed.committed([entry(feed, e.BetsPlaced(ONE, {"red": 100}))], {})  # type: ignore[dict-item]
        feed.committed([entry(feed, e.BetsPlaced(ONE, {"red": 50, "odd": 5}))], {})  # type: ignore[dict-item]
        await asyncio.sleep(0)
        assert observer.frames == [], "changes are collected first"
        feed.committed([entry(feed, e.BetsClosed(R, "No more bets", "5.1", 155))], {})  # type: ignore[arg-type]

    ready_house.runner.run(script())
    assert observer.frames == other.frames
    (frame,) = observer.frames
    assert msgspec.json.decode(frame)["public"]["chips"] == {"1": {"odd": 5, "red": 150}}
    assert "credits" not in frame
    assert "staked" not in frame
    message = msgspec.json.decode(feed.snapshot(None, False))
    assert message["snapshot"]["table"]["chips"] == {"1": {"odd": 5, "red": 150}}


def test_a_snapshot_contains_no_change_after_its_number(ready_house: HttpHouse) -> None:
    """A snapshot first publishes pending chip changes, so its number includes them."""
    feed = feed_of_table(ready_house, SANDS)
    observer = RecordingSubscriber()
    feed.subscribers.join(observer, None, False)

    async def script() -> None:
        feed.committed([entry(feed, e.BetsPlaced(ONE, {"red": 100}))], {})  # type: ignore[dict-item]
        before = feed.public.last
        message = msgspec.json.decode(feed.snapshot(None, False))
        assert message["snapshot"]["table"]["chips"] == {"1": {"red": 100}}
        assert (message["public"], len(observer.frames)) == (before + 1, 1)

    ready_house.runner.run(script())


def test_chip_changes_are_collected_and_sent_as_one_frame_after_a_pause(ready_house: HttpHouse) -> None:
    feed = feed_of_table(ready_house, SANDS)
    observer = RecordingSubscriber()
    feed.subscribers.join(observer, None, False)

    async def script() -> None:
        for _ in range(20):
            feed.committed([entry(feed, e.BetsPlaced(ONE, {"red": 100}))], {})  # type: ignore[dict-item]
        while not observer.frames:
            await asyncio.sleep(0.01)

    ready_house.runner.run(script())
    (frame,) = observer.frames
    assert msgspec.json.decode(frame)["public"]["chips"] == {"1": {"red": 2000}}


def test_chips_on_separate_layouts_are_not_public(ready_house: HttpHouse) -> None:
    feed = feed_of_table(ready_house)
    observer = RecordingSubscriber()
    feed.subscribers.join(observer, None, False)
    feed.committed([entry(feed, e.BetsPlaced(ONE, {"red": 100}))], {})  # type: ignore[dict-item]
    assert observer.frames == []
    assert msgspec.json.decode(feed.snapshot(TWO, False))["snapshot"]["table"]["chips"] is None
