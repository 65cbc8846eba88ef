use crate::cli::VerifyArgs;
use crate::out::Out;
pub(crate) fn verify(_args: &VerifyArgs, _out: Out) -> u8 {
    2
}
