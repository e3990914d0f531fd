//! Turns panics of the graphics libraries into errors. When a device fails, the libraries mostly report an error, but
//! in some places they panic: in `Device::poll` when the device is found lost while it waits, when there is no memory
//! for a staging buffer, and when the framebuffer of a render pass cannot be made.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use super::error::GpuError;

thread_local! {
    /// True while this thread is in a guarded call; its panic is then not printed.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

static HOOK: Once = Once::new();

/// Calls `call`; a panic in it counts as the loss of the device. Everything that `call` changed, the device included,
/// must then be given up.
///
/// # Errors
/// [`GpuError::Lost`] with the message of the panic, otherwise the errors of `call`.
pub fn guarded<T>(call: impl FnOnce() -> Result<T, GpuError>) -> Result<T, GpuError> {
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !INSIDE.get() {
                before(info);
            }
        }));
    });
    let outside = INSIDE.replace(true);
    let result = catch_unwind(AssertUnwindSafe(call));
    INSIDE.set(outside);
    result.unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref().copied());
        Err(GpuError::lost(words.unwrap_or("the graphics library gave up")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_lost_device_and_leaves_the_thread_as_it_was() {
        assert_eq!(guarded(|| Ok(7)), Ok(7));
        let out_of_memory = GpuError::OutOfMemory("it".into());
        assert_eq!(guarded(|| Err::<(), _>(out_of_memory.clone())), Err(out_of_memory));
        let number = 3;
        assert_eq!(guarded::<()>(|| panic!("slot {number}")), Err(GpuError::Lost("slot 3".into())));
        assert_eq!(guarded::<()>(|| panic!("no words")), Err(GpuError::Lost("no words".into())));
        let inner = guarded(|| {
            let lost = guarded::<()>(|| panic!("within"));
            assert!(INSIDE.get());
            lost
        });
        assert_eq!(inner, Err(GpuError::Lost("within".into())));
        assert!(!INSIDE.get());
    }
}
