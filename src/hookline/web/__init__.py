"""The dashboard of `hookline ui`: live pages over the store, served to this machine only."""
