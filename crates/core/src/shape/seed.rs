//! Tables of the seed form: the plan as it is run, and as the reference tool's authors write it.

use super::profile::ENVIRONMENT;
use super::{
    CONTAINED, DAY_MS, EXITS, Field, GIB, GRANTS, IDS, JSON_ALTERNATIVES, JSON_CHECKS, MUTATION, SCHEMA_VERSION,
    SEEN_VERSION, SENT, STATUSES, Shape, TEXT_OR_REFERENCE, TEXTS, Table, VALUE, Verb, may, must, seed_table,
};

const PATHS: Shape = Shape::Either(&[Shape::Text, Shape::List(&Shape::Text)]);
const GATE: &str =
    "Something that must exist before the run. Accepted for the reference tool; this build does not check it.";
const BROWSER: &str = "A browser setting of the reference tool. It changes nothing for requests and commands.";
const REQUESTS: &str = "A setting of the reference tool that changes requests. Not performed by this build.";

/// A plan in the seed form.
pub static SEED_PLAN: Table = seed_table(
    "seed-form plan",
    "Scenarios with their steps, mapped to the tests and criteria of a matrix.",
    &[
        &[
            SCHEMA_VERSION,
            may(
                "environment",
                Shape::Either(&[Shape::Text, Shape::Table(&ENVIRONMENT)]),
                "Where the plan runs: a name from `environments` in probity.yaml, or a map with name, kind, url and data.",
            ),
            may("baseUrl", Shape::Text, "The origin of paths where no environment is declared."),
            may("vars", Shape::Map(&Shape::Data), "Constants of all scenarios."),
            may("runtimeVars", Shape::Map(&Shape::Data), "Constants of all scenarios; `vars` wins over them."),
            GRANTS,
            may("mutation", Shape::Table(&MUTATION), "The write policy of the plan."),
            must("scenarios", Shape::Some(&Shape::Table(&SCENARIO)), "The scenarios in order."),
            may("qaRunId", Shape::Data, "The engine's own; a plan that chooses it is refused."),
            may("qaMarker", Shape::Data, "The engine's own; a plan that chooses it is refused."),
        ],
        &[
            may("metadata", Shape::Map(&Shape::Data), "Names of planning files. Kept, and changes nothing."),
            may("artifactDir", Shape::Text, "Where the reference tool puts files. Run folders are chosen by --out."),
            may("maxArtifactChars", Shape::Integer(0, i64::MAX), "Bound of previews. Evidence is kept whole."),
            may("viewport", Shape::Data, BROWSER),
            may("headless", Shape::Bool, BROWSER),
            may("channel", Shape::Text, BROWSER),
            may("captureWebSockets", Shape::Bool, BROWSER),
            may("launchOptions", Shape::Map(&Shape::Data), REQUESTS),
            may("contextOptions", Shape::Map(&Shape::Data), REQUESTS),
            may("storageState", Shape::Data, REQUESTS),
            may("extraHTTPHeaders", Shape::Map(&Shape::Data), REQUESTS),
            may("defaultHeaders", Shape::Map(&Shape::Data), REQUESTS),
            may("preflight", Shape::Map(&Shape::Data), GATE),
        ],
        GATES,
    ],
);

/// Names of the fields in which a seed-form document says what must exist beforehand.
const GATES: &[Field] = &[
    may("requiredFiles", PATHS, GATE),
    may("requiredDirectories", PATHS, GATE),
    may("requiredDirs", PATHS, GATE),
    may("requiredPaths", PATHS, GATE),
];

/// A scenario.
pub static SCENARIO: Table = seed_table(
    "scenario",
    "Steps in order that share variables and cookies.",
    &[&[
        must("id", Shape::Id, "The id that people quote."),
        may("title", Shape::Text, "What the scenario shows, in a few words."),
        may("continueOnFailure", Shape::Bool, "Go on with the next step after a failure."),
        may("uses", IDS, "Scenarios whose variables and cookies this one starts from; it runs after them."),
        may(
            "notClaimed",
            Shape::List(&Shape::Table(&NOT_CLAIMED)),
            "Claims that the wording of a criterion suggests and that this scenario does not make.",
        ),
        must("steps", Shape::Some(&SEED_STEP), "What is done, in order."),
    ]],
);

static NOT_CLAIMED: Table = seed_table(
    "unclaimed obligation",
    "An answer to wording that sounds like a claim which the scenario does not make.",
    &[&[
        must("criterion", Shape::Id, "The criterion whose wording suggests the claim."),
        must("kind", Shape::Words(KINDS), "The kind of obligation that its wording suggests."),
        must("why", Shape::Text, "Why the scenario does not claim it."),
    ]],
);

const KINDS: &[&str] = &["marker", "terminal", "persistence", "absence"];

static OBLIGATION: Table = seed_table(
    "declared obligation",
    "What a step must show beyond its expectations.",
    &[&[
        must("kind", Shape::Words(KINDS), "`marker`, `terminal`, `persistence` or `absence`."),
        may("path", Shape::Text, "`terminal`: the path that must have reached one of `values`."),
        may("values", Shape::Some(&Shape::Data), "`terminal`: the values that end the process."),
        may("of", TEXTS, "`persistence`: variables that name the object."),
    ]],
);

const OBLIGATIONS: Shape = Shape::List(&Shape::Table(&OBLIGATION));

/// A step of the seed form, by its action.
pub const SEED_STEP: Shape = Shape::Actions(ACTIONS);

const fn browser(name: &'static str) -> Verb {
    Verb { name, table: None }
}

/// Every action of the seed form.
pub(super) const ACTIONS: &[Verb] = &[
    Verb { name: "api", table: Some(&API_STEP) },
    Verb { name: "pollApi", table: Some(&POLL_STEP) },
    Verb { name: "cleanupApi", table: Some(&API_STEP) },
    Verb { name: "command", table: Some(&COMMAND_STEP) },
    Verb { name: "log", table: Some(&LOG_STEP) },
    browser("websocket"),
    browser("sse"),
    browser("goto"),
    browser("setLocalStorage"),
    browser("addCookies"),
    browser("click"),
    browser("clickText"),
    browser("clickRole"),
    browser("clickAndWaitForResponse"),
    browser("fill"),
    browser("fillLabel"),
    browser("fillPlaceholder"),
    browser("press"),
    browser("wait"),
    browser("waitForLoadState"),
    browser("waitForResponse"),
    browser("expectText"),
    browser("expectAnyText"),
    browser("expectVisible"),
    browser("expectHidden"),
    browser("expectClickable"),
    browser("expectLocatorCount"),
    browser("expectUrlContains"),
    browser("expectNoConsoleErrors"),
    browser("expectNoRequestFailures"),
    browser("expectNoFailedResponses"),
    browser("expectNoRequest"),
    browser("dismissIfPresent"),
    browser("screenshot"),
    browser("upload"),
    browser("download"),
];

const ACTION_NAMES: &[&str] = &["api", "pollApi", "cleanupApi", "command", "log"];

const COMMON: &[Field] = &[
    may("id", Shape::Id, "The step's id, unique in the plan. By default the scenario's and its number."),
    may("title", Shape::Text, "What the step does, in a few words."),
    must(
        "action",
        Shape::Words(ACTION_NAMES),
        "What the step does: `api`, `pollApi`, `cleanupApi`, `command` or `log`.",
    ),
    may("testIds", IDS, "Tests of the matrix that the step belongs to. None: a set-up step."),
    may("requirementIds", IDS, "Criteria that the step belongs to."),
    may("evidenceType", Shape::Text, "What the step's evidence is: `api_response`, `command`, `cleanup`, …"),
    may("proves", Shape::Text, "What the step proves, in words."),
    may("strategyDimensions", Shape::List(&Shape::Text), "Kinds of proof that the step gives."),
    may("provesDimensions", Shape::List(&Shape::Text), "An older name of strategyDimensions."),
    may("evidenceDimensions", Shape::List(&Shape::Text), "An older name of strategyDimensions."),
    may("alwaysRun", Shape::Bool, "Runs even after a failure and after cancellation."),
    may("skipIfMissingVars", Shape::Bool, "Skipped, not failed, when a variable it needs never came to be."),
    may("continueOnFailure", Shape::Bool, "Go on with the next step after this one failed."),
    may("timeoutMs", Shape::Integer(1, DAY_MS), "Time limit in ms. By default 30000 for requests, 60000 for commands."),
    may("idempotent", Shape::Bool, "Whether the step may be sent twice. Nothing is retried."),
    may("record", Shape::Map(&Shape::Text), "Values for success policies: name and path."),
    may("obligations", OBLIGATIONS, "What the step must show beyond its expectations."),
];

const TIME: Field = may("expectTimeMs", Shape::Integer(1, DAY_MS), "The answer takes at most this many ms.");

const EXTRACT: Shape = Shape::Map(&Shape::Either(&[Shape::Text, Shape::Map(&Shape::Data)]));

const REQUEST: &[Field] = &[
    may("method", Shape::Text, "The HTTP method. By default GET."),
    may("path", Shape::Text, "Path below the environment's url; {name} is filled in and percent-encoded."),
    may("pathTemplate", Shape::Text, "The same as path."),
    may("url", Shape::Text, "Absolute http or https URL; {name} is filled in after the origin."),
    may("urlTemplate", Shape::Text, "The same as url."),
    may("encodePathVars", Shape::Bool, "Always true: what is filled into a path is percent-encoded."),
    may("query", Shape::Map(&Shape::Either(&[VALUE, Shape::List(&VALUE)])), "Query pairs; they are percent-encoded."),
    may("headers", Shape::Map(&TEXT_OR_REFERENCE), "Header lines. Credentials are references: {\"$env\": \"NAME\"}."),
];

const KEPT: &[Field] = &[
    may("maxBodyBytes", Shape::Integer(1, GIB), "Cap of the answer's body in bytes. By default 10485760."),
    may("captureRequestBody", Shape::Bool, "Keep the request that was sent as evidence."),
    may("captureRequest", Shape::Bool, "The same as captureRequestBody."),
    may("captureBody", Shape::Bool, "The answer is always kept; this changes nothing."),
    may("captureBodyFile", Shape::Data, "The answer is always kept; this changes nothing."),
    may("captureResponseHeaders", Shape::Bool, "Headers are always kept; this changes nothing."),
    may("maxBodyChars", Shape::Integer(0, i64::MAX), "Bound of previews. Evidence is kept whole."),
    may("maxRequestBodyChars", Shape::Integer(0, i64::MAX), "Bound of previews. Evidence is kept whole."),
];

const ANSWER: &[Field] = &[
    may("expectStatus", STATUSES, "The status, or a list of statuses of which one must come."),
    may("expectStatusAny", STATUSES, "A list of statuses of which one must come."),
    may("expectResponseHeaders", Shape::Map(&Shape::Expectation), "Response headers by name, in any case."),
    may("expectResponseHeader", Shape::Map(&Shape::Expectation), "The same as expectResponseHeaders."),
    may("expectResponseHeaderContains", Shape::Map(&CONTAINED), "Texts that response headers contain."),
    may("expectResponseHeaderMatches", Shape::Map(&Shape::Text), "Patterns that are found in response headers."),
    may("expectJson", JSON_CHECKS, "Paths into the JSON answer and what stands there."),
    may("expectJsonAny", JSON_ALTERNATIVES, "Alternatives for expectJson, of which one must hold."),
    may("expectResponseTextContains", CONTAINED, "Texts that the body contains."),
    may("expectResponseTextNotContains", CONTAINED, "Texts that the complete body does not contain."),
    may("expectResponseText", Shape::Expectation, "Operators over the whole body."),
    TIME,
    may(
        "expectSize",
        Shape::Either(&[Shape::Integer(0, i64::MAX), Shape::Map(&Shape::Integer(0, i64::MAX))]),
        "Size of the body in bytes: a number, or {gt, gte, lt, lte}.",
    ),
    may("expectRedirect", TEXT_OR_REFERENCE, "The first Location; both are resolved against the request."),
    may("expectHttpVersion", SEEN_VERSION, "The HTTP version of the answer: 1.1 or 2."),
    may("expectSchema", Shape::Text, "File with a JSON Schema that the JSON answer satisfies."),
    may("expectRequestJson", JSON_CHECKS, "Paths into the JSON that was sent. Supports no criterion."),
    may("expectRequestTextContains", CONTAINED, "Texts that the sent body contains. Supports no criterion."),
    may("expectRequestTextNotContains", CONTAINED, "Texts that the sent body lacks. Supports no criterion."),
    may("expectRequestText", Shape::Expectation, "Operators over the whole sent body. Supports no criterion."),
    may("extractJson", EXTRACT, "Values for later steps: name and path into the JSON answer."),
    may("extractResponseHeader", Shape::Map(&Shape::Text), "Values for later steps: name and response header."),
    may("extractText", Shape::Map(&Shape::Text), "Values for later steps: name and a pattern with one group."),
];

/// A step with the action `api` or `cleanupApi`.
pub static API_STEP: Table =
    seed_table("api step", "An HTTP request and what its answer must be like.", &[COMMON, REQUEST, SENT, KEPT, ANSWER]);

const REPEATED: &[Field] = &[
    may("pollIntervalMs", Shape::Integer(50, DAY_MS), "Pause between two tries in ms. By default 1000."),
    may("pollTimeoutMs", Shape::Integer(50, DAY_MS), "Time for all tries together in ms. By default 30000."),
    may("maxAttempts", Shape::Integer(1, 100_000), "Greatest number of tries. By default as many as fit."),
];

/// A step with the action `pollApi`.
pub static POLL_STEP: Table = seed_table(
    "pollApi step",
    "An HTTP request that is repeated until every expectation holds.",
    &[COMMON, REQUEST, SENT, KEPT, ANSWER, REPEATED],
);

const ARGV: Shape = Shape::Some(&TEXT_OR_REFERENCE);

/// A step with the action `command`.
pub static COMMAND_STEP: Table = seed_table(
    "command step",
    "A command and what it must answer.",
    &[
        COMMON,
        &[
            may("command", ARGV, "The program and its arguments, one list item each."),
            may("cmd", ARGV, "An older name of command."),
            may("cwd", Shape::Text, "Working folder inside the project. By default the project's folder."),
            may("env", Shape::Map(&TEXT_OR_REFERENCE), "Added environment. Credentials are references."),
            may("stdin", Shape::Data, "Standard input: a text, or a map or list that is sent as JSON."),
            may("shell", Shape::Bool, "Hand the one argument to `sh -c`. Needs `grants: [shell]`."),
            may("captureStdout", Shape::Bool, "Output is always kept; this changes nothing."),
            may("captureStderr", Shape::Bool, "Output is always kept; this changes nothing."),
        ],
        GATES,
        &[
            may("expectExitCode", EXITS, "The exit code, or a list of codes of which one must come."),
            may("expectStdoutJson", JSON_CHECKS, "Paths into the JSON on standard output and what stands there."),
            may("expectStdoutJsonAny", JSON_ALTERNATIVES, "Alternatives for expectStdoutJson, of which one must hold."),
            may("expectStdoutContains", CONTAINED, "Texts that standard output contains."),
            may("expectStdoutNotContains", CONTAINED, "Texts that the complete standard output does not contain."),
            may("expectStdoutText", Shape::Expectation, "Operators over all of standard output."),
            may(
                "expectStdoutSchema",
                Shape::Text,
                "File with a JSON Schema that the JSON on standard output satisfies.",
            ),
            may("expectStderrContains", CONTAINED, "Texts that standard error contains."),
            may("expectStderrNotContains", CONTAINED, "Texts that the complete standard error does not contain."),
            may("expectStderrText", Shape::Expectation, "Operators over all of standard error."),
            may("expectStderrJson", JSON_CHECKS, "Paths into the JSON on standard error and what stands there."),
            TIME,
            may(
                "extractStdoutJson",
                EXTRACT,
                "Values for later steps: name and path into the JSON on standard output.",
            ),
            may(
                "extractStdoutText",
                Shape::Map(&Shape::Text),
                "Values for later steps: name and a pattern with one group.",
            ),
        ],
    ],
);

/// A step with the action `log`.
pub static LOG_STEP: Table = seed_table(
    "log action",
    "A look at what a service of the run wrote since the case began, on standard output and standard error alike.",
    &[
        COMMON,
        &[must("service", Shape::Id, "The service, as probity.yaml declares it.")],
        REPEATED,
        &[
            may("expectLogContains", CONTAINED, "Texts that the log contains."),
            may("expectLogNotContains", CONTAINED, "Texts that the complete log does not contain."),
            may("expectLogText", Shape::Expectation, "Operators over all of the log."),
        ],
    ],
);
