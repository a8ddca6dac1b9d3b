"""The texts of pack interpreters: code of other languages that deletes trees."""

from hookline.hooks._dangerous.finding import Pack

INTERPRETERS = Pack(
    "interpreters",
    {
        "code-delete": (
            "This code deletes a folder outside of the project, past what is checked for plain commands.",
            "Say it plainly, so that it can be judged: `rm -rf /tmp/demo`.",
        ),
    },
)
