"""The texts of pack exfil: secrets on their way out."""

from hookline.hooks._dangerous.finding import Pack

EXFIL = Pack(
    "exfil",
    {
        "secret-upload": (
            "This sends keys, passwords or settings that look secret to somewhere else.",
            "Leave the values out, or have the person hand them over themselves.",
        ),
        "secret-copy": (
            "This copies a private key to where it is not kept safe.",
            "Refer to it where it lies, by its path.",
        ),
        "password-file": (
            "This reads the file with everybody's password hashes.",
            "`getent passwd NAME` tells about an account without them.",
        ),
    },
)
