"""Token formats that tell themselves: who issues it, the literal it begins with, what follows, how much."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from hookline.redact._values import placeholder, random

HEX, HEXES, CAPITAL = "0-9a-f", "0-9A-Fa-f", "A-Z0-9"
ALNUM, WORD, DASHED = "A-Za-z0-9", "A-Za-z0-9_", "A-Za-z0-9_-"


class Format(NamedTuple):
    kind: str
    prefixes: str
    """The literals a token may begin with, apart from each other by blanks."""
    chars: str
    least: int
    exact: bool = False
    """Not a character more: what is longer is something else."""
    usual: int = 0
    """How much follows the prefix where that is always the same: a line break inside is seen through."""
    odd: bool = False
    """The prefix is common, so what follows must look random."""


FORMATS = (
    Format("aws-access-key", "AKIA ASIA ABIA ACCA", CAPITAL, 16, exact=True, usual=16),
    Format("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", ALNUM, 36, usual=36),
    Format("github-token", "github_pat_", WORD, 22, usual=82),
    Format(
        "gitlab-token", "glpat- gldt- glrt- glft- glptt- glcbt- glimt- gloas- glsoat- glagent-", DASHED, 20
    ),
    Format("anthropic-key", "sk-ant-", DASHED, 20),
    Format("openai-key", "sk-proj- sk-svcacct- sk-admin- sk-None-", DASHED, 20),
    Format("api-key", "sk-", DASHED, 20, odd=True),
    Format(
        "slack-token", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xoxc- xoxd- xoxe.xoxp- xapp-", "A-Za-z0-9%-", 20
    ),
    Format("slack-webhook", "https://hooks.slack.com/", "A-Za-z0-9_/+-", 40),
    Format("discord-webhook", "https://discord.com/api/webhooks/", "A-Za-z0-9_/-", 60),
    Format("discord-webhook", "https://discordapp.com/api/webhooks/", "A-Za-z0-9_/-", 60),
    Format("discord-webhook", "https://ptb.discord.com/api/webhooks/", "A-Za-z0-9_/-", 60),
    Format("discord-webhook", "https://canary.discord.com/api/webhooks/", "A-Za-z0-9_/-", 60),
    Format("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_", ALNUM, 16, usual=24),
    Format("webhook-secret", "whsec_", "A-Za-z0-9+/=", 24),
    Format("google-api-key", "AIza", DASHED, 35, usual=35),
    Format("google-token", "ya29.", "A-Za-z0-9_.-", 20),
    Format("google-token", "1//0", DASHED, 40),
    Format("google-client-secret", "GOCSPX-", DASHED, 20),
    Format("npm-token", "npm_", ALNUM, 36, usual=36),
    Format("pypi-token", "pypi-AgE", DASHED, 40),
    Format("rubygems-token", "rubygems_", HEX, 40),
    Format("crates-token", "cio", ALNUM, 32, exact=True, odd=True),
    Format("nuget-key", "oy2", "a-z0-9", 43, exact=True, odd=True),
    Format("huggingface-token", "hf_ api_org_", ALNUM, 30, usual=34),
    Format("twilio-key", "SK", HEX, 32, exact=True),
    Format("mailgun-key", "key-", HEX, 32, exact=True),
    Format("brevo-key", "xkeysib-", DASHED, 40),
    Format("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", HEX, 64, usual=64),
    Format("databricks-token", "dapi", HEX, 32),
    Format("docker-token", "dckr_pat_ dckr_oat_", DASHED, 20),
    Format("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", "A-Za-z0-9_.-", 40),
    Format("linear-key", "lin_api_ lin_oauth_", ALNUM, 32, usual=40),
    Format("notion-token", "ntn_", ALNUM, 40),
    Format("notion-token", "secret_", ALNUM, 43, exact=True),
    Format("supabase-token", "sbp_", HEX, 40),
    Format("supabase-token", "sb_secret_", DASHED, 20),
    Format("shopify-token", "shpat_ shpca_ shppa_ shpss_", HEXES, 32, usual=32),
    Format("square-token", "sq0atp- sq0csp- sq0idp-", DASHED, 22),
    Format("square-token", "EAAA", DASHED, 60, exact=True, odd=True),
    Format("groq-key", "gsk_", ALNUM, 40),
    Format("replicate-token", "r8_", ALNUM, 37),
    Format("perplexity-key", "pplx-", ALNUM, 40),
    Format("xai-key", "xai-", ALNUM, 60),
    Format("nvidia-key", "nvapi-", DASHED, 40),
    Format("fireworks-key", "fw_", ALNUM, 22, odd=True),
    Format("tavily-key", "tvly-", DASHED, 24),
    Format("langsmith-key", "lsv2_pt_ lsv2_sk_", WORD, 32),
    Format("vault-token", "hvs. hvb. hvr.", DASHED, 24),
    Format("grafana-token", "glsa_", WORD, 41),
    Format("grafana-token", "glc_", "A-Za-z0-9+/=", 32),
    Format("postman-key", "PMAK-", "0-9a-f-", 50),
    Format("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", "A-Za-z0-9_=.-", 32),
    Format("pulumi-token", "pul-", HEX, 40),
    Format("newrelic-key", "NRAK- NRRA- NRII- NRJS-", CAPITAL, 19),
    Format("cloudflare-key", "v1.0-", "0-9a-f-", 150),
    Format("age-key", "AGE-SECRET-KEY-1", CAPITAL, 50),
    Format("sentry-token", "sntrys_ sntryu_", "A-Za-z0-9_+/=", 40),
    Format("atlassian-token", "ATATT3 ATCTT3", "A-Za-z0-9_=-", 60),
    Format("bitbucket-token", "ATBB", ALNUM, 28, odd=True),
    Format("artifactory-key", "AKCp", ALNUM, 60),
    Format("figma-token", "figd_", DASHED, 36),
    Format("tailscale-key", "tskey-", DASHED, 20),
    Format("sourcegraph-token", "sgp_", WORD, 40),
    Format("1password-token", "ops_eyJ", "A-Za-z0-9_=.-", 100),
    Format("fly-token", "fm2_ fo1_", "A-Za-z0-9_+/=-", 40),
    Format("posthog-key", "phx_", ALNUM, 40),
    Format("dynatrace-token", "dt0c01. dt0s01.", "A-Z0-9.", 60),
    Format("contentful-token", "CFPAT-", DASHED, 40),
    Format("resend-key", "re_", WORD, 32, odd=True),
    Format("facebook-token", "EAACEdEose0cBA", ALNUM, 20),
    Format("jfrog-token", "cmVmdGtuOj", ALNUM, 50),
)


def tokens(text: str) -> Iterator[tuple[int, int, str]]:
    """The tokens of known formats in *text*."""
    for place, format_ in enumerate(FORMATS):
        for prefix in format_.prefixes.split():
            if prefix in text:
                yield from _tokens(text, place, prefix)


def _tokens(text: str, place: int, prefix: str) -> Iterator[tuple[int, int, str]]:
    kind, _, _, least, exact, usual, odd = FORMATS[place]
    for found in _pattern(place, prefix).finditer(text):
        end, body = found.end(), found[1]
        if usual > len(body):
            end, body = _unwrapped(text, place, found)
        if (
            len(body) < least
            or (exact and len(body) > least)
            or placeholder(body)
            or (odd and not random(body))
        ):
            continue
        yield found.start(), end, kind


def _unwrapped(text: str, place: int, found: re.Match[str]) -> tuple[int, str]:
    """Where a token ends that a terminal or an editor broke over lines, if it does; else where it ended."""
    end, body = found.end(), found[1]
    while len(body) < FORMATS[place].usual and (more := _next_line(place).match(text, end)):
        end, body = more.end(), body + more[1]
    whole = len(body) == FORMATS[place].usual and random(body)
    return (end, body) if whole else (found.end(), found[1])


@cache
def _pattern(place: int, prefix: str) -> re.Pattern[str]:
    _, _, chars, least, exact, usual, _ = FORMATS[place]
    enough = min(4, least) if usual else least
    end = f"(?![{ALNUM}])" if exact else ""
    return re.compile(rf"{re.escape(prefix)}{apart(prefix)}([{chars}]{{{enough},}}){end}")


@cache
def _next_line(place: int) -> re.Pattern[str]:
    format_ = FORMATS[place]
    return re.compile(rf"\r?\n[ \t]{{0,40}}([{format_.chars}]{{1,{format_.usual}}})(?![{format_.chars}])")


def apart(prefix: str, inside: str = ALNUM) -> str:
    """A check, to be put behind the literal *prefix*, that what stands before is not part of the same word.

    Escapes end in a letter or a digit and are no part of it: `\\n`, `\\u0026`, `%3D`, a colour's `m`.
    """
    literal = re.escape(prefix)
    escapes = (r"\\[abfnrtv0]", r"\\u[0-9A-Fa-f]{4}", r"\\x[0-9A-Fa-f]{2}", r"%[0-9A-Fa-f]{2}", r"[0-9;\[]m")
    behind = "|".join(f"(?<={escape}{literal})" for escape in escapes)
    return f"(?:(?<![{inside}]{literal})|{behind})"
