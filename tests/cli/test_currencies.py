"""Currencies with another number of decimals than two, on the command line: yen have none, Kuwaiti dinars three."""

import json
from pathlib import Path

import pytest
from iso4217 import Currency

from roundhouse.rules.currency import DECIMALS, decimals_of, format_amount
from tests.support.command_line import Calling
from tests.support.deal_process import Deal
from tests.support.journals import spin

STAKE, BOUGHT = 5_000, 1_234_500
"""In minor units. A bet on 17 that wins returns 36 times its stake, 180,000."""


def dealt(journal: Path, currency: str, *options: str) -> Deal:
    return Deal(journal, "rws-double-zero", "--currency", currency, *options)


def play(journal: Path, currency: str) -> str:
    """Play one round that wins, and cash out. Return the number of the ticket."""
    deal = dealt(journal, currency)
    bet: dict[str, object] = {
        "by": "player",
        "do": "place_bets",
        "seat": "a",
        "bets": [{"position": "straight:17", "cents": STAKE}],
    }
    too_much = {**bet, "bets": [{"position": "red", "cents": 2_000_000}]}
    requests: list[dict[str, object]] = [
        {"do": "open_table"},
        {"by": "player", "do": "take_seat", "seat": "a", "terminal": "rapid-a"},
        {"by": "cashier", "do": "buy_credits", "seat": "a", "cents": BOUGHT},
        {"do": "open_bets"},
        bet,
        *spin("17"),
        {"by": "cashier", "do": "cash_out", "seat": "a"},
    ]
    answers = deal.ask(*({"id": f"r{n}", "by": "dealer", **one} for n, one in enumerate(requests)))
    assert [answer for answer in answers if not answer["ok"]] == []
    deal.ask({"id": "o", "by": "dealer", "do": "open_bets"})
    (refused,) = deal.ask({"id": "x", **too_much})
    assert (
        refused["reason"]
        == f"the bets need {format_amount(2_000_000, currency)}, but the seat has {format_amount(0, currency)}"
    )
    deal.kill()
    (event,) = answers[-1]["events"]
    assert event["cents"] == BOUGHT - STAKE + 36 * STAKE
    return str(event["ticket"])


@pytest.mark.parametrize(
    ("currency", "stake", "returned", "bought", "ticket"),
    [
        ("SGD", "50.00", "1,800.00", "12,345.00", "14,095.00"),
        ("JPY", "5,000", "180,000", "1,234,500", "1,409,500"),
        ("KWD", "5.000", "180.000", "1,234.500", "1,409.500"),
        ("CLF", "0.5000", "18.0000", "123.4500", "140.9500"),
    ],
)
def test_amounts_are_shown_with_the_decimals_of_the_currency(
    currency: str, stake: str, returned: str, bought: str, ticket: str, tmp_path: Path, call: Calling
) -> None:
    journal = tmp_path / "house.db"
    play(journal, currency)
    _, out, _ = call("explain", str(journal), "--round", "1")
    for text in (f"placed {stake} on straight:17", f"{stake} staked, {returned} returned", f"Amounts in {currency}"):
        assert text in out, out
    assert json.loads(call("explain", str(journal), "--round", "1", "--json")[1])["currency"] == currency
    _, out, _ = call("verify", str(journal))
    assert f"Money in {currency}" in out
    for text in (bought, stake, returned, ticket, f"tickets outstanding: 1, worth {ticket}"):
        assert text in out, out
    _, out, _ = call("report", str(journal))
    assert f"amounts in {currency}" in out
    assert ticket in out
    for what in ("meters", "tickets", "events"):
        assert ticket in call("export", str(journal), "--what", what, "--large-ticket-cents", "1")[1], what
    # JSON and CSV stay in minor units.
    (table,) = json.loads(call("verify", str(journal), "--json")[1])["tables"]
    assert (table["bought"], table["currency"]) == (BOUGHT, currency)
    assert call("capsule", str(journal), "--round", "1", "-o", str(tmp_path / "round.json"))[0] in (0, 3)
    assert f"{stake} staked, {returned} returned" in call("explain", str(tmp_path / "round.json"), "--round", "1")[1]


def test_all_tables_of_a_journal_have_one_currency(tmp_path: Path, call: Calling) -> None:
    """A ticket of 1,000 yen would otherwise be paid as 1.000 dinar, which is worth five hundred times as much."""
    journal = tmp_path / "house.db"
    play(journal, "JPY")
    arguments = ("deal", "--game", "rws-double-zero", "--journal", str(journal), "--table", "other")
    assert "is in JPY, not KWD" in call.refused(*arguments, "--currency", "KWD")
    assert "is in JPY, not XXX" in call.refused(*arguments)
    deal = dealt(journal, "JPY", "--table", "other")
    assert deal.ready["ready"]
    deal.kill()


@pytest.mark.parametrize("currency", ["XYZ", "XAU"])
def test_a_code_that_is_no_money_is_refused(currency: str, tmp_path: Path, call: Calling) -> None:
    arguments = ("deal", "--game", "mbs-sands", "--journal", str(tmp_path / "journal"), "--currency", currency)
    assert f"ISO 4217 has no currency '{currency}'" in call.refused(*arguments)


def test_the_table_of_decimals_agrees_with_iso_4217() -> None:
    listed = {one.code: one.exponent for one in Currency if one.exponent is not None}
    assert {code: decimals_of(code) for code in listed} == listed
    assert DECIMALS.keys() <= listed.keys()
