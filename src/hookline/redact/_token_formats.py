"""Token formats that are recognised by a prefix: the kind, the prefixes, and the characters that follow.

Taken from the issuers' documentation, and from patterns that public scanners agree on.
"""

from __future__ import annotations

from typing import NamedTuple

HEX, HEXES, CAPITAL = "0-9a-f", "0-9A-Fa-f", "A-Z0-9"
ALNUM, WORD, DASHED = "A-Za-z0-9", "A-Za-z0-9_", "A-Za-z0-9_-"
DOTTED, BASE64 = "A-Za-z0-9_.-", "A-Za-z0-9+/="


class Format(NamedTuple):
    """The format of one kind of token."""

    kind: str
    prefixes: str
    """The literals that a token may begin with, separated by blanks."""
    chars: str
    """The characters after the prefix, as the content of a regular expression's set."""
    min_length: int
    """Minimum characters after the prefix."""
    exact: bool = False
    """True if a longer text is not such a token."""
    usual_length: int = 0
    """Characters after the prefix if always the same, so that a line break inside is recognised; else 0."""
    random: bool = False
    """True if the rest must look random, because the prefix is common."""


FORMATS = (
    Format("aws-access-key", "AKIA ASIA ABIA ACCA", CAPITAL, 16, exact=True, usual_length=16),
    Format("aws-bedrock-key", "ABSK", BASE64, 60),
    Format("aws-bedrock-key", "bedrock-api-key-", BASE64, 24),
    Format("github-token", "ghp_ gho_ ghr_", WORD, 36, usual_length=36),
    Format("github-token", "ghs_ ghu_", DOTTED, 36, usual_length=36),
    Format("github-token", "github_pat_", WORD, 22, usual_length=82),
    Format(
        "gitlab-token",
        "glpat- gldt- glrt- glft- glptt- glcbt- glimt- gloas- glsoat- glagent- glffct- glwt- GR1348941",
        DOTTED,
        20,
    ),
    Format("anthropic-key", "sk-ant-", DASHED, 20),
    Format("openai-key", "sk-proj- sk-svcacct- sk-admin- sk-None-", DASHED, 20),
    Format("openrouter-key", "sk-or-v1-", DASHED, 32),
    Format("api-key", "sk-", DASHED, 20, random=True),
    Format("slack-token", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxe- xoxc- xoxd- xapp-", "A-Za-z0-9%-", 20),
    Format("slack-token", "xoxe.xoxp- xoxe.xoxb-", "A-Za-z0-9%-", 20),
    Format(
        "stripe-key",
        "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ sk_org_live_",
        WORD,
        16,
        usual_length=24,
    ),
    Format("webhook-secret", "whsec_", BASE64, 24),
    Format("elevenlabs-key", "sk_", HEX, 48, exact=True),
    Format("google-api-key", "AIza", DASHED, 35, usual_length=35),
    Format("google-token", "ya29.", DOTTED, 20),
    Format("google-token", "1//0", DASHED, 40),
    Format("google-client-secret", "GOCSPX-", DASHED, 20),
    Format("npm-token", "npm_", ALNUM, 36, usual_length=36),
    Format("pypi-token", "pypi-", DASHED, 40, random=True),
    Format("rubygems-token", "rubygems_", HEX, 40),
    Format("crates-token", "cio", ALNUM, 32, exact=True, random=True),
    Format("nuget-key", "oy2", "a-z0-9", 43, exact=True, random=True),
    Format("clojars-token", "CLOJARS_", HEX, 60),
    Format("huggingface-token", "hf_ api_org_", ALNUM, 30, usual_length=34),
    Format("twilio-key", "SK", HEX, 32, exact=True),
    Format("mailgun-key", "key-", HEX, 32, exact=True),
    Format("brevo-key", "xkeysib- xsmtpsib-", DASHED, 40),
    Format("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", HEX, 64, usual_length=64),
    Format("databricks-token", "dapi", "0-9a-f-", 32, random=True),
    Format("databricks-token", "dose", HEX, 32, exact=True),
    Format("docker-token", "dckr_pat_ dckr_oat_", DASHED, 20),
    Format("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa. dp.said. dp.scim. dp.audit.", DOTTED, 40),
    Format("linear-key", "lin_api_ lin_oauth_ lin_wh_", ALNUM, 32, usual_length=40),
    Format("notion-token", "ntn_", ALNUM, 40),
    Format("notion-token", "secret_", ALNUM, 43, exact=True),
    Format("supabase-token", "sbp_ sbp_v0_", HEX, 40),
    Format("supabase-token", "sb_secret_", DASHED, 20),
    Format("shopify-token", "shpat_ shpca_ shppa_ shpss_ shptka_", HEXES, 32, usual_length=32),
    Format("square-token", "sq0atp- sq0csp- sq0idp-", DASHED, 22),
    Format("square-token", "EAA", DASHED, 61, exact=True, random=True),
    Format("groq-key", "gsk_", ALNUM, 40),
    Format("replicate-token", "r8_", ALNUM, 37),
    Format("perplexity-key", "pplx-", ALNUM, 40),
    Format("xai-key", "xai-", WORD, 60),
    Format("nvidia-key", "nvapi-", DASHED, 40),
    Format("fireworks-key", "fw_", ALNUM, 22, random=True),
    Format("tavily-key", "tvly-", DASHED, 24),
    Format("langsmith-key", "lsv2_pt_ lsv2_sk_ ls__", WORD, 32, random=True),
    Format("langfuse-key", "sk-lf- pk-lf-", "0-9a-f-", 36),
    Format("cerebras-key", "csk-", ALNUM, 40),
    Format("pinecone-key", "pcsk_", WORD, 50),
    Format("vault-token", "hvs. hvb. hvr.", DASHED, 24),
    Format("vault-token", "s.", ALNUM, 24, exact=True, random=True),
    Format("grafana-token", "glsa_", WORD, 41),
    Format("grafana-token", "glc_", BASE64, 32),
    Format("postman-key", "PMAK-", "0-9A-Fa-f-", 50),
    Format("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", "A-Za-z0-9_=.-", 32),
    Format("pulumi-token", "pul-", HEX, 40),
    Format("newrelic-key", "NRAK- NRRA- NRII- NRJS- NRBR- NRIQ-", ALNUM, 19),
    Format("cloudflare-key", "v1.0-", "0-9a-f-", 150),
    Format("cloudflare-token", "cfut_ cfat_ cfk_ cfast_", ALNUM, 40),
    Format("age-key", "AGE-SECRET-KEY-", CAPITAL, 50),
    Format("sentry-token", "sntrys_ sntryu_ sntrya_ sntryi_", "A-Za-z0-9_+/=", 40),
    Format("atlassian-token", "ATATT3 ATCTT3", "A-Za-z0-9_=-", 60),
    Format("bitbucket-token", "ATBB", ALNUM, 28, random=True),
    Format("artifactory-key", "AKCp", ALNUM, 60),
    Format("artifactory-token", "cmVmd", ALNUM, 59, exact=True),
    Format("figma-token", "figd_ figo_ figu_", DASHED, 36),
    Format("tailscale-key", "tskey- tskey-auth- tskey-api- tskey-client- tskey-scim-", DASHED, 20),
    Format("sourcegraph-token", "sgp_ slk_", WORD, 40),
    Format("1password-token", "ops_", "A-Za-z0-9_=.-", 100, random=True),
    Format("1password-key", "A3-", "A-Z0-9-", 30, random=True),
    Format("fly-token", "fm1a_ fm1r_ fm2_ fo1_", "A-Za-z0-9_+/=,-", 40),
    Format("posthog-key", "phx_ phs_", WORD, 40),
    Format("dynatrace-token", "dt0c01. dt0s01. dt0s02. dt0s16.", "A-Z0-9.", 60),
    Format("contentful-token", "CFPAT-", DASHED, 40),
    Format("resend-key", "re_", WORD, 32, random=True),
    Format("facebook-token", "EAA", ALNUM, 90, random=True),
    Format("vercel-token", "vcp_ vci_ vca_ vcr_ vck_", ALNUM, 20),
    Format("netlify-token", "nfp_ nfc_ nfo_ nfu_", ALNUM, 32),
    Format("heroku-key", "HRKU-", DASHED, 36),
    Format("circleci-token", "CCIPAT_ CCIPRJ_", WORD, 40),
    Format("buildkite-token", "bkua_ bkaa_ bkct_", ALNUM, 40),
    Format("sonar-token", "sqp_ sqa_ squ_", HEX, 40),
    Format("typeform-token", "tfp_", DASHED, 40),
    Format("prefect-token", "pnu_ pnb_", ALNUM, 36),
    Format("readme-token", "rdme_", "a-z0-9", 60),
    Format("adafruit-key", "aio_", ALNUM, 28, exact=True),
    Format("alibaba-key", "LTAI", ALNUM, 20, exact=True, random=True),
    Format("easypost-key", "EZAK EZTK", ALNUM, 54),
    Format("duffel-token", "duffel_test_ duffel_live_", "A-Za-z0-9_=-", 43),
    Format("shippo-token", "shippo_live_ shippo_test_", HEXES, 40),
    Format("flutterwave-key", "FLWSECK- FLWSECK_TEST-", "A-Za-z0-9-", 12, random=True),
    Format("frameio-token", "fio-u-", "A-Za-z0-9_=-", 60),
    Format("hubspot-token", "pat-na1- pat-eu1- pat-na2- pat-ap1-", "0-9a-f-", 36),
    Format("infracost-key", "ico-", ALNUM, 32, exact=True),
    Format("openshift-token", "sha256~", DASHED, 43),
    Format("mongodb-key", "mdb_sa_sk_", DASHED, 36),
    Format("octopus-key", "API-", CAPITAL, 25, random=True),
    Format("dropbox-token", "sl.", DASHED, 120),
    Format("harness-key", "pat. sat.", DOTTED, 60, random=True),
    Format("settlemint-token", "sm_aat_ sm_pat_ sm_sat_", ALNUM, 16),
    Format("jina-key", "jina_", DASHED, 50),
    Format("adobe-secret", "p8e-", ALNUM, 32, exact=True),
    Format("scalingo-token", "tk-us-", DASHED, 48),
    Format("paystack-key", "sk_live_ sk_test_", HEX, 40),
    Format("pagarme-key", "ak_live_ ak_test_", ALNUM, 30),
    Format("razorpay-key", "rzp_live_ rzp_test_", ALNUM, 14, exact=True),
    Format("unkey-key", "unkey_", ALNUM, 20),
    Format("e2b-key", "e2b_", HEX, 40),
    Format("firecrawl-key", "fc-", HEX, 32, exact=True),
    Format("exoscale-key", "EXO", HEX, 24, exact=True),
)
