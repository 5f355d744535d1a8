"""CKA on other parallel text than retrieval: each measure is what it is on its own text alone."""

from dataclasses import replace
from pathlib import Path

import pandas as pd

from isogloss.runs import Inline, Store, key_of
from isogloss.studies.align.cells.inputs import Bitext
from isogloss.studies.align.cells.sentences import FILE, SentenceLevel
from isogloss.studies.shared.models import name_model


def rows(cell: SentenceLevel, store: Store) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Retrieval, and CKA."""
    assert not Inline().run("sentences", [cell], store).failures
    frame = pd.read_parquet(store.folder(cell) / FILE)
    cka = frame["measure"].str.startswith("cka_")
    return frame[~cka].reset_index(drop=True), frame[cka].reset_index(drop=True)


def test_cka_is_read_off_its_own_text_and_retrieval_off_the_test(tiny_model: Path, store: Store) -> None:
    pair, model = ("qaa", "qab"), name_model(str(tiny_model), None, 0)
    learnt, tested, other = (Bitext("lab:families", part, pair, 0, 40) for part in ("train", "test", "hard"))
    plain = SentenceLevel(model, model, learnt, tested, sizes=(40,), kinds=("linear",))
    apart = replace(plain, compared=other)
    assert key_of(plain) != key_of(apart)
    retrieval, cka = rows(apart, store)
    pd.testing.assert_frame_equal(retrieval, rows(plain, store)[0])
    pd.testing.assert_frame_equal(cka, rows(replace(plain, tested=other), store)[1])
    assert not cka["value"].equals(rows(plain, store)[1]["value"])
