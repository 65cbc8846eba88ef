-- Tables of the index of QA runs, one text for SQLite and PostgreSQL. Types are TEXT, BIGINT and DOUBLE PRECISION alone;
-- times are microseconds since 1970. Numbers of outside data are kept as their tokens; the column beside, ending in _num,
-- is a double near it, for queries by hand. What may not be changed stands in guards.rs.

CREATE TABLE qa_requirements (
    id TEXT NOT NULL PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 128),
    folded TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind <> ''),
    origin TEXT NOT NULL CHECK (origin IN ('explicit', 'seeded_default', 'ac_derived', 'flow_derived')),
    created_by TEXT NOT NULL CHECK (trim(created_by) <> ''),
    created_at BIGINT NOT NULL
);

-- The one row of a requirement that changes: which version counts, and how many runs it has. Writers wait for it.
CREATE TABLE qa_heads (
    requirement_id TEXT NOT NULL PRIMARY KEY REFERENCES qa_requirements (id),
    version BIGINT NOT NULL CHECK (version >= 0),
    runs BIGINT NOT NULL CHECK (runs >= 0),
    last_at BIGINT NOT NULL
);

CREATE TABLE qa_policy_versions (
    requirement_id TEXT NOT NULL REFERENCES qa_requirements (id),
    version BIGINT NOT NULL CHECK (version >= 1),
    policy TEXT,
    policy_sha256 TEXT NOT NULL CHECK (length(policy_sha256) = 64),
    phase TEXT NOT NULL CHECK (phase IN ('verification', 'post_deploy', 'manual_acceptance')),
    blocking TEXT NOT NULL CHECK (blocking IN ('blocking', 'non_blocking')),
    target_env TEXT,
    plan TEXT,
    accept_reported BIGINT NOT NULL CHECK (accept_reported IN (0, 1)),
    created_by TEXT NOT NULL CHECK (trim(created_by) <> ''),
    reason TEXT CHECK (trim(reason) <> ''),
    created_at BIGINT NOT NULL,
    PRIMARY KEY (requirement_id, version),
    CHECK (version = 1 OR reason IS NOT NULL)
);

CREATE TABLE qa_runs (
    requirement_id TEXT NOT NULL REFERENCES qa_requirements (id),
    n BIGINT NOT NULL CHECK (n >= 1),
    idempotency_key TEXT NOT NULL UNIQUE CHECK (length(idempotency_key) BETWEEN 1 AND 200),
    policy_version BIGINT NOT NULL,
    performed_by TEXT NOT NULL CHECK (trim(performed_by) <> ''),
    source TEXT NOT NULL CHECK (source IN ('observed', 'reported')),
    run TEXT,
    seal TEXT,
    commit_sha TEXT,
    tree TEXT NOT NULL CHECK (tree IN ('clean', 'dirty', 'declared')),
    verdict TEXT CHECK (verdict IN ('pass', 'fail', 'undetermined', 'error')),
    verdict_reason TEXT CHECK (trim(verdict_reason) <> ''),
    score TEXT,
    score_num DOUBLE PRECISION CHECK (score_num BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308),
    confidence TEXT,
    confidence_num DOUBLE PRECISION CHECK (confidence_num BETWEEN 0 AND 1),
    raw_result TEXT,
    duration_ms BIGINT CHECK (duration_ms >= 0),
    recorded_at BIGINT NOT NULL,
    PRIMARY KEY (requirement_id, n),
    FOREIGN KEY (requirement_id, policy_version) REFERENCES qa_policy_versions (requirement_id, version),
    CHECK (verdict <> 'undetermined' OR verdict_reason IS NOT NULL),
    CHECK (source <> 'observed' OR (run IS NOT NULL AND seal IS NOT NULL)),
    CHECK ((score IS NULL) = (score_num IS NULL)),
    CHECK ((confidence IS NULL) = (confidence_num IS NULL))
);
CREATE INDEX qa_runs_of_commit ON qa_runs (requirement_id, commit_sha, n);
CREATE INDEX qa_runs_by_time ON qa_runs (recorded_at);

-- What policies look at in raw results, taken out once: the top-level keys.
CREATE TABLE qa_run_metrics (
    requirement_id TEXT NOT NULL,
    n BIGINT NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('number', 'bool', 'text', 'other')),
    token TEXT,
    num DOUBLE PRECISION,
    PRIMARY KEY (requirement_id, n, name),
    FOREIGN KEY (requirement_id, n) REFERENCES qa_runs (requirement_id, n),
    CHECK ((kind = 'number') = (num IS NOT NULL)),
    CHECK ((kind = 'other') = (token IS NULL))
);

CREATE TABLE qa_artifacts (
    requirement_id TEXT NOT NULL,
    n BIGINT NOT NULL,
    position BIGINT NOT NULL CHECK (position >= 1),
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
    size BIGINT NOT NULL CHECK (size >= 0),
    media TEXT NOT NULL,
    PRIMARY KEY (requirement_id, n, position),
    FOREIGN KEY (requirement_id, n) REFERENCES qa_runs (requirement_id, n)
);

CREATE TABLE qa_waivers (
    idempotency_key TEXT NOT NULL PRIMARY KEY,
    requirement_id TEXT NOT NULL,
    policy_version BIGINT NOT NULL,
    commit_sha TEXT,
    until_at BIGINT NOT NULL,
    created_by TEXT NOT NULL CHECK (trim(created_by) <> ''),
    reason TEXT NOT NULL CHECK (trim(reason) <> ''),
    created_at BIGINT NOT NULL,
    FOREIGN KEY (requirement_id, policy_version) REFERENCES qa_policy_versions (requirement_id, version)
);
CREATE INDEX qa_waivers_of_requirement ON qa_waivers (requirement_id, policy_version);

CREATE TABLE qa_decisions (
    id TEXT NOT NULL PRIMARY KEY,
    phase TEXT NOT NULL,
    ok BIGINT NOT NULL CHECK (ok IN (0, 1)),
    sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
    body TEXT NOT NULL,
    decided_at BIGINT NOT NULL
);
CREATE INDEX qa_decisions_by_time ON qa_decisions (decided_at);

-- Counts under one version of a requirement, by commit, source and tree: what a gate reads instead of the runs. Sums and
-- latest times, made by core; rows of completed runs can always be counted again.
CREATE TABLE qa_states (
    requirement_id TEXT NOT NULL,
    policy_version BIGINT NOT NULL,
    commit_sha TEXT NOT NULL,
    source TEXT NOT NULL,
    tree TEXT NOT NULL,
    pass BIGINT NOT NULL,
    fail BIGINT NOT NULL,
    undetermined BIGINT NOT NULL,
    error BIGINT NOT NULL,
    yes BIGINT NOT NULL,
    no BIGINT NOT NULL,
    contradictions BIGINT NOT NULL,
    scores_differ BIGINT NOT NULL,
    newest_yes BIGINT NOT NULL,
    newest_no BIGINT NOT NULL,
    PRIMARY KEY (requirement_id, policy_version, commit_sha, source, tree),
    FOREIGN KEY (requirement_id, policy_version) REFERENCES qa_policy_versions (requirement_id, version)
);
