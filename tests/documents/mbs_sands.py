from tests.documents import Document
from tests.documents.rws_double_zero import RIM
from tests.support.layout_arithmetic import (
    BLACK_BOX,
    EVEN,
    HIGH,
    LOW,
    ODD,
    RED_BOX,
    Bets,
    bets,
    columns,
    corners,
    dozens,
    lines,
    splits,
    straights,
    streets,
)

GREEN = frozenset({"0", "00", "S"})

SPIN = {
    "same_direction": "5.1",
    "ball_dropped": "5.2",
    "too_few_revolutions": "5.3",
    "foreign_object": "5.4",
    "ball_did_not_drop": "5.5",
    "ball_left_wheel": "5.6",
    "ball_broke": "5.7",
    "wheel_stopped": "5.8",
    "wheel_not_rotating": "5.9",
    "interference": "5.10",
}


def twice_described(legend: str, listed: dict[str, tuple[str, Bets]]) -> dict[str, Bets]:
    """Map each bet to its clause in rule 3.4 and to its letter in the legend of the diagram."""
    by_rule = {f"3.4.{rule}": of for rule, (_, of) in listed.items()}
    return by_rule | {f"{legend} / {letter}": of for letter, of in listed.values()}


DOCUMENT = Document(
    game="mbs-sands",
    zeros="0 00 S",
    rim=f"0 S 00 {RIM}",
    offers={
        "A": twice_described(
            "Diagram B",
            {
                "1": ("A", straights("0 00 S")),
                "2": ("B", splits() | bets("split", "0-00", "0-1", "0-2", "00-2", "00-3", "0-S", "00-S")),
                "3": ("D", corners()),
                "4": ("C", streets() | bets("street", "0-1-2", "0-00-2", "00-2-3", "0-00-S")),
                "5": ("E", lines()),
                "6": ("F", {"top_line": GREEN | {"1", "2", "3"}}),
                "7": ("G", columns()),
                "8": ("H", dozens()),
                "9": ("I", LOW),
                "10": ("J", HIGH),
                "11": ("K", ODD),
                "12": ("L", EVEN),
                "13": ("M", BLACK_BOX),
                "14": ("N", RED_BOX),
                "15": ("O", {"green": GREEN}),
            },
        )
    },
    pays={
        "A": {
            "4.1 / One Number (Straight Up)": ("straight", 35),
            "4.1 / Two Numbers (Split)": ("split", 17),
            "4.1 / Three Numbers (Street)": ("street", 11),
            "4.1 / Four Numbers (Corner)": ("corner", 8),
            "4.1 / 6 Numbers (Six Line)": ("line", 5),
            "4.1 / Top Line": ("top_line", 5),
            "4.1 / Column": ("column", 2),
            "4.1 / Dozen": ("dozen", 2),
            "4.1 / Low (1-18)": ("low", 1),
            "4.1 / High (19-36)": ("high", 1),
            "4.1 / Odd": ("odd", 1),
            "4.1 / Even": ("even", 1),
            "4.1 / Black": ("black", 1),
            "4.1 / Red": ("red", 1),
            "4.1 / Green": ("green", 11),
        }
    },
    checksum={"A": 166 * 36},
    positions={"A": 166},
    series={"table": {}},
    neighbours={},
    finales={},
    irregularities=SPIN,
    losing={},
    loses="4.1",
    numbers="1.1, 1.1.1-6, 2.1, Diagram A, 3.1-7, 3.4.1-15, Diagram B, 4.1, 5.1-12, general law",
)
