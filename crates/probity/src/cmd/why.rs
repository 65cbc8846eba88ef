use crate::cli::OneRun;
use crate::out::Out;
pub(crate) fn why(_args: &OneRun, _out: Out) -> u8 {
    2
}
