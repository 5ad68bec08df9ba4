"""Checks the structure of a TOML file against a ``msgspec`` type and reports all faults.

``msgspec`` itself stops at the first fault. Invalid values are left out of the result, so that the checks of
the content can still run on the rest of the file.
"""

from datetime import datetime
from typing import Any

import msgspec.inspect as shape
from msgspec import UNSET

from roundhouse.rules.errors import Faults

_PLAIN: dict[type[shape.Type], tuple[type, str]] = {
    shape.StrType: (str, "text in quotes"),
    shape.IntType: (int, "a whole number"),
    shape.BoolType: (bool, "true or false"),
    shape.DateTimeType: (datetime, "an instant such as 2020-08-05T08:00:00+08:00"),
}
_MAX_UNKNOWN = 100
"""Largest number of unknown keys of one table that are reported singly, because finding similar keys is slow."""


def check_structure(raw: object, kind: shape.Type, place: str, faults: Faults) -> Any:
    """Return ``raw`` without the parts that do not match ``kind``, or ``UNSET`` if it does not match."""
    match kind:
        case shape.StructType():
            return _check_struct(raw, kind, place, faults)
        case shape.DictType():
            if not isinstance(raw, dict):
                return _wrong(raw, "a table of keys", place, faults)
            values_by_key = {
                key: check_structure(value, kind.value_type, f"{place}.{key}", faults) for key, value in raw.items()
            }
            # An invalid key is reported and left out, because no default can replace a name.
            return {
                key: value
                for key, value in values_by_key.items()
                if check_structure(key, kind.key_type, f"{place}.{key}", faults) == key and value is not UNSET
            }
        case shape.VarTupleType():
            if not isinstance(raw, list):
                return _wrong(raw, "a list in square brackets", place, faults)
            items = [check_structure(item, kind.item_type, f"{place}[{i}]", faults) for i, item in enumerate(raw)]
            valid = [i for i, item in enumerate(items) if item is not UNSET]
            if len(valid) < len(items):
                faults.set_file_indexes(place, valid)
            return [items[i] for i in valid]
        case shape.TupleType():
            if not isinstance(raw, list) or len(raw) != len(kind.item_types):
                return _wrong(raw, f"a list of {len(kind.item_types)} items", place, faults)
            items = [
                check_structure(item, of, f"{place}[{i}]", faults)
                for i, (item, of) in enumerate(zip(raw, kind.item_types))
            ]
            return UNSET if UNSET in items else items
        case shape.EnumType():
            values = [str(member.value) for member in kind.cls]
            if raw not in values:
                faults.omit(
                    place, f"{_shorten(raw)} is not one of {', '.join(values)}", _did_you_mean(str(raw), values)
                )
                # Substitute a valid value, so that the rest of the table can still be checked.
                return values[0]
            return raw
        case shape.UnionType():
            (kind,) = (of for of in kind.types if not isinstance(of, shape.NoneType))
            return check_structure(raw, kind, place, faults)
        case _:
            python, description = _PLAIN[type(kind)]
            # A TOML boolean is not a number, although Python's bool is an int.
            if not isinstance(raw, python) or (isinstance(raw, bool) and python is not bool):
                return _wrong(raw, description, place, faults)
            return raw


def _check_struct(raw: object, kind: shape.StructType, place: str, faults: Faults) -> Any:
    if not isinstance(raw, dict):
        return _wrong(raw, "a table of keys", place, faults)
    known = {field.name: field for field in kind.fields}
    inside = f"{place}." if place else ""
    unknown = [key for key in raw if key not in known]
    for key in unknown[:_MAX_UNKNOWN]:
        faults.add(f"{inside}{key}", "unknown key", _did_you_mean(key, list(known)))
    if len(unknown) > _MAX_UNKNOWN:
        faults.add(place or "file", f"{len(unknown) - _MAX_UNKNOWN} more unknown keys", "remove them")
    valid: dict[str, object] = {}
    complete = True
    for name, field in known.items():
        value = check_structure(raw[name], field.type, f"{inside}{name}", faults) if name in raw else UNSET
        if value is not UNSET:
            valid[name] = value
        elif field.required:
            complete = False
            if name not in raw and _close(name, unknown[:_MAX_UNKNOWN]):
                faults.mark_omitted(f"{inside}{name}")  # already reported as an unknown key
            elif name not in raw:
                faults.omit(f"{inside}{name}", f"missing: {_describe(field.type)}", f"add the key '{name}'")
    # The root table is returned even if incomplete, so that its other sections can be checked.
    return valid if complete or not place else UNSET


def _wrong(raw: object, wanted: str, place: str, faults: Faults) -> Any:
    faults.omit(place, f"{_shorten(raw)} is not {wanted}", f"write {wanted}")
    return UNSET


def _shorten(raw: object) -> str:
    return repr(raw) if len(repr(raw)) <= 60 else repr(raw)[:57] + "..."


def _describe(kind: shape.Type) -> str:
    match kind:
        case shape.StructType() | shape.DictType():
            return "a table of keys"
        case shape.VarTupleType() | shape.TupleType():
            return "a list"
        case shape.EnumType():
            return f"one of {', '.join(str(member.value) for member in kind.cls)}"
        case _:
            return _PLAIN[type(kind)][1]


def _did_you_mean(word: str, known: list[str]) -> str:
    close = _close(word, known)
    return f"did you mean '{close}'?" if close else f"use one of {', '.join(known)}"


def _close(word: str, known: list[str]) -> str | None:
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, known, n=1)), None)
