//! What every target does with a file: the checks of `tests/mutants`, and an abort where one fails.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once};

use crate::survive::survive;

/// Places that have panicked, and whether one is new.
static SEEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
static NEW: AtomicBool = AtomicBool::new(false);

/// Opens `bytes` and uses the model. A panic of a dependency that is guarded where it is called is no crash, though the
/// fuzzer's own hook would make it one: the first at each place is told, and its file kept as `guarded_*` where the fuzzer runs.
pub fn check(bytes: &[u8]) {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        std::panic::set_hook(Box::new(|info| {
            if let Ok(mut seen) = SEEN.lock() {
                let place = info.location().map(ToString::to_string).unwrap_or_default();
                if seen.insert(place) {
                    eprintln!("{info}");
                    NEW.store(true, Ordering::Relaxed);
                }
            }
        }));
    });
    if catch_unwind(AssertUnwindSafe(|| survive(bytes))).is_err() {
        std::process::abort();
    }
    if NEW.swap(false, Ordering::Relaxed) {
        let name = format!("guarded_{}_{}.glb", std::process::id(), SEEN.lock().map_or(0, |s| s.len()));
        // Best effort: without the file the place is still told.
        let _unwritten = std::fs::write(name, bytes).is_err();
    }
}
