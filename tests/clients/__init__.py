"""Real agent clients, driven offline against a scripted model: the proof that our hooks do what we say."""
