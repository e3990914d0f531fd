//! Captures what a thread writes to standard output and standard error, for programs that call a command of this one
//! instead of launching a process.

use std::cell::RefCell;

/// What a thread wrote while it was captured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// The bytes for standard output.
    pub stdout: Vec<u8>,
    /// The bytes for standard error.
    pub stderr: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Stream {
    Output,
    Error,
}

thread_local! {
    /// What this thread has written so far; `None` where it writes to the process's own streams.
    static CAPTURED: RefCell<Option<Captured>> = const { RefCell::new(None) };
}

/// Runs `work`, and returns its result with what this thread wrote meanwhile by [`super::say`] and [`super::print`],
/// which then goes to no stream. What `work` writes on other threads goes to the streams of the process. Captures may
/// be nested: the inner one gets what is written within it.
pub fn captured<T>(work: impl FnOnce() -> T) -> (T, Captured) {
    let outer = CAPTURED.replace(Some(Captured::default()));
    let done = work();
    (done, CAPTURED.replace(outer).unwrap_or_default())
}

/// Keeps `bytes` where this thread is captured, and returns whether it is.
pub(super) fn write(stream: Stream, bytes: &[u8]) -> bool {
    CAPTURED.with_borrow_mut(|captured| {
        let Some(captured) = captured else { return false };
        let out = match stream {
            Stream::Output => &mut captured.stdout,
            Stream::Error => &mut captured.stderr,
        };
        out.extend_from_slice(bytes);
        true
    })
}

#[cfg(test)]
mod tests {
    use super::super::{print, say};
    use super::*;

    #[test]
    fn each_capture_has_what_is_written_within_it() {
        let (inner, outer) = captured(|| {
            print("a").unwrap();
            let (done, inner) = captured(|| {
                say("b");
                7
            });
            assert_eq!(done, 7);
            print("c").unwrap();
            inner
        });
        assert_eq!(inner, Captured { stdout: Vec::new(), stderr: b"skinscope: b\n".to_vec() });
        assert_eq!(outer, Captured { stdout: b"ac".to_vec(), stderr: Vec::new() });
        assert!(!write(Stream::Output, b""), "nothing is captured any more");
    }
}
