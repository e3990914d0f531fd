//! The module `skinscope._native`: what the Python package needs of the library. The package's own modules, in `python/skinscope`, make the
//! classes of it that people use.
//!
//! Whatever takes long runs on a thread of its own (`running`): the interpreter is free for other threads meanwhile, and Ctrl+C cancels it.
//! A `content::Content` never changes, so that threads may share it.

mod content;
mod posing;
mod primitive;
mod running;
mod views;
mod weights;

use std::ffi::OsString;
use std::path::PathBuf;

use pyo3::prelude::*;
use skinscope::cli::in_process::{self, Given, Outcome};
use skinscope::deform::{METHODS, PASSES};
use skinscope::edit::OPERATIONS;

use content::Content;
use running::{failed, interruptible};

/// The open models that a command line names, each by its word.
type Words = Vec<(PathBuf, Py<Content>)>;

/// Exit code, report, lines for people, and what the model has become.
type Ran = (u8, String, Vec<String>, Option<Content>);

/// Carries out a command line, without the name of the program, on open models.
#[pyfunction]
fn run(py: Python<'_>, words: Vec<OsString>, given: Words) -> PyResult<Ran> {
    let given: Vec<Given> =
        given.into_iter().map(|(word, content)| Given { word, content: content.get().inner().clone() }).collect();
    let outcome = interruptible(py, move || in_process::run(&words, given))?.map_err(failed)?;
    let Outcome { exit_code, report, messages, written } = outcome;
    Ok((exit_code, report, messages, written.map(Content::of)))
}

/// Name, word of the command line, kind, words that it takes, and help.
type Row = (String, String, &'static str, Vec<String>, String);

/// Returns the options of a command; `None` where there is no such command.
#[pyfunction]
fn options(command: &str) -> Option<Vec<Row>> {
    let all = in_process::options_of(command)?;
    Some(
        all.into_iter()
            .map(|option| (option.name, option.long, option.kind.id(), option.values, option.help))
            .collect(),
    )
}

/// Returns the names of the deformation methods.
#[pyfunction]
fn methods() -> Vec<&'static str> {
    METHODS.iter().map(|method| method.id).collect()
}

/// Returns the names of the passes that a method may have after it.
#[pyfunction]
fn passes() -> Vec<&'static str> {
    PASSES.iter().map(|pass| pass.id).collect()
}

/// Returns the names of the operations of `fix` that change weights.
#[pyfunction]
fn weight_operations() -> Vec<&'static str> {
    OPERATIONS.iter().filter(|operation| operation.is_of_weights()).map(|operation| operation.id).collect()
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // Those of the interpreter stay: a file that was written must not make Ctrl+C end it.
    skinscope::output::leave_signals();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<Content>()?;
    module.add_class::<primitive::Primitive>()?;
    module.add_function(wrap_pyfunction!(run, module)?)?;
    module.add_function(wrap_pyfunction!(options, module)?)?;
    module.add_function(wrap_pyfunction!(methods, module)?)?;
    module.add_function(wrap_pyfunction!(passes, module)?)?;
    module.add_function(wrap_pyfunction!(weight_operations, module)?)
}
