"""Paths that hold secrets, recognised by whole names and path segments, never by a part of a word.

The tables of names are in lower case.
"""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Literal, TypeAlias

from hookline.hooks._paths.spelling import LONGEST, LONGEST_NAME, segments
from hookline.lazy import re
from hookline.shell.options import word_set

NAMES = word_set(
    """auth.json .renviron .ftpconfig .sentryclirc .clasprc.json sitemanager.xml .netrc _netrc .pgpass .npmrc
    .pypirc .git-credentials .dockercfg .my.cnf .mylogin.cnf .boto .s3cfg .htpasswd .vault-token
    .vault_pass .authinfo .authinfo.gpg .msmtprc .fetchmailrc .databrickscfg .terraformrc .credentials
    .credentials.json .secrets .secret .dev.vars .passwd-s3fs .rediscli_auth .smbcredentials
    credentials.json credentials.yaml credentials.yml credentials.toml credentials.xml credentials.ini
    credentials.csv credentials.db credentials.tfrc.json application_default_credentials.json
    access_tokens.db accesstokens.json azureprofile.json msal_token_cache.json oauth_creds.json
    secrets.json secrets.yaml secrets.yml secrets.toml secrets.ini secrets.env secrets.properties
    secrets.enc secrets.tfvars secret.json secret.yaml secret.yml secret.toml local.secrets.json
    user-secrets.json service-account.json serviceaccount.json service_account.json
    service-account-key.json service_account_key.json serviceaccountkey.json gcp-key.json gcloud-key.json
    gcp-credentials.json gcloud-service-key.json firebase-adminsdk.json client_secret.json
    client_secrets.json google-credentials.json kubeconfig kubeconfig.yaml kubeconfig.yml kube.config
    rclone.conf terraform.tfstate terraform.tfstate.backup master.key wallet.dat logins.json key3.db
    key4.db shadow- gshadow- login.keychain login.keychain-db kaggle.json pip.conf.local wp-config.php.bak"""
)
"""Files that hold secrets wherever they lie."""

ENDINGS = tuple(
    word_set(
        """.pem .key .p12 .pfx .keystore .jks .ppk .kdbx .kdb .keychain .keychain-db .ovpn .p8 .der.key .bks
    .pkcs12 .agekey .kubeconfig"""
    )
)
"""File name extensions of key material."""

TAILS = word_set(
    """.aws .kube .config/git/credentials git/credentials .nuget/nuget/nuget.config .vscode/sftp.json
    .railway/config.json .expo/state.json .ngc/config .aws/credentials .docker/config.json .kube/config
    .gem/credentials .cargo/credentials .config/gh/hosts.yml .config/glab-cli/config.yml .config/hub
    .config/containers/auth.json containers/auth.json .config/pypoetry/auth.toml pypoetry/auth.toml
    .composer/auth.json .config/composer/auth.json .codex/auth.json .claude/.credentials.json
    .gemini/oauth_creds.json .gemini/google_accounts.json .qwen/oauth_creds.json .copilot/config.json
    .config/github-copilot/hosts.json .config/github-copilot/apps.json .local/share/opencode/auth.json
    opencode/auth.json .m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties
    .nuget/nuget.config .config/rclone/rclone.conf .config/doctl/config.yaml .config/hcloud/cli.toml
    .config/linode-cli .config/netlify/config.json .netlify/config.json .config/vercel/auth.json
    .vercel/auth.json .config/heroku/credentials .config/stripe/config.toml .config/ngrok/ngrok.yml
    .ngrok2/ngrok.yml .config/configstore/firebase-tools.json .config/configstore/update-notifier-npm.json
    .supabase/access-token .fly/config.yml .wrangler/config/default.toml
    .config/.wrangler/config/default.toml .circleci/cli.yml .travis/config.yml .dbt/profiles.yml
    .snowsql/config .snowflake/config.toml .kaggle/kaggle.json .huggingface/token .cache/huggingface/token
    .cache/huggingface/stored_tokens .config/openai .openai/auth.json .anthropic/api_key
    .config/anthropic/api_key .config/sops/age/keys.txt .azure/accesstokens.json
    .azure/msal_token_cache.json .azure/azureprofile.json .config/op/config .config/bitwarden
    .config/lastpass .terraform.d/credentials.tfrc.json .pulumi/credentials.json .step/secrets
    .minio/certs .mc/config.json .oci/config .oci/sessions .bluemix/config.json .config/hub/hosts.yml
    .subversion/auth .cvspass .irssi/config .weechat/sec.conf .config/tea/config.yml etc/shadow
    etc/gshadow etc/sudoers etc/ssl/private etc/kubernetes/admin.conf etc/kubernetes/kubelet.conf
    etc/kubernetes/controller-manager.conf etc/kubernetes/scheduler.conf etc/rancher/k3s/k3s.yaml
    etc/ppp/chap-secrets etc/wireguard etc/krb5.keytab var/lib/kubelet/kubeconfig
    .config/google-chrome/default/login google-chrome/default/cookies chrome/default/cookies"""
)
"""Ends of paths that hold secrets, in whole names."""

FOLDERS = word_set(
    """.gnupg .password-store .ssh .aws/sso .aws/cli/cache .config/gcloud .config/op .bitwarden
    library/keychains .local/share/keyrings .ethereum/keystore .config/solana etc/ssl/private
    etc/wireguard run/secrets var/run/secrets .subversion/auth .kube/cache private-keys-v1.d .config/age
    .terraform.d .step/secrets .oci/sessions .docker/contexts"""
)
"""Folders in which every file is a secret, except those in `PUBLIC`."""

MILD = word_set(
    """.envrc database.yml database.yaml database.json .aws/config .boto.cfg local.settings.json
    wp-config.php .bash_history .zsh_history .psql_history .mysql_history .python_history
    .node_repl_history .rediscli_history .sqlite_history"""
)
"""Files that need approval for a file tool; a shell command that reads one gets no warning."""

PUBLIC = word_set(
    """.gnupg/gpg.conf .gnupg/gpg-agent.conf .gnupg/dirmngr.conf .gnupg/pubring.kbx .gnupg/trustdb.gpg
    .terraform.d/checkpoint_cache .azure/config .azure/clouds.config .config/gcloud/configurations
    .config/gcloud/active_config .docker/config.d .terraform.d/plugin-cache"""
)
"""Files and folders inside `FOLDERS` that are not secret."""

TEMPLATES = word_set("example sample template test dist tpl tmpl default defaults schema spec")
"""Last parts of a name that mark a template without real values."""
DOCUMENTS = word_set("md txt rst adoc html")
SOURCES = word_set(
    """py pyi ts tsx js jsx mjs cjs go rs rb java kt kts c h cc cpp hpp cs swift php pl lua sh bash zsh vue
    svelte css scss md rst html ipynb keymap lock snap map"""
)
"""Extensions of source files and documents, whose names describe a subject and not a store."""
BACKUPS = sorted(
    word_set(
        """.bak .backup .old .orig .save .saved .swp .swo .copy .tmp .temp .1 .2 .prev .previous .rej
        .dpkg-old"""
    )
)

SSH_OPEN = word_set("config known_hosts authorized_keys environment rc agent allowed_signers")
"""Files in `.ssh` without keys: a shell may read them, but not change them."""

USUAL = word_set(
    """.env .env~ credentials .env.local .env.production id_rsa id_ed25519 credentials.json secrets.yaml
    secrets.json .netrc .npmrc .pgpass .pypirc .git-credentials .vault-token .my.cnf x.pem x.key x.p12
    .dockercfg .htpasswd service-account.json"""
)
"""Names with which a glob pattern is compared."""


Secret: TypeAlias = 'Literal["dotenv", "key", "keylike", "ssh", "ssh-open", "store", "mild"]'  # noqa: S105 -- kinds
"""Kinds of secrets.

"key" is a private key by its ending, "keylike" by a name that may mean one, and "ssh" a key of ssh.
"ssh-open" is any other file in `.ssh`, "store" a credential store. "mild" counts for file tools only.
"""

_KEY = re.compile(
    r"id_(?:rsa|ed25519|ecdsa|dsa|ed448)(?:[-_.].*)?|(?:.+[-_])?(?:private|deploy|ssh|rsa|dsa|ecdsa|ed25519|signing"
    r"|secret|master|encryption|gpg|pgp|tls|ssl)[-_]key"
)
_KEYLIKE = re.compile(r"[^.]+[-_]key")
_OPEN_KEY = re.compile(r"(?:.*[-_])?(?:pub|public|primary|foreign|hot|short|sort|cache|index|no|any)[-_]key")
_SERVICE = re.compile(
    r"(?:.*[-_])?(?:service[-_]?account|firebase-adminsdk|client_secret|gcp[-_]sa)(?:[-_.].*)?\.json"
)
_ENVIRON = re.compile(r"(?:self|thread-self|\d+|x)")
_BACKUP = re.compile(r"(?:~|\.bak\d*|\.~\d+~| copy(?: \d+)?| \(\d+\)|\.\d{6,14})$")
_BACKUPS = tuple(BACKUPS)
_LAB = word_set(
    """test tests testing testdata test-data fixture fixtures __fixtures__ spec mock mocks certs cert
    certificates examples example samples"""
)
"""Folders of test keys and certificates, for which a shell command gets no warning."""
_WILD = re.compile(r"[*?]|\[[^\]]+\]")
_SURE = 3
"""Literal characters before the first wildcard that a pattern needs to mean a name."""


def secret(path: str, *, glob: bool = False) -> Secret | None:
    """Return the kind of secret that *path* holds, or None."""
    return _find_secret(path, glob=glob) if len(path) <= LONGEST else None


@lru_cache(maxsize=256)
def _find_secret(path: str, *, glob: bool) -> Secret | None:
    # Cached: several guards ask about the same path, and agents use few files often.
    names = segments(path)
    if not names or len(names[-1]) > LONGEST_NAME:
        return None
    if len(names) == 1 and names[0].isalnum():
        # An alphanumeric name cannot be a dotenv file, a key or a backup; only the tables can know it.
        return _stored(names)
    wild = glob and _WILD.search(names[-1]) is not None
    for name in _meant(names[-1]) if wild else (names[-1],):
        found = _judged((*names[:-1], name))
        if found is not None:
            return found
    return None


def quiet(path: str, root: str) -> bool:
    """Return whether a key at *path* is a certificate or test data of the project.

    A shell command may read it without a warning.
    """
    inside = root and path.startswith(root.rstrip("/") + "/")
    return bool(inside) and any(name in _LAB for name in segments(path[len(root) :])[:-1])


def _judged(names: tuple[str, ...]) -> Secret | None:
    whole = _without_backup(names[-1])
    if _harmless(whole):
        return None
    if _dotenv(whole):
        return "dotenv"
    if ".ssh" in names:
        return _in_ssh(names, whole)
    return _key(whole) or _stored((*names[:-1], whole))


def _without_backup(name: str) -> str:
    """Return *name* without marks of a backup, as in `.env.bak`, `#.env#` and `.env copy`."""
    plain = name.strip("#") or name
    while True:
        endings = BACKUPS if plain.endswith(_BACKUPS) else ()
        ending = next((one for one in endings if plain.endswith(one) and plain != one), None)
        found = None if ending else _BACKUP.search(plain)
        if ending is None and (found is None or not found.start()):
            return plain
        plain = plain.removesuffix(ending) if ending else plain[: found.start() if found else None]


def _harmless(name: str) -> bool:
    """Return whether *name* is that of a public key, or of a template without real values."""
    _, *parts = name.split(".")
    return parts[-1:] == ["pub"] or not {"example", "sample", "template", "tmpl", "tpl"}.isdisjoint(parts)


def _dotenv(name: str) -> bool:
    parts = name.split(".")
    if parts[:2] != ["", "env"]:
        return False
    rest = parts[2:]
    return not rest or (rest[-1] not in TEMPLATES and rest[-1] not in SOURCES)


def _in_ssh(names: tuple[str, ...], name: str) -> Secret:
    below = names[names.index(".ssh") + 1 :]
    if not below or _key(name):
        return "ssh"
    first = below[0].partition(".")[0]
    plain = name.rpartition(".")[2] in DOCUMENTS
    return "ssh-open" if plain or first in SSH_OPEN else "ssh"


def _key(name: str) -> Secret | None:
    ending = name.rpartition(".")[2] if "." in name else ""
    if name.endswith(ENDINGS) and name not in ENDINGS:
        return "key"
    if ending not in SOURCES and _KEY.fullmatch(name):
        return "ssh"
    return "keylike" if _KEYLIKE.fullmatch(name) and not _OPEN_KEY.fullmatch(name) else None


def _stored(names: tuple[str, ...]) -> Secret | None:
    name = names[-1]
    if name in NAMES or (name.endswith(".json") and _SERVICE.fullmatch(name)) or _environ(names):
        return "store"
    tails = ["/".join(names[-count:]) for count in range(1, min(len(names), 4) + 1)]
    if any(tail in TAILS for tail in tails) or (
        name == "credentials" and names[-2:-1] and names[-2].startswith(".")
    ):
        return "store"
    if _within(names, FOLDERS):
        return None if _within(names, PUBLIC) or name.rpartition(".")[2] in DOCUMENTS else "store"
    return "mild" if any(tail in MILD for tail in tails) else None


def _environ(names: tuple[str, ...]) -> bool:
    """Return whether the path is the environment of a process in `/proc`."""
    return names[0] == "proc" and names[-1] == "environ" and all(_ENVIRON.fullmatch(n) for n in names[1:2])


def _within(names: tuple[str, ...], folders: Iterable[str]) -> bool:
    """Return whether a path is one of the *folders*, or inside one."""
    starts = ("/".join(names[start : start + count]) for start in range(len(names)) for count in (1, 2, 3))
    return any(one in folders for one in starts)


def _meant(pattern: str) -> list[str]:
    """Return *pattern*, and the usual names of secrets that it is specific enough to mean."""
    first = _WILD.search(pattern)
    sure = pattern[: first.start()] if first is not None else pattern
    literal = len(_WILD.sub("", pattern))
    return [pattern] + [
        name
        for name in sorted(USUAL)
        if fnmatchcase(name, pattern)
        and (len(sure) >= _SURE or (sure.startswith(".") and len(sure) > 1) or literal * 2 > len(name))
    ]
