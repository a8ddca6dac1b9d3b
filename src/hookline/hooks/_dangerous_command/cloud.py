"""Pack cloud: remote resources that exist only once, such as buckets, machines, stacks and backups."""

from collections.abc import Mapping

from hookline.hooks._dangerous_command.rule import Judge, Pack
from hookline.hooks._dangerous_command.tables import table

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
_AWS = """aws s3 rb|rm                                                             bucket-delete
    aws s3 sync --delete                                                         mirror-delete
    aws * delete-*|terminate-*|remove-*|deregister-*|purge-*|release-*|revoke-*  cloud-delete
    aws * batch-delete-*|*-deletion|unsubscribe|empty-*|destroy-*|detach-*       cloud-delete
    aws cloudfront create-invalidation                                           edge-change
    aws route53 change-resource-record-sets --change-batch=*DELETE*              cloud-delete"""
_STORAGE = """gsutil rm|rb                                                           bucket-delete
    gsutil rsync -d                                                              mirror-delete
    azcopy remove|rm                                                             bucket-delete
    azcopy sync --delete-destination=TRUE                                        mirror-delete
    s3cmd|s5cmd del|rm|rb|delete|expire                                          bucket-delete
    s3cmd|s5cmd sync --delete-removed|--delete                                   mirror-delete
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
    tarsnap -d|--nuke                                                            backup-delete
    kopia snapshot delete|expire                                                 backup-delete"""
JUDGES: Mapping[str, Judge] = {
    **table(
        CLOUD,
        _AWS,
        values="--region --profile --output --endpoint-url --query --ca-bundle --color --cli-read-timeout"
        " --cli-connect-timeout --change-batch --bucket --key",
    ),
    **table(CLOUD, _STORAGE, values="-o -h -u -r --repo -p --password-file --config --alias"),
}


_PLATFORMS = """az ...delete|delete-batch|purge|remove|untag|deallocate|revoke     cloud-delete
    gcloud ...delete|undeploy|remove-*|reset|rm|disable                          cloud-delete
    bq rm                                                                        cloud-delete
    doctl|hcloud|linode-cli|vultr-cli|oci|ibmcloud|scw|civo|exo @delete          cloud-delete
    ovhcloud|ionosctl|openstack|supabase|cf|eb|amplify|deployctl @delete         cloud-delete
    heroku|fly|flyctl|vercel|netlify|railway|render|firebase @delete             cloud-delete
    heroku pg:reset|maintenance:on|ps:stop|releases:rollback                     cloud-delete
    railway down                                                                 cloud-delete
    fastly service version|service-version activate|deactivate                   edge-change
    fastly purge|service-purge                                                   edge-change
    fastly|flarectl|cfcli|cloudflared|wrangler|bunny @delete                     cloud-delete
    wrangler rollback                                                            edge-change
    eksctl|kops|gardenctl|rosa @delete                                           cloud-delete
    eb terminate                                                                 cloud-delete"""
_STACKS = """terraform|tofu|terragrunt destroy                                     infrastructure-destroy
    terraform|tofu|terragrunt apply -destroy|-auto-approve|--auto-approve|--destroy infrastructure-destroy
    terraform|tofu|terragrunt state rm|push|replace-provider                     infrastructure-destroy
    terraform|tofu|terragrunt workspace delete                                   infrastructure-destroy
    terraform|tofu|terragrunt taint|force-unlock|run-all                         infrastructure-destroy
    pulumi destroy|down|cancel                                                   infrastructure-destroy
    pulumi stack|state rm|delete                                                 infrastructure-destroy
    pulumi up|update -f|--skip-preview                                           infrastructure-destroy
    cdk|cdk8s|cdktf|sst|sam|copilot destroy|delete|remove                        infrastructure-destroy
    serverless|sls|chalice|zappa remove|delete|undeploy                          infrastructure-destroy
    vagrant destroy                                                              infrastructure-destroy
    ansible -a=*state=absent*|--args=*state=absent*                              infrastructure-destroy
    nomad job stop -purge                                                        infrastructure-destroy
    nomad system gc                                                              infrastructure-destroy"""
PLATFORM_JUDGES: Mapping[str, Judge] = {
    **table(
        CLOUD,
        _PLATFORMS,
        values="-g --resource-group --subscription -o --output --project --account --zone --region --format"
        " -a --app -t --token --context --config --env -e --service-id",
    ),
    **table(
        CLOUD,
        _STACKS,
        values="-chdir -target -var -var-file -state -C --cwd -s --stack --stage --region -a --args -m -i",
        long=True,
    ),
}
