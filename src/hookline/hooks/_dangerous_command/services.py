"""Pack saas-cli: services that others use, and programs that no table has."""

from collections.abc import Iterator, Mapping

from hookline.core.values import replace
from hookline.hooks._dangerous_command.rule import Finding, Judge, Pack, Place
from hookline.hooks._dangerous_command.scratch import is_own_unit
from hookline.hooks._dangerous_command.tables import table
from hookline.shell import SimpleCommand, Word
from hookline.shell.options import word_set
from hookline.shell.program_table import find_program

SAAS = Pack(
    "saas-cli",
    {
        "service-delete": (
            "This deletes something in a service that others use.",
            "List or show it first, and leave deleting to the user.",
        ),
        "secret-delete": (
            "This deletes secrets, or who may read them.",
            "Show what is there without the values, such as `vault kv list PATH` or `op vault list`.",
        ),
        "queue-delete": (
            "This deletes messages, queues or how far they were read.",
            "Look with `kafka-topics --list` or `rabbitmqctl list_queues`.",
        ),
        "service-stop": (
            "This stops something that others may be using.",
            "Look with `systemctl status NAME`; reload with `systemctl reload NAME` where that is enough.",
        ),
        "key-forget": ("This takes keys out of the agent that logins need.", "List them with `ssh-add -l`."),
        "zone-change": (
            "This changes names that everybody looks up, or asks for all of them at once.",
            "Look a single one up with `dig +short NAME`.",
        ),
    },
)
_SECRETS = """vault @delete                                                       secret-delete
    vault unwrap                                                                 secret-delete
    vault kv metadata|undelete|rollback                                          secret-delete
    vault secrets|auth|audit disable|move                                        secret-delete
    vault operator seal|rekey|rotate|step-down|migrate                           secret-delete
    consul kv|acl|intention|config|services @delete                              service-delete
    consul leave|force-leave                                                     service-delete
    nomad|boundary|waypoint|packer @delete                                       service-delete"""
_JENKINS = """jenkins-cli ...delete-*|quiet-down|shutdown|safe-shutdown|cancel-quiet-down service-delete
    java ...delete-*|safe-shutdown|shutdown -jar=*JENKINS*                       service-delete"""
_MESSAGES = """kafka-topics|kafka-topics.sh|kafka-acls|kafka-acls.sh --delete|--remove queue-delete
    kafka-consumer-groups|kafka-consumer-groups.sh --delete|--reset-offsets|--delete-offsets queue-delete
    kafka-configs|kafka-configs.sh --delete-config                               queue-delete
    kafka-delete-records|kafka-delete-records.sh --offset-json-file              queue-delete
    kafka-streams-application-reset *                                            queue-delete
    rabbitmqctl|rabbitmqadmin|rabbitmq-queues @reset                             queue-delete
    rabbitmqctl force_reset|forget_cluster_node|stop|stop_app|shutdown|rotate_logs queue-delete
    rabbitmqadmin ...close                                                       queue-delete
    nats|pulsar-admin|redpanda|rpk|kcat|kafkactl|confluent|ccloud @delete        queue-delete
    celery ...purge|shutdown|terminate                                           queue-delete
    sidekiqctl|rq|bullmq|beanstalkctl @delete                                    queue-delete"""
_OTHERS = """algolia|apigeecli|circleci|datadog-ci|dog|doppler|flipt|newrelic|op|pd|split|stripe|infisical
    bw|lpass|chamber|akeyless|sentry-cli|pagerduty|opsgenie|twilio|sendgrid|mailgun|postmark|square|braintree
    opensearch-cli|auth0|okta|clerk|contentful|sanity|shopify|hasura|airbyte|linear|slack|wp|drush|ldcli
    launchdarkly|configcat|growthbook|buildkite|bk|drone|travis|semaphore|sem|teamcity|spinnaker|spin|nexus
    jfrog|jf|artifactory|snyk|rollbar|bugsnag|eas|appcenter|tailscale|acli|databricks|snow|atlas|astro|jira
    zerotier-cli|wg|ngrok|cloudflare|linkerd-viz|temporal|tctl|airflow|prefect|dagster|mlflow|wandb|kaggle
    huggingface-cli|hf|replicate|modal|runpodctl|vastai|sky|lambda|onelogin|teleport|tsh|zitadel|grafana"""
_VENDORS = "|".join(_OTHERS.split())
_VALUES = """--namespace -namespace -address --server --bootstrap-server -s -auth --user -u --context
    --workspace --project --config -c --profile"""
_SERVICE_JUDGES: Mapping[str, Judge] = {
    **table(
        SAAS,
        f"""{_VENDORS} @delete service-delete
        {_VENDORS} archive|move|unlist|reset service-delete
        {_VENDORS} * archive|move|unlist|reset service-delete""",
        values=_VALUES,
    ),
    **table(SAAS, _SECRETS, values="-namespace --namespace -address", long=True),
    **table(SAAS, _MESSAGES, values=_VALUES),
    **table(SAAS, _JENKINS, values="-jar -s -auth -cp -classpath", long=True),
    **table(SAAS, "ssh-add -d|-D key-forget"),
}


_AGREED = "-y|--yes|-f|--force|--confirm*|--auto-approve|--no-input|--non-interactive|--skip-confirmation"
_TEXT_PROGRAMS = word_set(
    """man info tldr apropos whatis dict look say logger mail notify-send figlet task todo pytest jest
    gulp grunt turbo nx rake inv invoke molecule kitchen conan vcpkg opam luarocks nvm rustup sdk fnm
    volta code ollama dvc adb xcrun meson bazel"""
)
"""Programs whose operands are words or tasks of the project, or that change only tools of the user."""
_UNKNOWN_JUDGE = table(
    SAAS,
    f"""- @strong service-delete
    - @delete {_AGREED} service-delete""",
)["-"]


def judge_unknown(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    """Judge a program that no table has: `acme env destroy`, `acme app delete web --yes`."""
    has_table = command.name in _TEXT_PROGRAMS or find_program(command.name) is not None
    if not has_table and "/" not in command.words[0].text and command.via[-1:] != ("go run",):
        options = next((place for place, word in enumerate(words) if word.text.startswith("-")), len(words))
        named = (word for word in words[options:] if word.text.startswith("-"))
        yield from _UNKNOWN_JUDGE(replace(command, name="-"), (*words[:options], *named), place)


_SERVERS = """systemctl stop|disable|mask|kill|isolate                             service-stop
    service * stop                                                               service-stop
    launchctl unload|bootout|remove|kill|disable                                 service-stop
    sv|rc-service|initctl stop|down                                              service-stop
    nginx -s=STOP|-s=QUIT                                                        service-stop
    nginx|haproxy|apache2|traefik|caddy|postgresql|kong stop|quit                service-stop
    apachectl|apache2ctl stop|graceful-stop                                      service-stop
    pm2 delete|kill|del                                                          service-stop
    supervisorctl stop|remove|shutdown                                           service-stop
    ufw disable|reset                                                            service-stop
    iptables|ip6tables -F|-X|--flush                                             service-stop
    nft flush|delete                                                             service-stop
    socat|nc ...*.sock* <disable*|shutdown*|del*|clear*|set*maint*               service-stop
    nsupdate                                                                     zone-change
    rndc stop|halt|flush|delzone                                                 zone-change
    dig ...axfr|AXFR|ixfr*                                                       zone-change
    splunk clean|remove|stop                                                     service-delete
    gitlab-runner unregister                                                     service-delete
    gitlab-rails runner ...*destroy*|*delete*|*drop*                             service-delete
    grafana-cli plugins uninstall|remove                                         service-delete
    grafana-cli admin reset-admin-password                                       service-delete
    promtool tsdb create-blocks-from|delete                                      service-delete
    kong migrations reset|down                                                   service-delete
    kong config db_import                                                        service-delete
    deck reset|sync                                                              service-delete
    deck gateway reset|sync                                                      service-delete
    unleash ...archive|delete|remove                                             service-delete"""


_SERVER_JUDGES: Mapping[str, Judge] = {
    **table(SAAS, _SERVERS, values="-t --type -H -M -p -f -s", spares=is_own_unit),
    **table(SAAS, "haproxy -sf|-st service-stop", long=True),
}
TABLES = (_SERVICE_JUDGES, _SERVER_JUDGES)
