"""Plain text in, sentence by sentence, with the faults that spoil a run found before it starts."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from isogloss.errors import IsoglossError

Source = Sequence[str] | Path
Texts = Mapping[str, Source]
GIANT = 200_000  # characters: no sentence is so long


def sentences(language: str, source: Source) -> Iterator[str]:
    """The sentences of a language, one a line, blank lines left out."""
    if isinstance(source, Path):
        yield from _lines(source)
        return
    for number, line in enumerate(source):
        if len(line) > GIANT:
            raise _giant(f"{language}, text {number}", len(line))
        if line and not line.isspace():
            yield line.strip()


def _lines(path: Path) -> Iterator[str]:
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                if len(line) > GIANT:
                    raise _giant(f"{path}:{number}", len(line))
                if not line.isspace():
                    yield line.strip()
    except UnicodeDecodeError as error:
        raise IsoglossError(f"this is not UTF-8 text ({error})", where=path, remedy="convert it to UTF-8") from error
    except OSError as error:
        raise IsoglossError(f"cannot read this text ({error.strerror})", where=path) from error


def _giant(where: str, length: int) -> IsoglossError:
    return IsoglossError(
        f"a line of {length:,} characters; Isogloss reads one sentence a line",
        where=where,
        remedy="split the text into sentences, one a line",
    )


def count(texts: Texts) -> dict[str, int]:
    """Sentences by language; an empty language is an error."""
    if not texts:
        raise IsoglossError("no language was given", remedy="name a folder of <code>.txt files, or texts by language")
    sizes = {language: sum(1 for _ in sentences(language, source)) for language, source in texts.items()}
    for language, size in sizes.items():
        if size == 0:
            source = texts[language]
            raise IsoglossError(
                f"language '{language}' has no text",
                where=source if isinstance(source, Path) else None,
                remedy="give it sentences, one a line, or leave it out",
            )
        if size < 2:
            raise IsoglossError(
                f"language '{language}' has one sentence only, and one must be held out for validation",
                remedy="give it more sentences, one a line",
            )
    return sizes


def held_out(size: int, wanted: int) -> range:
    """Which of ``size`` sentences are for validation: at most a tenth (at least one), spread evenly."""
    number = max(1, min(wanted, size // 10))
    step = size // number
    return range(step - 1, step * number, step)


def training(language: str, source: Source, size: int, wanted: int) -> Iterator[str]:
    """The sentences left for training."""
    kept_back = held_out(size, wanted)
    return (text for number, text in enumerate(sentences(language, source)) if number not in kept_back)


def validation(language: str, source: Source, size: int, wanted: int) -> Iterator[str]:
    """The sentences held out."""
    kept_back = held_out(size, wanted)
    return (text for number, text in enumerate(sentences(language, source)) if number in kept_back)


def text_folder(folder: Path) -> dict[str, Path]:
    """The languages of a folder of ``<code>.txt`` files, by code."""
    found = {path.stem: path for path in sorted(folder.glob("*.txt"))} if folder.is_dir() else {}
    if not found:
        raise IsoglossError("no <code>.txt file here", where=folder, remedy="name a folder with a file a language")
    return found
