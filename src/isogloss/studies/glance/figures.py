"""The figures of a glance: retrieval and CKA by layer, and how the encoder was pretrained."""

from collections.abc import Iterator

from isogloss.studies.glance.cells import POOLS
from isogloss.studies.glance.plan import PRETRAINED, TAGS, UNTRAINED
from isogloss.studies.glance.view import CHANCE, GlanceView
from isogloss.studies.result import Figure
from isogloss.studies.shared.training_curves import curves


def figures_of(view: GlanceView) -> Iterator[Figure]:
    """Retrieval on the hard pool first."""
    yield from (profile(view, pool) for pool in POOLS)
    yield cka_profile(view)
    if view.folder is not None:
        yield from curves(view.folder)


def profile(view: GlanceView, pool: str) -> Figure:
    """Retrieval by layer on one pool."""
    frame, structure = view.frame, view.structure
    shown = frame[(frame["measure"] == "retrieval") & (frame["pool"] == pool)].reset_index(drop=True)
    shown = shown.rename(columns={"condition": "series"})
    best = shown[shown["series"] == PRETRAINED]["value"].max()
    return Figure(
        f"retrieval-{pool}", f"Translations found by layer, {pool} pool", "profile", shown,
        reading="Each point is the share of sentences whose nearest neighbour in the other language, by cosine after "
        "centring each language, is their translation.",
        intervals="Bands are 95% intervals over sentences.",
        alt=f"Retrieval by layer between {structure.languages[0]} and {structure.languages[1]}: the pretrained encoder "
        f"reaches {best:.0%}; the untrained one, tags alone and chance stand beside it.",
        y_title="translations found", baselines=(UNTRAINED, TAGS, CHANCE),
    )  # fmt: skip


def cka_profile(view: GlanceView) -> Figure:
    """Unbiased CKA by layer on the natural pool."""
    frame = view.frame
    shown = frame[(frame["measure"] == "cka") & (frame["pool"] == "natural")].reset_index(drop=True)
    return Figure(
        "cka", "Similarity of the two languages by layer", "profile", shown.rename(columns={"condition": "series"}),
        reading="Unbiased linear CKA of parallel sentences (natural pool); 1 is the same up to rotation and scale.",
        alt="Unbiased CKA by layer for the pretrained and the untrained encoder.",
        y_title="CKA", baselines=(UNTRAINED,),
    )  # fmt: skip
