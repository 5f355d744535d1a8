"""A JSON object a line, as strangers write it: its plain fields as text, or what is wrong with the line."""

import json

LONGEST = 2**24  # characters of one line


def read_fields(text: str) -> dict[str, str]:
    """The fields of a JSON object that hold text, a number or a truth value; null and nested ones are left out."""
    if len(text) > LONGEST:
        raise ValueError(f"a line of {len(text):,} characters")
    try:
        row = json.loads(text, parse_int=str, parse_float=str)  # numbers stay as they are written
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON ({error.msg})") from None
    except RecursionError:
        raise ValueError("JSON nested too deeply") from None
    if not isinstance(row, dict):
        raise ValueError("not a JSON object")
    fields = {name: value if isinstance(value, str) else str(value) for name, value in row.items() if _is_plain(value)}
    if not all(map(_is_whole, fields.values())):
        raise ValueError("half a character or a NUL in a text")
    return fields


def _is_plain(value: object) -> bool:
    return isinstance(value, str | bool | float)  # NaN and Infinity come as floats


def _is_whole(text: str) -> bool:
    return "\0" not in text and (text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text))
