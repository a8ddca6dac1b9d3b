-- Version 2 of the sqlite store, as it was released: never edited.
CREATE TABLE sessions (
    session TEXT PRIMARY KEY, host TEXT NOT NULL, cwd TEXT NOT NULL, at REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE records (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE, at REAL NOT NULL, session TEXT NOT NULL, host TEXT NOT NULL,
    event TEXT NOT NULL, cwd TEXT NOT NULL, tool TEXT NOT NULL, summary TEXT NOT NULL,
    action TEXT NOT NULL, rules TEXT NOT NULL, reason TEXT NOT NULL, warnings TEXT NOT NULL,
    trail TEXT NOT NULL, ms REAL NOT NULL, counts TEXT NOT NULL
);
CREATE INDEX records_of_session ON records (session);
CREATE TABLE counters (
    session TEXT NOT NULL, name TEXT NOT NULL, value INTEGER NOT NULL, PRIMARY KEY (session, name)
) WITHOUT ROWID;
CREATE TABLE notes (
    session TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (session, name)
) WITHOUT ROWID;
CREATE TABLE held (
    position INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, text TEXT NOT NULL
);
CREATE INDEX held_of_session ON held (session);
INSERT INTO sessions VALUES ('s1', 'claude-code', '/x', 1.0);
INSERT INTO records VALUES (3, 'r1', 1.5, 's1', 'claude-code', 'PreToolUse', '/x', 'shell', 'git push', 'block',
    '["git-push-force"]', 'because', '["w"]', '[{"hook":"h"}]', 0.5, '{"calls":2}');
INSERT INTO counters VALUES ('s1', 'calls', 2);
INSERT INTO notes VALUES ('s1', 'k', '[1,null]');
INSERT INTO held VALUES (7, 's1', 'first');
INSERT INTO held VALUES (8, 's1', 'later');
