use crate::cli::ExplainArgs;
use crate::out::Out;
pub(crate) fn explain(_args: &ExplainArgs, _out: Out) -> u8 {
    2
}
