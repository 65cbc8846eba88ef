pub(crate) mod progress;
use crate::engine::Finished;
use crate::out::Out;
pub(crate) fn run(done: &Finished, _name: &str, _out: Out) -> String {
    let mut text = String::new();
    for f in &done.verified.findings {
        text.push_str(&format!(
            "finding {} {:?} {:?} {} {:?} {:?}\n",
            f.code, f.weight, f.file, f.message, f.expected, f.saw
        ));
    }
    if let Some(j) = &done.verified.judged {
        text.push_str(&format!("{} {:?}\n", j.status().as_str(), j.counts()));
        for r in j.reasons() {
            text.push_str(&format!("  {} {:?} {:?} {} {:?}\n", r.code, r.weight, r.subjects, r.message, r.check));
        }
    }
    text
}
