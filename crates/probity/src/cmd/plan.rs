use crate::cli::PlanArgs;
use crate::out::Out;
pub(crate) fn check(_args: &PlanArgs, _out: Out) -> u8 {
    2
}
pub(crate) fn expand(_args: &PlanArgs, _out: Out) -> u8 {
    2
}
