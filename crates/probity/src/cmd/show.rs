use crate::cli::ShowArgs;
use crate::out::Out;
pub(crate) fn show(_args: &ShowArgs, _out: Out) -> u8 {
    2
}
