"""The cells of an alignment study: words, words in context and the maps they give, sentences, tasks across encoders."""
