//! The parsers of probity as fuzz targets. What is asserted of each stands in crates/probity/tests/fuzz/targets, where
//! ordinary tests call it too.
#![allow(clippy::expect_used, clippy::panic, reason = "a target stops at the first surprise")]

/// The program's own readers; it is no library.
#[path = "../../crates/probity/src"]
mod program {
    #[allow(dead_code, reason = "only its readers are called here")]
    pub(crate) mod draft;
}

#[path = "../../crates/probity/tests/fuzz"]
mod shared {
    pub(crate) mod targets;
}

#[doc(hidden)]
#[cfg(fuzzing)]
pub use libfuzzer_sys::fuzz_target;

/// The target of that name.
#[must_use]
pub fn named(name: &str) -> fn(&[u8]) {
    shared::targets::named(name)
}

/// A program for one target: under a fuzzer its entry, otherwise one that replays the files that it is given.
#[macro_export]
macro_rules! program {
    ($name:literal) => {
        #[cfg(fuzzing)]
        $crate::fuzz_target!(|bytes: &[u8]| $crate::named($name)(bytes));

        #[cfg(not(fuzzing))]
        fn main() -> std::io::Result<()> {
            for file in std::env::args_os().skip(1) {
                $crate::named($name)(&std::fs::read(file)?);
            }
            Ok(())
        }
    };
}
