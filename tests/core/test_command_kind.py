"""Test the kind of command lines: whether they only read, wait, check, or may change something."""

import pytest

from hookline.core.command_kind import classify_command

KINDS = {
    "read": "git branch; git remote -v; gh pr checks 3; gh run watch; terraform state list; docker ps; "
    "docker compose ps; kubectl get pods; aws ec2 describe-instances; npm ls; "
    "npm version; ssh web1 'sudo sed -n 3p /etc/app.conf'; ssh web1 'cat /etc/app.env'",
    "check": "make ci; npm run ci; npm test; cargo test; uv run pytest; poetry run pytest; python -m pytest",
    "change": "npm ci; poetry add pytest; docker compose up -d db; docker-compose up -d; git branch -D old; "
    "git remote add origin url; terraform state rm x; kubectl config use-context x; uv pip install pytest; "
    "go mod download; bundle install; npm version patch; ssh web1 \"sudo sed -i '3d' /etc/app.conf\"; "
    "ssh web1 'echo N=1 | sudo tee -a /etc/app.env'; ssh web1 'echo N=1 > app.env'",
}


@pytest.mark.parametrize(
    ("kind", "line"), [(kind, line) for kind, ls in KINDS.items() for line in ls.split("; ")]
)
def test_the_kind_of_a_line(kind, line):
    assert classify_command(line) == kind
