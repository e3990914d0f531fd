//! Work without the interpreter, which Ctrl+C cancels on the main thread, and the exceptions that come of it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use pyo3::intern;
use pyo3::prelude::*;
use skinscope::cli::in_process::Failure;
use skinscope::parallel::{Job, sharing};

pyo3::import_exception!(skinscope._error, Error);

/// How often a caller that waits looks for signals.
const LOOKS: Duration = Duration::from_millis(50);

/// Makes the exception of a failure.
pub(crate) fn failed(failure: Failure) -> PyErr {
    let Failure { message, exit_code } = failure;
    Error::new_err((message, exit_code))
}

/// Makes the exception of a call that cannot be.
pub(crate) fn refused(message: impl Into<String>) -> PyErr {
    Error::new_err((message.into(), 2))
}

/// Refuses a process that was forked from one which had used the library: it has none of the threads that share the work, and would wait for
/// them for ever.
fn has_its_threads() -> PyResult<()> {
    static FIRST: OnceLock<u32> = OnceLock::new();
    let own = std::process::id();
    if *FIRST.get_or_init(|| own) == own {
        return Ok(());
    }
    Err(refused(
        "this process was forked from one that had used skinscope already, and has none of its threads; start it by the method \"spawn\" of \
         multiprocessing, or use skinscope only after the fork",
    ))
}

/// The least stack of a thread that works, bytes: what threads of Rust have.
const STACK: usize = 2 << 20;

/// Returns whether work must not be done on this thread: on the main one, which alone handles signals, and where threads are made with less
/// stack than work may need (`threading.stack_size`).
fn needs_its_own_thread(py: Python<'_>) -> PyResult<bool> {
    let threading = py.import(intern!(py, "threading"))?;
    let own = threading.call_method0(intern!(py, "get_ident"))?;
    if threading.call_method0(intern!(py, "main_thread"))?.getattr(intern!(py, "ident"))?.eq(own)? {
        return Ok(true);
    }
    // 0 is that of the system, which has as much.
    let stack: usize = threading.call_method0(intern!(py, "stack_size"))?.extract()?;
    Ok(0 < stack && stack < STACK)
}

/// Runs work without holding the interpreter, and returns its result. On the main thread, a signal whose handler raises, as that of Ctrl+C
/// does, cancels it: the exception is raised at once, and whatever the work still does has no effect. The work is then on a thread of its own;
/// that of another caller is done where it is, so that as many callers as there are cores keep all of them busy.
///
/// # Errors
/// The handler of a signal has raised, the work has panicked, or this process has no threads for it.
pub(crate) fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    has_its_threads()?;
    let work = move || catch_unwind(AssertUnwindSafe(work)).ok();
    let done = if needs_its_own_thread(py)? { watched(py, work)? } else { py.detach(|| sharing(work)) };
    done.ok_or_else(|| refused("the library failed on this; that is a fault of it, and nothing was changed"))
}

/// Runs work on another thread, and looks for signals until it is done.
fn watched<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> Option<T> + Send + 'static,
) -> PyResult<Option<T>> {
    let (tell, told) = channel();
    let told = Mutex::new(told);
    // The caller may have gone away.
    let wake = Arc::new(move || tell.send(()).unwrap_or_default());
    let job = Job::start("skinscope", wake, move |context| context.lend(work));
    loop {
        let news = py.detach(|| told.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(LOOKS));
        if job.is_done() || news == Err(RecvTimeoutError::Disconnected) {
            return Ok(job.take().flatten());
        }
        py.check_signals()?;
    }
}
