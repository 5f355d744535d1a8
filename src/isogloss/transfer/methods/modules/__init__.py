"""Methods at work: the modules that the plain settings beside this folder attach to a network; they need torch."""
