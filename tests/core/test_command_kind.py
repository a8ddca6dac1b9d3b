"""Test the kind of command lines: whether they only read, wait, check, or may change something."""

import pytest

from hookline.core.command_kind import classify_command

KINDS = {
    "read": "git branch; git remote -v; gh pr checks 3; gh run watch; terraform state list; docker ps; "
    "docker compose ps; kubectl get pods; aws ec2 describe-instances; npm ls; git ls-files; "
    "npm version; ssh web1 'sudo sed -n 3p /etc/app.conf'; ssh web1 'cat /etc/app.env'; brew services list; "
    "service nginx status; systemctl list-units; docker exec pg pg_isready; docker exec r redis-cli llen q; "
    "gcloud run services describe api; gcloud auth list; az vm show -n a; aws sts get-caller-identity; "
    "mysqladmin ping; redis-cli -h db llen q; openssl s_client -connect h:443; kafka-topics.sh --list; "
    "python3 -c 'import app'; node -p 'require(x).x'; adb shell getprop x; kubectl version; "
    "mysql -e 'show tables' shop; sqlite3 app.db .tables; psql -U a -c '\\dt' shop; vault status; "
    "rabbitmqctl list_queues; php artisan route:list; bazel query //a; uv pip list; dotnet --info; "
    "mongosh --eval 'db.a.countDocuments()'; aws logs tail a; flutter doctor; alembic current; make status",
    "check": "make ci; npm run ci; npm test; cargo test; uv run pytest; poetry run pytest; python -m pytest; "
    "ruby -Itest test/a_test.rb; bundle exec ruby -Itest test/a_test.rb; python manage.py test app; "
    "./manage.py test; php artisan test; node --test; node test/cart.test.js; python tests/test_cart.py; "
    "zig build test; dbt test; terraform test; cargo nextest run; docker exec api python manage.py test; "
    "./gradlew :app:testDebugUnitTest; php vendor/bin/phpunit; cargo fmt --check; rebar3 eunit",
    "change": "npm ci; poetry add pytest; docker compose up -d db; docker-compose up -d; git branch -D old; "
    "git remote add origin url; terraform state rm x; kubectl config use-context x; uv pip install pytest; "
    "go mod download; bundle install; npm version patch; ssh web1 \"sudo sed -i '3d' /etc/app.conf\"; "
    "ssh web1 'echo N=1 | sudo tee -a /etc/app.env'; ssh web1 'echo N=1 > app.env'; go get example.org/list; "
    "dart pub get; flutter pub get; helm upgrade search ./chart; kubectl delete events --all; "
    "docker restart status; redis-cli lpush list 1; redis-cli config set save 60; "
    "az aks get-credentials -n a; gcloud container clusters get-credentials b; gcloud run deploy api; "
    "python -c 'import app\\napp.seed()'; node -e 'require(\"./db\").migrate()'; psql -f schema.sql; "
    "psql -c 'delete from a'; mysql -e 'select 1 into outfile \"x\"'; mysql shop; python manage.py migrate; "
    "python seed.py; java -jar x.jar; poetry version minor; createdb test; ruby db/seeds.rb; make -v all; "
    "mkdir -p list; touch status; bin/rails db:migrate RAILS_ENV=test; heroku config:set A=1; kill 3; "
    "mongosh --eval 'db.a.deleteMany({})'; node scripts/unit/seed.js; mvn versions:set; sdk default java 17",
}


def write_lines():
    """Yield command lines that combine a program, its options and a verb, with their kind."""
    programs = "java javac gradle psql redis-server flutter rustc ./tool /opt/x/bin/tool".split()
    yield from (
        ("read", f"{program} {word}") for program in programs for word in ("-version", "-v", "--help")
    )
    groups = (
        "gcloud compute instances",
        "gcloud run services",
        "aws logs",
        "az aks",
        "doctl apps",
        "mytool users",
    )
    verbs = {"read": ("list", "describe", "show"), "change": ("create", "delete", "update", "start")}
    yield from ((kind, f"{group} {verb}") for kind, vs in verbs.items() for verb in vs for group in groups)
    clients = (
        "psql -h db -c '{}'",
        "mysql -e '{}' shop",
        "sqlite3 app.db '{}'",
        "docker exec pg psql -c '{}'",
    )
    statements = {
        "read": (
            "select 1",
            "SELECT count(*) FROM t",
            "explain select a from t",
            "select a from t where b = 2",
        ),
        "change": (
            "insert into t values (1)",
            "update t set a = 1",
            "DROP TABLE t",
            "select 1; delete from t",
        ),
    }
    yield from (
        (kind, one.format(sql)) for kind, sqls in statements.items() for sql in sqls for one in clients
    )
    code = {
        "read": (
            "print(1)",
            "import app; print(app.x)",
            'import json; print(len(json.load(open("a.json"))))',
        ),
        "change": (
            "import app; app.seed()",
            "app.load()",
            "app.save(); print(1)",
            'open("a", "w").write("x")',
        ),
    }
    yield from (
        (kind, f"{python} -c '{text}'")
        for kind, texts in code.items()
        for text in texts
        for python in ("python", "python3 -u", "uv run python", "docker exec api python")
    )


@pytest.mark.parametrize(("kind", "line"), [*write_lines()])
def test_the_kind_of_a_generated_line(kind, line):
    assert classify_command(line) == kind


@pytest.mark.parametrize(
    ("kind", "line"), [(kind, line) for kind, ls in KINDS.items() for line in ls.split("; ")]
)
def test_the_kind_of_a_line(kind, line):
    assert classify_command(line) == kind
