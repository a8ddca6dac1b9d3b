"""Pack saas-cli: services controlled by a command: secrets, queues, flags, payments, servers."""

from collections.abc import Mapping

from hookline.hooks._dangerous_command.rule import Judge, Pack
from hookline.hooks._dangerous_command.tables import table

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
_SECRETS = """vault delete|destroy|unwrap                                          secret-delete
    vault kv delete|destroy|metadata                                             secret-delete
    vault secrets|auth|audit disable|move                                        secret-delete
    vault lease revoke                                                           secret-delete
    vault token|policy|namespace|identity|plugin|role revoke|delete|deregister   secret-delete
    vault operator seal|rekey|rotate|step-down|migrate                           secret-delete
    consul kv|acl|intention|config|services @delete                              service-delete
    consul leave|force-leave                                                     service-delete"""
_INDEXES = """algolia indices|indexes|objects|rules|synonyms clear|delete|move          service-delete
    circleci ...unlist|remove-*|delete*                                          service-delete"""
_JENKINS = """jenkins-cli ...delete-*|quiet-down|shutdown|safe-shutdown|cancel-quiet-down service-delete
    java ...delete-*|safe-shutdown|shutdown -jar=*JENKINS*                       service-delete"""
_MESSAGES = """kafka-topics|kafka-topics.sh --delete                              queue-delete
    kafka-consumer-groups|kafka-consumer-groups.sh --delete|--reset-offsets|--delete-offsets queue-delete
    kafka-acls|kafka-acls.sh --remove                                            queue-delete
    kafka-configs|kafka-configs.sh --delete-config                               queue-delete
    kafka-delete-records|kafka-delete-records.sh --offset-json-file              queue-delete
    kafka-streams-application-reset *                                            queue-delete
    rabbitmqctl reset|force_reset|forget_cluster_node|stop|stop_app|purge_queue  queue-delete
    rabbitmqctl delete_*|clear_*|shutdown|rotate_logs                            queue-delete
    rabbitmqadmin delete|purge|close                                             queue-delete
    nats ...delete|del|rm|purge|remove                                           queue-delete
    pulsar-admin|redpanda|rpk @delete                                            queue-delete"""
_OTHERS = """algolia|apigeecli|circleci|datadog-ci|dog|doppler|flipt|newrelic|op|pd|split|stripe|infisical
    bw|lpass|chamber|akeyless|sentry-cli|pagerduty|opsgenie|twilio|sendgrid|mailgun|postmark|square|braintree
    meilisearch|typesense|elasticsearch|opensearch-cli|auth0|okta|clerk|contentful|sanity|shopify|hasura
    launchdarkly|configcat|growthbook|buildkite|bk|drone|travis|semaphore|sem|teamcity|spinnaker|spin|nexus
    jfrog|jf|artifactory|snyk|sonar-scanner|rollbar|bugsnag|cypress|expo|eas|fastlane|appcenter|tailscale
    zerotier-cli|wg|ngrok|cloudflare|linkerd-viz|temporal|tctl|airflow|dbt|prefect|dagster|mlflow|wandb|kaggle"""
_VENDORS = "|".join(_OTHERS.split())
_VALUES = """--namespace -namespace -address --server --bootstrap-server -s -auth --user -u --context
    --workspace --project --config -c --profile"""
JUDGES: Mapping[str, Judge] = {
    **table(SAAS, f"{_VENDORS} @delete service-delete", values=_VALUES),
    **table(SAAS, _SECRETS, values="-namespace --namespace -address", long=True),
    **table(SAAS, _MESSAGES, values=_VALUES),
    **table(SAAS, f"{_INDEXES}\nalgolia|circleci @delete service-delete", values=_VALUES),
    **table(SAAS, _JENKINS, values="-jar -s -auth -cp -classpath", long=True),
    **table(SAAS, "ssh-add -d|-D key-forget\nssh-keygen -R key-forget"),
}


_SERVERS = """systemctl stop|disable|mask|kill|isolate                             service-stop
    service * stop                                                               service-stop
    launchctl unload|bootout|remove|kill|disable                                 service-stop
    sv|rc-service|initctl stop|down                                              service-stop
    nginx -s=STOP|-s=QUIT                                                        service-stop
    nginx|haproxy|apache2|traefik|caddy|postgresql stop|quit                     service-stop
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
    kong stop|quit                                                               service-stop
    deck reset|sync                                                              service-delete
    deck gateway reset|sync                                                      service-delete
    unleash ...archive|delete|remove                                             service-delete
    ldcli ...archive|delete|remove                                               service-delete"""
SERVER_JUDGES: Mapping[str, Judge] = {
    **table(SAAS, _SERVERS, values="-t --type -H -M -p -f -s"),
    **table(SAAS, "haproxy -sf|-st service-stop", long=True),
}
