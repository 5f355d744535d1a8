"""The cells of think: decoders of the lab, the latent language of translations, the neurons of languages."""

from isogloss.studies.think.cells.decoders import Decoder, PlantedDecoder, name_decoder
from isogloss.studies.think.cells.latent import Latent, find_translations, read_curves
from isogloss.studies.think.cells.neurons import Activations, Silenced, read_counts, read_losses

__all__ = [
    "Activations", "Decoder", "Latent", "PlantedDecoder", "Silenced", "find_translations", "name_decoder",
    "read_counts", "read_curves", "read_losses",
]  # fmt: skip
