"""Writes the TypeScript types of the wire from the Python ones: ``python -m roundhouse.server.typescript``.

A field that a browser sends is optional if it has a default; a field that it receives is optional if it may be missing.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, get_args

import msgspec
from msgspec import inspect as i

from roundhouse.server.app import ROUTES
from roundhouse.server.openapi import short_name
from roundhouse.table.commands import AnyCommand
from roundhouse.table.events import AnyEvent
from roundhouse.table.state import KEPT_RESULTS
from roundhouse.wire import messages, problems, tables
from roundhouse.wire.requests import Lifetime, lifetime_of
from roundhouse.wire.tables import AnyPublicEvent

OUTPUT = Path("web/src/wire.ts")
_HEAD = "// The types of the wire, written by `make wire` from the Python ones. Do not edit: a test compares them.\n"
_KEPT = f"/** How many results a table keeps. */\nexport const KEPT_RESULTS = {KEPT_RESULTS};\n"


_TO_CLIENT = (
    "export type ToClient ="
    " SnapshotMessage | ChangeMessage | HouseMessage | NumberedAnswer | HouseAnswer | DoneMessage;\n"
)
_UNIONS = {
    "TableEvent": AnyEvent,
    "PublicEvent": AnyPublicEvent,
    "Command": AnyCommand,
    "FromClient": messages.FromClient,
    "AnyErrorCode": problems.AnyErrorCode,
}
"""Long unions that have a name of their own."""


def sent() -> list[Any]:
    """The types that a client sends."""
    return [*(route.body for route in ROUTES if route.body is not None), messages.FromClient]


def received() -> list[Any]:
    """The types that a client receives."""
    given = [kind for route in ROUTES for gives in route.returns for kind in gives.types]
    return [
        *(kind for kind in given if kind != dict[str, Any]),
        problems.ErrorCode,
        problems.ErrorBody,
        tables.NumberedAnswer,
        messages.SnapshotMessage,
        messages.ChangeMessage,
        messages.HouseMessage,
        messages.DoneMessage,
        messages.CloseReason,
    ]


def wire() -> str:
    kinds = i.multi_type_info([*sent(), *received()])
    inwards = {kind.cls for kind in _within(kinds[: len(sent())])}
    named: dict[Any, i.StructType | i.EnumType] = {kind.cls: kind for kind in _within(kinds)}
    twice = {name for name, count in Counter(cls.__name__ for cls in named).items() if count > 1}
    names = {cls: short_name(cls.__module__, cls.__name__) if cls.__name__ in twice else cls.__name__ for cls in named}
    assert len(set(names.values())) == len(names), "two types of the wire have one name"
    written = [
        _declared(kind, names, cls in inwards) for cls, kind in sorted(named.items(), key=lambda one: names[one[0]])
    ]
    unions = {name: _together(names[cls] for cls in get_args(kind)) for name, kind in _UNIONS.items()}
    text = "".join(written)
    for name, union in unions.items():
        text = text.replace(union, name).replace(f"({name})", name)
    return "".join(
        [
            _HEAD,
            _KEPT,
            text,
            *(f"export type {name} = {union};\n" for name, union in unions.items()),
            _TO_CLIENT,
            _lifetimes(),
        ]
    )


def _lifetimes() -> str:
    """The one value among the types: a client that reconnects looks up which requests it may send again."""
    commands = {str(kind.__struct_config__.tag): lifetime_of(kind) for kind in get_args(AnyCommand)}
    pairs = ", ".join(f"{name}: {_literal(lifetime)}" for name, lifetime in commands.items())
    about = "/** How long a request without an answer stays meant: in any round, in its round, or in its phase. */\n"
    words = _together(map(_literal, Lifetime))
    return f'{about}export const LIFETIMES: Record<Command["do"], {words}> = {{ {pairs} }};\n'


def _together(names: Iterable[str]) -> str:
    return " | ".join(names)


def _within(kinds: Sequence[i.Type]) -> Iterator[i.StructType | i.EnumType]:
    """Every struct and enum that these types are made of, once."""
    seen: set[Any] = set()
    waiting = list(kinds)
    while waiting:
        kind = waiting.pop()
        match kind:
            case i.StructType():
                if kind.cls not in seen:
                    seen.add(kind.cls)
                    waiting += [field.type for field in kind.fields]
                    yield kind
            case i.EnumType():
                if kind.cls not in seen:
                    seen.add(kind.cls)
                    yield kind
            case i.UnionType():
                waiting += kind.types
            case i.DictType():
                waiting += [kind.key_type, kind.value_type]
            case i.TupleType():
                waiting += kind.item_types
            case i.ListType() | i.VarTupleType() | i.SetType() | i.FrozenSetType():
                waiting.append(kind.item_type)


def _declared(kind: i.StructType | i.EnumType, names: dict[Any, str], inwards: bool) -> str:
    about = _comment(kind.cls)
    if isinstance(kind, i.EnumType):
        return f"{about}export type {names[kind.cls]} = {' | '.join(_literal(one.value) for one in kind.cls)};\n"
    keys = [f"{kind.tag_field}: {_literal(kind.tag)}"] if kind.tag_field else []
    keys += [
        f"{field.encode_name}{'?' if _may_lack(kind, field, inwards) else ''}: {_written(field.type, names)}"
        for field in kind.fields
    ]
    return f"{about}export interface {names[kind.cls]} {{ {'; '.join(keys)} }}\n"


def _may_lack(kind: i.StructType, field: i.Field, inwards: bool) -> bool:
    if inwards:
        return not field.required
    left_out = kind.cls.__struct_config__.omit_defaults and not field.required
    return left_out or field.default is msgspec.UNSET


def _written(kind: i.Type, names: dict[Any, str]) -> str:
    match kind:
        case i.StructType() | i.EnumType():
            return names[kind.cls]
        case i.StrType() | i.DateTimeType() | i.DateType():
            return "string"
        case i.IntType() | i.FloatType():
            return "number"
        case i.BoolType():
            return "boolean"
        case i.NoneType():
            return "null"
        case i.LiteralType():
            return " | ".join(_literal(value) for value in kind.values)
        case i.UnionType():
            return " | ".join(dict.fromkeys(_written(one, names) for one in kind.types))
        case i.ListType() | i.VarTupleType():
            inner = _written(kind.item_type, names)
            return f"({inner})[]" if " " in inner else f"{inner}[]"
        case i.TupleType():
            return f"[{', '.join(_written(one, names) for one in kind.item_types)}]"
        case i.DictType():
            return f"Record<string, {_written(kind.value_type, names)}>"
        case i.AnyType():
            return "unknown"
        case _:
            raise AssertionError(f"the wire has no way to write {kind!r}")


def _literal(value: object) -> str:
    return msgspec.json.encode(value.value if isinstance(value, Enum) else value).decode()


def _comment(cls: type) -> str:
    """The docstring of the class as a comment, unless msgspec or Python generated it."""
    words = " ".join((cls.__dict__.get("__doc__") or "").split())
    return f"/** {words} */\n" if words and not words.startswith(f"{cls.__name__}(") else ""


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else OUTPUT
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(wire(), encoding="utf-8")


if __name__ == "__main__":
    main()
