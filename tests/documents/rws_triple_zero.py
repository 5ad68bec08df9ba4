from tests.documents import Document
from tests.documents.rws_double_zero import FINALES, ORPHELINS, OUTSIDE_PAYS, RIM, SPIN, TIERS
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

GREEN = frozenset({"0", "00", "000"})

DOCUMENT = Document(
    game="rws-triple-zero",
    zeros="0 00 000",
    rim=f"0 000 00 {RIM}",
    offers={
        "A": {
            "Appendix A / One Number or Straight Up Bet": straights("0 00 000"),
            "Appendix A / Two Numbers or Split Bet": splits()
            | bets("split", "0-00", "0-1", "0-2", "00-2", "00-3", "0-000", "00-000"),
            "Appendix A / Three Numbers or Street Bet": streets()
            | bets("street", "0-1-2", "0-00-2", "00-2-3", "0-00-000"),
            "Appendix A / Four Numbers or Corner Bet": corners(),
            "Appendix A / Six Numbers or Top Line Bet": {"top_line": GREEN | {"1", "2", "3"}},
            "Appendix A / Six Numbers or Six Line Bet": lines(),
            "Appendix A / Column Bet": columns(),
            "Appendix A / Dozen Bet": dozens(),
            "Appendix A / Colour Bet": RED_BOX | BLACK_BOX,
            "Appendix A / Green Bet": {"green": GREEN},
            "Appendix A / Odd or Even Bet": ODD | EVEN,
            "Appendix A / High or Low Bet": HIGH | LOW,
        }
    },
    pays={
        "A": {
            "4.1 / Straight Up": ("straight", 35),
            "4.1 / Split": ("split", 17),
            "4.1 / Street or Green": ("street green", 11),
            "4.1 / Corner": ("corner", 8),
            "4.1 / Six Line or Top Line": ("line top_line", 5),
            **{f"4.1 / {row}": price for row, price in OUTSIDE_PAYS.items()},
        }
    },
    checksum={"A": 166 * 36},
    positions={"A": 166},
    series={
        "rapid-a": {
            "tiers": ("Appendix B / Tiers Bet", TIERS),
            "orphelins": ("Appendix B / Orphelins Bet", ORPHELINS),
            "zero_spiel": ("Appendix B / 0-Spiel Bet", "straight:26 split:0-000 split:00-3 split:12-15 split:32-35"),
            "grand_series": (
                "Appendix B / Grand Series Bet",
                "split:0-000 split:4-7 split:12-15 split:18-21 split:19-22 split:32-35"
                " 2×street:00-2-3 2×corner:25-26-28-29",
            ),
        }
    },
    neighbours={"rapid-a": ("Appendix B / Neighbours Bet", (1, 2, 3))},
    finales={"rapid-a": ("Appendix B / Finales Bet", {"0": "0 00 000 10 20 30", **FINALES})},
    irregularities=SPIN,
    losing={"0": "3.8", "00": "3.8", "000": "3.8"},
    loses="3.9",
    numbers="1.1-11, 2.1, 2.1.1, 3.1-9, 4.1, 5.1-10, 5.1.1-2, 5.2.1-2, 5.3.1-9, Appendix A-B",
)
