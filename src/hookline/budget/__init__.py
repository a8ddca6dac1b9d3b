"""What a session may spend and has spent, and the models and their prices."""
