use crate::cli::InitArgs;
use crate::out::Out;
pub(crate) fn init(_args: &InitArgs, _out: Out) -> u8 {
    2
}
