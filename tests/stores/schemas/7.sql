CREATE TABLE sessions (
    session TEXT PRIMARY KEY, host TEXT NOT NULL, cwd TEXT NOT NULL, at REAL NOT NULL
, call TEXT NOT NULL DEFAULT '') WITHOUT ROWID;
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
CREATE INDEX records_by_age ON records (at);
CREATE INDEX records_with_decision ON records (position) WHERE (action <> 'pass' OR warnings <> '[]');
CREATE TABLE memories (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, at REAL NOT NULL, text TEXT NOT NULL,
    kind TEXT NOT NULL, tags TEXT NOT NULL, project TEXT NOT NULL, confidence REAL NOT NULL,
    used REAL, uses INTEGER NOT NULL, words TEXT NOT NULL
, branch TEXT NOT NULL DEFAULT '', issue TEXT NOT NULL DEFAULT '', half_life REAL DEFAULT 90.0, pinned INTEGER NOT NULL DEFAULT 0, relations TEXT NOT NULL DEFAULT '[]', source TEXT NOT NULL DEFAULT '', whose TEXT GENERATED ALWAYS AS ('p' || hex(project)) VIRTUAL);
CREATE TABLE signatures (
    number INTEGER PRIMARY KEY, project TEXT NOT NULL, key TEXT NOT NULL, text TEXT NOT NULL,
    seen INTEGER NOT NULL, first_seen REAL NOT NULL, last_seen REAL NOT NULL, fix TEXT NOT NULL,
    UNIQUE (project, key)
);
CREATE INDEX signatures_by_age ON signatures (last_seen);
CREATE INDEX signatures_by_key ON signatures (key);
CREATE TABLE handoffs (
    position INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, at REAL NOT NULL,
    session TEXT NOT NULL, text TEXT NOT NULL, project TEXT NOT NULL, details TEXT NOT NULL
);
CREATE INDEX handoffs_of_project ON handoffs (project, at);
CREATE TABLE experiments (
    run TEXT NOT NULL, number INTEGER NOT NULL, at REAL NOT NULL, status TEXT NOT NULL,
    revision TEXT NOT NULL, metric REAL, description TEXT NOT NULL, details TEXT NOT NULL,
    PRIMARY KEY (run, number)
) WITHOUT ROWID;
CREATE INDEX memories_by_worth ON memories (pinned, confidence, at);
CREATE INDEX memories_of_project ON memories (project, pinned, confidence, at);
CREATE VIRTUAL TABLE memory_words USING fts5 (
    words, whose, content = 'memories', content_rowid = 'number', tokenize = 'ascii'
);
CREATE TRIGGER memory_remembered AFTER INSERT ON memories BEGIN
    INSERT INTO memory_words (rowid, words, whose) VALUES (new.number, new.words, new.whose);
END;
CREATE TRIGGER memory_forgotten AFTER DELETE ON memories BEGIN
    INSERT INTO memory_words (memory_words, rowid, words, whose)
    VALUES ('delete', old.number, old.words, old.whose);
END;
CREATE TRIGGER memory_reworded AFTER UPDATE OF words, project ON memories BEGIN
    INSERT INTO memory_words (memory_words, rowid, words, whose)
    VALUES ('delete', old.number, old.words, old.whose);
    INSERT INTO memory_words (rowid, words, whose) VALUES (new.number, new.words, new.whose);
END;
INSERT INTO sessions VALUES ('s1', 'claude-code', '/x', 1.0, '');
INSERT INTO records VALUES (3, 'r1', 1.5, 's1', 'claude-code', 'PreToolUse', '/x', 'shell', 'git push', 'block',
    '["git-push-force"]', 'because', '["w"]', '[{"hook":"h"}]', 0.5, '{"calls":2}');
INSERT INTO counters VALUES ('s1', 'calls', 2);
INSERT INTO notes VALUES ('s1', 'k', '[1,null]');
INSERT INTO held VALUES (7, 's1', 'first');
INSERT INTO held VALUES (8, 's1', 'later');
INSERT INTO memories (number, id, at, text, kind, tags, project, confidence, used, uses, words, branch, issue, half_life,
    pinned, relations, source)
VALUES (5, 'm1', 2.0, 'use tabs', 'rule', '["style"]', '', 0.5, 4.0, 3, 'style use tabs', '', '', 90.0, 0, '[]', '');
INSERT INTO signatures VALUES (1, 'p', 'e1', 'no such file', 4, 1.0, 2.0, 'restart it');
INSERT INTO handoffs VALUES (1, 'h1', 1.0, 's1', 'go on', 'p', '{}');
INSERT INTO experiments VALUES ('run', 1, 1.0, 'kept', 'abc', 0.25, 'try it', '{}');
ALTER TABLE signatures ADD COLUMN command TEXT NOT NULL DEFAULT '';
ALTER TABLE signatures ADD COLUMN weight REAL NOT NULL DEFAULT 0;
CREATE INDEX signatures_with_fix ON signatures (project, last_seen) WHERE fix <> '';
UPDATE signatures SET command = 'npm ci', weight = 2.5;
ALTER TABLE records ADD COLUMN subagent TEXT NOT NULL DEFAULT '';
ALTER TABLE records ADD COLUMN subagent_type TEXT NOT NULL DEFAULT '';
CREATE INDEX records_of_subagent ON records (session, subagent, position) WHERE subagent <> '';
