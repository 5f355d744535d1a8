"""What happened to the text on its way into the model."""

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class ReadingCounts:
    """Counts of one part of one language; counts of parts add up."""

    sentences: int = 0
    words: int = 0
    wordless: int = 0  # words without a subword, read as the unknown one
    windowed: int = 0  # sentences read in several overlapping windows, nothing lost
    cut_sentences: int = 0
    cut_words: int = 0  # words without a prediction, because their sentence was cut
    cut_tokens: int = 0

    def __add__(self, other: "ReadingCounts") -> "ReadingCounts":
        return ReadingCounts(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(self)))

    def notes(self) -> list[str]:
        """What a reader of the scores must know, a sentence each."""
        notes = []
        if self.cut_sentences:
            lost = f"{self.cut_words:,} words" if self.cut_words else f"{self.cut_tokens:,} subwords"
            notes.append(f"{self.cut_sentences:,} of {self.sentences:,} texts were cut, {lost} lost")
        if self.windowed:
            notes.append(f"{self.windowed:,} of {self.sentences:,} sentences were read in overlapping windows")
        if self.wordless:
            notes.append(f"{self.wordless:,} words have no subword and were read as the unknown one")
        return notes
