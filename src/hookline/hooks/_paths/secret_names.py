"""Names of the files in which programs keep secrets: tables in lower case."""

from __future__ import annotations

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
