"""``roundhouse wheel record``: the wheel's line into a file, byte for byte or with the times."""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from roundhouse.rulebooks import UnreadableFile

if TYPE_CHECKING:
    from roundhouse.wheelhead.sources import Source


@click.command()
@click.argument("port")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--times", is_flag=True, help="Write each line with the moment at which it came.")
@click.option("--append", is_flag=True, help="Go on with a recording instead of refusing to overwrite it.")
@click.option("--no-rtscts", is_flag=True, help="The serial cable has no RTS and CTS wires.")
def record(port: str, file: Path, times: bool, append: bool, no_rtscts: bool) -> None:
    """Record a wheel's line from PORT (a serial device, tcp://host:port) to FILE until Ctrl-C."""
    import asyncio

    from roundhouse.wheelhead.sources import source

    wheel = source(port, rtscts=not no_rtscts)
    try:
        # What is written is on its way to the disk at once: a recording must survive whoever writes it.
        with file.open("ab" if append else "xb", buffering=0) as out:
            asyncio.run(_record(wheel, out, times))
    except KeyboardInterrupt:
        raise click.Abort from None
    except FileExistsError:
        raise UnreadableFile(f"'{file}' exists; name another file, or go on with it by --append") from None
    except OSError as error:
        raise UnreadableFile(f"cannot write '{file}': {error.strerror or error}") from error


async def _record(wheel: "Source", out: BinaryIO, times: bool) -> None:
    from roundhouse.wheelhead import listening
    from roundhouse.wheelhead.stream import Line, Splitter, marked

    splitter = Splitter()
    async for arrival in listening.Listener(wheel).arrivals():
        match arrival:
            case listening.Bytes(chunk) if times:
                for line in splitter.feed(chunk):
                    out.write(marked(Line(line.text, datetime.now().astimezone().replace(tzinfo=None))) + b"\r\n")
            case listening.Bytes(chunk):
                out.write(chunk)
            case listening.Connected(name=name):
                click.echo(f"recording {name}", err=True)
            case listening.Disconnected(why):
                click.echo(f"the wheel is gone ({why}); looking for it", err=True)
            case listening.Silent() | listening.Finished():
                pass
