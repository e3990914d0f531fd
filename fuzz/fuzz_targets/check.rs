//! What every target does with a file: the checks of `tests/mutants`, and an abort where one fails.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use crate::survive::survive;

thread_local! {
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Opens `bytes` and uses the model. A panic of a dependency that is guarded where it is called is no crash; the fuzzer's
/// own hook would make it one.
pub fn check(bytes: &[u8]) {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| std::panic::set_hook(Box::new(|info| LAST.with(|last| *last.borrow_mut() = info.to_string()))));
    if catch_unwind(AssertUnwindSafe(|| survive(bytes))).is_err() {
        LAST.with(|last| eprintln!("{}", last.borrow()));
        std::process::abort();
    }
}
