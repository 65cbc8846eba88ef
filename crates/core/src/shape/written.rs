//! Tables of the written form: what people put into `NAME.probity.yaml`.

use super::profile::ENVIRONMENT;
use super::{
    CONTAINED, EXITS, Field, GRANTS, IDS, JSON_ALTERNATIVES, JSON_CHECKS, MUTATION, SCHEMA_VERSION, SEEN_VERSION, SENT,
    STATUSES, Shape, TEXT_OR_REFERENCE, TEXTS, Table, VALUE, Verb, may, must, table,
};

/// A written plan.
pub static WRITTEN_PLAN: Table = table(
    "plan",
    "A requirement, and the cases that show whether it is met.",
    &[&[
        SCHEMA_VERSION,
        must("requirement", Shape::Table(&REQUIREMENT), "What must hold, as criteria that can each be checked."),
        may(
            "environment",
            Shape::Either(&[Shape::Text, Shape::Table(&ENVIRONMENT)]),
            "Where the plan runs: a name from `environments` in probity.yaml, or a map with name, kind, url and data.",
        ),
        may("vars", Shape::Map(&Shape::Data), "Constants of all cases, used as \"{name}\"."),
        GRANTS,
        may("mutation", Shape::Table(&MUTATION), "The write policy of the plan."),
        must(
            "cases",
            Shape::Some(&Shape::Table(&CASE)),
            "The cases. Each has its own variables, cookies and browser context.",
        ),
    ]],
);

/// The requirement of a written plan.
pub static REQUIREMENT: Table = table(
    "requirement",
    "What must hold.",
    &[&[
        may("title", Shape::Text, "What the requirement is about, in a few words."),
        may("source", Shape::Text, "Where it comes from: the URL of an issue, or a sentence."),
        must(
            "criteria",
            Shape::Some(&Shape::Table(&CRITERION)),
            "The parts of the requirement, each of which can be checked.",
        ),
        may(
            "outOfScope",
            Shape::List(&Shape::Table(&EXCLUDED)),
            "Lines of the requirement that this plan is not responsible for. Printed as not claimed.",
        ),
        may(
            "later",
            Shape::List(&Shape::Table(&EXCLUDED)),
            "Lines that are ours and put off. They are untested, so the whole cannot pass.",
        ),
        may("acceptsMock", Shape::Bool, "Whether mock data will do. Without it, mock data caps the claim."),
    ]],
);

/// A criterion of a written plan.
pub static CRITERION: Table = table(
    "criterion",
    "One part of the requirement that can be checked.",
    &[&[
        must("id", Shape::Id, "The id that cases name under `covers`."),
        must("text", Shape::Text, "What must hold, in the words of the requirement."),
        must(
            "needs",
            TEXTS,
            "The layer of evidence that must show it, or a list of layers: `api` (an http step), `command` (a run \
             step), `persistence` (a step with `shows: persistence`), … Never inferred from the steps.",
        ),
        may(
            "about",
            Shape::Words(&["status"]),
            "`status`: a status alone is what the criterion is about, so checking only that is enough.",
        ),
    ]],
);

/// A line that is not tested on purpose.
pub static EXCLUDED: Table = table(
    "excluded line",
    "A line of the requirement that is not tested, on purpose.",
    &[&[
        must("text", Shape::Text, "The line, in the words of the requirement."),
        must("why", Shape::Text, "Why it is not tested here."),
    ]],
);

static NOT_CLAIMED: Table = table(
    "claim not made",
    "An answer to wording that sounds like a claim which the case does not make.",
    &[&[
        must("criterion", Shape::Id, "The criterion whose wording suggests the claim."),
        must("kind", Shape::Words(SHOWS), "The kind of obligation that its wording suggests."),
        must("why", Shape::Text, "Why the case does not claim it."),
    ]],
);

/// A case of a written plan.
pub static CASE: Table = table(
    "case",
    "A designed test: steps in order, and cleanup that always runs.",
    &[&[
        must("id", Shape::Id, "The id that people quote."),
        may("title", Shape::Text, "What the case shows, in a few words."),
        may(
            "covers",
            IDS,
            "Criteria that the steps of this case show. A step narrows them; `covers: []` makes it a set-up step.",
        ),
        may("uses", IDS, "Cases whose variables and cookies this one starts from; it runs after them."),
        may("continue", Shape::Bool, "Go on with the next step after a failure."),
        must("steps", Shape::Some(&STEP), "What is done, in order."),
        may(
            "cleanup",
            Shape::List(&STEP),
            "Steps that always run, in order, also after failure and cancellation. One whose variable never came to \
             be is skipped.",
        ),
        may(
            "notClaimed",
            Shape::List(&Shape::Table(&NOT_CLAIMED)),
            "Claims that the wording of a criterion suggests and that this case does not make.",
        ),
    ]],
);

/// A step of a written plan, by its verb; seed-form steps (`action: …`) may stand among them.
pub const STEP: Shape = Shape::Verbs(VERBS);

const VERBS: &[Verb] = &[
    Verb { name: "http", table: Some(&HTTP_STEP) },
    Verb { name: "run", table: Some(&RUN_STEP) },
    Verb { name: "log", table: Some(&LOG_STEP) },
    Verb { name: "action", table: None },
    Verb { name: "listen", table: None },
    Verb { name: "await", table: None },
    Verb { name: "sse", table: None },
    Verb { name: "websocket", table: None },
    Verb { name: "goto", table: None },
    Verb { name: "fill", table: None },
    Verb { name: "click", table: None },
    Verb { name: "press", table: None },
    Verb { name: "see", table: None },
    Verb { name: "notSee", table: None },
    Verb { name: "screenshot", table: None },
    Verb { name: "dismiss", table: None },
    Verb { name: "noConsoleErrors", table: None },
    Verb { name: "noFailedResponses", table: None },
    Verb { name: "noFailedRequests", table: None },
    Verb { name: "noRequest", table: None },
    Verb { name: "upload", table: None },
    Verb { name: "download", table: None },
];

/// Kinds of obligation.
const SHOWS: &[&str] = &["marker", "terminal", "persistence", "absence"];

/// What an obligation needs beside its kind.
pub static SHOWS_DETAIL: Table = table(
    "obligation",
    "What the obligation needs beside its kind.",
    &[&[
        may("path", Shape::Text, "`terminal`: the path that must have reached one of `values`."),
        may("values", Shape::Some(&Shape::Data), "`terminal`: the values that end the process."),
        may(
            "of",
            TEXTS,
            "`persistence`: variables that name the object. By default the saved variables in the step's input.",
        ),
    ]],
);

static SHOWS_MAP: Table = table(
    "shows",
    "An obligation with its details.",
    &[&[
        may("marker", Shape::Table(&SHOWS_DETAIL), "The run's marker came back in received data."),
        may("terminal", Shape::Table(&SHOWS_DETAIL), "`path` reached one of `values`."),
        may("persistence", Shape::Table(&SHOWS_DETAIL), "The object was read back another way than it was made."),
        may("absence", Shape::Table(&SHOWS_DETAIL), "Something is not there, beside a control that is."),
    ]],
);

const SHOWS_ITEM: Shape = Shape::Either(&[Shape::Words(SHOWS), Shape::Table(&SHOWS_MAP)]);

const SHOWN: Shape = Shape::Either(&[Shape::Words(SHOWS), Shape::Table(&SHOWS_MAP), Shape::List(&SHOWS_ITEM)]);
const SAVED: Shape = Shape::Map(&Shape::Either(&[Shape::Text, Shape::Table(&SAVE_FROM)]));

const COMMON: &[Field] = &[
    may("title", Shape::Text, "What the step does, in a few words."),
    may("covers", IDS, "Criteria that this step shows, out of those of its case. `[]`: a set-up step."),
    may(
        "shows",
        SHOWN,
        "What the step must show beyond its expectations: `marker` (the run's marker came back), `terminal` (a \
         process ended), `persistence` (the object was read back another way), `absence` (it is not there, beside a \
         control that is).",
    ),
    may(
        "save",
        SAVED,
        "Values for later steps: name and path into the JSON answer, or {header: NAME}, or {text: pattern with one \
         group}. Not found fails the step.",
    ),
    may("record", Shape::Map(&Shape::Text), "Values for success policies: name and path into the JSON answer."),
    may("timeout", Shape::Duration, "Time limit, such as 5s. By default 30s for http and 60s for run."),
    may(
        "idempotent",
        Shape::Bool,
        "Whether the step may be sent twice. Nothing is retried; a lost answer is judged by it.",
    ),
    may("continue", Shape::Bool, "Go on with the next step after this one failed."),
];

static SAVE_FROM: Table = table(
    "saved value",
    "Where a saved value comes from: exactly one of header and text.",
    &[&[
        may("header", Shape::Text, "Name of a response header, in any case."),
        may("text", Shape::Text, "Pattern with one group, searched in the whole text."),
    ]],
);

/// An http step of a written plan.
pub static HTTP_STEP: Table = table(
    "http step",
    "An HTTP request and what its answer must be like. Without `expect.status` an answer of 400 or more fails.",
    &[
        &[
            must(
                "http",
                Shape::Text,
                "METHOD and a path of the environment, as in `GET /api/orders/{order}`, or an absolute URL.",
            ),
            may(
                "query",
                Shape::Map(&Shape::Either(&[VALUE, Shape::List(&VALUE)])),
                "Query pairs; they are percent-encoded.",
            ),
            may(
                "headers",
                Shape::Map(&TEXT_OR_REFERENCE),
                "Header lines. Credentials are references: {env: NAME}. Routing and framing headers are the client's.",
            ),
        ],
        SENT,
        &[
            may(
                "maxBody",
                Shape::Size,
                "Cap of the answer's body, such as 1MiB. By default 10MiB. More is not judged.",
            ),
            may("poll", Shape::Table(&POLL), "Repeat the request until every expectation holds."),
            may("captureRequest", Shape::Bool, "Keep the request that was sent as evidence."),
            may("expect", Shape::Table(&HTTP_EXPECT), "What the answer must be like. All of it must hold."),
        ],
        COMMON,
    ],
);

/// How a request is repeated.
pub static POLL: Table = table(
    "poll",
    "Repeat the request until every expectation holds.",
    &[&[
        must("every", Shape::Duration, "Pause between two tries, at least 50ms."),
        must("for", Shape::Duration, "Time for all tries together."),
        may("tries", Shape::Integer(1, 100_000), "Greatest number of tries. By default as many as fit."),
    ]],
);

/// A run step of a written plan.
pub static RUN_STEP: Table = table(
    "run step",
    "A command and what it must answer. The program must be on the allow list, or a script inside the project.",
    &[
        &[
            must("run", Shape::Some(&TEXT_OR_REFERENCE), "The program and its arguments, one list item each."),
            may("stdin", Shape::Data, "Standard input: a text, or a map or list that is sent as JSON."),
            may("env", Shape::Map(&TEXT_OR_REFERENCE), "Added environment. Credentials are references: {env: NAME}."),
            may("cwd", Shape::Text, "Working folder inside the project. By default the project's folder."),
            may("shell", Shape::Bool, "Hand the one argument to `sh -c`. Needs `grants: [shell]`."),
            may("expect", Shape::Table(&RUN_EXPECT), "What the command must answer. All of it must hold."),
        ],
        COMMON,
    ],
);

/// A log step of a written plan.
pub static LOG_STEP: Table = table(
    "log step",
    "A look at what a service that the run started wrote since the case began, on standard output and standard error \
     alike. It is what the program says of itself: it shows no layer of evidence by itself.",
    &[&[
        must("log", Shape::Id, "The service, as probity.yaml declares it."),
        may("poll", Shape::Table(&POLL), "Look again until every expectation holds."),
        may("expect", Shape::Table(&LOG_EXPECT), "What the log must hold. All of it must hold."),
        may("title", Shape::Text, "What the step does, in a few words."),
        may("shows", SHOWN, "`absence`, where the log must lack something."),
        may("covers", IDS, "Criteria of the case that the step belongs to. `covers: []` makes it a set-up step."),
        may("continue", Shape::Bool, "Go on with the next step after this one failed."),
    ]],
);

/// What a log step may expect.
pub static LOG_EXPECT: Table = table(
    "log expectations",
    "What the log of a service must hold.",
    &[&[
        may("text", TEXT_EXPECTED, "Texts that it contains, or operators over all of it."),
        may("notText", CONTAINED, "Texts that it does not contain; all that the service wrote must have been kept."),
    ]],
);

/// What an http step may expect.
pub static HTTP_EXPECT: Table = table(
    "http expectations",
    "What an HTTP answer must be like. Every entry must hold over the complete answer.",
    &[&[
        may("status", STATUSES, "The status, or a list of statuses of which one must come."),
        may("headers", Shape::Map(&Shape::Expectation), "Response headers by name, in any case. Values are texts."),
        may("json", JSON_CHECKS, "Paths into the JSON answer and what stands there. `$` is the whole document."),
        may("jsonAny", JSON_ALTERNATIVES, "Alternatives for `json`, of which one must hold."),
        may("text", TEXT_EXPECTED, "Texts that the body contains, or operators over the whole body."),
        may("notText", CONTAINED, "Texts that the complete body does not contain."),
        may(
            "size",
            Shape::Either(&[Shape::Size, Shape::Map(&Shape::Size)]),
            "Size of the body: `64KiB`, or {lt: 1MiB}.",
        ),
        may("time", Shape::Duration, "The answer takes at most this long."),
        may("redirect", TEXT_OR_REFERENCE, "The first Location; both are resolved against the request."),
        may("httpVersion", SEEN_VERSION, "The HTTP version of the answer: 1.1 or 2."),
        may("schema", Shape::Text, "File with a JSON Schema that the JSON answer satisfies."),
        may("request", Shape::Table(&CHANNEL), "What the request that was sent must be like. Supports no criterion."),
    ]],
);

/// What a run step may expect.
pub static RUN_EXPECT: Table = table(
    "run expectations",
    "What a command must answer. Every entry must hold over the complete output.",
    &[&[
        may("exit", EXITS, "The exit code, or a list of codes of which one must come."),
        may("json", JSON_CHECKS, "Paths into the JSON on standard output and what stands there."),
        may("jsonAny", JSON_ALTERNATIVES, "Alternatives for `json`, of which one must hold."),
        may("text", TEXT_EXPECTED, "Texts that standard output contains, or operators over all of it."),
        may("notText", CONTAINED, "Texts that the complete standard output does not contain."),
        may("stderr", Shape::Table(&CHANNEL), "The same over standard error."),
        may("schema", Shape::Text, "File with a JSON Schema that the JSON on standard output satisfies."),
        may("time", Shape::Duration, "The command takes at most this long."),
    ]],
);

static CHANNEL: Table = table(
    "channel expectations",
    "What another channel of the step must hold.",
    &[&[
        may("json", JSON_CHECKS, "Paths into its JSON and what stands there."),
        may("text", TEXT_EXPECTED, "Texts that it contains, or operators over all of it."),
        may("notText", CONTAINED, "Texts that it does not contain when it is complete."),
    ]],
);

/// Texts to contain, or operators: told apart by the decoder, since both references and operators are maps.
const TEXT_EXPECTED: Shape = Shape::Either(&[Shape::Text, Shape::Map(&Shape::Data), Shape::Some(&TEXT_OR_REFERENCE)]);

const COUNTED: Shape = Shape::Either(&[Shape::Integer(0, i64::MAX), Shape::Map(&Shape::Data)]);

/// The operators of expectations. All that stand in one map must hold.
pub static OPERATORS: Table = table(
    "operators",
    "Operators of an expectation. All that stand here must hold.",
    &[&[
        may("equals", Shape::Data, "Exactly this value, maps included. Numbers compare as decimals."),
        may("oneOf", Shape::Some(&Shape::Data), "Exactly one of these values."),
        may("not", Shape::Expectation, "The inner expectation can be evaluated and does not hold."),
        may("anyOf", Shape::Some(&Shape::Expectation), "At least one of these expectations holds."),
        may(
            "type",
            Shape::Words(&["object", "array", "string", "number", "integer", "boolean", "null"]),
            "The type of the value.",
        ),
        may("contains", Shape::Data, "The text contains this text; the list has this element."),
        may("notContains", Shape::Data, "The text does not contain this text; the list lacks this element."),
        may("startsWith", TEXT_OR_REFERENCE, "The text begins with this text."),
        may("endsWith", TEXT_OR_REFERENCE, "The text ends with this text."),
        may(
            "matches",
            Shape::Text,
            "Pattern that is found in the text; anchor it with ^ and $. Matching is linear in time.",
        ),
        may("gt", Shape::Either(&[Shape::Number, Shape::Map(&Shape::Data)]), "Greater than this number."),
        may("gte", Shape::Either(&[Shape::Number, Shape::Map(&Shape::Data)]), "Greater than or equal to this number."),
        may("lt", Shape::Either(&[Shape::Number, Shape::Map(&Shape::Data)]), "Less than this number."),
        may("lte", Shape::Either(&[Shape::Number, Shape::Map(&Shape::Data)]), "Less than or equal to this number."),
        may("length", COUNTED, "Characters of a text, elements of a list or map: a number, or {gt, gte, lt, lte}."),
        may("schema", Shape::Text, "File with a JSON Schema that the value satisfies."),
        may("exists", Shape::Bool, "`true`: something stands there, null included."),
        may("missing", Shape::Bool, "`true`: nothing stands there. The only operator that holds on nothing."),
        may("notNull", Shape::Bool, "`true`: something other than null stands there."),
        may("any", Shape::Expectation, "Holds for at least one node of the path, or one element of the list."),
        may("all", Shape::Expectation, "Holds for each node or element, and there is at least one."),
        may("count", COUNTED, "How many nodes or elements there are: a number, or {gt, gte, lt, lte}."),
    ]],
);
