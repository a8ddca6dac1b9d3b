"""Pack containers: removal of containers, images and volumes, and containers with access to the host."""

from collections.abc import Mapping

from hookline.hooks._dangerous_command.rule import Judge, Pack
from hookline.hooks._dangerous_command.tables import table

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
_DOCKER = "docker|podman|nerdctl"
_PROXIES = "*traefik*|*haproxy*|*nginx-proxy*|*caddy*|*envoy*|*kong*|*ingress*"


JUDGES: Mapping[str, Judge] = table(
    CONTAINERS,
    f"""
    {_DOCKER} rm|rmi -f|--force                                      container-remove-force
    {_DOCKER} container|image|pod rm|remove -f|--force               container-remove-force
    {_DOCKER} rm|stop|kill|pause ...{_PROXIES}                       container-proxy
    {_DOCKER} container rm|stop|kill|pause ...{_PROXIES}             container-proxy
    {_DOCKER} rm -v|--volumes                                        volume-delete
    {_DOCKER} system prune|reset                                     container-prune
    {_DOCKER} image prune -a|--all                                   container-prune
    {_DOCKER} container|network prune                                container-prune
    {_DOCKER} volume rm|remove|prune                                 volume-delete
    {_DOCKER} swarm leave -f|--force                                 container-prune
    {_DOCKER} stack|service|secret|config rm|remove|down             container-remove-force
    {_DOCKER} node rm|demote                                         container-remove-force
    {_DOCKER} compose ...down -v|--volumes                              volume-delete
    {_DOCKER} compose ...rm -v                                         volume-delete
    docker-compose|podman-compose ...down -v|--volumes                  volume-delete
    docker-compose|podman-compose ...rm -v                             volume-delete
    {_DOCKER} run|create --privileged                                container-host
    {_DOCKER} run|create -v=/:*|--volume=/:*                         container-host
    {_DOCKER} run|create --pid=HOST                                  container-host
    ctr|crictl ...rm|rmi|rmp|delete|remove -f|--force                container-remove-force
    crictl rmi -a|--all|--prune                                      container-prune
    lxc|incus delete|rm                                              container-remove-force
    multipass delete|purge                                           container-remove-force
    virsh destroy|undefine|vol-delete|pool-delete|snapshot-delete    container-remove-force
    """,
    values="-H --host -c --context -p --project-name --profile -e --env -v --volume --name -w --network --pid"
    " --project-directory --env-file --filter -t --time -s --signal --log-level --config",
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
KUBERNETES_JUDGES: Mapping[str, Judge] = table(
    KUBERNETES,
    """
    kubectl|oc|k3s|k delete                                     kubernetes-delete
    kubectl|oc|k drain|cordon|taint                             kubernetes-evict
    kubectl|oc|k replace --force                                kubernetes-delete
    kubectl|oc|k scale --replicas=0                             kubernetes-evict
    kubectl|oc|k apply --prune                                  kubernetes-delete
    oc project|projects delete                                  kubernetes-delete
    helm|helm3 uninstall|delete|del|un                          release-uninstall
    helm|helm3 rollback                                         release-uninstall
    helmfile destroy|delete                                     release-uninstall
    velero @delete                                              cluster-backup-delete
    velero uninstall                                            cluster-backup-delete
    argocd|flux|istioctl|linkerd|cilium|kustomize|skaffold|tilt @delete kubernetes-delete
    kubeadm reset                                               kubernetes-delete
    k3s-uninstall.sh|rke2-uninstall.sh                          kubernetes-delete
    etcdctl del|defrag                                          kubernetes-delete
    """,
    values="-n --namespace --context --cluster --kubeconfig -l --selector -o --output --user -s --server"
    " --kube-context",
)
