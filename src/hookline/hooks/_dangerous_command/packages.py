"""Packs package-publish and repo-host: published packages, installed packages, and forges."""

from collections.abc import Mapping

from hookline.hooks._dangerous_command.rule import Judge, Pack, Place
from hookline.hooks._dangerous_command.tables import SEPARATOR, Split, table
from hookline.lazy import re
from hookline.shell import SimpleCommand
from hookline.shell.options import word_set

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
_ENVIRONMENT = re.compile(r"(?!/(?:usr|bin|opt|snap)/|.*/\.(?:local|pyenv)/).+/bin/\w")
"""Path of a program in a virtual environment."""
_LOCAL_REGISTRY = re.compile(r".*ToMavenLocal$|(?:\w+://)?(?:localhost|127\.\d+\.\d+\.\d+|kind-registry)[:/]")


def _spares_own(command: SimpleCommand, split: Split, place: Place) -> bool:
    """Return whether only a virtual environment, a container or a registry on this machine changes."""
    names = [*(word.text for word in split.operands), split.given.get("--registry", "")]
    tags = [text for name in ("-t", "--tag") for text in split.given.get(name, "").split(SEPARATOR) if text]
    if any(map(_LOCAL_REGISTRY.match, names)) or (tags and all(map(_LOCAL_REGISTRY.match, tags))):
        return True
    if any(via.endswith((" run", " exec")) and via.startswith(("docker", "podman")) for via in command.via):
        return True
    if command.name not in ("pip", "pip3") and [word.text for word in split.operands[:1]] != ["pip"]:
        return False
    if "--system" in split.given or "--break-system-packages" in split.given:
        return False
    before = place.commands[max(0, place.index - 1)].words[0].text if command.via else ""
    activated = any(_activates(earlier) for earlier in place.earlier())
    runs_inside = any(via.partition(" ")[0] in _ENVIRONMENT_TOOLS for via in command.via)
    located = _ENVIRONMENT.search(command.words[0].text) or _ENVIRONMENT.search(before)
    return command.name == "uv" or activated or runs_inside or place.in_environment or located is not None


def _activates(command: SimpleCommand) -> bool:
    if command.name in (".", "source"):
        return command.words[-1].text.endswith("/activate")
    is_conda = command.name in ("conda", "mamba", "micromamba")
    return is_conda and any(word.text == "activate" for word in command.words[1:2])


_ENVIRONMENT_TOOLS = word_set("poetry pipenv uv hatch pdm rye tox nox conda mamba")
_IMAGE_JUDGES: Mapping[str, Judge] = table(
    PUBLISH,
    """
    docker|podman|nerdctl|buildah push                                    publish
    docker|podman|nerdctl|buildah image|manifest|compose push             publish
    docker|podman|nerdctl buildx|build|image|builder|bake --push          publish
    docker|podman|nerdctl buildx|build|image|builder -o=*TYPE=REGISTRY*|--output=*TYPE=REGISTRY* publish
    docker|podman|nerdctl buildx|build|image|builder -o=*PUSH=TRUE*|--output=*PUSH=TRUE* publish
    docker|podman compose ...build --push                                 publish
    docker buildx imagetools create                                       publish
    """,
    values="-t --tag -o --output -f --file --platform --build-arg --builder --target --cache-from --cache-to"
    " --authfile --creds -H --host --context --config",
    spares=_spares_own,
)
_PUBLISH_JUDGES: Mapping[str, Judge] = table(
    PUBLISH,
    f"""
    npm|pnpm|yarn|bun|cargo|pub publish                                   publish
    npm|pnpm|bun exec ...publish                                          publish
    yarn workspace|workspaces ...publish                                  publish
    npm|pnpm|yarn unpublish|deprecate                                     unpublish
    npm|pnpm|yarn access|owner|dist-tag add|rm|remove|set|grant|revoke|edit|public|restricted|2fa* unpublish
    npm|pnpm|bun uninstall|un|remove|rm|unlink|r {_GLOBAL}                package-uninstall
    yarn|conda global|env remove                                          package-uninstall
    yarn npm publish                                                      publish
    lerna|changeset|vsce|ovsx|jsr|nx|rush|deno publish|release|unpublish  publish
    eas|expo submit|update|publish                                        publish
    fastlane ...release|deliver|supply|pilot|upload_to_*|deploy|publish   publish
    semantic-release|np|release-it|auto|shipjs !-d|--no-publish|-v|--version publish
    helm|oras|crane|img push|cm-push                                      publish
    kaniko|executor --destination                                         publish
    skaffold build|run --push                                             publish
    setup.py ...upload                                                    publish
    docker-compose|podman-compose ...push                                 publish
    helm chart push                                                       publish
    skopeo copy|sync ...* ...docker:*                                     publish
    crane copy|cp ...*                                                    publish
    gh|glab release create|upload                                         publish
    ko build|publish|apply|resolve !-L|--local                            publish
    cargo workspaces|ws publish                                           publish
    cargo release -x|--execute                                            publish
    cargo yank|owner !--list|-l                                           unpublish
    twine|anaconda|stack|cabal upload                                     publish
    poetry|uv|flit|hatch|pdm|rye|maturin publish|upload                   publish
    conda|mamba|micromamba remove|uninstall|clean                         package-uninstall
    gem|nuget push                                                        publish
    gem yank                                                              unpublish
    gem owner -a|-r|--add|--remove                                        unpublish
    gem uninstall|cleanup                                                 package-uninstall
    mvn|mvnw ...deploy|deploy:*|release:perform|release:prepare|*:deploy  publish
    gradle|gradlew ...publish*|*:publish*|uploadArchives|closeAndRelease* publish
    sbt ...*publish|*publishSigned|sonatype*|release                        publish
    dotnet nuget push                                                     publish
    dotnet nuget delete                                                   unpublish
    nuget delete                                                          unpublish
    pod trunk push                                                        publish
    pod trunk delete|deprecate                                            unpublish
    goreleaser|rake release !--snapshot                                   publish
    mix hex.publish                                                       publish
    mix hex.retire                                                        unpublish
    dart|flutter pub publish                                              publish
    pip|pip3|pipx|cargo|choco|scoop|winget uninstall                      package-uninstall
    uv pip uninstall                                                      package-uninstall
    apt|apt-get|aptitude remove|purge|autoremove|autopurge                package-uninstall
    dpkg -r|-P|--remove|--purge                                           package-uninstall
    dnf|yum|zypper|apk|pkg remove|erase|autoremove|del|rm|delete|rm       package-uninstall
    rpm -e|--erase                                                        package-uninstall
    pacman|yay|paru -R                                                    package-uninstall
    brew uninstall|remove|rm|autoremove                                   package-uninstall
    snap|flatpak remove|uninstall|purge                                   package-uninstall
    """,
    values="--prefix --registry -C --dir --cwd --repository --tag --otp --index-url -p --package -F --filter"
    " -w --workspace -t -f --file --platform -R --repo -n --notes --title --notes-file",
    spares=_spares_own,
)


REPO_HOST = Pack(
    "repo-host",
    {
        "forge-delete": (
            "This deletes or archives something on the forge that does not come back.",
            "Look with `gh repo view` or `gh release view TAG`, and leave deleting to the user.",
        ),
        "forge-settings": (
            "This changes who may see or change a repository, or where its branches point.",
            "Look with `gh repo view --json visibility`, and leave the change to the user.",
        ),
        "forge-api-delete": (
            "This deletes something through the forge's interface.",
            "Read it first, such as `gh api repos/OWNER/NAME`.",
        ),
    },
)
_FORGE_JUDGES: Mapping[str, Judge] = table(
    REPO_HOST,
    """
    gh|glab|hub api -X=DELETE|--method=DELETE                                  forge-api-delete
    gh api ...graphql -[fF]=*MUTATION*DELETE*|--*field=*MUTATION*DELETE*       forge-api-delete
    gh api ...*git/refs* -[fF]=FORCE=TRUE|--*field=FORCE=TRUE                  forge-settings
    gh api ...*git/refs* --input <*force:true*                                 forge-settings
    gh|glab api ...*repos/*|*projects/* --input <*private:false*|*archived:true* forge-settings
    gh|glab api ...*repos/*|*projects/* --input <*visibility:public*           forge-settings
    gh secret set !-e=STAG*|--env=STAG*|-e=DEV*|--env=DEV*|-e=TEST*|--env=TEST* forge-settings
    gh api ...graphql -[fF]=*MUTATION*FORCE*TRUE*|--*field=*MUTATION*FORCE*TRUE* forge-settings
    gh|glab api ...*repos/*|*projects/* -[fF]=PRIVATE=*|--field=PRIVATE=*      forge-settings
    gh|glab api ...*repos/*|*projects/* -[fF]=VISIBILITY=*|--field=VISIBILITY=* forge-settings
    gh|glab api ...*repos/*|*projects/* -[fF]=ARCHIVED=*|--field=ARCHIVED=*    forge-settings
    gh api ...*/protection*|*/collaborators/*|*/transfer|*/rulesets* -X=P*|--method=P* forge-settings
    gh api ...*/actions/permissions* -X=P*|--method=P*                         forge-settings
    gh repo edit --visibility|--default-branch                                 forge-settings
    gh repo sync --force                                                       forge-settings
    gh repo create --public --push|--source                                    forge-settings
    gh pr merge --admin                                                        forge-settings
    gh repo delete|archive|rename|transfer                                              forge-delete
    gh release delete|delete-asset                                             forge-delete
    gh secret|variable|label|gist|issue|project|ruleset|cache|run|codespace delete|remove|rm forge-delete
    gh ssh-key|gpg-key|deploy-key delete                                       forge-delete
    gh repo deploy-key delete                                                  forge-delete
    gh workflow disable                                                        forge-delete
    gh run cancel                                                              forge-delete
    gh auth logout                                                             forge-delete
    glab repo|project delete|archive|transfer                                  forge-delete
    hub delete                                                                 forge-delete
    hub release delete                                                         forge-delete
    glab|tea|bb|fj|berg @delete                                                forge-delete
    """,
    values="-X --method -f -F --field --raw-field -H --header -R --repo --input -q --jq -t --template"
    " --hostname --visibility --default-branch --source -s -b --branch -e --env",
)
TABLES = (_IMAGE_JUDGES, _PUBLISH_JUDGES, _FORGE_JUDGES)
