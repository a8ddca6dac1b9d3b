"""Operations of the engine on the git repository."""
