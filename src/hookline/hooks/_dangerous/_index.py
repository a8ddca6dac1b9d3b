"""Which module knows which programs, so that only what a line needs is imported."""

from __future__ import annotations

from functools import cache
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hookline.bash import Simple, Word
    from hookline.hooks._dangerous.finding import Judge

KNOWN: Mapping[str, str] = {
    "git": "git",
    "rm": "rm grm rimraf del-cli",
    "find": "find gfind",
    "moves": "mv gmv rsync scp crontab",
    "permissions": "chmod gchmod chown chgrp gchown setfacl chattr chflags",
    "disk": """
        dd dcfldd ddrescue mkfs mke2fs mkswap mkntfs mkdosfs newfs wipefs blkdiscard blkzone badblocks
        nvme hdparm shred srm sfill wipe lvremove vgremove pvremove vgreduce lvreduce lvm cryptsetup mdadm
        parted gparted sgdisk sfdisk fdisk cfdisk gdisk cgdisk zpool zfs btrfs diskutil reboot poweroff
        halt shutdown init telinit systemctl""",
    "redirects": "tee truncate fallocate cp mv gcp gmv install ln sed gsed perl unlink",
    "cloud": """
        aws gsutil azcopy s3cmd s5cmd mc mcli rclone restic borg duplicity duplicati-cli kopia bupstash
        tarsnap""",
    "platforms": """
        az gcloud bq doctl hcloud linode-cli vultr-cli oci ibmcloud scw civo exo ovhcloud ionosctl
        openstack supabase cf eb amplify deployctl heroku fly flyctl vercel netlify railway render
        firebase fastly flarectl cfcli cloudflared wrangler bunny eksctl kops gardenctl rosa terraform
        tofu terragrunt pulumi cdk cdk8s cdktf sst sam copilot serverless sls chalice zappa vagrant
        ansible nomad""",
    "kubernetes": """
        kubectl oc k3s k helm helm3 helmfile velero argocd flux istioctl linkerd cilium kustomize skaffold
        tilt kubeadm k3s-uninstall.sh rke2-uninstall.sh etcdctl""",
    "containers": """
        docker podman nerdctl docker-compose podman-compose ctr crictl lxc incus multipass virsh""",
    "saas_cli": """
        algolia apigeecli circleci datadog-ci dog doppler flipt newrelic op pd split stripe infisical bw
        lpass chamber akeyless sentry-cli pagerduty opsgenie twilio sendgrid mailgun postmark square
        braintree meilisearch typesense elasticsearch opensearch-cli auth0 okta clerk contentful sanity
        shopify hasura launchdarkly configcat growthbook buildkite bk drone travis semaphore sem teamcity
        spinnaker spin nexus jfrog jf artifactory snyk sonar-scanner rollbar bugsnag cypress expo eas
        fastlane appcenter tailscale zerotier-cli wg ngrok cloudflare linkerd-viz temporal tctl airflow
        dbt prefect dagster mlflow wandb kaggle vault consul kafka-topics kafka-topics.sh
        kafka-consumer-groups kafka-consumer-groups.sh kafka-acls kafka-acls.sh kafka-configs
        kafka-configs.sh kafka-delete-records kafka-delete-records.sh kafka-streams-application-reset
        rabbitmqctl rabbitmqadmin nats pulsar-admin redpanda rpk jenkins-cli java ssh-add ssh-keygen""",
    "servers": """
        systemctl service launchctl sv rc-service initctl nginx haproxy apache2 traefik caddy postgresql
        apachectl apache2ctl pm2 supervisorctl ufw iptables ip6tables nft socat nc nsupdate rndc dig
        splunk gitlab-runner gitlab-rails grafana-cli promtool kong deck unleash ldcli""",
    "repo_host": "gh glab hub tea bb fj berg",
    "package_publish": """
        npm pnpm yarn bun lerna changeset np semantic-release release-it vsce ovsx jsr nx cargo twine
        poetry uv flit hatch pdm rye maturin anaconda conda mamba micromamba gem rake mvn mvnw gradle
        gradlew sbt dotnet nuget pod goreleaser mix stack cabal pub dart flutter pip pip3 pipx apt apt-get
        aptitude dpkg dnf yum zypper apk pkg rpm pacman yay paru brew snap flatpak choco scoop winget""",
    "http_delete": "curl wget http https xh xhs httpie curlie",
    "databases": """
        psql pgcli mysql mariadb mycli sqlite3 sqlite duckdb sqlcmd usql snowsql clickhouse
        clickhouse-client cockroach bq cqlsh trino presto beeline hive impala-shell isql sqlplus litecli
        turso libsql mongo mongosh redis-cli valkey-cli keydb-cli""",
    "dropping": """
        dropdb dropuser pg_dropcluster mysqladmin createdb pg_restore mongorestore supabase prisma rails
        rake sequelize sequelize-cli typeorm mikro-orm knex artisan sail manage.py django-admin alembic
        flyway liquibase hasura influx etcdctl dolt pscale neonctl atlas nodetool""",
    "windows": """
        remove-item clear-content cmd+rd cmd+del invoke-expression .downloadstring cmd+format format
        format-volume clear-disk initialize-disk remove-partition remove-computerrestorepoint diskpart
        vssadmin wbadmin bcdedit clear-recyclebin stop-computer restart-computer""",
    "_flows": """
        curl wget dig sendmail ssh ncat xh ftp nc http mutt websocat host telnet tftp socat https mailx
        ping netcat nslookup mail scp rsync sftp rclone croc tar gtar bsdtar cp mv install aws gsutil gcloud
        az s3cmd s5cmd mc mcli gh glab""",
    "hashes": """
        cat less more head tail grep egrep awk sed cp scp base64 xxd od strings tac nl sort cut vim vi
        nano view john hashcat rsync tar zip bat""",
}
"""Each module with its programs; a `+` in a name is a blank."""


def judges(name: str, command: Simple) -> tuple[Judge, ...]:
    """The rules about the program *name* that *command* could break."""
    found: list[Judge] = []
    for module in _MODULES.get(name, ()):
        needle = _NEEDLES.get(module)
        if needle is None or any(needle in word.text for word in (*command.words, *_inputs(command))):
            found.append(_judge(module, name))
    return tuple(found)


@cache
def _judge(module: str, name: str) -> Judge:
    judge: Judge = import_module("hookline.hooks._dangerous." + module).JUDGES[name]
    return judge


def _inputs(command: Simple) -> Iterator[Word]:
    return (redirect.target for redirect in command.redirects)


_NEEDLES: Mapping[str, str] = {"hashes": "shadow"}
"""Modules that have nothing to say about a command without this in one of its words."""
_MODULES: dict[str, list[str]] = {}
for _module, _names in KNOWN.items():
    for _name in _names.split():
        _MODULES.setdefault(_name.replace("+", " "), []).append(_module)
