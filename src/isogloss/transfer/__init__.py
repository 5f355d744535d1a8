"""Transfer: fine-tune in one language, test in all; one trainer, and the papers' methods that plug into it."""

from isogloss.transfer import methods
from isogloss.transfer.fitted import Epoch, Fitted, Predicted
from isogloss.transfer.methods import Method, parse_methods
from isogloss.transfer.settings import Settings
from isogloss.transfer.trainer import Trainer

__all__ = ["Epoch", "Fitted", "Method", "Predicted", "Settings", "Trainer", "methods", "parse_methods"]
