//! Reads the pages of examples: Markdown with a head that names the rig and its sliders, formulas and charts. An error says where it is.

mod body;
mod equation;
#[cfg(test)]
mod error_tests;
mod head;
mod lexer;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::path::Path;
use std::sync::{LazyLock, Mutex, PoisonError};

use skinscope_anim::pose::nearest_names;
use skinscope_deform::METHODS;
use skinscope_model::Model;

use super::{Example, SCENES, Scene, Settings, Slider, Symbol};

/// Why a page cannot be read, and where that is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {what}")]
pub struct PageError {
    /// The line, from 1 on.
    pub line: usize,
    /// The character of the line, from 1 on.
    pub column: usize,
    /// What is wrong, and what was expected.
    pub what: String,
}

/// A position in a page: line and character, from 1 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TextPosition {
    line: usize,
    column: usize,
}

impl TextPosition {
    fn error(self, what: impl Into<String>) -> PageError {
        PageError { line: self.line, column: self.column, what: what.into() }
    }

    /// The position behind a text that begins here.
    fn after(self, text: &str) -> Self {
        text.chars().fold(self, |at, c| match c {
            '\n' => Self { line: at.line + 1, column: 1 },
            _ => Self { column: at.column + 1, ..at },
        })
    }
}

/// What a page is about.
#[derive(Clone, Copy, Debug)]
pub enum Ground<'a> {
    /// A rig of ours, whose own page this is.
    Own(&'static Scene),
    /// A rig of ours, of which the page is another one.
    Rig(&'static Scene),
    /// A model.
    Model(&'a Model),
}

/// What a page says that it is about.
#[derive(Clone, Debug)]
pub enum Named {
    /// A rig of ours.
    Rig(&'static Scene),
    /// A model file, seen from the page's folder.
    Model(String),
}

/// What the formulas of a page can name.
struct Known<'a> {
    symbols: &'a [Symbol],
    sliders: &'a [Slider],
    /// What is measured; `None`: nothing can be.
    model: Option<&'a Model>,
}

/// Reads what a page is about, and nothing else of it.
///
/// # Errors
/// The head of the page is broken or names neither a rig nor a model.
pub fn named(text: &str) -> Result<Named, PageError> {
    head::Head::read(text)?.named()
}

/// Reads a page. `id` names it on the command line; `file` is where it is, if it is a file.
///
/// # Errors
/// The page is broken; the error says where, what was found and what was expected.
pub fn read(text: &str, id: &str, file: Option<&Path>, ground: Ground) -> Result<&'static Example, PageError> {
    let head = head::Head::read(text)?;
    let built;
    let model = match ground {
        Ground::Own(_) => None,
        Ground::Rig(scene) => {
            built = (scene.model)(&Settings::of(scene.example()));
            Some(&built)
        }
        Ground::Model(model) => Some(model),
    };
    let (sliders, controls) = head.sliders(ground)?;
    let symbols = head.symbols(ground, &sliders, model)?;
    let known = Known { symbols: &symbols, sliders: &sliders, model: None };
    let (code, own_look) = match ground {
        Ground::Own(scene) | Ground::Rig(scene) => (*scene, Some(scene.look())),
        Ground::Model(_) => (Scene::PLAIN, None),
    };
    let (question, page) = body::Body { text, first: head.end, known: &known, curves: code.curves }.read()?;
    let look = head.look(own_look, model)?;
    Ok(intern_one(Example {
        id: intern(id),
        file: file.map(|path| &*Box::leak(path.into())),
        title: head.title()?,
        question,
        sliders: intern_list(sliders),
        symbols: intern_list(symbols),
        page,
        look,
        model: code.model,
        pose: code.pose,
        marks: code.marks,
        handles: code.handles,
        controls: intern_list(controls),
    }))
}

/// Says that nothing has this name, and what comes nearest.
fn unknown<'n>(position: TextPosition, what: &str, name: &str, names: impl Iterator<Item = &'n str>) -> PageError {
    let nearest = nearest_names(name, names);
    let hint = if nearest.is_empty() { String::new() } else { format!("; nearest: {}", nearest.join(", ")) };
    position.error(format!("there is no {what} \"{name}\"{hint}"))
}

/// Finds a node by its name.
fn node(model: &Model, name: &str, position: TextPosition) -> Result<&'static str, PageError> {
    let names = &model.skeleton.names;
    if names.iter().any(|other| other == name) {
        return Ok(intern(name));
    }
    Err(unknown(position, "joint", name, names.iter().map(String::as_str)))
}

/// Finds a method by its id.
fn method(id: &str, position: TextPosition) -> Result<&'static str, PageError> {
    let found = METHODS.iter().map(|method| method.id).find(|known| *known == id);
    found.ok_or_else(|| unknown(position, "method", id, METHODS.iter().map(|method| method.id)))
}

/// The texts of all pages that were read. What a page says stays for as long as the program runs, as the pages that are built in do, so
/// that both are the same for everybody; a page that is read again after an edit adds only the texts that are new.
static INTERNED: LazyLock<Mutex<HashSet<&'static str>>> = LazyLock::new(Mutex::default);

/// Keeps a text of a page.
fn intern(text: &str) -> &'static str {
    let mut all = INTERNED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = all.get(text) {
        return known;
    }
    let text: &'static str = Box::leak(text.into());
    all.insert(text);
    text
}

/// Returns the text of a page that is equal to this one.
#[must_use]
pub fn interned_text(text: &str) -> Option<&'static str> {
    INTERNED.lock().unwrap_or_else(PoisonError::into_inner).get(text).copied()
}

/// Keeps a list of a page.
fn intern_list<T>(list: Vec<T>) -> &'static [T] {
    Box::leak(list.into_boxed_slice())
}

/// Keeps a part of a page.
fn intern_one<T>(part: T) -> &'static T {
    Box::leak(Box::new(part))
}
