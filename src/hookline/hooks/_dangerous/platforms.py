"""Pack cloud, continued: platforms that run things for others, and tools that build whole stacks."""

from collections.abc import Mapping

from hookline.hooks._dangerous._shape import table
from hookline.hooks._dangerous.cloud import CLOUD
from hookline.hooks._dangerous.finding import Judge

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
JUDGES: Mapping[str, Judge] = {
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
