"""The one exception for a user's mistake: what was wrong, where, and what to do about it."""

import errno
import os
import re
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path


class IsoglossError(Exception):
    """A mistake a user can fix. The command line prints it without a traceback and exits with code 2.

    ``where`` names the place: a file, ``file:line``, a language, a layer, a setting.
    """

    def __init__(self, what: str, *, where: str | Path | None = None, remedy: str | None = None) -> None:
        self.what = what
        self.where = None if where is None else str(where)
        self.remedy = remedy
        super().__init__(str(self))

    def __str__(self) -> str:
        head = f"{self.where}: {self.what}" if self.where else self.what
        return f"{head}\n  hint: {self.remedy}" if self.remedy else head

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle whole (exceptions with keyword-only arguments do not by default)."""
        return _rebuild, (type(self), self.what, self.where, self.remedy)


def _rebuild(kind: type[IsoglossError], what: str, where: str | None, remedy: str | None) -> IsoglossError:
    return kind(what, where=where, remedy=remedy)


def unknown_name(kind: str, name: str, known: Iterable[str], *, where: str | Path | None = None) -> IsoglossError:
    """An error for a misspelt name, with the nearest right one: ``unknown measure 'ckaa'; did you mean 'cka'?``"""
    names = sorted(known)
    near = get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"; did you mean '{near[0]}'?" if near else ""
    return IsoglossError(f"unknown {kind} '{name}'{hint}", where=where, remedy=f"known: {', '.join(names)}")


def missing_extra(extra: str, package: str) -> IsoglossError:
    """An error for an optional dependency that is not installed, with the line that installs it."""
    return IsoglossError(f"this needs the package '{package}'", remedy=f"pip install 'isogloss[{extra}]'")


FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}
MISNAMED = {errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.ENOENT, errno.EEXIST}


OS_ERROR = re.compile(r"\(os error ([0-9]{1,3})\)")  # as libraries written in Rust put it: safetensors, tokenizers


def explain_os_error(error: Exception) -> IsoglossError | None:
    """A full disk, a read-only folder or an impossible name: a mistake a user can fix; None for any other error."""
    if not isinstance(error, OSError):
        match = OS_ERROR.search(str(error))
        if match is None:
            return None
        error = OSError(int(match[1]), os.strerror(int(match[1])))
    if error.errno in FULL:
        remedy = "free some space, then run the same command again; finished results are kept"
    elif error.errno in FORBIDDEN:
        remedy = "name another folder, or fix its permissions"
    elif error.errno in MISNAMED and error.filename:
        remedy = "check the name"
    else:
        return None
    return IsoglossError(str(error.strerror).lower(), where=_cut(error.filename), remedy=remedy)


def _cut(name: object) -> str | None:
    """A file's name in a message; one that is far too long is cut."""
    text = None if name is None else str(name)
    return text if text is None or len(text) <= 200 else f"{text[:200]}..."
