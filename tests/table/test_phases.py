"""Every phase against every command, as one table written independently of the code.

A cell is the next phase, ``=`` if the command is accepted and the phase stays, or an abbreviated refusal in
capitals. A referral is made while bets are open (``asked``) or after the closing (``waits``). Rows without names of
games apply to all three games, which represent the three moments at which bets may close. Each phase is reached
by dealing a real table to it.
"""

from pathlib import Path
from typing import get_args

import pytest

from roundhouse.table.commands import AnyCommand, Show
from roundhouse.table.names import Phase, SeatId
from tests.support.tables import TWO, Json, Play

TABLE = """
                             closed  idle     open     turning  shut     spinning rest     console  power    asked    waits    stopped

open_table                   idle    OPEN     OPEN     OPEN     OPEN     OPEN     OPEN     OPEN     OPEN     OPEN     OPEN     STOPPED
close_table                  SHUT    closed   =        =        =        =        =        =        =        =        =        STOPPED
announce_last_rounds         SHUT    =        =        =        =        =        =        =        =        =        =        STOPPED
take_seat                    SHUT    =        =        =        =        =        =        =        =        =        =        STOPPED
buy_credits                  SHUT    =        =        =        =        =        =        =        =        =        =        STOPPED
cash_out                     =       =        =        =        =        =        =        =        =        =        =        STOPPED
reverse_purchase             SHUT    =        =        =        =        =        =        =        =        =        =        STOPPED
request_cash_out             =       =        =        =        =        =        =        =        =        =        =        STOPPED
allow_enrolment              =       =        =        =        =        =        =        =        =        =        =        STOPPED
change_limits                SHUT    =        =        =        =        =        =        =        =        =        =        STOPPED
redeem_ticket                SHUT    =        =        =        =        =        =        =        =        =        =        STOPPED
issue_colour  sands          SHUT    =        =        =        =        =        =        =        =        =        =        STOPPED
issue_colour  rws,mbs        SHUT    NOCHIPS  NOCHIPS  NOCHIPS  NOCHIPS  NOCHIPS  NOCHIPS  NOCHIPS  NOCHIPS  NOCHIPS  NOCHIPS  STOPPED
redeem_colour                BARE    BARE     BARE     BARE     BARE     BARE     BARE     BARE     BARE     BARE     BARE     STOPPED
set_protection               =        =        =        =        =        =        =        =        =        =        =        STOPPED
take_break                   =        =        =        =        =        =        =        =        =        =        =        STOPPED
acknowledge_check            UNDUE    UNDUE    UNDUE    UNDUE    UNDUE    UNDUE    UNDUE    UNDUE    UNDUE    UNDUE    UNDUE    STOPPED
call_attendant               =        =        =        =        =        =        =        =        =        =        =        STOPPED
attend_call                  UNCALLED UNCALLED UNCALLED UNCALLED UNCALLED UNCALLED UNCALLED UNCALLED UNCALLED UNCALLED UNCALLED STOPPED
hand_back                    =       =        =        =        =        =        =        =        =        =        =        STOPPED
take_over                    PEOPLE  PEOPLE   PEOPLE   PEOPLE   PEOPLE   PEOPLE   PEOPLE   PEOPLE   PEOPLE   PEOPLE   PEOPLE   STOPPED
resume_table                 SHUT    OPEN     OPEN     OPEN     OPEN     OPEN     OPEN     OPEN     OPEN     OPEN     OPEN     idle

open_bets                    SHUT    open     ROUND    ROUND    ROUND    ROUND    ROUND    ROUND    WHEEL    WAITS    WAITS    STOPPED
place_bets                   SHUT    EARLY    =        =        LATE     LATE     LATE     LATE     LATE     WAITS    LATE     STOPPED
place_package  rws,mbs       SHUT    EARLY    =        =        LATE     LATE     LATE     LATE     LATE     WAITS    LATE     STOPPED
withdraw_bets                SHUT    EARLY    =        =        LATE     LATE     LATE     LATE     LATE     WAITS    LATE     STOPPED
undo                         SHUT    EARLY    =        =        LATE     LATE     LATE     LATE     LATE     WAITS    LATE     STOPPED
clear                        SHUT    EARLY    =        =        LATE     LATE     LATE     LATE     LATE     WAITS    LATE     STOPPED
repeat                       SHUT    EARLY    =        =        LATE     LATE     LATE     LATE     LATE     WAITS    LATE     STOPPED
double                       SHUT    EARLY    =        =        LATE     LATE     LATE     LATE     LATE     WAITS    LATE     STOPPED
close_bets  rws,mbs          SHUT    EARLY    shut     spinning CLOSED   CLOSED   CLOSED   CLOSED   WHEEL    WAITS    WAITS    STOPPED
close_bets  sands            SHUT    EARLY    DURING   spinning CLOSED   CLOSED   CLOSED   CLOSED   WHEEL    WAITS    WAITS    STOPPED

start_spin  rws,sands        SHUT    NONE     turning  SPUN     spinning SPUN     RESTS    RESTS    WHEEL    WAITS    WAITS    STOPPED
start_spin  mbs              SHUT    NONE     BEFORE   SPUN     spinning SPUN     RESTS    RESTS    WHEEL    WAITS    WAITS    STOPPED
observe_valid_spin           SHUT    NONE     UNSPUN   =        UNSPUN   =        =        =        WHEEL    WAITS    WAITS    STOPPED
observe_same_direction       SHUT    NONE     UNSPUN   idle     UNSPUN   idle     idle     idle     WHEEL    WAITS    WAITS    STOPPED
ball_at_rest                 SHUT    NONE     UNSPUN   waits    UNSPUN   rest     RESTS    RESTS    rest     WAITS    RESTS    STOPPED
second_reading  rws,sands    SHUT    NONE     UNSPUN   DEALS    UNSPUN   DEALS    =        =        DEALS    DEALS    =        STOPPED
second_reading  mbs          SHUT    NONE     UNSPUN   rest     UNSPUN   rest     =        =        ALONE    WAITS    =        STOPPED
amend_reading                SHUT    NONE     ROLLS    ROLLS    ROLLS    ROLLS    =        =        WHEEL    WAITS    =        STOPPED
register_result              SHUT    NONE     ROLLS    ROLLS    ROLLS    ROLLS    console  =        WHEEL    WAITS    WAITS    STOPPED
confirm_result               SHUT    NONE     ROLLS    ROLLS    ROLLS    ROLLS    BLANK    DIFFER   WHEEL    WAITS    WAITS    STOPPED

declare_interference         NONE    NONE     UNSPUN   idle     UNSPUN   idle     idle     idle     idle     WAITS    WAITS    STOPPED
declare_foreign_object       NONE    NONE     UNSPUN   idle     UNSPUN   idle     idle     idle     idle     WAITS    WAITS    STOPPED
declare_terminals  rws,mbs   NONE    NONE     =        =        =        =        =        =        =        =        =        STOPPED
declare_terminals  sands     ALIEN   ALIEN    ALIEN    ALIEN    ALIEN    ALIEN    ALIEN    ALIEN    ALIEN    ALIEN    ALIEN    STOPPED
ball_broke_before  rws       =       =        =        =        =        =        =        =        =        WAITS    WAITS    STOPPED
ball_broke_before  sands,mbs PAST    PAST     PAST     PAST     PAST     PAST     PAST     PAST     PAST     WAITS    WAITS    STOPPED
call_no_spin  mbs            SHUT    NONE     UNSPUN   idle     UNSPUN   idle     idle     idle     idle     WAITS    WAITS    STOPPED
call_no_spin  rws,sands      SHUT    ALIEN    ALIEN    ALIEN    ALIEN    ALIEN    ALIEN    ALIEN    ALIEN    WAITS    WAITS    STOPPED
correct_last_round  rws,mbs  =       =        =        =        =        =        =        =        =        =        =        STOPPED
correct_last_round  sands    PAST    PAST     PAST     PAST     PAST     PAST     PAST     PAST     PAST     PAST     PAST     STOPPED
correct_this_round  rws,mbs  AGAIN   AGAIN    BLANK    BLANK    BLANK    BLANK    BLANK    =        WHEEL    WAITS    WAITS    STOPPED
correct_this_round  sands    PAST    PAST     BLANK    BLANK    BLANK    BLANK    BLANK    =        WHEEL    WAITS    WAITS    STOPPED
refer_last_round             =       =        =        =        =        =        =        =        =        =        =        STOPPED
refer_this_round             =       =        waits    waits    waits    waits    waits    waits    waits    TWICE    TWICE    STOPPED
refer_no_round               =       =        =        =        =        =        =        =        =        =        =        STOPPED
decide_this_stands           UNASKED UNASKED  UNASKED  UNASKED  UNASKED  UNASKED  UNASKED  UNASKED  UNASKED  open     console  STOPPED
decide_this_void             UNASKED UNASKED  UNASKED  UNASKED  UNASKED  UNASKED  UNASKED  UNASKED  UNASKED  idle     idle     STOPPED
decide_this_settles          UNASKED UNASKED  UNASKED  UNASKED  UNASKED  UNASKED  UNASKED  UNASKED  UNASKED  ROLLS    idle     STOPPED
decide_seat_void             UNASKED UNASKED  UNASKED  UNASKED  UNASKED  UNASKED  UNASKED  UNASKED  UNASKED  =        =        STOPPED

dispute_last_round           =       =        =        =        =        =        =        =        =        =        =        STOPPED
dispute_this_round           =       =        =        =        =        =        =        =        =        =        =        STOPPED
dispute_again                AGAIN2  AGAIN2   AGAIN2   AGAIN2   AGAIN2   AGAIN2   AGAIN2   AGAIN2   AGAIN2   AGAIN2   AGAIN2   STOPPED
close_dispute                =       =        =        =        =        =        =        =        =        =        =        STOPPED
close_dispute_paid           =       =        =        =        =        =        =        =        =        =        =        STOPPED
question_display             =       =        =        =        =        =        =        =        =        =        =        STOPPED
pause_seat                   =       =        =        =        =        =        =        =        =        =        =        STOPPED
pause_seat_again             PAUSED  PAUSED   PAUSED   PAUSED   PAUSED   PAUSED   PAUSED   PAUSED   PAUSED   PAUSED   PAUSED   STOPPED
resume_seat                  =       =        =        =        =        =        =        =        =        =        =        STOPPED
place_bets_paused            SHUT    EARLY    PAUSED   PAUSED   LATE     LATE     LATE     LATE     LATE     WAITS    LATE     STOPPED
take_table_busy              BUSY    BUSY     BUSY     BUSY     BUSY     BUSY     BUSY     BUSY     BUSY     BUSY     BUSY     STOPPED
take_table_by_force          =       =        =        =        =        =        =        =        =        =        =        STOPPED
hand_table                   =       =        =        =        =        =        =        =        =        =        =        STOPPED
open_bets_looking_on         SHUT    BUSY     ROUND    ROUND    ROUND    ROUND    ROUND    ROUND    WHEEL    WAITS    WAITS    STOPPED
close_table_looking_on       SHUT    BUSY     BUSY     BUSY     BUSY     BUSY     BUSY     BUSY     BUSY     BUSY     BUSY     STOPPED
count_float                  =       =        =        =        =        =        =        =        =        =        =        STOPPED
count_float_again            FLOAT   FLOAT    FLOAT    FLOAT    FLOAT    FLOAT    FLOAT    FLOAT    FLOAT    FLOAT    FLOAT    STOPPED
fill                         =       =        =        =        =        =        =        =        =        =        =        STOPPED
credit                       =       =        =        =        =        =        =        =        =        =        =        STOPPED
drop_removed                 =       =        =        =        =        =        =        =        =        =        =        STOPPED
"""

PHASES = {
    "closed": "closed",
    "idle": "idle",
    "open": "bets_open",
    "turning": "spinning_bets_open",
    "shut": "bets_closed",
    "spinning": "spinning",
    "rest": "at_rest",
    "console": "registered",
    "power": "interrupted",
    "asked": "referred",
    "waits": "referred",
    "stopped": "stopped",
}

REFUSALS = {
    "OPEN": "table_is_open",
    "SHUT": "table_is_closed",
    "STOPPED": "table_is_stopped",
    "WAITS": "awaiting_decision",
    "ROUND": "round_in_progress",
    "NONE": "no_round",
    "EARLY": "bets_are_not_open",
    "LATE": "bets_are_closed",
    "CLOSED": "bets_are_closed",
    "WHEEL": "awaiting_wheel",
    "DEALS": "not_authorised",
    "ALONE": "needs_second_person",
    "DIFFER": "readings_disagree",
    "NOCHIPS": "no_such_colour",
    "BARE": "no_colour",
    "UNDUE": "no_check_due",
    "UNCALLED": "no_call",
    "DURING": "bets_close_while_spinning",
    "BEFORE": "bets_close_before_spin",
    "SPUN": "spin_has_started",
    "UNSPUN": "spin_has_not_started",
    "RESTS": "ball_is_at_rest",
    "ROLLS": "ball_is_not_at_rest",
    "BLANK": "no_result_registered",
    "PAST": "round_is_settled",
    "ALIEN": "no_such_irregularity",
    "AGAIN": "nothing_to_correct",
    "TWICE": "already_referred",
    "UNASKED": "nothing_referred",
    "PEOPLE": "mode_is_manual",
    "AGAIN2": "already_disputed",
    "PAUSED": "seat_is_paused",
    "BUSY": "table_has_dealer",
    "FLOAT": "float_is_open",
}

GAMES = {"rws": "rws-double-zero", "sands": "mbs-sands", "mbs": "mbs-electronic-double-zero"}

UNREACHABLE = {"sands": {"shut", "power"}, "mbs": {"turning"}, "rws": set[str]()}
"""Sands cannot close bets before the spin, and refers an interrupted round. The electronic game closes bets first."""

_TURN = {"ball": "clockwise", "wheel": "anticlockwise", "revolutions": 6}


def commands(play: Play) -> dict[str, tuple[str, Json]]:
    """Return each row of the table as a request that only the phase can make invalid."""
    last, this = 1, play.number
    reason = {"reason": "the ball was seen to be struck"}
    return {
        "open_table": ("open_table", {}),
        "close_table": ("close_table", {}),
        "announce_last_rounds": ("close_table", {"last_rounds": 3}),
        "take_seat": ("take_seat", {"seat": "new", "terminal": play.game.rulebook.terminals[0].id}),
        "buy_credits": ("buy_credits", {"seat": "a", "cents": 100}),
        "cash_out": ("cash_out", {"seat": "a"}),
        "reverse_purchase": ("reverse_purchase", {"seat": "c"}),
        "request_cash_out": ("request_cash_out", {"seat": "a"}),
        "allow_enrolment": ("allow_enrolment", {"seat": "a", "reason": "its screen is broken"}),
        "change_limits": ("change_limits", {"limits": {"table": 70_000}, "reason": "a quiet night"}),
        "redeem_ticket": ("redeem_ticket", {"seat": "a", "ticket": ticket_of(play)}),
        "issue_colour": ("issue_colour", {"seat": "a", "colour": "blue", "value_cents": 100}),
        "redeem_colour": ("redeem_colour", {"seat": "a"}),
        "set_protection": ("set_protection", {"seat": "a", "loss_cents": 100_000}),
        "take_break": ("take_break", {"seat": "a", "minutes": 5}),
        "acknowledge_check": ("acknowledge_check", {"seat": "a"}),
        "call_attendant": ("call_attendant", {"seat": "a"}),
        "attend_call": ("attend_call", {"seat": "a"}),
        "hand_back": ("hand_back", {}),
        "take_over": ("take_over", {"reason": "the wheel squeaks"}),
        "resume_table": ("resume_table", {"reason": "the fault was found"}),
        "open_bets": ("open_bets", {}),
        "place_bets": ("place_bets", {"seat": "a", "bets": {"red": 100}}),
        "place_package": ("place_package", {"seat": "a", "package": "neighbours:22:2", "unit_cents": 100}),
        "withdraw_bets": ("withdraw_bets", {"seat": "a", "bets": {"black": 100}}),
        "undo": ("undo", {"seat": "a"}),
        "clear": ("clear", {"seat": "a"}),
        "repeat": ("repeat", {"seat": "a"}),
        "double": ("double", {"seat": "a"}),
        "close_bets": ("close_bets", {}),
        "start_spin": ("start_spin", {}),
        "observe_valid_spin": ("observe_spin", _TURN),
        "observe_same_direction": ("observe_spin", {**_TURN, "ball": "anticlockwise", **TWO}),
        "ball_at_rest": ("ball_at_rest", {"outcome": "17", **TWO}),
        "second_reading": ("ball_at_rest", {"outcome": "17", "by": "pit_supervisor", "who": "kim"}),
        "amend_reading": ("amend_reading", {"outcome": "18", **TWO}),
        "register_result": ("register_result", {"outcome": "18"}),
        "confirm_result": ("confirm_result", {}),
        "declare_interference": ("declare", {"irregularity": "interference"}),
        "declare_foreign_object": ("declare", {"irregularity": "foreign_object"}),
        "declare_terminals": ("declare", {"irregularity": "terminals_interrupted", "seats": ["a"]}),
        "ball_broke_before": ("declare", {"irregularity": "ball_broke", "rounds": [last], "by": "pit_manager"}),
        "call_no_spin": ("call_no_spin", {}),
        "correct_last_round": ("correct_result", {"round": last, "outcome": "18"}),
        "correct_this_round": ("correct_result", {"round": this, "outcome": "17"}),
        "refer_last_round": ("refer", {"round": last, "question": "was it 17?"}),
        "refer_no_round": ("refer", {"question": "what is a spin?"}),
        "refer_this_round": ("refer", {"round": this, "question": "was it struck?"}),
        "decide_this_stands": ("decide", {"round": this, "ruling": "stand", **reason}),
        "decide_seat_void": ("decide", {"round": this, "seat": "a", "ruling": "void", **reason}),
        "decide_this_void": ("decide", {"round": this, "ruling": "void", **reason}),
        "dispute_last_round": ("dispute", {"seat": "a", "round": last, "about": "payment"}),
        "dispute_this_round": ("dispute", {"seat": "a", "round": this, "about": "bet"}),
        "dispute_again": ("dispute", {"seat": "c", "round": last, "about": "outcome"}),
        "close_dispute": ("close_dispute", {"dispute": 1, **reason}),
        "close_dispute_paid": ("close_dispute", {"dispute": 1, "paid": 500, **reason}),
        "question_display": ("question_display", {"words": "the board shows 71"}),
        "pause_seat": ("pause_seat", {"seat": "a", "reason": "a moment, please"}),
        "pause_seat_again": ("pause_seat", {"seat": "c", "reason": "a moment, please"}),
        "resume_seat": ("resume_seat", {"seat": "c"}),
        "place_bets_paused": ("place_bets", {"seat": "c", "bets": {"red": 100}}),
        "take_table_busy": ("take_table", {"who": "ben"}),
        "take_table_by_force": ("take_table", {"by": "pit_supervisor", "who": "kim", "reason": "ann is unwell"}),
        "hand_table": ("hand_table", {}),
        "open_bets_looking_on": ("open_bets", {"who": "ben"}),
        "close_table_looking_on": ("close_table", {"who": "ben"}),
        "count_float": ("count_float", {"count": "closer", "cents": 5000}),
        "count_float_again": ("count_float", {"count": "opener", "cents": 5000}),
        "fill": ("fill", {"cents": 5000}),
        "credit": ("credit", {"cents": 5000}),
        "drop_removed": ("drop_removed", {"cents": 5000}),
        "decide_this_settles": ("decide", {"round": this, "ruling": "settle", "outcome": "17", **reason}),
    }


def ticket_of(play: Play) -> str:
    [ticket] = [event["ticket"] for event in play.events if event["event"].startswith("cashed_out")]
    return str(ticket)


def reach(play: Play, phase: str) -> None:
    """Deal to a phase, after two settled rounds and an issued ticket, so that every command has an object."""
    terminal = play.game.rulebook.terminals[0].id
    spin = ["start_spin", "close_bets"] if play.name == GAMES["sands"] else ["close_bets", "start_spin"]
    result: list[tuple[str, Json]] = [("ball_at_rest", {"outcome": "17", "who": "ann"})]
    result += [("register_result", {"outcome": "17"}), ("confirm_result", {})]
    script: list[tuple[str, Json]] = [("open_table", {})]
    for seat in ("a", "b", "c"):
        script += [("take_seat", {"seat": seat, "terminal": terminal}), ("buy_credits", {"seat": seat, "cents": 9000})]
    for _ in range(2):
        script += [("open_bets", {}), ("place_bets", {"seat": "a", "bets": {"red": 200}})]
        script += [*((step, {}) for step in spin), ("observe_spin", play.spun()), *result]
    script.append(("cash_out", {"seat": "b"}))
    script += [("dispute", {"seat": "c", "round": 1, "about": "outcome"})]
    script += [("pause_seat", {"seat": "c", "reason": "a question is open"}), ("take_table", {})]
    script += [("count_float", {"count": "opener", "cents": 100_000})]
    if phase == "closed":
        script.append(("close_table", {}))
    elif phase not in ("idle", "stopped"):
        script += [("open_bets", {}), ("place_bets", {"seat": "a", "bets": {"black": 100}})]
        early = {"open": [], "asked": [], "turning": ["start_spin"], "shut": ["close_bets"]}
        script += [(step, {}) for step in early.get(phase, spin)]
        script += result[:1] if phase in ("rest", "console", "waits") else []
        script += [("register_result", {"outcome": "19"})] if phase in ("console", "waits") else []
        script += [("refer", {"round": 3, "question": "was it struck?"})] if phase in ("asked", "waits") else []
    play.script(*script)
    if phase == "power":
        play.resume()
    if phase == "stopped":
        play.writer.table.state.seats[SeatId("a")].credits += 1
        play.do("open_bets")
        play.writer.table.state.seats[SeatId("a")].credits -= 1


def lines() -> list[tuple[str, str, dict[str, str]]]:
    """Parse the table into game, command and its cells by phase."""
    head, *rows = [line.split() for line in TABLE.splitlines() if line.strip()]
    found = []
    for name, *cells in rows:
        games = cells.pop(0).split(",") if len(cells) > len(head) else list(GAMES)
        for game in games:
            found.append((game, name, dict(zip(head, cells, strict=True))))
    return found


@pytest.mark.parametrize(
    ("game", "phase"), [(game, phase) for phase in PHASES for game in GAMES if phase not in UNREACHABLE[game]]
)
def test_every_command_in_every_phase_has_the_listed_effect(game: str, phase: str, tmp_path: Path) -> None:
    column = {name: cells[phase] for row_game, name, cells in lines() if row_game == game}
    assert len(column) >= 38
    first = play = at(phase, Play(tmp_path / "journal", GAMES[game]))
    for name, cell in column.items():
        do, fields = commands(play)[name]
        if cell in REFUSALS:
            # ``refused`` also checks that the state is unchanged, so the next command meets the same table.
            refusal, _ = play.refused(do, **dict(fields))
            assert (name, phase, refusal) == (name, phase, REFUSALS[cell])
            assert play.phase == PHASES[phase]
        else:
            play.ok(do, **fields)
            assert (name, phase, play.phase) == (name, phase, PHASES[phase if cell == "=" else cell])
            play = at(phase, Play(first.path, GAMES[game], name, beside=first))
    first.store.close()


def at(phase: str, play: Play) -> Play:
    reach(play, phase)
    assert play.phase == PHASES[phase]
    return play


def test_the_table_lists_every_command_phase_and_game() -> None:
    listed = {(game, name) for game, name, _ in lines()}
    assert len(listed) == len(lines()), "no row twice"
    names = {kind.__struct_config__.tag for kind in get_args(AnyCommand) if kind is not Show}
    covered = {game: {_do_of(name) for row_game, name in listed if row_game == game} for game in GAMES}
    assert covered["rws"] == covered["mbs"] == names
    assert covered["sands"] == names - {"place_package"}, "a live table with chips has no packages"
    assert set(PHASES.values()) == {phase.value for phase in Phase}


_VARIANTS = (
    "dispute",
    "close_dispute",
    "close_table",
    "open_bets",
    "place_bets",
    "pause_seat",
    "take_table",
    "count_float",
)
"""Requests with several rows, whose names begin with the name of the request."""


def _do_of(name: str) -> str:
    """Return the request tag of a row.

    >>> _do_of("correct_last_round"), _do_of("undo"), _do_of("announce_last_rounds")
    ('correct_result', 'undo', 'close_table')
    """
    first = name.partition("_")[0]
    others = {"announce": "close_table", "observe": "observe_spin", "declare": "declare", "correct": "correct_result"}
    others |= {"refer": "refer", "decide": "decide"}
    if (found := next((do for do in _VARIANTS if name.startswith(do)), None)) is not None:
        return found
    others |= {"ball_broke_before": "declare", "second_reading": "ball_at_rest"}
    return others.get(name) or others.get(first, name)
