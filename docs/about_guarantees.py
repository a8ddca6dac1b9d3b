"""The guarantees of SECURITY.md, each with the test that proves it; `tests/test_docs.py` checks the tests."""

from cells import table

_REPOSITORY = "tests/test_malicious_repository.py"
_SECRETS = "tests/test_no_secret_gets_out.py"
_PLANTED = "tests/test_planted_secrets.py"
_FAILED_OUTPUT = "tests/hosts/test_failed_output.py"
_LARGE = "tests/test_large_payloads.py"
_GRANTS = "tests/daemon/test_grants.py"
_PAGES = "tests/web/test_security.py"
_LIFECYCLE = "tests/daemon/test_lifecycle.py"

GUARANTEES = {
    "Hostile repositories": (
        ("a hook of the repository does not run before you trust it", _REPOSITORY, "running_a_hook_unasked"),
        ("its files cannot disable or replace a built-in hook", _REPOSITORY, "switching_a_guard_off"),
        (
            "variables in its host settings cannot disable a guard",
            _REPOSITORY,
            "switching_a_guard_off_through_the_hosts_own_settings",
        ),
        (
            "no settings file of any host sets a variable that configures hookline or the programs it starts",
            "tests/policy/test_repository_env.py",
            "no_settings_file_of_any_host_sets_a_sensitive_variable",
        ),
        (
            "a variable stays the repository's for the session when the file that named it changes",
            "tests/policy/test_repository_env.py",
            "a_refused_switch_stays_refused_when_its_settings_have_changed",
        ),
        (
            "a settings file that cannot be read does not replace your configuration",
            "tests/policy/test_repository_env.py",
            "settings_that_cannot_be_read_do_not_replace_the_users_configuration",
        ),
        (
            "its host settings cannot extend a time budget",
            _REPOSITORY,
            "stretching_the_budget_through_the_hosts_own_settings",
        ),
        (
            "trust ends if a trusted script changes",
            _REPOSITORY,
            "changing_a_trusted_script_afterwards",
        ),
        (
            "trust ends if a file changes that a trusted hook runs or imports",
            _REPOSITORY,
            "changing_what_a_trusted_hook_reaches_by",
        ),
        ("links do not lead out of the project", _REPOSITORY, "following_a_link_out"),
        ("pipes and endless files do not stop a call", _REPOSITORY, "a_file_without_end"),
        (
            "a call imports no module from the repository",
            _REPOSITORY,
            "a_hook_call_imports_nothing_from_the_repository",
        ),
        (
            "a run of the engine imports no module from the repository",
            _REPOSITORY,
            "a_run_imports_nothing_from_the_repository",
        ),
        (
            "hookline's git runs no program that the repository's git configuration names",
            _REPOSITORY,
            "naming_a_program_in_the_settings_of_git",
        ),
        (
            "hookline's git runs no program that fetches",
            _REPOSITORY,
            "naming_a_program_that_fetches_a_missing_object",
        ),
        (
            "a committed folder that looks like a repository is not one",
            _REPOSITORY,
            "a_committed_folder_that_looks_like_a_repository",
        ),
        (
            "the engine's git runs no program that the repository's git configuration names",
            "tests/engine/git/test_hostile_configuration.py",
            "a_program_that_the_repository_configures",
        ),
        ("a file cannot hide in the trust diff", "tests/cli/test_trust.py", "a_file_cannot_hide_in_the_diff"),
    ),
    "Agents": (
        (
            "no sequence of tool calls that the guards let pass changes hookline's files and settings",
            "tests/test_hostile_agent.py",
            "no_sequence_of_calls_changes_what_guards_the_agent",
        ),
        (
            "an agent cannot trust a project",
            "tests/cli/test_trust.py",
            "an_agent_with_a_terminal_is_refused",
        ),
        (
            "a consent for a command without a terminal does not count inside an agent",
            "tests/cli/test_consents.py",
            "an_agent_is_refused_in_spite_of_a_consent",
        ),
        ("an agent cannot grant an exception", "tests/cli/test_allow.py", "an_agent_is_refused"),
        ("an agent cannot approve a path", "tests/cli/test_approve.py", "an_agent_is_refused"),
        (
            "a grant in a file counts only if the running daemon signed it",
            _GRANTS,
            "a_forged_grant_is_ignored_and_reported",
        ),
        (
            "the daemon signs no grant for a process of an agent",
            _GRANTS,
            "an_agent_gets_no_signature_from_the_socket",
        ),
        ("a grant ends with the daemon", _GRANTS, "a_grant_ends_with_its_daemon"),
        (
            "text of a repository or a program becomes no memory, and a later session gets it as data only",
            "tests/test_memory_poisoning.py",
            "planted_text_becomes_no_memory_and_is_shown_as_data_only",
        ),
        (
            "an agent gains no authority over what a person said",
            "tests/memory/test_authority.py",
            "a_client_cannot_use_a_persons_words_against_another_memory",
        ),
        (
            "the guards judge the final input again after every change by a hook",
            "tests/core/test_chain.py",
            "a_change_behind_the_guards_back_is_judged_again",
        ),
        (
            "a command that is too long to be examined does not pass unasked",
            _LARGE,
            "a_dangerous_end_of_a_command_that_is_too_long",
        ),
    ),
    "Other local users": (
        ("another user cannot use the daemon", _LIFECYCLE, "another_user_reaches_nothing"),
        (
            "a daemon folder of another user is not used",
            "tests/daemon/test_paths.py",
            "a_folder_of_another_user_is_not_used",
        ),
        (
            "grants that others could have written do not count",
            "tests/cli/test_allow.py",
            "the_file_is_its_users_alone_and_not_believed_otherwise",
        ),
        (
            "the MCP server answers nobody without its secret",
            "tests/cli/test_mcp.py",
            "who_does_not_know_the_secret_is_told_nothing",
        ),
        (
            "a secret of the MCP server that others can read is replaced",
            "tests/cli/test_mcp_secret.py",
            "a_secret_that_others_can_access_is_replaced",
        ),
        (
            "folders are created for you alone",
            "tests/system/test_paths.py",
            "a_folder_and_its_missing_parents_are_for_the_user_alone",
        ),
    ),
    "Dashboard": (
        ("no page is shown without the key of the link", _PAGES, "nothing_is_shown_without_the_link"),
        ("a link opens once", _PAGES, "a_link_opens_once_and_is_replaced"),
        ("a change from another page is refused", _PAGES, "a_change_from_another_origin"),
        ("a change without the form's token is refused", _PAGES, "a_change_without_the_forms_token"),
        ("a name that leads to this machine does not reach it", _PAGES, "rebinding_a_name_to_this_address"),
        (
            "hostile text of a session executes nothing in a browser",
            "tests/web/test_browser.py",
            "hostile_text_executes_nothing",
        ),
        (
            "an agent cannot start a dashboard that changes something",
            "tests/cli/test_ui.py",
            "an_agent_cannot_start_one_that_changes_something",
        ),
    ),
    "Secrets": (
        ("payloads: no secret is stored or printed", _SECRETS, "what_a_host_sends_is_neither_kept_nor_said"),
        ("hooks: no secret in an answer is stored", _SECRETS, "what_a_hook_answers_is_neither_kept_nor_said"),
        (
            "output that is too long to be searched is cut, for the agent and for the store",
            _LARGE,
            "a_long_output_is_cut_before_its_secrets",
        ),
        ("telemetry contains no secret", _SECRETS, "no_sink_is_told_a_secret"),
        ("webhooks contain no secret", _SECRETS, "no_secret_is_told_to_a_webhook"),
        ("memories contain no secret", _SECRETS, "what_a_person_remembers_holds_no_secret"),
        ("handoffs contain no secret", _SECRETS, "what_a_session_hands_on_holds_no_secret"),
        (
            "none of 500 planted secrets, in 60 formats and 6 encodings, is in any output",
            _PLANTED,
            "no_planted_secret_is_in_any_output",
        ),
        (
            "records that wait for the store contain no secret",
            _PLANTED,
            "no_planted_secret_is_in_the_spool",
        ),
        (
            "the daemon stores and logs no secret",
            "tests/daemon/test_secrets.py",
            "a_daemon_stores_and_logs_no_planted_secret",
        ),
        (
            "the agent does not see a secret in the output of a failed command, if the host accepts a change",
            _FAILED_OUTPUT,
            "output_of_a_failed_command_is_redacted",
        ),
        (
            "otherwise you get a warning",
            _FAILED_OUTPUT,
            "the_user_is_warned_of_a_secret_in_the_output_of_a_failed_command",
        ),
        (
            "runs of the engine store no secret",
            _SECRETS,
            "a_run_keeps_no_secret_that_its_agent_guard_or_metric_prints",
        ),
    ),
    "Faults": (
        (
            "a killed daemon loses no answer and duplicates no record",
            "tests/daemon/test_faults.py",
            "a_kill_storm_loses_no_answer_and_records_none_twice",
        ),
        (
            "no decision is lost or stored twice while a store is stopped, refuses, hangs or starts again",
            "tests/stores/test_outages.py",
            "no_decision_is_lost_or_duplicated",
        ),
        (
            "grants do not last longer because the clock was set back",
            "tests/test_clock_jumps.py",
            "a_grant_lasts_no_longer_because_the_clock_was_set_back",
        ),
        (
            "settings and options of a newer release are reported, and the call is judged",
            "tests/test_other_releases.py",
            "an_option_of_a_newer_release_is_reported_and_the_call_is_judged",
        ),
        (
            "a hanging daemon is replaced",
            _LIFECYCLE,
            "one_that_hangs_costs_one_call_its_wait_and_is_replaced",
        ),
        (
            "a failed guard is reported, and blocks in unattended runs",
            "tests/hooks/test_failures.py",
            "a_failed_guard_blocks_unattended",
        ),
        (
            "a hook that hangs, floods or forks delays an answer only until its timeout",
            "tests/test_misbehaving_hooks.py",
            "a_hook_that_would_not_end_is_ended",
        ),
        ("a hook that dies is reported", "tests/test_misbehaving_hooks.py", "a_hook_that_dies_is_named"),
    ),
    "Network": (
        (
            "telemetry does not go through a repository's proxy",
            "tests/test_hostile_network.py",
            "telemetry_through_a_proxy",
        ),
        (
            "a webhook does not go through a repository's proxy",
            "tests/test_hostile_network.py",
            "a_webhook_through_a_proxy",
        ),
        (
            "a hook with a URL follows no redirect",
            "tests/kinds/test_http.py",
            "a_redirect_is_refused",
        ),
        (
            "a webhook follows no redirect",
            "tests/system/test_webhook.py",
            "a_redirect_is_not_followed_and_not_tried_again",
        ),
        (
            "a repository cannot choose the receiver of a webhook",
            "tests/system/test_webhook.py",
            "a_repository_cannot_say_itself_where_the_end_is_told",
        ),
    ),
}
"""Guarantees by subject: text, test file, and name of the test without `test_`."""


def guarantees() -> str:
    """Return one table per subject."""
    return "\n".join(f"### {subject}\n\n{_table(rows)}" for subject, rows in GUARANTEES.items())


def _table(rows: tuple[tuple[str, str, str], ...]) -> str:
    return table(["guarantee", "test"], ([text, f"`{file}::test_{name}`"] for text, file, name in rows))
