"""A running house with its notary: the signing key on record, alerts about witnesses, and tickets in dispute."""

import asyncio
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from roundhouse.audit.capsule import encode_capsule, make_capsule
from roundhouse.audit.journal_file import JournalFile
from roundhouse.audit.verify import verify_journal
from roundhouse.config.loading import Configuration
from roundhouse.floor.house import RunningHouse
from roundhouse.floor.opening import CannotOpen, open_store, open_witnessed
from roundhouse.floor.table import RunningTable
from roundhouse.journal.entry import Answer
from roundhouse.journal.seal import read_key
from roundhouse.journal.signing import public_path, signing_path
from roundhouse.office.backup import back_up, restore
from roundhouse.rules.names import Cents, StaffPosition
from roundhouse.table import commands as c
from roundhouse.table.events import CashedOut
from roundhouse.table.names import RequestId, RoundNumber, SeatId, TicketNumber
from roundhouse.table.refusals import Refusal
from roundhouse.tlog.note import read_key as read_vkey
from tests.support.command_line import Calling
from tests.support.running_house import TABLE, TOML, configured

DEALER, CASHIER, PLAYER = StaffPosition.DEALER, StaffPosition.CASHIER, StaffPosition.PLAYER
SEAT = SeatId("a")


class House:
    """A house with one table and its notary, in the test's event loop."""

    def __init__(self, configuration: Configuration, number: int) -> None:
        store, key = open_store(configuration.journal)
        try:
            notary, findings = open_witnessed(configuration, store)
            self.running = RunningHouse(configuration, store, key, notary=notary, findings=findings)
        except BaseException:
            store.close()
            raise
        self._number = number

    async def ask(self, make: Callable[..., c.AnyCommand], by: StaffPosition, **fields: Any) -> Answer:
        self._number += 1
        table = self.running.tables[TABLE]
        assert isinstance(table, RunningTable)
        return await table.ask(make(id=RequestId(f"q{self._number}"), by=by, **fields))

    def alerts(self, about: str) -> list[str]:
        return [alert.text for alert in self.running.house.alerts().values() if alert.about == about]

    async def until_alert(self, about: str) -> str:
        async with asyncio.timeout(60):
            while not self.alerts(about):
                await asyncio.sleep(0.01)
        return self.alerts(about)[0]


def with_witness(tmp_path: Path, *places: str, key: str = "") -> Configuration:
    plan = configured(tmp_path)
    house = msgspec.structs.replace(plan.plan.house, witness=places or ("witness",), key=key)
    return replace(plan, plan=msgspec.structs.replace(plan.plan, house=house))


async def issue(house: House, cents: int) -> TicketNumber:
    """Sell credits and cash them out."""
    state = house.running.tables[TABLE].projection.state
    if not state.seats:
        assert (await house.ask(c.TakeSeat, PLAYER, seat=SEAT, terminal="rapid-a")).ok
    assert (await house.ask(c.BuyCredits, CASHIER, seat=SEAT, cents=Cents(cents))).ok
    answer = await house.ask(c.CashOut, PLAYER, seat=SEAT)
    assert answer.ok, answer
    assert answer.events is not None
    (event,) = answer.events
    assert isinstance(event, CashedOut)
    return TicketNumber(event.ticket)


def test_a_ticket_of_a_restored_journal_needs_two_persons(tmp_path: Path) -> None:
    configuration = with_witness(tmp_path)

    async def first_day() -> TicketNumber:
        house = House(configuration, 0)
        await house.running.start()
        ticket = await issue(house, 5000)
        await house.running.close("the day is over")
        back_up(configuration.journal, tmp_path / "backup.db")
        house = House(configuration, 100)
        await house.running.start()
        assert (await house.ask(c.RedeemTicket, CASHIER, seat=SEAT, ticket=ticket)).ok
        await house.running.close("the day is over")
        return ticket

    async def after_the_restoration(ticket: TicketNumber) -> None:
        house = House(configuration, 200)
        await house.running.start()
        alert = await house.until_alert("restored")
        assert "epoch 1" in alert
        assert "1 tickets worth 50.00 are in dispute" in alert
        for by in (CASHIER, PLAYER, DEALER):
            answer = await house.ask(c.RedeemTicket, by, seat=SEAT, ticket=ticket)
            assert answer.refusal is Refusal.NEEDS_SECOND_PERSON, answer
        fresh = await issue(house, 700)
        assert (await house.ask(c.RedeemTicket, CASHIER, seat=SEAT, ticket=fresh)).ok
        await house.running.close("the day is over")
        # The dispute is on record, so it outlives a restart.
        house = House(configuration, 300)
        await house.running.start()
        assert len(house.alerts("restored")) == 1
        answer = await house.ask(c.RedeemTicket, CASHIER, seat=SEAT, ticket=ticket)
        assert answer.refusal is Refusal.NEEDS_SECOND_PERSON
        await house.running.close("the day is over")

    ticket = asyncio.run(first_day())
    shutil.rmtree(configuration.data)
    restore(tmp_path / "backup.db", configuration.data)
    asyncio.run(after_the_restoration(ticket))
    assert verify_journal(configuration.journal, read_key(configuration.journal)).origin == "known"


def test_a_witness_that_cannot_be_reached_is_an_alert_and_not_a_stop(tmp_path: Path) -> None:
    async def run() -> None:
        house = House(with_witness(tmp_path, "http://127.0.0.1:9"), 0)
        await house.running.start()
        assert "cannot be reached" in await house.until_alert("witness")
        assert await issue(house, 100)
        await house.running.close("the test has ended")

    asyncio.run(run())


def test_the_signing_key_is_outside_the_data_folder_if_the_house_says_so(tmp_path: Path, call: Calling) -> None:
    configuration = with_witness(tmp_path, key="keys/house.pem")

    async def run() -> None:
        house = House(configuration, 0)
        await house.running.start()
        await house.running.close("the test has ended")

    asyncio.run(run())
    asyncio.run(run())
    assert (tmp_path / "keys" / "house.pem").exists()
    assert not signing_path(configuration.journal).exists()
    assert public_path(configuration.journal).exists()
    copy = tmp_path / "copy.db"
    shutil.copyfile(configuration.journal, copy)
    assert call("verify", str(copy))[0] == 3
    assert call("verify", str(copy), "--key", str(public_path(configuration.journal)))[0] == 0
    witness = tmp_path / "witness" / "witness.pub"
    keys = ["--key", str(public_path(configuration.journal)), "--key", str(witness)]
    summary = call.json("verify", str(copy), *keys)
    assert (summary["origin"], summary["witnesses"]) == ("known", [read_vkey(witness.read_text()).name])
    (tmp_path / "keys" / "house.pem").unlink()
    with pytest.raises(CannotOpen, match="is missing"):
        asyncio.run(run())


def test_a_new_key_is_announced_by_the_old_one_on_record(tmp_path: Path, call: Calling) -> None:
    file = tmp_path / "house.toml"
    text = TOML.format(wheel="none", automatic="false", min_cents=500, game="rws-double-zero")
    file.write_text(text.replace('data = "data"', 'data = "data"\nwitness = "witness"'))
    from roundhouse.config.loading import read

    configuration = read(file)

    async def run(number: int) -> None:
        house = House(configuration, number)
        await house.running.start()
        await issue(house, 100)
        assert house.alerts("witness") == []
        await house.running.close("the test has ended")

    asyncio.run(run(0))
    old = public_path(configuration.journal).read_text()
    status, out, err = call("house", "rekey", "--config", str(file))
    assert (status, err) == (0, "")
    new = public_path(configuration.journal).read_text()
    assert new != old
    assert new.strip() in out
    asyncio.run(run(100))
    (tmp_path / "old.pub").write_text(old)
    for key in (tmp_path / "old.pub", public_path(configuration.journal)):
        assert call("verify", str(configuration.journal), "--key", str(key))[0] == 0
    stranger = read_vkey(new).named("roundhouse/" + "0" * 32)
    (tmp_path / "stranger.pub").write_text(str(stranger))
    status, out, _ = call("verify", str(configuration.journal), "--key", str(tmp_path / "stranger.pub"))
    assert (status, "another house" in out) == (1, True)


def test_a_capsule_carries_its_proof_and_a_forged_one_does_not_verify_with_the_public_key(
    tmp_path: Path, call: Calling
) -> None:
    from proofbundle import tlogproof as oracle

    configuration = with_witness(tmp_path)

    async def play() -> None:
        house = House(configuration, 0)
        await house.running.start()
        await issue(house, 100)
        assert (await house.ask(c.OpenBets, DEALER)).ok
        assert (await house.ask(c.CloseBets, DEALER)).ok
        await house.running.sign_now()
        await house.running.close("the test has ended")

    asyncio.run(play())
    file = JournalFile(configuration.journal)
    try:
        capsule = make_capsule(file, TABLE, RoundNumber(1), None)
    finally:
        file.close()
    path, public = tmp_path / "round-1.json", public_path(configuration.journal)
    path.write_bytes(encode_capsule(capsule))
    status, out, _ = call("verify", str(path))
    assert (status, "Consistent, origin unknown" in out) == (3, True)
    status, out, _ = call("verify", str(path), "--key", str(public))
    assert (status, "The house has signed every entry" in out) == (0, True)
    # Beside the journal, its public key is found.
    beside = configuration.data / "round-1.json"
    beside.write_bytes(path.read_bytes())
    assert call("verify", str(beside))[0] == 0
    # Another implementation accepts the proof and the cosignature.
    witness = (tmp_path / "witness" / "witness.pub").read_text().strip()
    for part in capsule.parts:
        assert isinstance(part.proof, str)
        origin = part.proof.split("\n\n")[1].split("\n")[0]
        key = str(read_vkey(public.read_text()).named(origin))
        leaf = bytes.fromhex(part.entries[-1].hash)
        verdict = oracle.verify_tlog_proof(part.proof, leaf, key, [witness], threshold=1, expected_origin=origin)
        assert verdict["ok"], verdict
    # A capsule made at home, by another house with the same rounds, has another key.
    other = with_witness(tmp_path / "home")
    (tmp_path / "home").mkdir(exist_ok=True)
    configuration = other
    asyncio.run(play())
    file = JournalFile(other.journal)
    try:
        forged = make_capsule(file, TABLE, RoundNumber(1), None)
    finally:
        file.close()
    path.write_bytes(encode_capsule(forged))
    assert call("verify", str(path))[0] == 3
    assert call("verify", str(path), "--key", str(public))[0] == 1
    # Without its proof it is of unknown origin, whatever key is given.
    bare = msgspec.structs.replace(
        forged, capsule=1, parts=[msgspec.structs.replace(part, proof=msgspec.UNSET) for part in forged.parts]
    )
    path.write_bytes(encode_capsule(bare))
    assert call("verify", str(path), "--key", str(public))[0] == 3
