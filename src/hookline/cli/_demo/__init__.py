"""The agents of `hookline demo`, each a module with a `CLIENT`, and the scene that they play."""
