//! The catalogue of codes: every finding, refusal and error that probity can name, with what it means and
//! what to do. `probity explain` and `docs/rules.md` are made from it. A code is never reused (design.md 1.4).

use std::fmt;

/// Where a code belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Area {
    /// Reading a document.
    Document,
    /// Checking a plan.
    Lint,
    /// What a step came to.
    Step,
    /// Reasons of a verdict.
    Verdict,
    /// Findings of `verify`.
    Integrity,
    /// Success policies.
    Policy,
    /// Judgement by programs.
    Judge,
    /// Host profiles, cases files and Playwright reports.
    Report,
    /// Using the program.
    Usage,
    /// The index of QA runs and the phase gate.
    Index,
}

/// Whose move it is (ux.md section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Who {
    /// Whoever wrote the plan or gave the command; an agent may do it.
    Agent,
    /// A person, on purpose.
    Person,
    /// Whoever keeps the target running.
    Service,
    /// Whoever builds the product.
    Product,
}

impl Who {
    /// As answers write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Person => "person",
            Self::Service => "service",
            Self::Product => "product",
        }
    }
}

/// What a code means.
#[derive(Clone, Copy, Debug)]
pub struct Explanation {
    /// Where it belongs.
    pub area: Area,
    /// Whose move it is.
    pub who: Who,
    /// What was noticed, and why it matters.
    pub meaning: &'static str,
    /// What to do.
    pub remedy: &'static str,
}

macro_rules! catalogue {
    ($($name:ident = $text:literal, $area:ident, $who:ident, $meaning:literal, $remedy:literal;)*) => {
        /// A stable code.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $meaning] $name,)*
        }

        impl Code {
            /// Every code, in the order of the catalogue.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The text of the code.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// What it means and what to do.
            #[must_use]
            pub const fn explanation(self) -> Explanation {
                match self {
                    $(Self::$name => Explanation {
                        area: Area::$area, who: Who::$who, meaning: $meaning, remedy: $remedy,
                    },)*
                }
            }
        }
    };
}

catalogue! {
    // Documents
    DocumentUnreadable = "document_unreadable", Document, Agent, "The file cannot be read, or is not text in UTF-8.", "Check the path and save the file as UTF-8.";
    SyntaxError = "syntax_error", Document, Agent, "The text is not well-formed YAML or JSON.", "Repair the line that is named.";
    DuplicateKey = "duplicate_key", Document, Agent, "A key stands twice in one map, so two readers could read two documents.", "Remove one of the two.";
    DocumentTooLarge = "document_too_large", Document, Agent, "The document is larger, deeper or more repetitive than any plan needs; anchors that multiply count as what they expand to.", "Split it, or write values out instead of nesting anchors.";
    UnknownField = "unknown_field", Document, Agent, "A field that this place does not know. A misspelt field would silently check nothing.", "Use the name that is suggested, or remove the field.";
    MissingField = "missing_field", Document, Agent, "A field that must stand here is missing.", "Add it.";
    WrongType = "wrong_type", Document, Agent, "The value is of another type than this place takes.", "Write the value as the message says.";
    ValueOutOfRange = "value_out_of_range", Document, Agent, "The value is outside what this place allows.", "Choose a value inside the range that is named.";
    UnitMissing = "unit_missing", Document, Agent, "A duration or size is written without its unit.", "Write it with a unit, as in 200ms, 5s, 2m, 64KiB.";
    SchemaVersion = "schema_version", Document, Agent, "The document does not say schemaVersion: 2, so its meaning is not known.", "Write schemaVersion: 2.";
    IdMalformed = "id_malformed", Document, Agent, "An id does not follow the pattern that every id follows.", "Use letters, digits, dot, underscore and hyphen, beginning with a letter or digit, at most 128 characters.";
    IdDuplicate = "id_duplicate", Document, Agent, "Two things have one id.", "Rename one of them.";
    IdConfusable = "id_confusable", Lint, Agent, "Two ids differ in case only, so people would take one for the other.", "Rename one of them.";
    VarNameInvalid = "var_name_invalid", Document, Agent, "A variable name is not an identifier.", "Use letters, digits and underscore, not beginning with a digit.";
    VarReserved = "var_reserved", Lint, Agent, "The plan sets a variable that belongs to the engine; a marker that the plan chooses proves nothing about this run.", "Choose another name; qa_marker, qa_run_id and qa_started_at are made by the engine.";
    ReferenceMalformed = "reference_malformed", Document, Agent, "A reference is not one of the closed forms.", "Write {name} in quotes, or a map whose only key is $var, $env or $template.";
    ReferenceUnquoted = "reference_unquoted", Document, Agent, "{name} without quotes is a YAML map and not a reference.", "Put it in quotes: \"{name}\".";
    ReferenceUnknown = "reference_unknown", Lint, Agent, "A variable is used that nothing sets before.", "Save it in an earlier step, add it to vars, or correct the name.";
    UnknownOperator = "unknown_operator", Document, Agent, "A map in an expectation holds a key that is no operator.", "Use the operator that is suggested; to compare with a map write {equals: {…}}, to look deeper write the path.";
    UnknownVerb = "unknown_verb", Document, Agent, "The step has no verb that this build can perform, or more than one.", "Give each step exactly one verb, such as http or run.";
    PathMalformed = "path_malformed", Document, Agent, "A path into JSON cannot be read.", "Write names joined by dots, or an RFC 9535 path that begins with $.";
    PathNotSingular = "path_not_singular", Document, Agent, "The path may select many values and the operator needs one: all of nothing would hold.", "Use any, all or count, or name one value.";
    PatternMalformed = "pattern_malformed", Document, Agent, "A regular expression cannot be compiled, or has another number of groups than is needed.", "Correct the pattern; look-around and back-references are not offered, since matching is linear in time.";
    ExpectationMalformed = "expectation_malformed", Document, Agent, "An expectation is written in a form that this place does not take.", "Write it as the message says.";
    UrlMalformed = "url_malformed", Document, Agent, "A URL or path cannot be read, or carries credentials or a fragment.", "Write METHOD and a path beginning with /, or an absolute http or https URL; credentials go into auth.";
    ServiceUnsafe = "service_unsafe", Document, Person, "The command that is to start a service holds what a shell would act on, or what destroys; a run starts programs, and nothing else.", "Write the program and its arguments as a list, or put the rest into a script of the project.";
    ServiceUnknown = "service_unknown", Document, Agent, "A service is named that the settings file does not declare, or that needs itself.", "Declare it under services in probity.yaml, or correct the name.";

    // Plan check
    StepAssertsNothing = "step_asserts_nothing", Lint, Agent, "A step that belongs to a test expects nothing, so it cannot fail for the product's fault.", "Expect something that the criterion is about, or mark the step as set-up with covers: [].";
    StatusOnly = "status_only", Lint, Agent, "All that the step checks is a status or exit code, or checks that an empty answer meets as well; a criterion about more than that is not shown by it. The plan check tells it from the plan, the verdict from the captured answer.", "Check the answer itself, or say about: status on the criterion if that is all it is about.";
    OracleVacuous = "oracle_vacuous", Lint, Agent, "An expectation that every answer meets, an empty one and an error too: a check that cannot fail proves nothing. The plan check tells it from the plan, the verdict by asking the checks again over changed answers.", "Expect what only the right answer has.";
    PlaceholderLeft = "placeholder_left", Lint, Agent, "A placeholder such as TODO or <…> is left where a person's words should stand.", "Write what is meant.";
    ObligationUnanswered = "obligation_unanswered", Lint, Agent, "The criterion's wording makes a claim (persisted, completed, must not) that no step declares.", "Add shows: to the step that shows it, or answer it under notClaimed with a reason.";
    CriterionUncovered = "criterion_uncovered", Lint, Agent, "A criterion that no case covers would be untested.", "Cover it by a case, or put it under later or outOfScope with a reason.";
    SourceUncovered = "requirement_source_unmapped", Verdict, Agent, "A line of the requirement that implies behaviour maps to no criterion, so nobody would notice that it is untested.", "Map it to a criterion, or put it under outOfScope or later with a reason.";
    NeedsUnmet = "needs_unmet", Lint, Agent, "The criterion demands a layer of evidence that no step mapped to it can give.", "Add a step that shows it: http for api, run for command, shows: persistence for persistence.";
    NeedsUnknown = "needs_unknown", Lint, Agent, "The criterion demands a layer that is not known.", "Use a known layer, such as api, command or persistence.";
    TestUnmapped = "test_unmapped", Lint, Agent, "A test belongs to no criterion, or names one that does not exist.", "Correct requirement_ids of the test.";
    RequirementUnmapped = "req_unmapped", Lint, Agent, "A criterion has no test, or no text.", "Give it a test and a text.";
    StepReferenceUnknown = "step_ref_unknown", Lint, Agent, "A step belongs to a test or criterion that the matrix does not have.", "Correct testIds or requirementIds.";
    EvidenceStepIncomplete = "evidence_step_incomplete", Lint, Agent, "A step that bears evidence lacks its id, what it proves, or what it belongs to.", "Add id, proves, testIds and requirementIds.";
    TestNotExecutable = "test_not_executable", Lint, Agent, "No step of the plan shows this test.", "Map a step to it.";
    EmptyPlan = "empty_plan", Lint, Agent, "There is no criterion, no test or no case; a plan that does nothing shows nothing.", "Write at least one criterion and one case that covers it.";
    TargetOutsideEnvironment = "target_outside_environment", Lint, Agent, "A step speaks to an origin that the environment does not have.", "Correct the URL, or add the origin to the environment.";
    EnvironmentUnknown = "environment_unknown", Lint, Agent, "The plan or the flag names an environment that is not declared.", "Declare it in probity.yaml, or correct the name.";
    CommandNotAllowed = "command_not_allowed", Lint, Person, "The program, or the way it is called, is not on the allow list.", "Add it to commands.allow in probity.yaml, or call a script inside the project.";
    CommandShell = "command_shell", Lint, Person, "The step wants a shell and the plan does not grant it.", "Write the arguments as a list, or add grants: [shell].";
    CommandPathOutside = "command_path_outside", Lint, Agent, "A working folder or file lies outside the project or does not exist.", "Name a path inside the project.";
    SecretLiteral = "secret_literal", Lint, Person, "Something that looks like a secret stands in the text; it would be kept and signed.", "Put it into an environment variable and refer to it as {env: NAME} in auth, headers or env.";
    SecretTooCommon = "secret_too_common", Lint, Person, "A secret is short or stands in the plan, so it cannot be searched for without hiding evidence.", "Use a longer secret for tests.";
    EnvMissing = "env_missing", Lint, Person, "A credential's environment variable is not set.", "Set it where probity is started.";
    EnvReferenceMisplaced = "env_reference_misplaced", Lint, Agent, "A reference to the environment stands where no credential belongs.", "Use it in auth, headers and env, and in what is sent under a secret's name: {password: {$env: NAME}}.";
    AuthLiteral = "auth_literal", Lint, Person, "A credential header is written out.", "Refer to an environment variable: {env: NAME}.";
    TemplateBreakout = "template_breakout", Lint, Agent, "A value from an answer may change where a request goes or which program runs.", "Use values in path segments, query, headers, bodies, and whole arguments after the first.";
    HeaderForbidden = "header_forbidden", Lint, Agent, "A header that routes or frames the message belongs to the client alone.", "Remove it.";
    ExpectationSelfDerived = "expectation_self_derived", Lint, Agent, "The expected value comes from the very answer that it checks.", "Write the value, or save it in another exchange.";
    ExpectationFromEnvironment = "expectation_from_environment", Lint, Agent, "The expected value comes from the environment, so whoever starts the run decides what is right.", "Write the value in the plan.";
    ExpectationEcho = "expectation_echo", Lint, Agent, "The step's only check expects a value that the step itself sent.", "Read the value back in a request that does not carry it.";
    WriteUndeclared = "write_undeclared", Lint, Agent, "The environment is production and the plan declares no write policy, or a step writes what the policy does not allow.", "Declare mutation: {policy: read-only} or scoped-write with a prefix.";
    WriteWithoutCleanup = "write_without_cleanup", Lint, Agent, "A case writes, and has neither cleanup nor disposable data.", "Add cleanup, or declare data: disposable for the environment.";
    MarkerInInput = "marker_in_input", Lint, Agent, "A step that should show the returned marker sends the marker itself.", "Read the marker back in an exchange that does not carry it.";
    NotSupported = "not_supported", Lint, Agent, "A feature of the plan language that this build does not perform yet.", "Write the step another way, or use a newer build.";
    CleanupIncompletePlan = "cleanup_without_status", Lint, Agent, "A cleanup step has no expected status.", "Say which statuses are fine, such as status: [200, 204, 404].";
    FileMissing = "file_missing", Lint, Agent, "A file that the plan names does not exist in the project.", "Add the file, or correct its name.";
    ObligationMisplaced = "obligation_misplaced", Lint, Agent, "An obligation is declared where it cannot be met.", "Declare it on the step that shows it, with what the kind needs.";
    UsesUnknown = "uses_unknown", Lint, Agent, "A case starts from one that does not exist or leads back to itself, or from too many.", "Correct uses.";
    TestNoExpected = "test_no_expected", Lint, Agent, "A test does not say what must come out, so nobody can tell whether its checks are the right ones.", "Write expected for the test.";
    CleanupUnusual = "cleanup_unusual", Lint, Agent, "A cleanup step removes nothing, or does not run after a failure, so something may be left behind.", "Use DELETE or a writing method, and alwaysRun: true.";
    SourceWeaklyMapped = "source_weakly_mapped", Lint, Agent, "A line of the requirement is mapped to a criterion by its words, which is weaker than a binding by span and digest.", "Give the row source_span and source_sha256, or write requirement and criteria in one plan.";

    // Steps
    RequirementFailed = "requirement_failed", Step, Product, "A check did not hold over a complete answer: the product does not do what the criterion says.", "Look at expected and saw; repair the product, or correct the plan if the requirement says otherwise.";
    TargetUnreachable = "target_unreachable", Step, Service, "No answer came: the name did not resolve, the connection was refused or closed, or the proxy failed. This says nothing about the product.", "Start the service, or correct the environment's url.";
    TlsFailed = "tls_failed", Step, Service, "The TLS handshake failed or the certificate is not trusted.", "Give the certificate's issuer under tls: {ca: FILE}, or repair the server.";
    NetworkDenied = "network_denied", Step, Person, "This process may not open sockets.", "Allow network access for this command.";
    ProgramMissing = "program_missing", Step, Agent, "The program does not exist or cannot be started here.", "Install it, or correct the name.";
    CommandChanged = "command_changed", Step, Agent, "The program or script is not the one that was sealed when the run began.", "Run again without changing it meanwhile.";
    CredentialMissing = "credential_missing", Step, Person, "The variable of a credential is not set, or the file of a private key is not there.", "Set it where probity is started, or put the file there.";
    AnswerIncomplete = "answer_incomplete", Step, Service, "The answer was cut: a timeout, a reset, a wrong length, or a coding that cannot be undone. What is missing cannot be judged.", "Look at the service; raise timeout if it is only slow.";
    CaptureCapped = "capture_capped", Step, Agent, "The answer is larger than the cap, so what was not kept cannot be judged.", "Raise maxBody, or ask for less.";
    BudgetExceeded = "budget_exceeded", Step, Agent, "The run's time, probes or output were used up before the step was done.", "Raise limits in probity.yaml, or make the plan smaller.";
    OutputLimit = "output_limit", Step, Agent, "A command wrote more than it may.", "Make it quieter, or raise limits.output.";
    GroupLeftover = "group_leftover", Step, Agent, "A command ended and left processes running, which were ended.", "Let the command wait for its children.";
    TemplateRefused = "template_refused", Step, Agent, "A value could not be put into its place safely.", "Look at the value; use a place that can hold it.";
    TargetRefused = "target_refused", Step, Agent, "A request or redirect would have left the environment's origins.", "Add the origin to the environment if it belongs there.";
    WriteRefused = "write_refused", Step, Agent, "The write policy stopped the request.", "Carry the prefix in the request, or declare the write.";
    VariableMissing = "variable_missing", Step, Product, "A variable that the step needs never came to be.", "Look at the step that should have saved it.";
    StepSkipped = "step_skipped", Step, Agent, "The step did not run, because an earlier one failed or a variable was missing. Not run is not passed.", "Look at the step that failed first.";
    Cancelled = "cancelled", Step, Person, "The run was cancelled before the step was done.", "Run again.";
    ObligationUnmet = "obligation_unmet", Step, Product, "The step passed its checks but did not show what it declared under shows.", "Look at what the obligation needs: a returned marker, a terminal value, a read-back, an absence beside a control.";
    CheckNotEvaluated = "check_not_evaluated", Step, Product, "A check could not be evaluated over a complete answer: a value is missing, of another type, or under a repeated key.", "Look at the answer; a check that cannot be evaluated never holds.";
    LogUnavailable = "log_unavailable", Step, Agent, "The output of the service is not at hand: the run did not start it, because it was adopted or let through.", "Let the run start the service, or leave the log step out.";

    // Verdict
    RequirementBlocked = "requirement_blocked", Verdict, Service, "A criterion could not be tested.", "Remove what blocked it and run again.";
    RequirementUntested = "requirement_untested", Verdict, Agent, "Nothing tested a criterion.", "Cover it by a case.";
    RequirementInconclusive = "requirement_inconclusive", Verdict, Agent, "What was seen of a criterion is not enough to judge it.", "Close the gap that its steps name.";
    NoRequirements = "no_requirements", Verdict, Agent, "There is no criterion.", "Write one.";
    DefectsPresent = "defects_present", Verdict, Product, "At least one test failed.", "See defects.json.";
    PlanValidationFailed = "plan_validation_failed", Verdict, Agent, "The plan check found errors, so nothing was run.", "Repair what probity plan check names.";
    PreflightBlocked = "preflight_blocked", Verdict, Service, "The target gave no connection before the first step. Nothing was tested.", "Start the service and run again.";
    EnvironmentUnconfirmed = "environment_unconfirmed", Verdict, Person, "Nobody has said what the target is and whose data it holds.", "Declare the environment in probity.yaml with kind, url and data.";
    SubjectChanged = "subject_changed", Verdict, Service, "The build that the system names changed during the run.", "Wait until the deployment is done and run again.";
    UnmappedStepFailed = "unmapped_step_failed", Verdict, Agent, "A step that belongs to no test failed, so the ground of the others is not known.", "Repair the set-up, or map the step to a test.";
    CleanupIncomplete = "cleanup_incomplete", Verdict, Agent, "A cleanup step failed, so something may be left in the system.", "Remove what is left and repair the cleanup.";
    AttemptLost = "attempt_lost", Verdict, Agent, "The process ended before the run was closed; what happened after the last entry is not known.", "Run again.";
    ActionReconciliationRequired = "action_reconciliation_required", Verdict, Person, "A request that must not be sent twice was begun and its answer was not recorded; nobody knows whether it took effect.", "Look in the system whether it did, clean up, and run again.";
    RecordingFailed = "recording_failed", Verdict, Agent, "Something could not be written to the run folder.", "Free space or repair permissions, and run again.";
    SecretKept = "secret_kept", Verdict, Person, "Something that turned out to be a secret had been written to the run folder before that was known.", "Delete the run folder and take the secret out of use; save it under a secret's name (token, password, …), so that it is hidden from the first answer on.";
    RunnerDisagrees = "runner_disagrees", Verdict, Agent, "What the runner noted differs from what the derivation works out from the same bytes.", "Report it: this is a fault of probity or of whoever wrote the journal.";
    NotReproduced = "not_reproduced", Verdict, Agent, "This version works out another verdict than the run recorded.", "The newer derivation counts; run again.";
    WitnessedOnly = "witnessed_only", Verdict, Agent, "Only evidence that cannot be replayed holds the criterion up.", "Add a check over kept bytes.";
    RunCancelled = "run_cancelled", Verdict, Person, "Somebody stopped the run.", "Run again.";
    CappedPartialSelection = "capped_partial_selection", Verdict, Agent, "Only a part of the plan was run; a part never passes the whole.", "Run the whole plan.";
    CappedMockData = "capped_mock_data", Verdict, Agent, "The data is mock data and the requirement does not say that it will do.", "Run against real data, or say acceptsMock: true in the requirement.";
    CappedCriteriaPutOff = "capped_criteria_put_off", Verdict, Agent, "Criteria were put off under later; they are untested.", "Test them, or take them out of scope with a reason.";
    CappedTlsUnchecked = "capped_tls_unchecked", Verdict, Agent, "Certificates were not checked and the environment does not declare it.", "Give the issuer under tls: {ca: FILE}.";
    CappedEnvironmentUnconfirmed = "capped_environment_unconfirmed", Verdict, Person, "The environment was let through unconfirmed.", "Declare it.";
    CappedRequirementSourceUnmapped = "capped_requirement_source_unmapped", Verdict, Agent, "Unmapped lines of the requirement were let through.", "Map them.";
    CappedPlanErrors = "capped_plan_errors", Verdict, Agent, "Errors of the plan check were let through.", "Repair them.";
    CappedServiceNotReady = "capped_service_not_ready", Verdict, Agent, "A service that was not ready was let through.", "Repair the service.";
    NothingSelected = "nothing_selected", Verdict, Agent, "No case was selected, so nothing ran. Nothing is not a pass.", "Name a case that the plan has.";
    PortOccupied = "port_occupied", Verdict, Service, "A port that a service of the run should open is held by something else, before the start or after it. What answers there is not what the run started.", "End what holds the port, or say adopt: true on the service if it is the one that is meant; the subject is only declared then.";
    ServiceNotReady = "service_not_ready", Verdict, Service, "A service that the run needs could not be started, ended at once, or did not become ready in its time. Nothing was tested.", "Look at the last lines of its output; repair it, or raise timeout if it is only slow.";
    ServiceDied = "service_died", Verdict, Service, "A service that the run had started ended during the run. What answered from then on, if anything did, is not known to be it.", "Look at the last lines of its output, repair it and run again. A service has to stay in the foreground.";
    ServiceLeft = "service_left_running", Verdict, Person, "A service that the run had started could not be shown to have ended. A process that is not known to be the one that was started is never signalled.", "See what is left of it, and end it.";
    TimeBackwards = "time_backwards", Integrity, Agent, "The wall clock went back during the run; times in it order nothing.", "Run again on a machine whose clock is steady.";

    // Integrity
    JournalUnreadable = "journal_unreadable", Integrity, Agent, "There is no journal that can be read.", "Fetch the run folder again from where it was made.";
    JournalPartialLine = "journal_partial_line", Integrity, Agent, "The last line of the journal has no line end: the process died while writing, or the file was cut.", "Close the run with probity run --resume, or fetch the folder again.";
    EntryNotCanonical = "entry_not_canonical", Integrity, Agent, "A line is not exactly the canonical form of its entry, so it was not written by probity.", "Fetch the run folder again.";
    EntryUnknownKind = "entry_unknown_kind", Integrity, Agent, "An entry is of a kind that this version does not know.", "Verify with a newer probity, or fetch the folder again.";
    EntryBodyInvalid = "entry_body_invalid", Integrity, Agent, "The body of an entry is not what its kind holds.", "Fetch the run folder again.";
    ChainBroken = "chain_broken", Integrity, Agent, "An entry does not follow the one before it: something was changed, taken out or put in.", "Fetch the run folder again.";
    SequenceGap = "sequence_gap", Integrity, Agent, "The numbers of the entries have a gap or a repeat.", "Fetch the run folder again.";
    RunMixed = "run_mixed", Integrity, Agent, "Entries of more than one run stand in the journal, or generations go back.", "Fetch the run folder again.";
    NotOpened = "not_opened", Integrity, Agent, "The journal does not begin with run.opened.", "Fetch the run folder again.";
    NotClosed = "not_closed", Integrity, Agent, "The run was never closed, so there is no verdict.", "Close it with probity run --resume.";
    EntryAfterClose = "entry_after_close", Integrity, Agent, "Something was written after the run was closed.", "Fetch the run folder again.";
    TailCut = "tail_cut", Integrity, Agent, "The run list or the seal names more entries than the journal has.", "Fetch the run folder again.";
    AnchorDiffers = "anchor_differs", Integrity, Agent, "The run list or the seal names another head than the journal has.", "Fetch the run folder and the run list again from where they were made.";
    EvidenceMissing = "evidence_missing", Integrity, Agent, "Evidence that the journal names is not in the folder.", "Fetch the run folder again.";
    EvidenceChanged = "evidence_changed", Integrity, Agent, "The bytes of an evidence file are not those that were captured.", "Fetch the run folder again.";
    EvidenceSize = "evidence_size", Integrity, Agent, "An evidence file has another size than the journal says.", "Fetch the run folder again.";
    InputMissing = "input_missing", Integrity, Agent, "An input that every run seals is not sealed, or a plan names a file that was not.", "Fetch the run folder again.";
    InputTwice = "input_twice", Integrity, Agent, "One input was sealed twice, or after the first action.", "Fetch the run folder again.";
    InputDiffers = "input_differs", Integrity, Agent, "The expanded plan is not what the written plan expands to.", "Fetch the run folder again.";
    PlanCheckDiffers = "plan_check_differs", Integrity, Agent, "The recorded plan check is not what the sealed plan gives.", "Fetch the run folder again.";
    IntentWithoutCommit = "intent_without_commit", Integrity, Agent, "An action was begun and neither finished nor given up.", "Fetch the run folder again.";
    CommitWithoutIntent = "commit_without_intent", Integrity, Agent, "A result stands without the action that it belongs to.", "Fetch the run folder again.";
    IntentDiffers = "intent_differs", Integrity, Agent, "The recorded action is not what the sealed plan says at that point.", "Fetch the run folder again.";
    StepMissing = "step_missing", Integrity, Agent, "A step of the plan has no record.", "Fetch the run folder again.";
    StepTwice = "step_twice", Integrity, Agent, "A step has two records.", "Fetch the run folder again.";
    StepUnknown = "step_unknown", Integrity, Agent, "A record names a step that the plan does not have.", "Fetch the run folder again.";
    EvidenceForeign = "evidence_foreign", Integrity, Agent, "A step cites evidence that was captured outside of it.", "Fetch the run folder again.";
    BudgetOverdrawn = "budget_overdrawn", Integrity, Agent, "The journal shows more probes or output than the run's limits.", "Fetch the run folder again.";
    ActionAfterCancel = "action_after_cancel", Integrity, Agent, "An action that is not cleanup began after the run was cancelled or out of budget.", "Fetch the run folder again.";
    CleanupOpen = "cleanup_open", Integrity, Agent, "A service was started, and the closed journal does not show how it ended.", "See whether it still runs, and fetch the run folder again.";
    ViewDiffers = "view_differs", Integrity, Agent, "A view is not what the journal gives. Line-end conversion and formatters cause most of these; the authorities are untouched.", "Write it again with probity run --resume RUN, which only writes the views of a closed run.";
    ViewMissing = "view_missing", Integrity, Agent, "A view is not in the folder.", "Write it again with probity run --resume RUN.";
    UnlistedFile = "unlisted_file", Integrity, Agent, "A file lies in the run folder that the journal does not name.", "Remove it; whoever put it there may mean it to look like evidence.";
    WeakeningHidden = "weakening_hidden", Integrity, Agent, "The run was weakened in a way that its record does not admit.", "Fetch the run folder again.";
    PathAbsolute = "path_absolute", Integrity, Agent, "A record holds an absolute path or one that leaves its folder.", "Fetch the run folder again.";
    LinkRefused = "link_refused", Integrity, Agent, "A file is a link, a device, or has a second name; what it holds can change behind the digest.", "Copy the run folder without links.";
    OverBudget = "over_budget", Integrity, Agent, "The folder asks for more reading than a run can need.", "Do not trust it; fetch the folder again.";
    OutcomeDiffers = "outcome_differs", Integrity, Agent, "run.closed names another outcome than the derivation works out.", "Fetch the run folder again.";
    NotAnchored = "not_anchored", Integrity, Agent, "Neither run list, seal nor attestation is at hand, so a cut tail cannot be told from an early end.", "Verify where the run list lies, or give --seal.";
    DemandUnmet = "demand_unmet", Integrity, Agent, "A fact that the verifier demanded does not hold.", "Compare the demand with what was sealed.";
    IndexBroken = "index_broken", Integrity, Agent, "The run list does not chain, or has a line that cannot be read.", "Fetch the run list again.";
    ReadBackDiffers = "read_back_differs", Integrity, Agent, "The journal on disk is not what was written during the run: another program changed it, or the disk lost something.", "Keep other programs out of the run folder, and run again.";
    DecodedDiffers = "decoded_differs", Integrity, Agent, "The body that checks read is not what came over the wire, its content codings undone.", "Fetch the run folder again.";

    // Success policies
    Matched = "matched", Policy, Agent, "A run is exactly what the success policy asks for, and one is enough.", "Nothing has to be done.";
    PassRateMet = "pass_rate_met", Policy, Agent, "There are enough runs, and enough of them passed.", "Nothing has to be done; how sure one may be says the interval.";
    ConfidentPass = "confident_pass", Policy, Agent, "There are enough looks, and in one of them the judge is sure enough of a pass.", "Nothing has to be done.";
    LowerBoundMet = "lower_bound_met", Policy, Agent, "The lower end of the interval reaches the target: the runs say that the product is good enough, as sure as was asked for.", "Nothing has to be done.";
    SeriesMet = "series_met", Policy, Agent, "As many runs were made as were planned, and enough of them passed.", "Nothing has to be done.";
    RatioMet = "ratio_met", Policy, Agent, "The runs are so much likelier of a product at p1 than of one at p0 that the sequential test calls it good.", "Nothing has to be done.";
    UpperBoundBelow = "upper_bound_below", Policy, Product, "The upper end of the interval is below the target: the runs say that the product is not good enough. An error counts as a failure.", "Look at the runs that failed, repair the product, and judge its new version by its own runs.";
    SeriesMissed = "series_missed", Policy, Product, "As many runs were made as were planned, and too few of them passed. Whatever did not pass counts against.", "Look at the runs that failed and repair the product; runs more open a new series and mend nothing in this one.";
    RatioBelow = "ratio_below", Policy, Product, "The runs are so much likelier of a product at p0 than of one at p1 that the sequential test calls it bad. An error counts as a failure.", "Look at the runs that failed, repair the product, and judge its new version by its own runs.";
    IntervalOpen = "interval_open", Policy, Agent, "The interval holds the target: a product that is good enough and one that is not would both show these runs.", "Settle how many runs more there will be, and make all of them: an interval that is looked at after each run is right less often than it says.";
    RatioOpen = "ratio_open", Policy, Agent, "Neither boundary of the sequential test is crossed.", "Make more runs, one at a time if you like: looking after each one costs nothing under this type.";
    UnorderedRuns = "unordered_runs", Policy, Agent, "There are more runs than one series takes, and one of them does not say when it was, so nobody can tell to which series it belongs.", "Write created_at in each run, as 2026-11-30T14:02:00Z.";
    NoMatch = "no_match", Policy, Product, "Runs were measured, and none of them is what the success policy asks for.", "Look at the newest run, repair the product, and run again; one run that is what is asked for is enough.";
    PassRateBelow = "pass_rate_below", Policy, Product, "There are enough runs, and too few of them passed. An error counts as a failure.", "Look at the runs that failed; more passes raise the rate again.";
    AllConfidentFail = "all_confident_fail", Policy, Product, "The judge is sure of a failure in every look.", "Look at what the judge saw, repair the product, and have it judged again.";
    NoRuns = "no_runs", Policy, Agent, "No run is completed, so nothing is known. Nothing is not a pass.", "Run it.";
    NoMeasurement = "no_measurement", Policy, Agent, "Runs are completed, and none of them could be measured: undetermined, in error, or without the value that the success policy looks at.", "Make a run that passes or fails and holds the value; probity policy explain shows what each run holds.";
    InsufficientRuns = "insufficient_runs", Policy, Agent, "There are fewer runs than the success policy wants before anything is judged.", "Make as many more as it says; how many was settled before the first of them.";
    Ambiguous = "ambiguous", Policy, Agent, "The judge is neither sure of a pass nor sure of a failure each time.", "Have it judged again, or let a person look.";
    NotJson = "not_json", Policy, Agent, "The text is no JSON that every reader takes: a gate must not pass on what nobody can evaluate. A number that no double can hold is none either.", "Write a JSON object; probity policy import carries other forms over.";
    NotObject = "not_object", Policy, Agent, "The text is JSON, and no object.", "Write an object with a type.";
    MissingType = "missing_type", Policy, Agent, "The success policy does not say its type.", "Say which of the types it is; probity policy schema lists them.";
    UnknownType = "unknown_type", Policy, Agent, "There is no such type of success policy.", "Write deterministic, threshold, statistical, composite, agent_judgment, wilson, sprt, pass_k or planned_runs, in lower case.";
    ConflictingFields = "conflicting_fields", Policy, Agent, "Fields stand together that exclude each other.", "Keep one of them.";
    UnknownValue = "unknown_value", Policy, Agent, "A word that this field does not take.", "Use one of the words that are named.";
    OutOfRange = "out_of_range", Policy, Agent, "A number is outside of what this field takes.", "Choose one inside the range that is named.";
    EmptyRules = "empty_rules", Policy, Agent, "A composite success policy has no rules. All of nothing always holds.", "Write at least one rule.";
    MetricConflict = "metric_conflict", Policy, Agent, "The score column of a run and the score in its raw result differ. The column counts.", "See which of the two is right, and write one of them.";
    VerdictContradiction = "verdict_contradiction", Policy, Agent, "A run called fail has the very value that the success policy asks for. The policy decides.", "See whether the policy looks at the right value.";
    Conflict = "conflict", Policy, Person, "The judge is sure of a pass in one look and sure of a failure in another. One pass is enough for this success policy.", "Look at both; a judge that is wrong now and then gets anything through if it is asked often enough.";
    NewerContradiction = "newer_contradiction", Policy, Agent, "A run that is what the success policy asks for is enough, but a newer one is not.", "Look at the newer run: it may be the truth about the product of today.";
    ErrorCounts = "error_counts", Policy, Agent, "A run that ended in an error counts as a failure under this success policy, and it fills the number of runs.", "Look at what went wrong with the run.";
    VerdictUnknown = "verdict_unknown", Policy, Agent, "A verdict is a text that is none, such as one in upper case. It counts as an error.", "Write pass, fail, undetermined or error.";
    Vacuous = "vacuous", Policy, Agent, "A bound that everything meets: a success policy that cannot fail proves nothing.", "Write the bound that is meant.";
    EqOnFloat = "eq_on_float", Policy, Agent, "A value is compared for equality with a number that is not whole. Numbers are compared exactly, so the last digit decides.", "Use gte or lte, unless the value is copied and not computed.";
    MissingOperator = "missing_operator", Policy, Agent, "The threshold does not say how it compares; it means at least.", "Write the operator.";
    PctLooksLikeFraction = "pct_looks_like_fraction", Policy, Agent, "A bound in percent of at most 1. Values are taken as percent as they stand: 0.95 is not 95.", "Write 80 for 80 percent.";
    MinRunsOne = "min_runs_one", Policy, Agent, "One run decides a success policy that is there to count many.", "Ask for more runs, or use a deterministic policy.";
    ZeroWidthZone = "zero_width_zone", Policy, Agent, "Both confidences are the same, so there is nothing between sure of a pass and sure of a failure.", "Leave a zone between them in which more looks are needed.";
    ColumnNameAsMetric = "column_name_as_metric", Policy, Agent, "A column of runs is named where only the raw result is looked at.", "Write the value into the raw result under a name of its own.";
    RedundantRule = "redundant_rule", Policy, Agent, "Two rules ask for the same, and the stronger one says it all.", "Remove the weaker one.";
    SeriesRepeated = "series_repeated", Policy, Person, "A full series did not reach the rate, and another one was made after it. Whoever repeats a series until it is green gets there in the end.", "See what was changed between the two; if it was nothing, the first one is the truth.";
    LooseErrorRate = "loose_error_rate", Policy, Agent, "The success policy lets itself be wrong more than one time in five.", "Write 0.95 for a confidence, 0.05 for alpha and beta, or say why not under x_why.";
    RunsTooFew = "runs_too_few", Policy, Agent, "The fewest runs that are judged can never satisfy this success policy, not even without a failure.", "Plan for more runs, or lower the target.";
    WeakSample = "weak_sample", Policy, Agent, "So few runs say little: a product that is worse than asked for gets through often, and a good one is often held back.", "Ask for more runs; the interval says how much is known.";
    LegacyDialect = "legacy_dialect", Policy, Agent, "The text is a form of success policy that was in use elsewhere. It is not evaluated.", "Carry it over with probity policy import.";
    ImportByHand = "import_by_hand", Policy, Person, "What the text asks for cannot be said by a success policy of this version, so nothing is carried over.", "Write a policy that says what is meant.";
    RunsMixed = "runs_mixed", Policy, Agent, "The runs belong to more than one requirement, and a success policy judges one.", "Choose one with --requirement.";
    RunNotProved = "run_not_proved", Policy, Agent, "A run folder does not verify, or the run list names a run whose folder is gone. Whatever it was, it counts as an error and never as a pass.", "Fetch the folder again from where it was made.";
    RunPending = "run_pending", Policy, Agent, "A run was never closed, so it has no verdict and is not counted.", "Close it with probity run --resume.";

    // Judges
    JudgeUnknown = "judge_unknown", Judge, Agent, "There is no judge of this name.", "Declare it under judges in probity.yaml, or use pixels, which is shipped.";
    JudgeIsAuthor = "judge_is_author", Judge, Person, "Who answers for the judge made what is judged. Nobody judges their own work.", "Have it judged by somebody else.";
    JudgeChanged = "judge_changed", Judge, Person, "The judge is not the one that the settings file pins: its program, a script of it or its arguments are others.", "See what was changed; if it is meant, write the new digest that probity judge list shows.";
    JudgeCallFailed = "judge_call_failed", Judge, Agent, "The judge gave no answer: it could not be started, ended in an error, wrote too much or took too long. That is no vote.", "Run the judge by hand with the question that docs/judges.md shows; raise timeout if it is only slow.";
    JudgeAnswerMalformed = "judge_answer_malformed", Judge, Agent, "What the judge wrote is not the one JSON document of the protocol. It is not guessed at.", "Correct the judge; docs/judges.md shows an answer.";
    JudgeAnswerForeign = "judge_answer_foreign", Judge, Agent, "The answer carries another nonce than the question, so it may be the answer to another one.", "Copy nonce from the question into the answer.";
    JudgeCitesUnknown = "judge_cites_unknown", Judge, Agent, "The judge rests on evidence that it was not shown. It made that up.", "Cite exhibits by the names that the question gives them.";
    JudgeCitesNothing = "judge_cites_nothing", Judge, Agent, "A pass or a failure that rests on nothing that was shown.", "Name the exhibits that the answer rests on, or answer undetermined.";
    JudgeControlFailed = "judge_control_failed", Judge, Person, "The judge passed evidence that is known to be bad, refused what is known to be good, or could not be asked about it. Its votes say nothing.", "Use another judge, or a control that makes the evidence bad for this criterion.";
    JudgeControlMissing = "judge_control_missing", Judge, Person, "Nothing known to be bad could be made of the evidence, so nobody knows whether the judge would notice.", "Give --known-bad FILE, or another control.";
    JudgeWrote = "judge_wrote", Judge, Person, "The run that is judged was changed while the judge ran. Its votes say nothing.", "Keep the judge, and other programs, out of the run folder; fetch the run again.";
    JudgeDisagrees = "judge_disagrees", Judge, Person, "The judge gave different answers to one question.", "Let a person look, or have it judged by a judge that is sure.";
    JudgeUndecided = "judge_undecided", Judge, Person, "The judge looked and cannot tell.", "Show it more, or let a person look.";
    ExhibitUnreadable = "exhibit_unreadable", Judge, Agent, "Something that is to be judged cannot be read, is no picture in PNG, or is too large.", "Give a PNG of at most 25 million pixels for pictures, and at most 32 MiB in all.";

    // Host profiles, cases files, Playwright reports
    FieldRetired = "field_retired", Report, Agent, "A field of an older version stands here, and it no longer does anything.", "Remove it and write what took its place, as the message says.";
    FieldIgnored = "field_ignored", Report, Agent, "What is written here has no effect beside another setting.", "Remove one of the two.";
    PatternUnsupported = "javascript_pattern_malformed", Report, Agent, "A JavaScript regular expression does not compile, or lacks the group that holds the value.", "Repair the pattern; patterns of the host profile are read as JavaScript reads them.";
    EvidenceUploadRefused = "evidence_upload_refused", Report, Person, "Evidence of a production environment would leave the machine: traces hold what real users see.", "Write evidence_upload: local, or leave it out.";
    NotForProduction = "not_for_production", Report, Person, "A setting that no production environment may have.", "Choose another environment, or the setting that production allows.";
    LooksLikeProduction = "looks_like_production", Report, Person, "The address looks like production and the environment says that it is not. Nothing is guessed: the declared kind decides what is guarded.", "Write kind: production if it is one.";
    ProfileWeak = "profile_weak", Report, Person, "A setting that is allowed and makes runs say less, or leaves more to chance.", "Change it if that is not meant.";
    StatusNameRepeated = "status_name_repeated", Report, Agent, "Two states of a case have one name in the tracker, so a name does not tell which is meant.", "Give each state a name of its own.";
    FeatureDiffers = "feature_differs", Report, Agent, "The feature is not the one of the folder, so results would be filed under another feature.", "Write the folder's name as feature.";
    ModelNotApproved = "model_not_approved", Report, Person, "The cases were written by a model that the host profile does not approve.", "Have a person approve it under models.generation_approved, or write the cases again.";
    TooManyCases = "too_many_cases", Report, Agent, "A feature has more cases than a person can review at once.", "Split the feature.";
    OutcomeVague = "outcome_vague", Report, Agent, "An expected outcome says that it works and not what can be seen, so nobody can hold a result against it.", "Name the text, the number or the element that a person would look at.";
    OutcomeOnNetwork = "outcome_on_network", Report, Agent, "An expected outcome speaks of network traffic, which the host profile forbids: users do not see requests.", "Say what the screen shows once the request is through.";
    OutcomeUnanchored = "outcome_unanchored", Report, Agent, "An expected outcome names nothing that a check could hold on to: no quoted text, no number, no element.", "Quote the text that appears, or name the element.";
    NoOutcomeLeft = "no_outcome_left", Report, Agent, "No expected outcome of the case says anything that can be checked.", "Write at least one that does.";
    ScenarioMixUnmet = "scenario_mix_unmet", Report, Agent, "The cases are not the mix that the file declares.", "Add the case that is missing, or say n_a with the reason.";
    WriteScopeMalformed = "write_scope_malformed", Report, Agent, "The write policy and its prefix do not fit together.", "Give scoped-write a prefix of at least three letters, digits, _ or -, and other policies none.";
    FixtureRefused = "fixture_refused", Report, Agent, "A feature that may only read declares data that it sets up.", "Remove the fixtures, or declare scoped-write with a prefix.";
    FixtureUndeclared = "fixture_undeclared", Report, Agent, "A case needs a fixture that the file does not declare.", "Declare it under fixtures.";
    FixtureUnused = "fixture_unused", Report, Agent, "A declared fixture is named by no case.", "Remove it, or name it in a case.";
    CoversMalformed = "covers_malformed", Report, Agent, "What a case covers is not a list of REQUIREMENT/CRITERION.", "Write the id of the requirement, a slash and the id of the criterion.";
    CoversUndeclared = "covers_undeclared", Report, Agent, "A case covers a criterion that the file does not declare.", "Declare it under requirements, or correct the reference.";
    ReportEmpty = "report_empty", Report, Agent, "The Playwright report holds no byte or no object, so it says nothing of any case.", "Run again; a blob report survives a crash of the reporter.";
    ReportCut = "report_cut", Report, Agent, "The Playwright report ends in the middle: the run or the disk ended before it was written.", "Run again, or merge blob reports, which are written as the tests end.";
    ReportMalformed = "report_malformed", Report, Agent, "The file is not a Playwright report.", "Give the file that Playwright's json or blob reporter wrote.";
    ReportTooLarge = "report_too_large", Report, Agent, "The report holds more than any run needs in one place.", "Split the run, and keep large bodies in files.";
    MetaMalformed = "meta_malformed", Report, Agent, "The metadata of the run is not a JSON object that can be read.", "Give the meta.json that was written when the run started.";
    TraceUnreadable = "trace_unreadable", Report, Agent, "A trace that the report names cannot be read where the report says, so it has no digest.", "Import where the run was made, before the next run empties the output folder.";
    WritesUnreadable = "writes_unreadable", Report, Agent, "A record of the write guard cannot be read, so the guard counts as not installed.", "Import where the run was made, before the next run empties the output folder.";
    SpecsUnmapped = "specs_unmapped", Report, Agent, "Specs whose title begins with no case id and is no fixture are left out.", "Begin the title with the case id, as in SHOP-CART-001.";
    SpecUnreadable = "spec_unreadable", Report, Agent, "A spec file cannot be read, so its case has no hash and goes back to review.", "Correct the path in the map of specs.";
    ExpectedFailure = "expected_failure", Report, Agent, "The spec says of itself that it fails (test.fail), and it did. Its verdict is what happened; it never shows that a criterion holds.", "Repair the product and take test.fail away.";
    UnexpectedPass = "unexpected_pass", Report, Agent, "The spec says of itself that it fails (test.fail), and it passed. Its verdict is what happened; the requirement is capped until the spec says what is meant.", "Take test.fail away if the product is repaired.";
    AttemptInterrupted = "attempt_interrupted", Report, Agent, "An attempt of the case was cut off, by an interruption or by the limit of failures, so the run is not whole.", "Run again to the end.";
    CaseRepeated = "case_repeated", Report, Agent, "More than one spec, or one project more than once, carries the id of the case. They are combined: a failure beats a flake, a flake beats a pass.", "Give each spec an id of its own, if they are different cases.";
    CaseNotRun = "case_not_run", Report, Agent, "A test of the case was never started or was skipped although nothing in it says so: a hook, a dependency or an earlier test failed, or the run was only listed.", "Look at what failed before it, and run again.";

    // Usage
    UsageError = "usage_error", Usage, Agent, "The command line cannot be understood.", "See --help.";
    RunUnknown = "run_unknown", Usage, Agent, "There is no such run.", "Name a run folder, a prefix of its id, or leave it out for the newest.";
    RunAmbiguous = "run_ambiguous", Usage, Agent, "The prefix fits more than one run.", "Write more of it.";
    IdUnknown = "id_unknown", Usage, Agent, "The run has nothing of that id.", "Name a criterion, case, step or evidence handle that probity why or show lists.";
    CodeUnknown = "code_unknown", Usage, Agent, "There is no such code.", "See probity explain --all.";
    RunLocked = "run_locked", Usage, Agent, "Another process is writing this run.", "Wait for it to end.";
    RunExists = "run_exists", Usage, Agent, "A run of that id exists; a closed run is never written again.", "Start a new run.";
    PlanNotFound = "plan_not_found", Usage, Agent, "No plan was found.", "Name a file that ends in .probity.yaml, a folder that holds one, or write one with probity init.";
    FolderUnwritable = "folder_unwritable", Usage, Agent, "A file or folder cannot be written.", "Check permissions and space, or choose another folder with --out.";
    FileExists = "file_exists", Usage, Agent, "A file is already there and is not overwritten.", "Move it away, or choose another name.";
    Interrupted = "interrupted", Usage, Person, "The command was interrupted.", "Run it again.";
    TrustFromEnvironment = "trust_from_environment", Usage, Agent, "What a verifier trusts was set in the environment of the command. It has no effect: whoever made the run could have set it.", "Give it as a flag of the command.";

    // The index of QA runs
    IndexMissing = "index_missing", Index, Agent, "There is no index of QA runs, so nothing is known of any requirement.", "Make one with probity qa require, or name it with --index.";
    IndexUnreachable = "index_unreachable", Index, Agent, "The index of QA runs cannot be opened, reached, or written in time.", "Check that the file or the database is there and may be written; see probity settings for which one it is.";
    IndexForm = "index_form", Index, Agent, "The tables of the index are of another form than this program knows; it does not touch them.", "Use the program that made them, or export with that one and import into a new index.";
    IndexUrl = "index_url", Index, Agent, "What names the index is neither a file nor a URL of PostgreSQL.", "Name a file, or write postgres://user@host/database.";
    IndexRefused = "index_refused", Index, Agent, "The database refused a row: it stands already, would change what was recorded, or is out of range. What was recorded stays.", "Record a new run; a recorded one is never changed.";
    NotIndexed = "not_indexed", Index, Agent, "A run was made and has its verdict, but its outcome is not in the index; a phase gate does not know of it.", "Repair what is named, then record it with probity qa record REQUIREMENT --run RUN.";
    RequirementUnknown = "requirement_unknown", Index, Agent, "The index has no requirement of this id.", "Enter it with probity qa require, or correct the id.";
    KeyConflict = "key_conflict", Index, Agent, "A key or an id stands for something else already. What was recorded is never written over.", "Choose another key, or record nothing: what stands under it is kept.";
    ReasonMissing = "reason_missing", Index, Person, "What a requirement asks for would change, and nobody says why. A change is kept as a version with its author and reason.", "Say --reason.";
    RawResultUnfit = "raw_result_unfit", Index, Agent, "A raw result is too large, or has more keys than can be kept for policies to look at.", "Keep large evidence as an artifact, and put what policies look at into top-level keys.";
    WaiverEnds = "waiver_ends", Index, Person, "A waiver ends in the past, or after more than a year.", "Say --until with a day ahead; what should never hold is no requirement.";
    ImportUnfit = "import_unfit", Index, Agent, "A line is none of those that probity qa export --as jsonl writes.", "Export again; CSV and tables for analysis cannot be imported.";

    // What a phase gate says of a requirement
    NoRequirement = "no_requirement", Index, Agent, "Nothing is required in this phase. Nothing is not a pass.", "Enter what must hold with probity qa require.";
    RunsStale = "runs_stale", Index, Agent, "The requirement has runs, but none of the commit that is asked about. A later clock makes no run fresh.", "Run it on this commit.";
    RunsReportedOnly = "runs_reported_only", Index, Agent, "The runs of this commit were reported by somebody, and the requirement does not count those.", "Let probity run make the run; or a person decides that reported runs count: probity qa require ID --accept-reported --reason WHY.";
    RunsDirty = "runs_dirty", Index, Agent, "The runs of this commit were made in a work tree that differs from it, so they say nothing of it.", "Commit what is meant, and run again.";
    NewestContradicts = "newest_contradicts", Index, Product, "A run is what the success policy asks for, but the newest run of the commit is not.", "Look at the newest run and run again; --select any lets one good run do.";
    AttemptsExceeded = "attempts_exceeded", Index, Product, "The first so many runs of the commit are not what the success policy asks for; later ones are not counted, or anything would pass in the end.", "Repair the product and run on the new commit.";
    Waived = "waived", Index, Person, "Somebody waived the requirement for a while, with a reason. It holds nothing up, and is said each time.", "Make it hold before the waiver ends.";
    WaiverUnsigned = "waiver_unsigned", Index, Person, "The gate is open because of a waiver that bears no signature: whoever can write the index can have given it. The claim is capped.", "Look at who gave it and why.";
    WaiverExpired = "waiver_expired", Index, Person, "A waiver of the requirement has ended, and counts no more.", "Make the requirement hold, or give a new waiver.";
    WaiverVoid = "waiver_void", Index, Person, "A waiver was given for another version of the requirement or for another commit, so it does not count.", "Make the requirement hold, or give a new waiver.";
    CommitUnknown = "commit_unknown", Index, Agent, "Nobody says which commit is asked about, and the folder is no git work tree, so no run is known to be of it.", "Say --commit.";
    CommitDirty = "commit_dirty", Index, Agent, "The work tree differs from its commit, so a run that is recorded by hand cannot be said to be of that commit.", "Commit first, or say --commit with what was tested.";
}

impl Code {
    /// The code of this text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str() == text)
    }

    /// The known code whose text is nearest, for a suggestion.
    #[must_use]
    pub fn nearest(text: &str) -> Option<Self> {
        crate::nearest::nearest(text, Self::ALL.iter().map(|c| c.as_str())).and_then(Self::parse)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_explained() {
        let mut texts: Vec<_> = Code::ALL.iter().map(|c| c.as_str()).collect();
        texts.sort_unstable();
        assert!(texts.windows(2).all(|pair| pair[0] != pair[1]));
        for code in Code::ALL {
            assert_eq!(Code::parse(code.as_str()), Some(*code));
            let explanation = code.explanation();
            assert!(explanation.meaning.ends_with('.') && explanation.remedy.ends_with('.'), "{code}");
        }
        assert_eq!(Code::nearest("step_asserts_nothin"), Some(Code::StepAssertsNothing));
    }
}
