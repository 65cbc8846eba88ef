pub(crate) mod run;
use probity_core::codes::Code;
use probity_core::diagnostic::Diagnostic;
use probity_core::verify::Verified;
/// The exit code of a run that was just made: as verify's, but an interrupted run says so.
pub(crate) fn exit(verified: &Verified) -> u8 {
    match &verified.judged {
        Some(judged) if verified.is_intact() && verified.closed => judged.exit(),
        _ => verified.exit(),
    }
}
pub(crate) fn error(_code: Code, message: &str, _help: &str, _place: Option<()>) -> String {
    message.to_owned()
}
pub(crate) fn error_document(_found: &[Diagnostic]) -> String {
    String::new()
}
