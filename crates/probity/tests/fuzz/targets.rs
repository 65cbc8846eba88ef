//! A function for each parser that takes bytes from outside: whatever the bytes are, it returns, and what must hold of
//! every reading is asserted in it. Called by the tests beside this file and by the programs in fuzz/.

mod answers;
mod documents;
mod drafts;
mod judges;
mod policies;
mod records;
mod words;

/// A target: its name, which is also that of its corpus, what it does, and pieces that lead deep into its parser.
pub(crate) struct Target {
    pub(crate) name: &'static str,
    pub(crate) run: fn(&[u8]),
    #[allow(dead_code, reason = "a fuzzer finds its own")]
    pub(crate) pieces: &'static [&'static str],
}

const fn target(name: &'static str, run: fn(&[u8]), pieces: &'static [&'static str]) -> Target {
    Target { name, run, pieces }
}

/// All of them.
pub(crate) const ALL: [Target; 22] = [
    target("document_yaml", documents::yaml, documents::YAML),
    target("document_json", documents::json, documents::JSON),
    target("plan_written", documents::plan_written, documents::PLAN),
    target("plan_seed", documents::plan_seed, documents::SEED),
    target("settings", documents::settings, documents::SETTINGS),
    target("answer_json", answers::json, documents::JSON),
    target("path", answers::path, answers::PATH),
    target("number", answers::number, answers::NUMBER),
    target("coding", answers::coding, &[]),
    target("cookie", answers::cookie, answers::COOKIE),
    target("header", answers::header, answers::HEADER),
    target("journal", records::journal, records::JOURNAL),
    target("run_list", records::run_list, records::JOURNAL),
    target("allowed_signers", records::allowed_signers, records::SIGNERS),
    target("draft_curl", drafts::curl, drafts::CURL),
    target("draft_hurl", drafts::hurl, drafts::HURL),
    target("draft_har", drafts::har, drafts::HAR),
    target("draft_openapi", drafts::openapi, drafts::OPENAPI),
    target("success_policy", policies::success_policy, policies::POLICY),
    target("judge_answer", judges::answer, judges::ANSWER),
    target("picture", judges::picture, judges::PICTURE),
    target("words", words::words, words::WORDS),
];

/// The target of that name.
#[allow(dead_code, reason = "the tests go through all of them, a program in fuzz/ asks for one")]
pub(crate) fn named(name: &str) -> fn(&[u8]) {
    ALL.iter().find(|target| target.name == name).expect("a target").run
}
