from tests.documents import Document
from tests.documents.mbs_sands import SPIN, twice_described
from tests.documents.rws_double_zero import ORPHELINS, RIM, TIERS
from tests.support.layout_arithmetic import (
    BLACK_BOX,
    EVEN,
    HIGH,
    LOW,
    ODD,
    RED_BOX,
    bets,
    columns,
    corners,
    dozens,
    lines,
    splits,
    straights,
    streets,
)

ZERO_SPIEL = "straight:00 split:0-3 split:12-15 straight:26 split:32-35"
GRAND_SERIES = (
    "straight:00 2×street:0-2-3 split:4-7 split:12-15 split:18-21 split:19-22 2×corner:25-26-28-29 split:32-35"
)

DOCUMENT = Document(
    game="mbs-electronic-double-zero",
    zeros="0 00",
    rim=f"0 00 {RIM}",
    offers={
        "A": twice_described(
            "Appendix A",
            {
                "1": ("A", straights("0 00")),
                "2": ("B", splits() | bets("split", "0-00", "0-1", "0-2", "0-3")),
                "3": ("D", corners() | bets("corner", "0-1-2-3")),
                "4": ("C", streets() | bets("street", "0-1-2", "0-2-3")),
                "5": ("E", lines()),
                "6": ("F", columns()),
                "7": ("G", dozens()),
                "8": ("H", LOW),
                "9": ("I", HIGH),
                "10": ("M", BLACK_BOX),
                "11": ("L", RED_BOX),
                "12": ("K", ODD),
                "13": ("J", EVEN),
            },
        )
    },
    pays={
        "A": {
            "4.1 / One number (Straight Up)": ("straight", 35),
            "4.1 / Two numbers (Split)": ("split", 17),
            "4.1 / Three numbers (Street)": ("street", 11),
            "4.1 / Four numbers (Corner)": ("corner", 8),
            "4.1 / Six numbers (Six Line)": ("line", 5),
            "4.1 / Column": ("column", 2),
            "4.1 / Dozen": ("dozen", 2),
            "4.1 / Low (1-18)": ("low", 1),
            "4.1 / High (19-36)": ("high", 1),
            "4.1 / Even": ("even", 1),
            "4.1 / Odd": ("odd", 1),
            "4.1 / Red": ("red", 1),
            "4.1 / Black": ("black", 1),
        }
    },
    checksum={"A": 159 * 36},
    positions={"A": 159},
    series={
        "racetrack": {
            "big_series": ("Appendix B", GRAND_SERIES),
            "small_series": ("Appendix C", TIERS),
            "orphans": ("Appendix D", ORPHELINS),
            "zero_spiel": ("Appendix E", ZERO_SPIEL),
        },
        "rapid-select": {
            "zero_spiel": ("Appendix I / Zero Spiel", ZERO_SPIEL),
            "grand_series": ("Appendix I / Grand Series", GRAND_SERIES),
            "orphelins": ("Appendix I / Orphelins", ORPHELINS),
            "tiers": ("Appendix I / Tiers", TIERS),
        },
    },
    neighbours={"racetrack": ("Appendix F", (2,)), "rapid-select": ("Appendix I / Neighbours", (2,))},
    finales={
        "racetrack": (
            "Appendix H",
            {
                "1": "1 11 21 31",
                "2": "2 12 22 32",
                "3": "3 13 23 33",
                "4": "4 14 24 34",
                "5": "5 15 25 35",
                "6": "6 16 26 36",
                "7": "7 17 27",
                "8": "8 18 28",
                "9": "9 19 29",
                "0": "0 00 10 20 30",
            },
        )
    },
    irregularities={**SPIN, "no_spin": "5.15"},
    losing={"0": "4.2", "00": "4.2.1"},
    loses="4.1",
    numbers=(
        "1.1, 1.1.1-5, 2.1, 3.1-8, 3.4.1-13, 4.1-2, 4.2.1, 5.1-15, 5.13.1-2, 5.14.1-2, 6.1-3, 7, Appendix A-I,"
        " general law"
    ),
    rows={"Appendix H": tuple("1234567890")},
)
