//! From documents to a plan that may be run: parsed, expanded, decoded, checked against its environment and its
//! requirement. The engine and the derivation come through here alike, so that neither can skip a check.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::allow::{self, FileFact};
use crate::codes::Code;
use crate::coverage::{self, Coverage};
use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::document::{Lines, Node};
use crate::environment::{Environment, Profile};
use crate::ids::Digest;
use crate::lint::{self, LintInput};
use crate::matrix::Matrix;
use crate::plan::{Action, EnvironmentRef, Plan};
use crate::{decode, origin, settings, written};

/// Reads a document into nodes; `formats` provides it, since core knows no YAML.
pub type Parse<'a> = dyn Fn(&str, &[u8]) -> Result<Node, Vec<Diagnostic>> + 'a;

/// The documents of a run.
#[derive(Clone, Copy, Debug)]
pub enum Given<'a> {
    /// One file in the written form, with its name.
    Written(&'a str, &'a [u8]),
    /// The three files of the seed form, with the folder's name.
    Seed {
        /// Prefix of the file names in messages; empty or ending in `/`.
        folder: &'a str,
        /// requirement.md, secrets replaced.
        requirement: &'a [u8],
        /// test-matrix.json
        matrix: &'a [u8],
        /// test-plan.json
        plan: &'a [u8],
    },
}

/// What is to be checked.
pub struct Ask<'a> {
    /// The documents.
    pub given: Given<'a>,
    /// probity.yaml with its name, if there is one.
    pub profile: Option<(&'a str, &'a [u8])>,
    /// The environment that was asked for on the command line.
    pub environment: Option<&'a str>,
    /// What is known of files that the plan names.
    pub files: &'a dyn Fn(&str) -> FileFact,
    /// The reader of documents.
    pub parse: &'a Parse<'a>,
}

/// A plan whose documents were read and checked. Made by [`check`] only.
///
/// ```compile_fail
/// let plan: probity_core::checked::CheckedPlan = Default::default();
/// ```
#[derive(Clone, Debug)]
pub struct CheckedPlan {
    plan: Plan,
    matrix: Matrix,
    profile: Profile,
    environment: Environment,
    coverage: Coverage,
    findings: Vec<Diagnostic>,
    requirement: String,
    matrix_text: String,
    plan_text: String,
    file: String,
    written: bool,
    asked: Asked,
}

/// What a plan was checked over: the digest of its documents, and what was known of the files that it names.
#[derive(Clone, Debug)]
struct Asked {
    documents: Digest,
    facts: Vec<(String, FileFact)>,
}

impl CheckedPlan {
    /// Whether checking again what is asked would give this very plan: the check is a function of documents,
    /// environment and facts about files, and all of them are the same.
    #[must_use]
    pub fn answers(&self, ask: &Ask<'_>) -> bool {
        self.asked.documents == fingerprint(ask)
            && self.asked.facts.iter().all(|(name, fact)| (ask.files)(name) == *fact)
    }

    /// The plan as it is run.
    #[must_use]
    pub const fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Criteria and tests.
    #[must_use]
    pub const fn matrix(&self) -> &Matrix {
        &self.matrix
    }

    /// The settings file, or the empty one.
    #[must_use]
    pub const fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The resolved environment.
    #[must_use]
    pub const fn environment(&self) -> &Environment {
        &self.environment
    }

    /// Which lines of the requirement map to which criteria.
    #[must_use]
    pub const fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    /// What the checks noticed, in stable order.
    #[must_use]
    pub fn findings(&self) -> &[Diagnostic] {
        &self.findings
    }

    /// Whether nothing noticed is an error.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.findings.iter().all(|finding| finding.severity != Severity::Error)
    }

    /// What forbids a run.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.findings.iter().filter(|finding| finding.severity == Severity::Error)
    }

    /// Whether it may be run, given the codes that were let through with `--allow`.
    #[must_use]
    pub fn is_runnable(&self, allow: &[String]) -> bool {
        let allowed = |code: &str| allow.iter().any(|allowed| allowed == code);
        allowed("plan_errors")
            || self.errors().all(|error| error.code == Code::SourceUncovered && allowed(error.code.as_str()))
    }

    /// requirement.md, as it is sealed.
    #[must_use]
    pub fn requirement(&self) -> &str {
        &self.requirement
    }

    /// test-matrix.json, as it is sealed.
    #[must_use]
    pub fn matrix_text(&self) -> &str {
        &self.matrix_text
    }

    /// test-plan.json, as it is sealed.
    #[must_use]
    pub fn plan_text(&self) -> &str {
        &self.plan_text
    }

    /// The file that places point into.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Whether it was written in the written form.
    #[must_use]
    pub const fn is_written(&self) -> bool {
        self.written
    }

    /// The title of the requirement: what a run is about.
    #[must_use]
    pub fn title(&self) -> &str {
        self.matrix.title.as_deref().unwrap_or("untitled requirement")
    }

    /// 16 hex digits of the digest of requirement and environment: runs that can be compared.
    #[must_use]
    pub fn series(&self) -> String {
        let environment = self.environment.name.clone().or_else(|| self.environment.url.clone()).unwrap_or_default();
        Digest::of(format!("{}\n{environment}", Digest::of(self.requirement.as_bytes())).as_bytes()).short()
    }
}

/// Reads and checks the documents of a run.
///
/// # Errors
/// Documents that cannot be read or decoded: there is nothing to run, and nothing is written.
pub fn check(ask: &Ask<'_>) -> Result<CheckedPlan, Vec<Diagnostic>> {
    let facts = RefCell::new(BTreeMap::new());
    let files = |name: &str| *facts.borrow_mut().entry(name.to_owned()).or_insert_with(|| (ask.files)(name));
    let mut documents = Documents::read(ask)?;
    let profile = profile(ask.profile, ask.parse)?;
    mark_readers(&mut documents.plan, &profile);
    let (environment, known) = environment_of(&documents, &profile, ask.environment)?;
    let coverage = coverage::coverage(&documents.requirement, &documents.matrix);
    let texts = documents.texts(ask);
    let mut findings = lint::check(&LintInput {
        plan: &documents.plan,
        matrix: &documents.matrix,
        requirement: &documents.requirement,
        environment: &environment,
        environment_known: known,
        commands: &profile.commands,
        services: &profile.services,
        mutation_rules: profile.mutation.as_ref(),
        files: &files,
        written: documents.written,
        texts: &texts.iter().map(|(name, text)| (name.as_str(), &**text)).collect::<Vec<_>>(),
        file: &documents.file,
    });
    findings.extend(documents.warnings);
    findings.extend(coverage.findings.iter().cloned());
    findings.sort_by_key(Diagnostic::sort_key);
    findings.dedup();
    Ok(CheckedPlan {
        plan: documents.plan,
        matrix: documents.matrix,
        profile,
        environment,
        coverage,
        findings,
        requirement: documents.requirement,
        matrix_text: documents.matrix_text,
        plan_text: documents.plan_text,
        file: documents.file,
        written: documents.written,
        asked: Asked { documents: fingerprint(ask), facts: facts.into_inner().into_iter().collect() },
    })
}

/// Everything that a check reads, in one digest: each part behind its length.
fn fingerprint(ask: &Ask<'_>) -> Digest {
    let mut parts: Vec<&[u8]> = match ask.given {
        Given::Written(name, bytes) => vec![b"written", name.as_bytes(), bytes],
        Given::Seed { folder, requirement, matrix, plan } => {
            vec![b"seed", folder.as_bytes(), requirement, matrix, plan]
        }
    };
    parts.extend(ask.profile.iter().flat_map(|(name, bytes)| [b"profile", name.as_bytes(), *bytes]));
    parts.extend(ask.environment.iter().flat_map(|name| [b"environment", name.as_bytes()]));
    let lengths: Vec<[u8; 8]> = parts.iter().map(|part| (part.len() as u64).to_be_bytes()).collect();
    let framed: Vec<&[u8]> = lengths.iter().zip(&parts).flat_map(|(length, part)| [length.as_slice(), part]).collect();
    Digest::of_parts(&framed)
}

/// A command that is listed as one that only reads may be run twice (plan.md, "`run`"), unless the plan says otherwise.
/// The plan alone does not tell.
fn mark_readers(plan: &mut Plan, profile: &Profile) {
    for step in plan.scenarios.iter_mut().flat_map(|scenario| &mut scenario.steps) {
        if let Action::Command(command) = &step.action {
            let open = !command.says_idempotent;
            step.idempotent |= open && !command.shell && allow::only_reads(&command.argv, &profile.commands);
        }
    }
}

struct Documents {
    plan: Plan,
    matrix: Matrix,
    requirement: String,
    matrix_text: String,
    plan_text: String,
    file: String,
    written: bool,
    warnings: Vec<Diagnostic>,
}

impl Documents {
    fn read(ask: &Ask<'_>) -> Result<Self, Vec<Diagnostic>> {
        match ask.given {
            Given::Written(name, bytes) => Self::written(name, bytes, ask.parse),
            Given::Seed { folder, requirement, matrix, plan } => {
                Self::seed(folder, requirement, matrix, plan, ask.parse)
            }
        }
    }

    fn written(name: &str, bytes: &[u8], parse: &Parse<'_>) -> Result<Self, Vec<Diagnostic>> {
        let mut diagnostics = Diagnostics::about(name);
        // Each tree of a large plan has the size of many plans: what was written goes before the typed plan comes.
        let expanded = written::expand(&parse(name, bytes)?, &mut diagnostics);
        let Some(expanded) = expanded.filter(|_| !diagnostics.has_errors()) else {
            return Err(diagnostics.into_sorted());
        };
        let (matrix_text, plan_text) = (expanded.matrix.pretty(), expanded.plan.pretty());
        let plan = decode::plan_expanded(&expanded.plan, &mut diagnostics);
        drop(expanded.plan);
        let matrix = decode::matrix(&expanded.matrix, &mut diagnostics);
        match (plan, matrix, diagnostics.has_errors()) {
            (Some(plan), Some(matrix), false) => Ok(Self {
                plan,
                matrix,
                requirement: expanded.requirement,
                matrix_text,
                plan_text,
                file: name.to_owned(),
                written: true,
                warnings: diagnostics.into_sorted(),
            }),
            _ => Err(diagnostics.into_sorted()),
        }
    }

    fn seed(
        folder: &str,
        requirement: &[u8],
        matrix: &[u8],
        plan: &[u8],
        parse: &Parse<'_>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let [matrix_name, plan_name] = ["test-matrix.json", "test-plan.json"].map(|name| format!("{folder}{name}"));
        let mut about_plan = Diagnostics::about(&plan_name);
        let mut about_matrix = Diagnostics::about(&matrix_name);
        let mut faults = Vec::new();
        let mut parsed = |name: &str, bytes| parse(name, bytes).map_err(|found| faults.extend(found)).ok();
        let typed_plan = parsed(&plan_name, plan).and_then(|node| decode::plan(&node, &mut about_plan));
        let typed_matrix = parsed(&matrix_name, matrix).and_then(|node| decode::matrix(&node, &mut about_matrix));
        let text = std::str::from_utf8(requirement)
            .map_err(|e| not_text(&format!("{folder}requirement.md"), requirement, e.valid_up_to()));
        let broken = about_plan.has_errors() || about_matrix.has_errors();
        faults.extend(about_plan.into_sorted());
        faults.extend(about_matrix.into_sorted());
        match (typed_plan, typed_matrix, text, broken) {
            (Some(plan_value), Some(matrix_value), Ok(text), false) => Ok(Self {
                plan: plan_value,
                matrix: matrix_value,
                requirement: text.to_owned(),
                matrix_text: String::from_utf8_lossy(matrix).into_owned(),
                plan_text: String::from_utf8_lossy(plan).into_owned(),
                file: plan_name,
                written: false,
                warnings: faults,
            }),
            (_, _, text, _) => {
                faults.extend(text.err());
                Err(faults)
            }
        }
    }

    /// The texts that are searched for secrets and placeholders.
    fn texts<'a>(&self, ask: &Ask<'a>) -> Vec<(String, Cow<'a, str>)> {
        let given: Vec<(String, &'a [u8])> = match ask.given {
            Given::Written(name, bytes) => vec![(name.to_owned(), bytes)],
            Given::Seed { folder, matrix, plan, .. } => {
                vec![(format!("{folder}test-plan.json"), plan), (format!("{folder}test-matrix.json"), matrix)]
            }
        };
        let profile = ask.profile.iter().map(|(name, bytes)| ((*name).to_owned(), *bytes));
        given.into_iter().chain(profile).map(|(name, bytes)| (name, String::from_utf8_lossy(bytes))).collect()
    }
}

/// The first byte of a file that is no text, with its place.
fn not_text(file: &str, bytes: &[u8], at: usize) -> Diagnostic {
    let good = std::str::from_utf8(&bytes[..at]).unwrap_or_default();
    Diagnostic {
        code: Code::DocumentUnreadable,
        severity: Severity::Error,
        file: file.to_owned(),
        place: Some(Lines::new(good).place(at, at)),
        subject: None,
        message: "the text is not UTF-8".to_owned(),
        help: Some("save the file as UTF-8".to_owned()),
    }
}

/// Reads the settings file, given with its name; without one the empty settings.
///
/// # Errors
/// A file that cannot be read or decoded.
pub fn profile(file: Option<(&str, &[u8])>, parse: &Parse<'_>) -> Result<Profile, Vec<Diagnostic>> {
    let Some((name, bytes)) = file else { return Ok(Profile::default()) };
    let node = parse(name, bytes)?;
    let mut diagnostics = Diagnostics::about(name);
    match settings::profile(&node, &mut diagnostics) {
        Some(profile) if !diagnostics.has_errors() => Ok(profile),
        _ => Err(diagnostics.into_sorted()),
    }
}

/// The environment by the flag, else by the plan, else by the settings file, else undeclared with the literal
/// origins of the plan; and whether the name that was asked for is declared (design.md section 10).
fn environment_of(
    documents: &Documents,
    profile: &Profile,
    flag: Option<&str>,
) -> Result<(Environment, bool), Vec<Diagnostic>> {
    let named = match (&documents.plan.environment, flag) {
        (_, Some(name)) => Some(name),
        (EnvironmentRef::Named(name, _), None) => Some(name.as_str()),
        (EnvironmentRef::Inline(value, place), None) => {
            let mut diagnostics = Diagnostics::about(&documents.file);
            let found = settings::environment(None, &Node::from_json(value, *place), &mut diagnostics);
            return match found {
                Some(environment) if !diagnostics.has_errors() => Ok((environment, true)),
                _ => Err(diagnostics.into_sorted()),
            };
        }
        (EnvironmentRef::Absent, None) => profile.default_environment.as_deref(),
    };
    let undeclared = || {
        let base = documents.plan.base_url.clone();
        let literal = origin::literal_origins(&documents.plan);
        Environment::undeclared(literal, base)
    };
    Ok(match named {
        None => (undeclared(), true),
        Some(name) => match profile.environments.iter().find(|(known, _)| known == name) {
            Some((_, environment)) => (environment.clone(), true),
            None => (undeclared(), false),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, read_placed};

    /// Checks a plan of the written form, as JSON.
    fn checked(plan: &str, profile: &str) -> CheckedPlan {
        let parse = |_: &str, bytes: &[u8]| Ok(read_placed(bytes, &Limits::default()).unwrap());
        check(&Ask {
            given: Given::Written("p.probity.yaml", plan.as_bytes()),
            profile: Some(("probity.yaml", profile.as_bytes())),
            environment: None,
            files: &|_| FileFact::Inside,
            parse: &parse,
        })
        .unwrap()
    }

    /// A plan answers for the documents, the environment and the facts that it was checked with, and for no others.
    #[test]
    fn a_plan_answers_what_it_was_asked() {
        let plan = r#"{"schemaVersion":2,"requirement":{"title":"t","criteria":[{"id":"C","needs":"command","text":"x"}]},
            "cases":[{"id":"A","covers":["C"],"steps":[{"run":["sh","a.sh"],"expect":{"exit":0}}]}]}"#;
        let parse = |_: &str, bytes: &[u8]| Ok(read_placed(bytes, &Limits::default()).unwrap());
        let inside = |_: &str| FileFact::Inside;
        let asked = Ask {
            given: Given::Written("p.probity.yaml", plan.as_bytes()),
            profile: None,
            environment: None,
            files: &inside,
            parse: &parse,
        };
        let checked = check(&asked).unwrap();
        assert!(checked.answers(&asked));
        assert!(!checked.answers(&Ask { profile: Some(("probity.yaml", br#"{"version":1}"#)), ..asked }));
        assert!(!checked.answers(&Ask { environment: Some("local"), ..asked }));
        assert!(!checked.answers(&Ask { files: &|_| FileFact::Missing, ..asked }));
        assert!(!checked.answers(&Ask { given: Given::Written("p.probity.yaml", b"{}"), ..asked }));
    }

    #[test]
    fn commands_that_only_read_may_be_run_twice() {
        let plan = r#"{"schemaVersion":2,"requirement":{"title":"t","criteria":[{"id":"C","needs":"command","text":"x"}]},
            "cases":[{"id":"A","covers":["C"],"steps":[
                {"run":["tool","read"],"expect":{"exit":0}},{"run":["tool","write"],"expect":{"exit":0}},
                {"run":["other"],"idempotent":true,"expect":{"exit":0}},
                {"run":["tool","read"],"idempotent":false,"expect":{"exit":0}}]}]}"#;
        let profile = r#"{"version":1,"commands":{"allow":[{"program":"tool","args":["read"],"reads":true},
            {"program":"tool","args":["write"]}]}}"#;
        let twice: Vec<bool> =
            checked(plan, profile).plan().scenarios[0].steps.iter().map(|step| step.idempotent).collect();
        // What is written wins over the list.
        assert_eq!(twice, [true, false, true, false]);
    }
}
