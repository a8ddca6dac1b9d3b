"""Packs cloud, containers and kubernetes: remote resources that exist only once, and containers."""

from collections.abc import Iterator, Mapping

from hookline.hooks._dangerous_command.rule import Finding, Judge, Pack, Place
from hookline.hooks._dangerous_command.scratch import (
    applies_destruction,
    are_created,
    find_emptied_mount,
    uses_local_endpoint,
    uses_test_file,
)
from hookline.hooks._dangerous_command.tables import Split, table
from hookline.lazy import re
from hookline.shell import SimpleCommand, Word

CLOUD = Pack(
    "cloud",
    {
        "cloud-delete": (
            "This deletes or cuts off something in the cloud that may not come back.",
            "List it first (`aws s3 ls`, `gcloud storage ls`), and leave deleting to the user.",
        ),
        "bucket-delete": (
            "This deletes stored objects.",
            "List them first: `aws s3 ls`, `gsutil ls`, `rclone ls REMOTE:`.",
        ),
        "mirror-delete": (
            "This makes the target equal to the source, and deletes what is only there.",
            "Copy with `rclone copy SOURCE TARGET`, which deletes nothing, or add `--dry-run`.",
        ),
        "backup-delete": (
            "This deletes backups or what is needed to read them.",
            "List them with `restic snapshots` or `borg list REPO`.",
        ),
        "infrastructure-destroy": (
            "This destroys infrastructure, or changes it without showing how.",
            "Show the plan first: `terraform plan`, `pulumi preview`.",
        ),
        "edge-change": (
            "This changes at once what everybody gets to see.",
            "Show the person what would change, and let them switch it.",
        ),
    },
)
_AWS = """aws s3 mv --recursive                                                  bucket-delete
    aws s3 rb|rm                                                             bucket-delete
    aws s3 sync --delete                                                         mirror-delete
    aws * @cut                                                                   cloud-delete
    aws * release-*|untag-*                                                      cloud-delete
    aws cloudfront create-invalidation                                           edge-change
    aws * * --acl=PUBLIC*|--cidr*=0.0.0.0/0|--cidr*=::/0|--ip-permissions=*0.0.0.0/0* edge-change
    aws * put-*policy --policy=*PRINCIPAL":"[*]*|--policy=*PRINCIPAL":?"[*]*     edge-change
    aws rds|dynamodb|elbv2|ec2|cognito-idp modify-*|update-* --no-deletion-protection* cloud-delete
    aws ecs|autoscaling|application-autoscaling|eks *  --desired-co*=0|--desired-ca*=0|--max-*=0 cloud-delete
    aws route53 change-resource-record-sets --change-batch=*DELETE*              cloud-delete"""
_STORAGE = """gsutil rm|rb                                                           bucket-delete
    gsutil rsync -d !-n                                                            mirror-delete
    azcopy remove|rm                                                             bucket-delete
    azcopy sync --delete-destination=TRUE                                        mirror-delete
    s3cmd|s5cmd del|rm|rb|delete|expire                                          bucket-delete
    s3cmd|s5cmd sync --delete-removed|--delete                                   mirror-delete
    gsutil iam|acl|defacl ...*allUsers*|*AllUsers*|public-read*                  edge-change
    mc|mcli anonymous|policy set public|download                                 edge-change
    mc|mcli rm|rb|undo                                                           bucket-delete
    mc|mcli mirror --remove|--overwrite                                          mirror-delete
    mc|mcli admin * remove|rm|unset|delete|detach|stop                           cloud-delete
    mc|mcli ilm|event|retention|version|replicate|encrypt|tag remove|rm|clear    cloud-delete
    rclone delete|deletefile|purge|dedupe|rmdir|rmdirs|cleanup !-n|-i            bucket-delete
    rclone sync|move|moveto|bisync !-n|-i|--interactive                          mirror-delete
    restic forget|prune|rewrite|unlock|repair !-n                                backup-delete
    restic key remove|passwd                                                     backup-delete
    borg delete|prune|compact|recreate|break-lock !-n                            backup-delete
    duplicity|duplicati-cli|kopia|bupstash|tarsnap @delete                       backup-delete
    tarsnap -d|--nuke                                                            backup-delete"""


_STORAGE_JUDGES: Mapping[str, Judge] = {
    **table(
        CLOUD,
        _AWS,
        values="--region --profile --output --endpoint-url --query --ca-bundle --color --cli-read-timeout"
        " --cli-connect-timeout --change-batch --bucket --key --desired-count --desired-capacity --max-size"
        " --max-capacity --cluster --service --auto-scaling-group-name --acl --cidr"
        " --ip-permissions --policy",
        spares=uses_local_endpoint,
    ),
    **table(CLOUD, _STORAGE, values="-o -h -u -r --repo -p --password-file --config --alias"),
}


_PLATFORMS = """az|gcloud|oci|ibmcloud|openstack|doctl|hcloud|linode-cli|vultr-cli @cut cloud-delete
    scw|civo|exo|ovhcloud|ionosctl|cf|eb|heroku|fly|flyctl|render|railway|koyeb|clever @cut cloud-delete
    northflank|scalingo|upsun|platform|terminus|dokku|qovery|upctl|tsuru|porter|okteto @cut cloud-delete
    amplify|deployctl|vercel|netlify|firebase|supabase @delete                   cloud-delete
    heroku ps:scale ...*=0                                                       cloud-delete
    fly|flyctl scale count 0                                                     cloud-delete
    gcloud|az ...resize|scale|update --*size=0|--new-capacity=0|--*count=0|--num-nodes=0 cloud-delete
    gcloud|heroku|firebase ...reset|pg:reset|maintenance:on|*:disable             cloud-delete
    gcloud ...add-iam-policy-binding --member=ALLUSERS|--member=ALLAUTH*         edge-change
    gcloud compute firewall-rules create|update --source-ranges=*0.0.0.0/0*      edge-change
    az storage ... --public-access=BLOB|--public-access=CONTAINER|--allow-blob-public-access=TRUE edge-change
    bq rm                                                                        cloud-delete
    fastly service version|service-version activate|deactivate                   edge-change
    fastly|akamai purge|service-purge                                            edge-change
    fastly|flarectl|cfcli|cloudflared|wrangler|bunny|akamai|stackpath @delete    cloud-delete
    octodns-sync --doit                                                          edge-change
    dnscontrol push                                                              edge-change
    wrangler rollback                                                            edge-change
    eksctl|kops|gardenctl|rosa|clusterctl|rke|capi @delete                       cloud-delete"""
_STACKS = """remove-resource !-whatif|-WhatIf                                    cloud-delete
    terraform|tofu|terragrunt destroy|destroy-all|taint|force-unlock|run-all infrastructure-destroy
    terraform|tofu|terragrunt apply -destroy|--destroy|-*auto-approve|-replace   infrastructure-destroy
    terraform|tofu|terragrunt apply <yes*                                        infrastructure-destroy
    terraform|tofu|terragrunt state rm|push|replace-provider                     infrastructure-destroy
    terraform|tofu|terragrunt workspace delete                                   infrastructure-destroy
    pulumi destroy|down|cancel                                                   infrastructure-destroy
    pulumi stack|state rm|delete                                                 infrastructure-destroy
    pulumi up|update -f|--skip-preview                                           infrastructure-destroy
    cdk|cdk8s|cdktf|sst|sam|copilot|serverless|sls|chalice|zappa @delete         infrastructure-destroy
    vagrant destroy                                                              infrastructure-destroy
    ansible -a=*state=absent*|--args=*state=absent* !-m=DEBUG                    infrastructure-destroy
    ansible-playbook ...*teardown*|*destroy*|*decommis*|*wipe* !--*check|-C|--list* infrastructure-destroy
    nomad job|system stop|gc                                                     infrastructure-destroy"""
_PLATFORM_JUDGES: Mapping[str, Judge] = {
    **table(
        CLOUD,
        _PLATFORMS,
        values="-g --resource-group --subscription -o --output --project --account --zone --region --format"
        " -a --app -t --token --context --config --env -e --service-id --size --new-capacity --node-count"
        " --num-nodes",
    ),
    **table(
        CLOUD,
        _STACKS,
        values="-chdir -target -var -var-file -state -C --cwd -s --stack --stage --region -a --args -m -i",
        long=True,
    ),
}


CONTAINERS = Pack(
    "containers",
    {
        "container-remove-force": (
            "This removes containers or images even while they are in use.",
            "`docker ps` shows what runs; `docker rm NAME` removes what is stopped.",
        ),
        "container-prune": (
            "This removes everything that is not running right now, also what others need.",
            "`docker system df` shows what takes the space; remove single things by name.",
        ),
        "volume-delete": (
            "This deletes volumes, and the data in them.",
            "`docker volume ls` shows what is there; `docker compose down` keeps the volumes.",
        ),
        "container-proxy": (
            "This stops what all requests go through.",
            "Look with `docker logs NAME`, and leave stopping it to the user.",
        ),
        "container-host": (
            "This gives a container the whole machine.",
            "Mount only the folder it needs: `docker run -v ./data:/data IMAGE`.",
        ),
    },
)


def _spares_created(command: SimpleCommand, split: Split, place: Place) -> bool:
    """Return whether the line itself created the containers, volumes or clusters."""
    named = [
        value
        for name, value in split.given.items()
        if name in ("--name", "-n", "-p", "--project-name") and value
    ]
    words = [word for word in command.words if word.text in named]
    operands = [word for word in command.words[1:] if not word.text.startswith("-")]
    if uses_test_file(command):
        return True
    return are_created(command, words or operands, place)


_LOCAL_CLUSTER = re.compile(r"kind-.*|k3d-.*|minikube|docker-desktop|rancher-desktop|colima")


def _spares_local_cluster(command: SimpleCommand, split: Split, place: Place) -> bool:
    """Return whether the cluster runs on this machine, or the line created what is deleted."""
    chosen = [
        earlier.words[-1].text
        for earlier in place.earlier()
        if earlier.name == "kubectl" and any(word.text == "use-context" for word in earlier.words)
    ]
    context = split.given.get("--context") or split.given.get("--kube-context") or "".join(chosen[-1:])
    return _LOCAL_CLUSTER.fullmatch(context) is not None or _spares_created(command, split, place)


_DOCKER = "docker|podman|nerdctl"
_PROXIES = "*traefik*|*haproxy*|*nginx-proxy*|*caddy*|*envoy*|*kong*|*ingress*"


_CONTAINER_JUDGES: Mapping[str, Judge] = table(
    CONTAINERS,
    f"""
    {_DOCKER} rm|rmi -f|--force                                      container-remove-force
    {_DOCKER} container|image|pod rm|remove -f|--force               container-remove-force
    {_DOCKER} ...rm|stop|kill|pause ...{_PROXIES}                       container-proxy
    {_DOCKER} system prune|reset                                     container-prune
    {_DOCKER} image prune -a|--all                                   container-prune
    {_DOCKER} container|network prune                                container-prune
    {_DOCKER} volume rm|remove|prune                                 volume-delete
    {_DOCKER} swarm leave -f|--force                                 container-prune
    {_DOCKER} stack|service|secret|config rm|remove|down             container-remove-force
    {_DOCKER} node rm|demote                                         container-remove-force
    {_DOCKER}|docker-compose|podman-compose ...down -v|--volumes     volume-delete
    {_DOCKER}|docker-compose|podman-compose ...rm -v|--volumes|-s=V  volume-delete
    {_DOCKER} run|create --privileged|-v=/:*|--volume=/:*|--pid=HOST container-host
    ctr|crictl ...rm|rmi|rmp|delete|remove -f|--force                container-remove-force
    crictl rmi -a|--all|--prune                                      container-prune
    lxc|incus delete|rm                                              container-remove-force
    multipass delete|purge                                           container-remove-force
    virsh destroy|undefine|vol-delete|pool-delete|snapshot-delete    container-remove-force
    """,
    values="-H --host -c --context -p --project-name --profile -e --env -v --volume --name -w --network --pid"
    " --project-directory --env-file --filter -t --time -s --signal --log-level --config --file",
    spares=_spares_created,
)


KUBERNETES = Pack(
    "kubernetes",
    {
        "kubernetes-delete": (
            "This deletes things in a cluster, and what belongs to them.",
            "Look with `kubectl get pods`, or try it with `kubectl delete pod NAME --dry-run=client`.",
        ),
        "kubernetes-evict": (
            "This takes what runs in a cluster away from where it runs.",
            "Look with `kubectl get pods -o wide`, and leave it to the user.",
        ),
        "release-uninstall": (
            "This uninstalls a release with everything that it brought.",
            "Look with `helm status NAME`, or try it with `helm uninstall NAME --dry-run`.",
        ),
        "cluster-backup-delete": (
            "This deletes a cluster's backups, or what makes them.",
            "Look with `velero backup get`.",
        ),
    },
)
_KUBERNETES_JUDGES: Mapping[str, Judge] = table(
    KUBERNETES,
    """
    kubectl|oc|k|kind|k3d|ctlptl delete                         kubernetes-delete
    k3s|microk8s|minikube|k0s ...delete|drain                   kubernetes-delete
    kubectl|oc|k drain|cordon|taint                             kubernetes-evict
    kubectl|oc|k replace --force                                kubernetes-delete
    kubectl|oc|k scale --replicas=0                             kubernetes-evict
    kubectl|oc|k patch -p=*REPLICAS":0*|-p=*REPLICAS":?0*       kubernetes-evict
    kubectl|oc|k apply --prune                                  kubernetes-delete
    helm|helm3 uninstall|delete|del|un|rollback                 release-uninstall
    helmfile destroy|delete                                     release-uninstall
    velero @delete                                              cluster-backup-delete
    argocd|flux|istioctl|linkerd|cilium|kustomize|skaffold|tilt @delete kubernetes-delete
    kubeadm reset                                               kubernetes-delete
    k3s-uninstall.sh|rke2-uninstall.sh                          kubernetes-delete
    etcdctl del|defrag                                          kubernetes-delete
    """,
    values="-n --namespace --context --cluster --kubeconfig -l --selector -o --output --user -s --server"
    " --kube-context --name -p --profile",
    spares=_spares_local_cluster,
)


def _apply_plan(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    if applies_destruction(command, place):
        yield CLOUD.find("infrastructure-destroy", command)


def _mounts(command: SimpleCommand, words: tuple[Word, ...], place: Place) -> Iterator[Finding]:
    volume = find_emptied_mount(command, place)
    if volume is not None:
        yield CONTAINERS.find("volume-delete", command, volume)


_LINE_JUDGES: Mapping[str, Judge] = {
    **dict.fromkeys(("terraform", "tofu", "terragrunt"), _apply_plan),
    **dict.fromkeys(_DOCKER.split("|"), _mounts),
}
TABLES = (_STORAGE_JUDGES, _PLATFORM_JUDGES, _CONTAINER_JUDGES, _LINE_JUDGES, _KUBERNETES_JUDGES)
