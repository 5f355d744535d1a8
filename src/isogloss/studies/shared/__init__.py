"""What studies share: models and data as a user names them, comparisons, provenance. No study imports another."""
