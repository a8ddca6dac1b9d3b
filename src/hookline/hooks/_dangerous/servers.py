"""Pack saas-cli, continued: what runs on servers, and is stopped or emptied from a command line."""

from collections.abc import Mapping

from hookline.hooks._dangerous._shape import table
from hookline.hooks._dangerous.finding import Judge
from hookline.hooks._dangerous.saas_cli import SAAS

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
JUDGES: Mapping[str, Judge] = {
    **table(SAAS, _SERVERS, values="-t --type -H -M -p -f -s"),
    **table(SAAS, "haproxy -sf|-st service-stop", long=True),
}
