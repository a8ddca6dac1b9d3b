"""Pack kubernetes: what runs in a cluster, and what brings it back."""

from collections.abc import Mapping

from hookline.hooks._dangerous._shape import table
from hookline.hooks._dangerous.finding import Judge, Pack

KUBERNETES = Pack(
    "kubernetes",
    {
        "kubernetes-delete": (
            "This deletes things in a cluster, and what belongs to them.",
            "Look with `kubectl get pods`, or try it with `kubectl delete pod NAME --dry-run=client`.",
        ),
        "kubernetes-evict": (
            "This takes what runs in a cluster away from where it runs.",
            "Look with `kubectl get pods -o wide` and leave it to a person.",
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
JUDGES: Mapping[str, Judge] = table(
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
