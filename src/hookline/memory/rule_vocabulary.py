"""Vocabulary of rules about software: words of one meaning, alternatives of one choice, and empty words."""

from __future__ import annotations


def _name_groups(lines: str) -> dict[str, str]:
    """Return the first word of a line for each of its words."""
    groups = [line.split() for line in lines.strip().splitlines()]
    return {word: group[0] for group in groups for word in group}


SYNONYMS = _name_groups("""
    access touch edit change modify alter adjust hit reach
    add include insert append attach supply provide
    answer reply respond response
    annotation hint typehint
    ask confirm consult permission
    before prior
    bullet bulletpoint
    auth authentication authorisation authorization
    backend server serverside
    inside within
    beside next alongside adjacent
    ci pipeline
    column character char
    config configuration configure setting
    credential secret
    database db
    delete remove erase
    dev development
    develop developer
    docs doc documentation
    e2e endtoend
    env environment
    error failure exception
    explain explanation
    fixture fixtures
    folder directory dir
    frontend client clientside
    function method
    i18n internationalisation internationalization translation
    infra infrastructure
    javascript js
    kubernetes k8s
    library lib dependency package
    lint linter linting
    mail email e-mail
    max maximum limit atmost most
    min minimum atleast least
    money monetary
    mutable mutability
    name call
    perf performance
    person people reviewer approver
    postgres postgresql pg
    pr pullrequest mergerequest mr
    print output
    prod production live
    python py
    readme readmes
    restructuredtext rst
    review approve approval
    ruby rb
    second sec s
    minute min.
    millisecond ms
    sign gpg-sign
    stage staging
    test tests
    ticket issue jira
    typescript ts
    ui interface
    utc gmt
    variable var
    whitespace blank
    tell told
    write written rewrite rewritten
    build built
    send sent
    break broken fail breaks
    throw thrown raise
    take taken
    show shown visible
    hold held
    run ran
    merge merge-commit
    deploy ship rollout
    ci build-server
""")
"""The word that stands for each word of the same meaning."""

CHOICES = _name_groups("""
    :js-package npm pnpm yarn bun
    :py-package pip uv poetry pdm conda pipenv hatch
    :build maven gradle bazel cmake meson
    :js-tests jest vitest mocha jasmine ava
    :py-tests pytest unittest nose
    :ruby-tests rspec minitest
    :java-tests junit testng
    :matrix tox nox
    :browser playwright cypress selenium puppeteer webdriver testcafe
    :js-doubles msw nock
    :py-doubles respx vcr
    :js-lint eslint biome oxlint tslint standardjs
    :py-lint ruff flake8 pylint pyflakes
    :js-format prettier dprint
    :py-format black yapf autopep8
    :go-format gofmt gofumpt
    :types mypy pyright pyre pytype flow
    :bundle webpack vite rollup esbuild parcel turbopack rspack
    :view react vue svelte angular solid preact ember lit htmx jquery backbone alpine.js
    :site next.js nextjs nuxt remix astro gatsby sveltekit
    :state redux zustand mobx recoil jotai pinia vuex xstate
    :style tailwind bootstrap sass less stylus emotion styled-components bulma chakra
    :database postgres mysql mariadb sqlite mongodb mongo dynamodb cassandra cockroachdb oracle mssql couchdb
    :cache redis memcached valkey dragonfly hazelcast
    :queue kafka rabbitmq nats sqs pulsar activemq
    :jobs celery sidekiq rq temporal airflow dramatiq
    :search elasticsearch opensearch solr meilisearch typesense algolia
    :py-orm sqlalchemy django-orm peewee tortoise
    :js-orm prisma drizzle typeorm sequelize knex kysely
    :go-orm gorm ent sqlc
    :migrate flyway liquibase alembic goose dbmate atlas
    :py-web flask django fastapi starlette
    :js-web express koa hapi fastify nestjs
    :java-web spring quarkus micronaut
    :go-web gin echo fiber chi
    :py-http httpx aiohttp urllib3
    :js-http axios fetch ky superagent
    :rpc rest graphql grpc soap trpc
    :payload json xml yaml toml protobuf msgpack avro csv jsonl parquet ini
    :js-validate zod yup joi ajv valibot
    :py-validate pydantic marshmallow attrs cerberus dataclass
    :py-log structlog loguru
    :go-log zap slog logrus zerolog
    :js-log winston pino bunyan
    :java-log log4j logback
    :dates moment dayjs date-fns luxon arrow pendulum chrono
    :ci jenkins github-actions gitlab gitlab-ci circleci travis buildkite teamcity azure-pipelines drone
    :deploy argo-cd flux spinnaker helm kustomize ansible chef puppet capistrano
    :infra terraform pulumi cloudformation opentofu cdk bicep
    :cloud aws gcp azure hetzner digitalocean heroku fly.io cloudflare vercel netlify render
    :objects s3 gcs minio r2 azure-blob
    :containers docker podman containerd nerdctl buildah
    :orchestrate kubernetes nomad swarm ecs docker-compose
    :image alpine debian debian-slim ubuntu distroless fedora centos rocky busybox wolfi
    :secrets vault sops doppler 1password keychain env-files
    :monitor grafana datadog newrelic prometheus sentry honeycomb rollbar bugsnag cloudwatch
    :flags launchdarkly unleash flagsmith split growthbook
    :updates renovate dependabot
    :docs markdown restructuredtext asciidoc mdx sphinx mkdocs docusaurus
    :language python javascript typescript go golang rust java kotlin swift c c++ c# ruby php scala elixir
    :runtime node deno
    :speech english german french spanish dutch italian portuguese japanese chinese polish korean
    :dialect british american australian
    :casing camelcase snakecase kebabcase pascalcase upper-snakecase title-case sentence-case
    :indent tab space
    :quote single double backtick
    :number plural singular
    :merge squash rebase merge-commit fast-forward
    :trunk main master trunk develop
    :processor amd64 x86-64 x86 arm64 aarch64
    :weekday monday tuesday wednesday thursday friday saturday sunday
    :month january february march april may june july august september october november december
    :every hourly daily nightly weekly fortnightly monthly quarterly yearly
    :clock utc cet cest est pst local-time bst ist
    :id uuid ulid serial autoincrement bigint nanoid snowflake
    :amount decimal float cent integer bigdecimal string
    :shell bash zsh fish sh powershell nushell
    :editor vim vscode emacs intellij neovim zed
    :tracker jira linear github-issues trello asana
    :chat slack teams discord mattermost
    :paradigm composition inheritance functional imperative object-oriented
    :threads async threads multiprocessing asyncio trio goroutines
    :container class function
    :hash argon2 bcrypt scrypt pbkdf2 sha256 md5
    :theme dark light
    :span second minute hour day week month year
    :bound max min low high
    :bytes kb mb gb tb
    :height above below
    :depth inside outside
    :anchor relative absolute
    :pace sync async
    :eager eager lazy
    :strict strict loose lenient
    :shape static dynamic
    :change mutable immutable
    :case uppercase lowercase
    :side-of left right top bottom
    :order serial parallel sequential
    :exports named default
""")
"""The choice that each word is an alternative of."""

SCOPES = _name_groups("""
    :side frontend backend mobile api web admin cli worker gateway ios android desktop
    :stage prod stage dev local preview sandbox demo
    :test unit integration e2e smoke load contract snapshot
    :place test docs example migration script infra
    :audience public private internal external
    :branch feature bugfix hotfix release
""")
"""The distinction that each word of a scope belongs to: rules for two of them hold beside each other."""

OPPOSITES = {
    **dict.fromkeys("long detailed verbose lengthy detail exhaustive".split(), "short"),
    **dict.fromkeys("large big huge".split(), "small"),
    "implicit": "explicit",
    "manual": "automatic",
    "ascending": "descending",
}
"""The word that means the opposite of each word."""

SAME_SENSE = {
    **dict.fromkeys("brief concise terse succinct compact".split(), "short"),
    **dict.fromkeys("tiny little".split(), "small"),
}

NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
} | {"once": "1", "twice": "2", "fifteen": "15", "twenty": "20", "thirty": "30", "forty": "40", "sixty": "60"}

EMPTY_WORDS = frozenset(
    """the a an is are was be been being am we i you it us me my our your they them their its this that
    these those to of for with and or but do does did done please use uses used using usage utilise
    utilize always every each all everything everywhere anymore more again ever only here prefer
    preferred preferably favour favor go goes going went gone gonna chose chosen decided decide decision
    choose choice choosing pick picked on in at by from per as so then just first through via live lives
    living stay stays have has had what when will would should shall must can could may might fine
    allowed ok okay permitted acceptable need needs needed needn require requires required requirement
    directly follow follows following put puts place placed keep keeps kept make makes making made turn
    stored store get gets getting before after than rather instead over off longer give happen happens
    enabled enable new were weve now onwards onward standard adopt adopted want wants wanted like expect
    into onto within belong belongs sit sits reside resides handled handle handles itself own there
    which who whose whatever also too back stick opted opt settle settled aim up time times still yet
    ones yes sure remember note rule policy let lets both between about really simply such other others
    not no never enough lot way repo repository project codebase team everyone someone today henceforth
    future forward later earlier previously currently if while days past given far well mean means how
    why say says said come comes across along out around allow allows permit permits accept accepts
    accepted welcome feel free return returns resume reinstate bring brought revert restore much many
    mandatory available able""".split()
)
"""Words without which a rule says the same."""

WEAK_WORDS = frozenset(
    """run runs running write writes writing add create creates build start starts begin begins end ends
    name named set sets thing things level value threshold pipeline framework tool manager bundler
    linter formatter runner engine language format service system based call calls open opens cut cuts
    show list check checks hold holds do support supports target targets work works step whole entire
    exactly directly always completely proper properly written type kind style version happen total
    document documented describe description logger state management manage managed object new-style
    apply send read percent perform wait execute executed ensure process processes pass passes""".split()
)
"""Words that say little about the subject of a rule."""

ADDITIVE_WORDS = frozenset(
    """add access run ask show check include document log sign scan review need require start end test
    explain mention list lint format print verify validate report notify tag update""".split()
)
"""Verbs of a rule that holds beside others with another object."""
