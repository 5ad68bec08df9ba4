"""``make bench``: run all benchmarks, or those named as arguments."""

import sys
from importlib import import_module

PARTS = ("rules", "table", "wheel", "lab", "house", "office")


def main() -> None:
    for part in sys.argv[1:] or PARTS:
        print(f"— {part}")
        import_module(f"benchmarks.{part}").run()


if __name__ == "__main__":
    main()
