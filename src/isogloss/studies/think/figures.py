"""The figures of think: the curves of Wendler et al., neurons by layer, and losses without them."""

from collections.abc import Iterator

from isogloss.studies.result import Figure
from isogloss.studies.shared.comparison import spread_frame
from isogloss.studies.think.cells.latent import SHUFFLED
from isogloss.studies.think.view import ThinkView, watched


def figures_of(view: ThinkView) -> Iterator[Figure]:
    """The first one is the main one."""
    if len(view.curves):
        yield curves(view)
    if view.neurons is not None:
        if view.owners():
            yield changes(view)
        yield neurons(view)


def curves(view: ThinkView) -> Figure:
    rows = []
    for source, target in view.pairs():
        roles = {target: "target", view.pivot: "pivot", source: "source"}
        for language in (*watched(view, source, target), SHUFFLED):
            name = f"{language} ({roles[language]})" if language in roles else language
            for layer in range(view.depth + 1):
                rows.append((f"{source}-{target}", name, layer, view.probability(source, target, language, layer)))
    first = next(iter(view.pairs()))
    end = view.probability(*first, first[1], view.depth)
    return Figure(
        "curves", "The right word in each language, layer by layer", "profile",
        spread_frame(("pair", "word in", "layer"), rows),
        reading=f"Probability that each layer would give to the right word: where {view.pivot} rises before the "
        "target, the model passes through it. 'Shuffled' is the word of another question.",
        intervals="Bands are 95% intervals over words.",
        alt=f"Curves of probability by layer; {first[0]} to {first[1]} ends at {end.value:.2f} for the target.",
        series="word in", facet="pair", baselines=(SHUFFLED,), y_title="probability", y_range=(0.0, 1.0),
        paper="Wendler et al. (2024) Figure 2",
    )  # fmt: skip


def changes(view: ThinkView) -> Figure:
    texts = dict.fromkeys(view.losses["target"])
    rows = [(owner, target, view.change(owner, target)) for target in texts for owner in view.owners()]
    frame = spread_frame(("neurons off", "text"), rows)
    worst = frame.iloc[int(frame["value"].to_numpy().argmax())]
    return Figure(
        "changes", "What each language's text loses without whose neurons", "heatmap", frame,
        reading="Change of the loss in nats per token: a dark diagonal means that neurons matter to their language.",
        alt=f"Losses without neurons; the largest, {worst['value']:.3f}, is {worst['text']} without those of "
        f"{worst['neurons off']}.",
        x="neurons off", y="text", value_title="nats per token", diverging=True, annotate=True,
        paper="Tang et al. (2024) Figure 5",
    )  # fmt: skip


def neurons(view: ThinkView) -> Figure:
    frame = view.neurons_by_layer()
    top = frame.groupby("layer")["value"].sum()
    return Figure(
        "neurons", "Where the neurons of each language are", "profile", frame,
        reading="Neurons that belong to each language, by layer.",
        alt=f"Neurons by layer; layer {top.idxmax()} has most of them ({top.max():.0f}).",
        series="language", y_title="neurons", paper="Tang et al. (2024) Figure 6",
    )  # fmt: skip
