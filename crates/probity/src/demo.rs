//! The demo: a small shop with a bug that no status code shows, and a plan that finds it.
//!
//! * [`prices`]: what the shop sells, in cents.
//! * [`store`]: orders as files, one each; here is the bug.
//! * [`shop`]: the HTTP API over them, on a free loopback port, in a thread of its own.
//! * [`scene`]: the demo's folder with its plan and settings.
//! * [`cheat`]: what somebody would do who wants the run to look better.

pub(crate) mod cheat;
pub(crate) mod prices;
pub(crate) mod scene;
pub(crate) mod shop;
pub(crate) mod store;
