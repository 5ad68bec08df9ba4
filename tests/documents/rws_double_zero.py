from tests.documents import Document
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

RIM = "32 15 19 4 21 2 25 17 34 6 27 13 36 11 30 8 23 10 5 24 16 33 1 20 14 31 9 22 18 29 7 28 12 35 3 26"

TIERS = "split:5-8 split:10-11 split:13-16 split:23-24 split:27-30 split:33-36"
ORPHELINS = "straight:1 split:6-9 split:14-17 split:17-20 split:31-34"

FINALES = {str(d): " ".join(str(n) for n in range(d, 37, 10)) for d in range(1, 10)}

SPIN = {
    "ball_dropped": "5.3.1",
    "too_few_revolutions": "5.3.2",
    "ball_did_not_drop": "5.3.3",
    "ball_left_wheel": "5.3.4",
    "wheel_not_rotating": "5.3.5",
    "same_direction": "5.3.6",
    "foreign_object": "5.3.7",
    "interference": "5.3.8",
    "wheel_stopped": "5.3.9",
    "ball_broke": "5.4",
}


def outside(appendix: str) -> dict[str, Bets]:
    return {
        f"{appendix} / Column Bet": columns(),
        f"{appendix} / Dozen Bet": dozens(),
        f"{appendix} / Colour Bet": RED_BOX | BLACK_BOX,
        f"{appendix} / Odd or Even Bet": ODD | EVEN,
        f"{appendix} / High or Low Bet": HIGH | LOW,
    }


OUTSIDE_PAYS = {
    "Column": ("column", 2),
    "Dozen": ("dozen", 2),
    "High or Low": ("high low", 1),
    "Colour": ("red black", 1),
    "Odd or Even": ("odd even", 1),
}

DOCUMENT = Document(
    game="rws-double-zero",
    zeros="0 00",
    rim=f"0 00 {RIM}",
    offers={
        "A": {
            "Appendix A / Straight Up Bet": straights("0 00"),
            "Appendix A / Split Bet": splits() | bets("split", "0-00", "0-1", "0-2", "0-3"),
            "Appendix A / Street Bet": streets() | bets("street", "0-1-2", "0-2-3"),
            "Appendix A / Corner Bet": corners() | bets("corner", "0-1-2-3"),
            "Appendix A / Line Bet": lines(),
            **outside("Appendix A"),
        },
        "B": {
            "Appendix B / Straight Up Bet": straights("0 00"),
            "Appendix B / Split Bet": splits() | bets("split", "0-00", "0-1", "0-2", "00-2", "00-3"),
            "Appendix B / Street Bet": streets() | bets("street", "0-1-2", "0-00-2", "00-2-3"),
            "Appendix B / Corner Bet": corners(),
            "Appendix B / Top Line Bet": {"top_line": frozenset({"0", "00", "1", "2", "3"})},
            "Appendix B / Line Bet": lines(),
            **outside("Appendix B"),
        },
    },
    pays={
        "A": {
            "4.1.1 / Straight Up": ("straight", 35),
            "4.1.1 / Split": ("split", 17),
            "4.1.1 / Street": ("street", 11),
            "4.1.1 / Corner": ("corner", 8),
            "4.1.1 / Line": ("line", 5),
            **{f"4.1.1 / {row}": price for row, price in OUTSIDE_PAYS.items()},
        },
        "B": {
            "4.1.2 / Straight Up": ("straight", 35),
            "4.1.2 / Split": ("split", 17),
            "4.1.2 / Street": ("street", 11),
            "4.1.2 / Corner": ("corner", 8),
            "4.1.2 / Top Line": ("top_line", 6),
            "4.1.2 / Line": ("line", 5),
            **{f"4.1.2 / {row}": price for row, price in OUTSIDE_PAYS.items()},
        },
    },
    # Every position returns 36 units in total, except the Top Line: five numbers at 6 to 1.
    checksum={"A": 159 * 36, "B": 160 * 36 + 5 * 7},
    positions={"A": 159, "B": 161},
    series={
        "rapid-a": {
            "tiers": ("Appendix C / Tiers Bet", TIERS),
            "orphelins": ("Appendix C / Orphelins Bet", ORPHELINS),
            "zero_spiel": ("Appendix C / 0-Spiel Bet", "straight:26 split:0-3 split:12-15 split:32-35"),
            "grand_series": (
                "Appendix C / Grand Series Bet",
                "split:4-7 split:12-15 split:18-21 split:19-22 split:32-35 2×street:0-2-3 2×corner:25-26-28-29",
            ),
        },
        "rapid-b": {},
        "alfastreet-b": {
            "small_series": ("Appendix E / Small Series Bet", " ".join(f"2×{piece}" for piece in TIERS.split())),
            "orphans": (
                "Appendix E / Orphans Bet",
                "straight:1 straight:14 2×split:6-9 2×split:17-20 2×split:31-34",
            ),
            "zero_spiel": (
                "Appendix E / Zero Spiel Bet",
                "straight:3 straight:26 2×split:0-00 2×split:12-15 2×split:32-35",
            ),
            "big_series": (
                "Appendix E / Big Series Bet",
                "2×split:0-00 2×split:2-3 2×split:4-7 2×split:12-15 2×split:18-21 2×split:19-22 2×split:32-35"
                " 4×corner:25-26-28-29",
            ),
        },
    },
    neighbours={
        "rapid-a": ("Appendix C / Neighbours Bet", (1, 2, 3)),
        "rapid-b": ("Appendix D / Neighbours Bet", (1, 2, 3)),
        "alfastreet-b": ("Appendix E / Neighbours Bet", (1, 2, 3, 4)),
    },
    finales={
        "rapid-a": ("Appendix C / Finales Bet", {"0": "0 00 10 20 30", **FINALES}),
        "rapid-b": ("Appendix D / Finales Bet", {"0": "0 00 10 20 30", **FINALES}),
    },
    irregularities=SPIN,
    losing={"0": "3.8", "00": "3.8"},
    loses="3.9",
    numbers="1.1-11, 2.1, 2.1.1, 3.1-9, 4.1, 4.1.1-2, 5.1-10, 5.1.1-2, 5.2.1-2, 5.3.1-9, Appendix A-E",
)
