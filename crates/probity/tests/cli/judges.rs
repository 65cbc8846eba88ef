//! `probity judge`: what counts as a vote, on the real command probe, with judges that are small scripts.

mod documents;
mod hostile;
pub(crate) mod pictures;
mod protocol;
mod refusals;

use serde_json::Value;

use crate::place::{Place, Ran};

/// What an answer begins with: `$nonce` is the question's.
const HEAD: &str = r#"{"protocol":"probity/judge/1","nonce":"$nonce""#;

/// A judge that looks for 29.97 in the only exhibit. `good` and `bad` are shell lines for a cart that has it and one that
/// has not; `say VERDICT CONFIDENCE` answers.
pub(super) fn script(good: &str, bad: &str) -> String {
    let answer = HEAD.replace('"', "\\\"");
    format!(
        r#"question=$(cat)
nonce=$(printf %s "$question" | sed 's/.*"nonce":"\([0-9a-f]*\)".*/\1/')
say() {{ echo "{answer},\"verdict\":\"$1\",\"confidence\":$2,\"evidence\":[\"x1\"]}}"; }}
if printf %s "$question" | sed 's/.*"data":"\([^"]*\)".*/\1/' | base64 -d | grep -q '29\.97'; then
  {good}
else
  {bad}
fi
"#
    )
}

pub(super) fn honest() -> String {
    script("say pass 0.9", "say fail 0.8")
}

/// A project with a judge `look` that is this script, and a cart in cart.txt.
pub(super) struct Court(pub(super) Place);

impl Court {
    pub(super) fn new(script: &str) -> Self {
        Self::with(script, "")
    }

    /// `more` stands in the declaration of the judge.
    pub(super) fn with(script: &str, more: &str) -> Self {
        let place = Place::without_service();
        place.write("look.sh", script);
        place.write("cart.txt", "MUG-1   3 x 9.99\ntotal   29.97\n");
        place.write("wrong.txt", "MUG-1   3 x 9.99\ntotal   29.96\n");
        let court = Self(place);
        court.declare(more);
        court
    }

    pub(super) fn declare(&self, more: &str) {
        let settings = std::fs::read_to_string(self.0.path().join("probity.yaml")).unwrap();
        let environments = settings.split("judges:").next().unwrap();
        let judge = format!("{environments}judges:\n  look: {{run: [sh, look.sh], by: vision-3{more}}}\n");
        self.0.write("probity.yaml", &judge);
    }

    /// `probity judge run look --author coder-7 --criterion … WORDS`
    pub(super) fn ask(&self, words: &str) -> Ran {
        self.ask_with(words, &[])
    }

    pub(super) fn ask_with(&self, words: &str, variables: &[(&str, &str)]) -> Ran {
        let mut all = vec!["judge", "run", "look", "--author", "coder-7", "--criterion", "The right total is shown."];
        all.extend(words.split_whitespace());
        self.0.probity_words(&all, variables)
    }

    /// The QA run that comes of cart.txt.
    pub(super) fn row(&self, words: &str) -> (i32, Value) {
        let ran = self.ask(&format!("--evidence cart.txt -o - {words}"));
        assert_eq!(ran.stdout.lines().count(), 1, "{ran}");
        (ran.code, ran.json())
    }
}

/// The votes of a QA run: what was asked, whether it counts, and its verdict or code.
pub(super) fn votes(row: &Value) -> Vec<String> {
    let text = |vote: &Value, name: &str| vote[name].as_str().map(str::to_owned);
    let one = |vote: &Value| {
        let said = text(vote, "code").or_else(|| text(vote, "verdict")).unwrap();
        let counts = if vote["counts"].as_bool().unwrap() { "counts" } else { "-" };
        format!("{} {counts} {said}", text(vote, "asked").unwrap())
    };
    let mut all: Vec<String> = row["raw_result"]["votes"].as_array().unwrap().iter().map(one).collect();
    all.sort();
    all
}

/// The code of a QA run's reason.
pub(super) fn code(row: &Value) -> &str {
    row["verdict_reason"].as_str().and_then(|reason| reason.split(' ').next()).unwrap_or_default()
}
