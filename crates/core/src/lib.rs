//! The rules of probity as plain functions over plain data.
//!
//! Nothing here opens a file, asks the clock or the environment, or draws a random number: such things come in
//! as values. The modules stand in the order in which a run passes through them; reading the list is reading the
//! product.
//!
//! Names and words first:
//! * [`ids`]: ids that people quote, and digests.
//! * [`codes`]: every finding that can be named, with what it means and what to do.
//! * [`json`]: JSON as it stood, and its canonical form; [`number`]: numbers compared as decimals.
//! * [`units`]: durations and sizes as people write them; [`nearest`]: the known name that was meant.
//! * [`document`]: a document whose every node knows its place; [`diagnostic`]: what a check noticed in it.
//! * [`inert`]: captured text drawn so that it can do nothing.
//!
//! What people write:
//! * [`shape`]: which fields each place of a document takes, and what they mean.
//! * [`written`]: requirement, cases and steps in one document, and its expansion into plan and matrix.
//! * [`decode`]: documents become plans and matrices, and what is wrong with them diagnostics.
//! * [`plan`]: the plan as it is run; [`expect`] and [`path`]: what its answers must be like.
//! * [`matrix`]: criteria, the tests that show them, and what is not claimed.
//! * [`coverage`]: whether every line of the requirement is claimed by a criterion, or put aside on purpose.
//! * [`environment`]: which origins a run may touch, and whose data they hold; [`settings`]: the file that says so;
//!   [`origin`]: scheme, host and port of a URL; [`service`]: what a run starts itself.
//! * [`host_profile`]: how a project tests with Playwright, and what it lets leave the machine; [`cases`]: the cases of
//!   a feature and their lint; [`refuse`]: findings named by the path of the field they are about.
//!
//! What is checked before anything runs:
//! * [`header`]: names of headers; [`secret`]: text that looks like a secret; [`allow`]: which commands a plan may run.
//! * [`guard`]: what the write guard of Playwright runs does about a control or a request.
//! * [`js_pattern`]: JavaScript's regular expressions within a budget.
//! * [`write_policy`]: which steps write, and which of the writes are allowed.
//! * [`lint`]: every rule that a plan can break without being run.
//! * [`dimensions`]: which kinds of proof the tests ask for and the steps give.
//! * [`checked`]: all of that in one place: documents go in, a plan that may be run comes out.
//!
//! What happens:
//! * [`vars`]: the variables of a case, and references filled from them; [`inputs`]: which of them a step's own input
//!   holds.
//! * [`invoke`]: a step becomes one call whose every part is known, or is refused.
//! * [`observe`]: what probes are asked to do, and what they saw; [`redact`]: secrets out of it.
//! * [`coding`]: content codings undone.
//! * [`evaluate`]: what was seen, held against the expectations; [`step`]: what a step comes to.
//! * [`vacuity`]: whether the checks of a step can fail at all.
//! * [`walk`]: which step comes next, for the engine and for the derivation alike.
//! * [`journal`]: the hash chain that keeps it.
//!
//! What it comes to:
//! * [`finding`]: what a check of a run noticed.
//! * [`recorded`]: a run as its journal tells it.
//! * [`audit`]: everything in it worked out again from the bytes.
//! * [`verdict`]: the words for results; [`judged`]: tests, criteria, reasons, the verdict.
//! * [`views`]: the files that people and other programs read.
//! * [`verify`]: everything derived again and compared.
//! * [`judge`]: what a program judges that rules cannot, and when its votes count; [`image`]: pictures as pixels.
//! * [`success_policy`]: what runs come to together.
//! * [`qa`]: requirements and their QA runs over time, and what blocks a phase.
//! * [`playwright`]: what a finished Playwright run comes to, case by case.

pub mod allow;
pub mod audit;
pub mod cases;
pub mod checked;
pub mod codes;
pub mod coding;
pub mod coverage;
pub mod decode;
pub mod diagnostic;
pub mod dimensions;
pub mod document;
pub mod environment;
pub mod evaluate;
pub mod expect;
pub mod finding;
pub mod flake;
pub mod guard;
pub mod header;
pub mod host_profile;
pub mod ids;
pub mod image;
pub mod inert;
pub mod inputs;
pub mod invoke;
pub mod journal;
pub mod js_pattern;
pub mod json;
pub mod judge;
pub mod judged;
pub mod lint;
pub mod matrix;
pub mod nearest;
pub mod number;
pub mod observe;
pub mod origin;
pub mod path;
pub mod plan;
pub mod playwright;
pub mod qa;
pub mod recorded;
pub mod redact;
pub mod refuse;
pub mod secret;
pub mod service;
pub mod settings;
pub mod shape;
pub mod step;
pub mod success_policy;
pub mod units;
pub mod vacuity;
pub mod vars;
pub mod verdict;
pub mod verify;
pub mod views;
pub mod walk;
pub mod write_policy;
pub mod written;
