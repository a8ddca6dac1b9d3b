"""Pack package-publish: packages published or withdrawn, and tools removed for all users."""

from collections.abc import Mapping

from hookline.hooks._dangerous_command.rule import Judge, Pack
from hookline.hooks._dangerous_command.tables import table

PUBLISH = Pack(
    "package-publish",
    {
        "publish": (
            "This publishes a package; a version that is out cannot be changed.",
            "Look at what would go out first: `npm pack --dry-run`, `cargo package --list`.",
        ),
        "unpublish": (
            "This removes a published package, and breaks the builds of its users.",
            "Publish a corrected version instead, after the user agrees.",
        ),
        "package-uninstall": (
            "This removes a package that other programs on this machine may need.",
            "Work in an environment of the project's own: `python3 -m venv .venv`.",
        ),
    },
)
_GLOBAL = "-g|--global"
JUDGES: Mapping[str, Judge] = table(
    PUBLISH,
    f"""
    npm|pnpm|yarn|bun publish                                             publish
    npm|pnpm|yarn unpublish|deprecate|access|owner|dist-tag               unpublish
    npm|pnpm|bun uninstall|un|remove|rm|unlink|r {_GLOBAL}                package-uninstall
    yarn global remove                                                    package-uninstall
    yarn npm publish                                                      publish
    lerna|changeset|np|semantic-release|release-it|vsce|ovsx|jsr|nx publish|release publish
    lerna|changeset|vsce|ovsx publish|unpublish                           publish
    cargo publish                                                         publish
    cargo yank|owner                                                      unpublish
    cargo uninstall                                                       package-uninstall
    twine upload                                                          publish
    poetry|uv|flit|hatch|pdm|rye|maturin publish|upload                   publish
    anaconda upload                                                       publish
    conda|mamba|micromamba remove|uninstall|clean                         package-uninstall
    conda env remove                                                      package-uninstall
    gem push                                                              publish
    gem yank|owner                                                        unpublish
    gem uninstall|cleanup                                                 package-uninstall
    rake release                                                          publish
    mvn|mvnw ...deploy|deploy:*|release:perform|release:prepare|*:deploy  publish
    gradle|gradlew ...publish*|*:publish*|uploadArchives|closeAndRelease* publish
    sbt ...publish|publishSigned|sonatype*|release                        publish
    dotnet nuget push                                                     publish
    dotnet nuget delete                                                   unpublish
    nuget push                                                            publish
    nuget delete                                                          unpublish
    pod trunk push                                                        publish
    pod trunk delete|deprecate                                            unpublish
    goreleaser release !--snapshot                                        publish
    mix hex.publish                                                       publish
    mix hex.retire                                                        unpublish
    stack|cabal upload                                                    publish
    pub publish                                                           publish
    dart|flutter pub publish                                              publish
    pip|pip3|pipx uninstall                                               package-uninstall
    uv pip uninstall                                                      package-uninstall
    apt|apt-get|aptitude remove|purge|autoremove|autopurge                package-uninstall
    dpkg -r|-P|--remove|--purge                                           package-uninstall
    dnf|yum|zypper|apk|pkg remove|erase|autoremove|del|rm|delete|rm       package-uninstall
    rpm -e|--erase                                                        package-uninstall
    pacman|yay|paru -R                                                    package-uninstall
    brew uninstall|remove|rm|autoremove                                   package-uninstall
    snap|flatpak remove|uninstall|purge                                   package-uninstall
    choco|scoop|winget uninstall                                          package-uninstall
    """,
    values="--prefix --registry -C --cwd --repository -r --tag --otp --index-url -p --package",
)
