//! The command of a seed-form step with the action `command`.

use super::reading::{Reading, entry, field, flag, text};
use super::reference::Use;
use crate::codes::Code;
use crate::diagnostic::Diagnostics;
use crate::document::Node;
use crate::json::Json;
use crate::plan::CommandStep;

/// Fields of the reference tool that name what must exist before a run.
pub(super) const GATES: [&str; 4] = ["requiredFiles", "requiredDirectories", "requiredDirs", "requiredPaths"];

impl Reading<'_> {
    pub(super) fn command(&mut self, step: &Node) -> Option<CommandStep> {
        let argv = self.argv(step);
        let env = self.environment_pairs(step);
        let stdin = field(step, "stdin").map(|node| self.data(node, Use::Sent));
        for name in GATES {
            self.warn_gate(step, name);
        }
        let cwd = text(step, "cwd");
        if cwd.as_deref().is_some_and(|cwd| cwd.contains('\0')) {
            self.error(Code::CommandPathOutside, Self::place_of(step, "cwd"), "`cwd` is no path", "name a folder");
        }
        let shell = flag(step, "shell").unwrap_or(false);
        let says_idempotent = field(step, "idempotent").is_some();
        Some(CommandStep { argv: argv?, cwd, env, stdin, shell, says_idempotent })
    }

    fn argv(&mut self, step: &Node) -> Option<Vec<Json>> {
        let node = match (field(step, "command"), field(step, "cmd")) {
            (Some(node), None) | (None, Some(node)) => node,
            (None, None) => {
                let help = "add `command`: the program and its arguments, one list item each";
                self.error(Code::MissingField, step.place, "the step has no `command`", help);
                return None;
            }
            (Some(_), Some(second)) => {
                let message = "the step has both `command` and `cmd`";
                self.error(Code::UnknownField, second.place, message, "keep one of them");
                return None;
            }
        };
        let mut argv = Vec::new();
        for (at, item) in node.as_list()?.iter().enumerate() {
            let value = self.single(item, Use::Data);
            if at == 0 && value.as_text().is_none_or(str::is_empty) {
                let message = "the program is not written out";
                let help = "name the program; values may stand in the arguments after it";
                self.error(Code::TemplateBreakout, item.place, message, help);
            }
            if value.as_text().is_some_and(|text| text.contains('\0')) {
                self.error(Code::ValueOutOfRange, item.place, "an argument holds a NUL character", "remove it");
            }
            argv.push(value);
        }
        Some(argv)
    }

    fn environment_pairs(&mut self, step: &Node) -> Vec<(String, Json)> {
        let mut pairs = Vec::new();
        for (key, value) in field(step, "env").and_then(Node::as_map).unwrap_or_default() {
            if key.name.is_empty() || key.name.contains(['=', '\0']) {
                let help = "use letters, digits and underscore";
                self.error(Code::VarNameInvalid, key.place, "an environment variable has no usable name", help);
            }
            pairs.push((key.name.to_string(), self.single(value, Use::Credential)));
        }
        pairs
    }

    /// Says that something which the reference tool checks first is not checked here.
    pub(super) fn warn_gate(&mut self, node: &Node, name: &str) {
        if let Some((key, _)) = entry(node, name) {
            let message = format!("`{name}` is not checked by this build");
            Diagnostics::warning(
                self.diags,
                Code::NotSupported,
                key.place,
                message,
                "the steps themselves will show it",
            );
        }
    }
}
