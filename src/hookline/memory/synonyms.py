"""Words about software that mean the same, or are alternatives of one choice."""

from __future__ import annotations

from hookline.core.records import stem_word


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
    :grammar plural singular
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
_STEMS = {stem_word(word): name for word, name in SYNONYMS.items()}


def find_base(word: str) -> str:
    """Return the word that stands for all forms and synonyms of *word*."""
    stem = stem_word(word)
    return SYNONYMS.get(word) or _STEMS.get(stem, stem)


def find_choice(word: str) -> str:
    """Return the name of the choice that a word is an alternative of; empty if it is not known."""
    return CHOICES.get(word) or CHOICES.get(find_base(word), "")
