"""``roundhouse witness``: the commands init, trust, run and list."""

import asyncio
import signal
import sys
from datetime import UTC, datetime
from pathlib import Path

import click

from roundhouse.cli.output import emit_json, json_option, show_table
from roundhouse.cli.serve import print_line, seconds_option
from roundhouse.rules.errors import UserError
from roundhouse.tlog.note import NotANote, SignatureType, VerifierKey, is_name, read_key
from roundhouse.witness.exchange import POLL_SECONDS, answer_requests
from roundhouse.witness.keys import KeyUnusable, read_public_key
from roundhouse.witness.memory import MemoryUnusable
from roundhouse.witness.witness import Witness, create_witness

folder_argument = click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="FOLDER")
_DEFAULT_ADDRESS = "127.0.0.1:8700"


class CannotWitness(UserError):
    """The witness cannot run. The message explains why."""


@click.command()
@folder_argument
@click.option("--name", help="Name of the witness, such as witness.example/1. Default: a random name.")
def init(folder: Path, name: str | None) -> None:
    """Create a witness in FOLDER: its key, its public key and its memory. An existing witness is not changed."""
    if name is not None and not is_name(name):
        raise CannotWitness(f"'{name}' cannot be a name; write it without spaces and without '+'")
    create_witness(folder, name)
    click.echo(f"{read_public_key(folder / 'witness.pub')}")


@click.command()
@folder_argument
@click.argument("key", metavar="KEY|FILE")
def trust(folder: Path, key: str) -> None:
    """Accept the checkpoints that KEY has signed: the public key of a house, or the file house.db.pub with it."""
    found = _key(key)
    if found.type is not SignatureType.ED25519:
        raise CannotWitness(f"the key of '{found.name}' is not the key of a house")
    witness = Witness(folder)
    try:
        witness.trust(found)
    finally:
        witness.close()
    click.echo(f"the witness accepts checkpoints of {found.name} (key {found.id.hex()})")


def _key(text: str) -> VerifierKey:
    try:
        return read_key(text)
    except NotANote:
        return read_public_key(Path(text))


@click.command()
@folder_argument
@click.argument("name", metavar="HOUSE")
@click.confirmation_option("--yes", prompt="The witness can then no longer find a roll-back of this house. Forget it?")
def forget(folder: Path, name: str) -> None:
    """Forget what the witness has seen of HOUSE, such as roundhouse/0fe2…, after its restored journal was lost, too.

    All tickets of the next restored journal are in dispute then, because it is unknown what was lost.
    """
    witness = Witness(folder)
    try:
        with witness.memory.changing():
            count = witness.memory.forget(name)
    finally:
        witness.close()
    if not count:
        click.echo(f"the witness had seen no journal of {name}; 'roundhouse witness list' lists those that it has seen")
        return
    (folder / "heads" / name.rpartition("/")[2]).unlink(missing_ok=True)
    click.echo(f"the witness has forgotten {name}")


@click.command("list")
@folder_argument
@json_option
def list_(folder: Path, as_json: bool) -> None:
    """List the logs that the witness has seen, with the size and the time of the last checkpoint."""
    witness = Witness(folder)
    try:
        logs, refused = witness.memory.logs(), len(witness.memory.evidence())
    finally:
        witness.close()
    rows = [
        {"log": one.origin, "size": one.size, "at": datetime.fromtimestamp(one.seconds, UTC).isoformat()}
        for one in logs
    ]
    if as_json:
        emit_json({"key": str(witness.key), "logs": rows, "refused": refused})
        return
    click.echo(str(witness.key))
    show_table("Logs", ["log", "size", "at"], [[str(value) for value in row.values()] for row in rows], right=["size"])
    if refused:
        click.echo(f"{refused} signed checkpoints were refused, because they contradict what was seen before")


@click.command()
@folder_argument
@click.option(
    "--listen",
    metavar="ADDRESS:PORT",
    help=f"Address of the HTTP service. Default: {_DEFAULT_ADDRESS}, or none with --exchange.",
)
@click.option(
    "--exchange",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    metavar="FOLDER",
    help="Answer the requests in this shared folder. The house names it as exchange:FOLDER.",
)
@seconds_option
def run(folder: Path, listen: str | None, exchange: Path | None, seconds: float | None) -> None:
    """Run the witness in FOLDER until it is stopped by a signal.

    It cosigns checkpoints that continue what it has seen, and refuses a roll-back or a fork. Its memory is on disk
    before it answers.
    """
    witness = Witness(folder)
    address = listen or (None if exchange is not None else _DEFAULT_ADDRESS)
    try:
        asyncio.run(_run(witness, address, exchange, seconds))
    finally:
        witness.close()


async def _run(witness: Witness, listen: str | None, exchange: Path | None, seconds: float | None) -> None:
    stop = asyncio.Event()
    if seconds is not None:
        asyncio.get_running_loop().call_later(seconds, stop.set)
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    tasks: list[asyncio.Task[bool]] = [asyncio.create_task(_wait(stop))]
    if exchange is not None:
        tasks.append(asyncio.create_task(_serve_exchange(witness, exchange)))
        print_line(f"{witness.key.name} answers requests in {exchange}")
    if listen is not None:
        tasks.append(asyncio.create_task(_serve_http(witness, listen, stop)))
    done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    stop.set()
    if listen is not None:
        # The HTTP service ends after it has answered the requests in progress.
        await asyncio.wait([tasks[-1]], timeout=5)
    for task in pending:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()


async def _wait(stop: asyncio.Event) -> bool:
    await stop.wait()
    return True


async def _serve_exchange(witness: Witness, exchange: Path) -> bool:
    while True:
        try:
            await asyncio.to_thread(answer_requests, exchange, witness)
        except (MemoryUnusable, KeyUnusable, OSError) as error:
            click.echo(f"roundhouse: {error}", err=True)
            await asyncio.sleep(1)
        await asyncio.sleep(POLL_SECONDS)


async def _serve_http(witness: Witness, listen: str, stop: asyncio.Event) -> bool:
    from roundhouse.server.process import CannotListen, bind, small_server
    from roundhouse.witness.http import application

    host, colon, port = listen.rpartition(":")
    if not colon or not port.isdecimal() or not 0 <= int(port) < 65536:
        raise CannotWitness(f"'{listen}' is not an address and a port, such as {_DEFAULT_ADDRESS}")
    try:
        bound = bind(host.strip("[]"), int(port))
    except CannotListen as error:
        raise CannotWitness(str(error)) from error
    server = small_server(application(witness))
    serving = asyncio.create_task(server.serve(sockets=[bound]))
    while not server.started and not serving.done():
        await asyncio.sleep(0.01)
    name = bound.getsockname()
    print_line(f"{witness.key.name} listens on http://{name[0]}:{name[1]}")
    sys.stdout.flush()
    await asyncio.wait([serving, asyncio.create_task(stop.wait())], return_when=asyncio.FIRST_COMPLETED)
    server.should_exit = True
    await serving
    bound.close()
    return True
