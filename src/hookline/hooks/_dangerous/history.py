"""The texts of pack git-history: commits made unreachable, and work put aside thrown away."""

from hookline.hooks._dangerous.finding import Pack

HISTORY = Pack(
    "git-history",
    {
        "git-reset-merge": (
            "This reset throws away changes that were staged.",
            "Commit them, or use `git reset --keep HEAD~1`.",
        ),
        "git-checkout-force": (
            "This switches branches and throws away all uncommitted changes.",
            "Commit or `git stash` first, then `git switch NAME`.",
        ),
        "git-stash-drop": (
            "This throws away stashed work.",
            "Look with `git stash show -p`, keep it as a branch with `git stash branch NAME`.",
        ),
        "git-reflog-expire": (
            "This forgets the reflog, by which lost commits are found again.",
            "Leave it to git, which forgets after 90 days; `git reflog` shows what is there.",
        ),
        "git-rewrite": (
            "This rewrites the whole history of the repository.",
            "Work in a fresh clone made for it, and look with `git filter-repo --analyze` first.",
        ),
        "git-prune": (
            "This deletes unreachable commits at once, beyond recovery.",
            "`git gc` alone keeps the recent ones.",
        ),
        "git-ref-delete": (
            "This deletes a branch or tag without any check.",
            "`git branch -d NAME` refuses while something would be lost.",
        ),
        "git-tag-delete": ("This deletes a tag.", "List with `git tag -l`, and add a new tag beside it."),
        "git-worktree-force": (
            "This deletes a worktree with the uncommitted changes in it.",
            "`git worktree remove PATH` refuses while there are any.",
        ),
        "git-rm-all": (
            "This deletes every tracked file, changed or not.",
            "Name the files, or `git rm -r --cached DIR` to stop tracking only.",
        ),
        "rm-git-metadata": (
            "This deletes the repository's own data: commits, branches or stashes that are nowhere else.",
            "`git gc` makes it smaller; clone anew beside it if it is broken.",
        ),
    },
)
