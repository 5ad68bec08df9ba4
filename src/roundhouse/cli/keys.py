"""``roundhouse house rekey``: replaces the key that signs the journal. The house must not be running."""

from pathlib import Path

import click

from roundhouse.cli.house_paths import config_file
from roundhouse.config.loading import read
from roundhouse.floor.clock import SystemClock
from roundhouse.floor.opening import open_house, open_store
from roundhouse.floor.rotation import rotate
from roundhouse.house.writer import run_inline


@click.command()
@click.option(
    "--config",
    "path",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Configuration of the house: house.toml, or the folder that contains it.",
)
def rekey(path: Path) -> None:
    """Replace the key that signs the journal. The old key announces the new one, on record and to the witnesses.

    Publish the new public key. The old private key is kept beside the new one, as FILE.old; store it elsewhere.
    """
    configuration = read(config_file(path))
    store, key = open_store(configuration.journal)
    try:
        house = open_house(configuration, store, key)
        rotated = run_inline(rotate(configuration, store, house, SystemClock().now()))
    finally:
        store.close()
    click.echo(f"the journal is signed by a new key from now on: {rotated.key}")
    for problem in rotated.problems:
        click.echo(f"roundhouse: {problem}", err=True)
