"""Test that personal data is recognized, and that technical statements are not taken for it."""

import pytest

from hookline.core.conversation import Message
from hookline.memory.extract import find_stated
from hookline.memory.privacy import is_contact, is_personal


@pytest.mark.parametrize(
    "text",
    [
        "send every report to jana.roth@posteo.example.com",
        "always call me on +49 171 2345678 before a release",
        "the on-call number is 0171 234 56 78",
        "invoices go to DE44 5001 0517 5407 3249 31",
        "my wife and I decided to move to Lisbon",
        "Tomas is on sick leave until March",
        "we never schedule meetings while Ada's mother is in hospital",
        "she was diagnosed with diabetes",
        "never schedule deploys on tuesdays because Jonas has chemo then",
        "i'm dyslexic, always use short sentences",
        "I am on antidepressants, so always keep answers short",
        "Ana earns 85k, never put her in the cost table",
        "always call Peter at 555-123-4567 before deploys",
        "the fax is (415) 555-2671",
        "mail wang.lei@163.com or anna@3m.com",
        "ask jane.talbot@posteo.example.com",
        "cc john.doe[at]gmail.com on reviews",
        "her SSN is 123 45 6789",
        "the office phone is 5551234567",
        "book it on 3782 822463 10005",
        "cc john.doe (at) gmail (dot) com on reviews",
        "cc john.doe at gmail dot com on reviews",
        "José's wife owns the domain",
        "our CTO is pregnant",
        "parcels for the lab go to Wendelin Oster, Lindenhofstraße 8a, 04299 Leipzig",
        "ship the board to 12 Maple Drive",
        "ship samples to Marta, Rua das Figueiras 114, 3º Esq, 1250-999 Lisboa",
        "the courier comes to 12 Rosewood Lane",
        "Jonas is on chemo until June",
        "Arturo is in custody, ask Ines for the key",
        "pay with 4111 1111 1111 1111",
        "keep thursdays free of releases, Emeka has his custody hearing then",
        "the number for deploys is 0170 1234567.",
        "call the hotline at tel:+491701234567",
        "ana.b@müller.de owns the release key",
        "the card 4111111111111111 pays for the cloud",
        "no pings before ten, I sleep badly since the funeral",
        "our new tester is on probation after the fraud verdict, review her commits",
    ],
)
def test_personal_data(text):
    assert is_personal(text)


@pytest.mark.parametrize(
    "text",
    [
        "use pnpm, not npm",
        "clone with git@github.com:acme/shop.git",
        "line length is 120, and coverage must be 80",
        "target Python 3.12.4 and Node 22.1.0",
        "the release of 2026-11-17 is frozen",
        "the service listens on 127.0.0.1:8080",
        "child processes inherit the parent's environment",
        "our parent pom pins all versions",
        "ticket ids look like ABC-12345",
        "mobile breakpoints are 320 - 768 px",
        "the phone release of 2026-11-17 is frozen",
        "always send alerts to the list dev-team@example.com",
        "always commit as bot@example.com",
        "page on-call@example.com, never no-reply@example.com",
        "tests always use user@example.com, never real addresses",
        "we always pin @scope/pkg@1.2.3.beta",
        "always import the model's parents first",
        "never change React's children directly",
        "the patient's diagnosis is encrypted at rest",
        "a user's birthday is stored as a date",
        "Release 12, 2024 Roadmap and Plan 7, 1999 Edition are frozen",
        "maintainers@example.com is the contact in package.json",
        "the father process spawns his child processes",
        "the build is sick, use the cache",
        "I am sick of yaml, use toml",
        "Maria reviews all migrations",
        "blocked until Priya approves the pull request",
        "I read on a phone, keep answers short",
        "the code freeze starts on 05.11.2025",
        "we drop support for v1 on 05/11/2025",
        "keep at most 3 Google Drive folders",
        "we run Redis 7, 6379 TCP only",
        "john@example.org is the placeholder in forms",
    ],
)
def test_other_statements(text):
    assert not is_personal(text)


def test_a_rule_with_an_address_is_not_stored():
    prompt = "always send the release notes to jana.roth@posteo.example.com, never to the list"

    assert [*find_stated([Message(by="person", text=prompt)])] == []


@pytest.mark.parametrize("text", ["A-", "a.", "1 A ", "A 1, ", "0 ", "+1 (", "a@", "DE12 "])
def test_the_time_for_a_repeated_text_is_linear(text):
    is_contact(text * 250_000)  # squared: over ten minutes


def test_a_private_matter_is_found_at_the_end_of_a_long_sentence():
    beginning = (
        "in the billing service and the workers please always use the helpers of the shared module and "
    )

    assert is_personal(3 * beginning + "keep in mind that Ana is on sick leave until May")
    assert not is_personal(3 * beginning + "keep in mind that they are generated")


def test_a_private_matter_is_found_behind_other_sentences():
    text = " ".join([*["Rows of the report are sorted by name."] * 30, "Ana is on sick leave until May."])

    assert is_personal(text)
    assert not is_personal("Rows of the report are sorted by name. " * 30)


@pytest.mark.parametrize("end", ["", ".", "!"])
@pytest.mark.parametrize("person", ["I", "he", "We", "Tom"])
def test_decisions_of_persons_are_not_personal(person, end):
    assert not is_personal(f"{person} decided to use spaces{end}")
    assert not is_personal(f"{person} decided to store amounts as integer cents{end}")
