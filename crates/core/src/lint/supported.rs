//! Features of the plan language that later builds perform: refused by name, never ignored.

use super::LintInput;
use super::findings::{At, Findings};
use crate::codes::Code;
use crate::expect::What;
use crate::plan::{Action, HttpVersion};

/// `not_supported`.
pub(super) fn check(input: &LintInput<'_>, found: &mut Findings) {
    for scenario in &input.plan.scenarios {
        for step in &scenario.steps {
            if let Action::Http(http) = &step.action
                && http.http_version == HttpVersion::Two
            {
                found.error_with(
                    Code::NotSupported,
                    step,
                    "HTTP/2 is not spoken by this build",
                    "Remove httpVersion: 2.",
                );
            }
            for check in &step.checks {
                if matches!(&check.what, What::HttpVersion(version) if version == "2") {
                    let message = "HTTP/2 is not spoken by this build, so it cannot be expected";
                    found.error_with(Code::NotSupported, At::from((step, check)), message, "Remove httpVersion: 2.");
                }
            }
        }
    }
}
