use crate::cli::DemoArgs;
use crate::out::Out;
pub(crate) fn demo(_args: &DemoArgs, _out: Out) -> u8 {
    2
}
