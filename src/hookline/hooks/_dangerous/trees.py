"""The texts of pack system-trees: what a machine or a person cannot do without."""

from hookline.hooks._dangerous.finding import Pack

TREES = Pack(
    "system-trees",
    {
        "rm-home-folder": (
            "This would delete a folder of the user's own: keys, settings or documents.",
            "Name the one thing inside it that has to go.",
        ),
        "rm-system-part": (
            "This would delete a part of the system's own folders.",
            "Let the package manager remove what it installed; delete only what you created.",
        ),
        "rm-remote": (
            "This would delete a whole folder on another machine.",
            "Look first with `ssh HOST ls DIR`, and leave deleting over there to a person.",
        ),
        "find-delete": (
            "This would delete everything that find comes upon, from a folder that nobody wants gone.",
            "Look with `find . -name '*.tmp' -print` first, then delete under a folder of your own.",
        ),
        "mv-root": (
            "This would move system folders or a home away from where everything looks for them.",
            "Copy what you need with `cp -r DIR/NAME COPY`.",
        ),
        "rsync-delete": (
            "rsync with --delete removes everything at the target that the source does not have.",
            "Look with `rsync -an --delete SOURCE/ TARGET/` first, or leave --delete out.",
        ),
        "system-file": (
            "This would overwrite or delete a file that the system needs to start or to let people in.",
            "Copy it with `cp /etc/hosts hosts.bak` and show the person the change to make.",
        ),
        "system-upload": (
            "This would put a file into the system folders of another machine.",
            "Copy to your own folder there: `scp FILE HOST:FILE`.",
        ),
        "crontab-remove": (
            "This deletes all scheduled jobs of the user.",
            "Look with `crontab -l`, and edit the one line.",
        ),
    },
)
