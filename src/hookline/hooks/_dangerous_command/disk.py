"""Pack disk: devices overwritten, volumes removed, machines stopped."""

import re
from collections.abc import Mapping

from hookline.hooks._dangerous_command.rule import Judge, Pack
from hookline.hooks._dangerous_command.tables import table

DISK = Pack(
    "disk",
    {
        "device-write": (
            "This overwrites a disk or another device; what is on it is gone.",
            "Write to an image file instead: `dd if=/dev/zero of=disk.img bs=1M count=10`.",
        ),
        "shred": ("This overwrites a file beyond recovery.", "Delete it plainly: `rm FILE`."),
        "volume-remove": (
            "This removes a volume, a pool or a partition table, with all that is on it.",
            "Look with `lsblk` or `zpool status`, and leave the change to the user.",
        ),
        "fork-bomb": (
            "This starts processes without end until the machine stands still.",
            "Start a fixed number, and wait for them: `for i in 1 2 3; do work & done; wait`.",
        ),
        "machine-off": (
            "This stops or restarts the machine.",
            "Restart only what needs it, such as your own program.",
        ),
    },
)
_HARMLESS = re.compile(
    r"/dev/(?:null|zero|full|random|urandom|stdin|stdout|stderr|tty\w*|ptmx|fd/.*|pts/.*|shm/.*|tcp/.*|udp/.*)"
)


def device(text: str) -> bool:
    """Return whether *text* names a device, such as a disk, that is not harmless to write."""
    path = text.rpartition("=")[2]
    if path.startswith(("//./", "\\\\.\\")):
        return True
    return path.startswith("/dev/") and len(path) > len("/dev/") and not _HARMLESS.fullmatch(path)


def _output(text: str) -> bool:
    return text.startswith("of=") and (device(text) or text == "of=/proc/sysrq-trigger")


JUDGES: Mapping[str, Judge] = table(
    DISK,
    """
    dd|dcfldd|ddrescue =output                                              device-write
    mkfs|mke2fs|mkswap|mkntfs|mkdosfs|newfs =device !-n           device-write
    wipefs =device -a|--all|-o|--offset !-n|--no-act                        device-write
    blkdiscard|blkzone =device                                              device-write
    badblocks =device -w                                                    device-write
    nvme format|sanitize|write*|security*                                   device-write
    hdparm --security-*|--trim-*|--make-bad-sector|--dco-*                  device-write
    shred|srm|sfill|wipe *                                          shred
    lvremove|vgremove|pvremove|vgreduce|lvreduce * !-t|--test|-h|--longhelp volume-remove
    lvm lvremove|vgremove|pvremove|vgreduce|lvreduce * !-t|--test           volume-remove
    cryptsetup luksFormat|erase|luksErase|luksKillSlot|luksRemoveKey|reencrypt volume-remove
    mdadm --zero-superblock|--stop|-S|--fail|--remove                       volume-remove
    parted|gparted ...mklabel|mktable|rm|mkpart|resizepart                  volume-remove
    sgdisk -Z|--zap*|-z|-o|--clear|-d|--delete|-l|--load-backup             volume-remove
    sfdisk --delete|--wipe|--wipe-partitions|--append|-a|-N !-n|--no-act    volume-remove
    sfdisk =device !-l|--list|-d|--dump|-J|--json|-s|-n|--no-act|-V|--verify volume-remove
    fdisk|cfdisk|gdisk|cgdisk =device !-l|--list|-x                         volume-remove
    zpool destroy|labelclear|remove|split|detach                            volume-remove
    zfs destroy|rollback !-n                                                volume-remove
    btrfs subvolume|sub|su|device|dev delete|remove|del|rm                  volume-remove
    diskutil erase*|partitionDisk|zeroDisk|secureErase|reformat|randomDisk  volume-remove
    diskutil apfs|cs|coreStorage delete*|erase*                             volume-remove
    reboot|poweroff|halt !-w|--wtmp-only                                    machine-off?
    shutdown * !-c|-k                                                       machine-off?
    init|telinit 0|6                                                        machine-off?
    systemctl poweroff|reboot|halt|kexec|rescue|emergency|suspend|hibernate machine-off?
    """,
    values="--reportformat --config -s --size -t -L",
    sorts={"device": device, "output": _output},
)
