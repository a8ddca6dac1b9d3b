"""What the guards of paths share: which files a call would open, which of them matter, who approved."""
