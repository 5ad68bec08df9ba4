"""Does a file have the structure that the rulebook's types ask for? Every departure is a fault.

``msgspec`` stops at the first departure; this walks on. What does not fit is left out of the answer, so
that the checks of meaning can still go through the rest of the file.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec.inspect as shape
from msgspec import UNSET

from roundhouse.rules.faults import Faults

_PLAIN: dict[type[shape.Type], tuple[type, str]] = {
    shape.StrType: (str, "text in quotes"),
    shape.IntType: (int, "a whole number"),
    shape.BoolType: (bool, "true or false"),
    shape.DateTimeType: (datetime, "an instant such as 2020-08-05T08:00:00+08:00"),
}


def fit(raw: object, kind: shape.Type, place: str, faults: Faults) -> Any:
    """``raw`` without what does not fit ``kind``, or ``UNSET`` when nothing is left of it."""
    match kind:
        case shape.StructType():
            return _fit_struct(raw, kind, place, faults)
        case shape.DictType():
            if not isinstance(raw, dict):
                return _wrong(raw, "a table of keys", place, faults)
            names = {key: fit(key, kind.key_type, f"{place}.{key}", faults) for key in raw}
            fitted = {key: fit(value, kind.value_type, f"{place}.{key}", faults) for key, value in raw.items()}
            return {key: fitted[key] for key in raw if names[key] is not UNSET and fitted[key] is not UNSET}
        case shape.VarTupleType():
            if not isinstance(raw, list):
                return _wrong(raw, "a list in square brackets", place, faults)
            items = [fit(item, kind.item_type, f"{place}[{i}]", faults) for i, item in enumerate(raw)]
            return [item for item in items if item is not UNSET]
        case shape.TupleType():
            if not isinstance(raw, list) or len(raw) != len(kind.item_types):
                return _wrong(raw, f"a list of {len(kind.item_types)}", place, faults)
            items = [fit(item, of, f"{place}[{i}]", faults) for i, (item, of) in enumerate(zip(raw, kind.item_types))]
            return UNSET if UNSET in items else items
        case shape.EnumType():
            values = [member.value for member in kind.cls]
            if raw not in values:
                return _wrong(raw, f"one of {', '.join(map(str, values))}", place, faults)
            return raw
        case shape.UnionType():
            (kind,) = (of for of in kind.types if not isinstance(of, shape.NoneType))
            return fit(raw, kind, place, faults)
        case _:
            python, words = _PLAIN[type(kind)]
            # TOML's true is no number, although Python's True is.
            if not isinstance(raw, python) or (isinstance(raw, bool) and python is not bool):
                return _wrong(raw, words, place, faults)
            return raw


def _fit_struct(raw: object, kind: shape.StructType, place: str, faults: Faults) -> Any:
    if not isinstance(raw, dict):
        return _wrong(raw, "a table of keys", place, faults)
    known = {field.name: field for field in kind.fields}
    inside = f"{place}." if place else ""
    for key in raw.keys() - known.keys():
        faults.add(f"{inside}{key}", "unknown key", _did_you_mean(key, known))
    fitted: dict[str, object] = {}
    whole = True
    for name, field in known.items():
        value = fit(raw[name], field.type, f"{inside}{name}", faults) if name in raw else UNSET
        if value is not UNSET:
            fitted[name] = value
        elif field.required:
            whole = False
            if name not in raw:
                faults.lose(f"{inside}{name}", f"missing: {_words(field.type)}", f"add the key '{name}'")
    # The outermost table is handed on as it is, so that each of its sections can be checked by itself.
    return fitted if whole or not place else UNSET


def _wrong(raw: object, wanted: str, place: str, faults: Faults) -> Any:
    shown = repr(raw) if len(repr(raw)) <= 60 else repr(raw)[:57] + "..."
    faults.lose(place, f"{shown} is not {wanted}", f"write {wanted}")
    return UNSET


def _words(kind: shape.Type) -> str:
    match kind:
        case shape.StructType() | shape.DictType():
            return "a table of keys"
        case shape.VarTupleType() | shape.TupleType():
            return "a list"
        case shape.EnumType():
            return f"one of {', '.join(str(member.value) for member in kind.cls)}"
        case _:
            return _PLAIN[type(kind)][1]


def _did_you_mean(key: str, known: Mapping[str, object]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(key, known, n=1)
    return f"write '{close[0]}'?" if close else f"remove it; this table has {', '.join(known)}"
