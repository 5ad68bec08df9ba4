from tests.documents import Document
from tests.support.layout_arithmetic import bets

SEGMENTS = {"RWS": 1, "CROCKFORDS": 1, "20": 2, "10": 4, "5": 8, "3": 12, "1": 24}
NAMES = ("Resorts World Sentosa", "Crockfords", "SGD 20", "SGD 10", "SGD 5", "SGD 3", "SGD 1")
QUARTER = "1 3 1 5 1 10 1 3 1 5 1 3"

DOCUMENT = Document(
    game="rws-money-wheel",
    zeros="",
    rim=f"RWS {QUARTER} 20 {QUARTER} CROCKFORDS {QUARTER} 20 {QUARTER}",
    offers={
        "A": {
            "Appendix A / 45-1": bets("symbol", "RWS", "CROCKFORDS"),
            "Appendix A / 20-1": bets("symbol", "20"),
            "Appendix A / 10-1": bets("symbol", "10"),
            "Appendix A / 5-1": bets("symbol", "5"),
            "Appendix A / 3-1": bets("symbol", "3"),
            "Appendix A / 1-1": bets("symbol", "1"),
        }
    },
    pays={
        "A": {
            "4.1 / Resorts World Sentosa": ("symbol:RWS", 45),
            "4.1 / Crockfords": ("symbol:CROCKFORDS", 45),
            "4.1 / SGD 20": ("symbol:20", 20),
            "4.1 / SGD 10": ("symbol:10", 10),
            "4.1 / SGD 5": ("symbol:5", 5),
            "4.1 / SGD 3": ("symbol:3", 3),
            "4.1 / SGD 1": ("symbol:1", 1),
        }
    },
    checksum={"A": 46 + 46 + 21 + 11 + 6 + 4 + 2},
    positions={"A": 7},
    series={"table": {}},
    neighbours={},
    finales={},
    irregularities={"interference": "5.1.1", "clapper_on_pin": "5.1.2", "too_few_revolutions": "5.1.3"},
    losing={},
    loses="3.5",
    numbers=("2.1, 2.1.1, 2.2, 2.2.1-2, 3.1-6, 4.1, 5.1-2, 5.1.1-3, Appendix A, general law"),
    rows={
        "1": ("Clapper", "Colour Chips", "Dolly", "Revolution", "Spin"),
        "2.2.1": (*NAMES, "Total"),
    },
)
