"""The texts of the core rules: what everybody agrees must not happen by accident."""

from hookline.hooks._dangerous.finding import Pack

CORE = Pack(
    "core",
    {
        "git-push-force": (
            "This push overwrites what others have on the remote.",
            "Pull or rebase, then push without force or to a new branch; or use --force-with-lease.",
        ),
        "git-push-lease": (
            "This push rewrites the remote branch, if nobody has pushed to it in the meantime.",
            "Make sure that the branch is yours alone.",
        ),
        "git-push-delete": (
            "This push deletes a protected branch on the remote.",
            "Delete only branches that you created.",
        ),
        "git-branch-delete-force": (
            "This deletes a branch even if its commits are nowhere else.",
            "Use `git branch -d`, which refuses while something would be lost.",
        ),
        "git-reset-hard": (
            "`git reset --hard` throws away all uncommitted work.",
            "Commit or `git stash` first, or use `git reset --keep`; `git restore FILE` for single files.",
        ),
        "git-clean-force": (
            "`git clean` with force deletes untracked files for good.",
            "Look with `git clean -n`, then delete the files you made by name, or `git stash -u`.",
        ),
        "git-checkout-dot": (
            "This checkout overwrites every changed file with the committed one.",
            "Name the files to go back, or `git stash` to keep the changes.",
        ),
        "git-restore-dot": (
            "This restore overwrites every changed file with the committed one.",
            "Name the files to go back; `git restore --staged .` only unstages, `git stash` keeps all.",
        ),
        "rm-root": (
            "This would delete the root of the file system, or a system folder.",
            "Delete only folders you created, by name.",
        ),
        "rm-home": (
            "This would delete a user's home folder, or all that is in it.",
            "Name the one folder inside it that has to go.",
        ),
        "rm-cwd": (
            "This would delete the project's folder, or all that is in it.",
            "Name the folders that have to go: `rm -rf build`; `git clean -n` shows what is not tracked.",
        ),
        "rm-unknown": (
            "If the variable in it is not set, this deletes from the root of the file system.",
            'Write the path out, or `rm -rf "${DIR:?}"/*`, which stops when it is not set.',
        ),
        "unread": (
            "Part of this was not understood and names a destructive command.",
            "Write it as plain, separate commands.",
        ),
    },
)
