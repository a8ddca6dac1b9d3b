"""Pack repo-host: data of a forge besides the commits: repositories, releases, variables, hooks."""

from collections.abc import Mapping

from hookline.hooks._dangerous_command.rule import Judge, Pack
from hookline.hooks._dangerous_command.tables import table

REPO_HOST = Pack(
    "repo-host",
    {
        "forge-delete": (
            "This deletes or archives something on the forge that does not come back.",
            "Look with `gh repo view` or `gh release view TAG`, and leave deleting to the user.",
        ),
        "forge-api-delete": (
            "This deletes something through the forge's interface.",
            "Read it first, such as `gh api repos/OWNER/NAME`.",
        ),
    },
)
JUDGES: Mapping[str, Judge] = table(
    REPO_HOST,
    """
    gh|glab api -X=DELETE|--method=DELETE                                      forge-api-delete
    gh api ...graphql -f=*MUTATION*DELETE*|-F=*MUTATION*DELETE*                forge-api-delete
    gh api ...graphql --field=*MUTATION*DELETE*|--raw-field=*MUTATION*DELETE*  forge-api-delete
    gh repo delete|archive|rename                                              forge-delete
    gh release delete|delete-asset                                             forge-delete
    gh secret|variable|label|gist|issue|project|ruleset|cache|run|codespace delete|remove|rm forge-delete
    gh ssh-key|gpg-key|deploy-key delete                                       forge-delete
    gh repo deploy-key delete                                                  forge-delete
    gh workflow disable                                                        forge-delete
    gh run cancel                                                              forge-delete
    gh auth logout                                                             forge-delete
    glab repo|project delete|archive|transfer                                  forge-delete
    glab @delete                                                               forge-delete
    hub delete                                                                 forge-delete
    hub release delete                                                         forge-delete
    hub api -X=DELETE|--method=DELETE                                          forge-api-delete
    tea|bb|fj|berg @delete                                                     forge-delete
    """,
    values="-X --method -f -F --field --raw-field -H --header -R --repo --input -q --jq -t --template"
    " --hostname",
)
