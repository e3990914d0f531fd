//! The head of a page, between two lines `---`: what it is about, its sliders, its own symbols and how the picture shows the rig at first.

use skinscope_anim as anim;
use skinscope_deform as deform;
use skinscope_model::Model;

use super::lexer::Lexer;
use super::{Ground, Named, PageError, SCENES, TextPosition, equation, intern, unknown};
use crate::control::Control;
use crate::{Look, MOST_SLIDERS, Slider, Symbol};

mod rows;

pub(super) use rows::unit_of;

/// The keys of a head.
const KEYS: &[&str] =
    &["title", "rig", "model", "slider", "symbol", "method", "compare", "select", "bones", "edges", "opacity", "view"];

/// The lines of a head.
pub(super) struct Head<'a> {
    entries: Vec<Entry<'a>>,
    /// The first line of the page below it, from 1 on, and where that begins in the text.
    pub(super) end: (usize, usize),
}

/// A line `key: value`, or `key name: value`.
struct Entry<'a> {
    key: &'a str,
    /// The name of a slider or symbol; else empty.
    name: &'a str,
    value: &'a str,
    /// Where the line begins.
    at: TextPosition,
    /// Where the name is.
    name_at: TextPosition,
    /// Where the value is.
    value_at: TextPosition,
}

impl<'a> Head<'a> {
    /// Takes the lines of the head apart, and does not look into the values.
    pub(super) fn read(text: &'a str) -> Result<Self, PageError> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut start = 0;
        for (i, line) in text.split_inclusive('\n').enumerate() {
            let at = TextPosition { line: i + 1, column: 1 };
            start += line.len();
            let line = line.trim_ascii_end();
            match (i, line) {
                (0, "---") => {}
                (0, _) => return Err(at.error("expected \"---\", with which the head of a page begins")),
                (_, "---") => return Ok(Self { entries, end: (i + 2, start) }),
                (_, line) if line.trim_ascii().is_empty() => {}
                (_, line) => {
                    let entry = Entry::read(line, at)?;
                    let is_named = matches!(entry.key, "slider" | "symbol");
                    if entries.iter().any(|other| other.key == entry.key && (!is_named || other.name == entry.name)) {
                        return Err(
                            at.error(format!("a second \"{}\"", format!("{} {}", entry.key, entry.name).trim()))
                        );
                    }
                    entries.push(entry);
                }
            }
        }
        let last = TextPosition { line: text.lines().count().max(1), column: 1 };
        Err(last.error("expected \"---\", with which the head of a page ends"))
    }

    fn get(&self, key: &str) -> Option<&Entry<'a>> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    fn all(&self, key: &'static str) -> impl Iterator<Item = &Entry<'a>> {
        self.entries.iter().filter(move |entry| entry.key == key)
    }

    pub(super) fn title(&self) -> Result<&'static str, PageError> {
        let title = self
            .get("title")
            .ok_or_else(|| TextPosition { line: 1, column: 1 }.error("expected a line \"title: …\""))?;
        if title.value.is_empty() {
            return Err(title.value_at.error("expected a title"));
        }
        Ok(intern(title.value))
    }

    /// Returns what the page is about.
    pub(super) fn named(&self) -> Result<Named, PageError> {
        match (self.get("rig"), self.get("model")) {
            (Some(_), Some(model)) => Err(model.at.error("a page is about a rig or a model, not about both")),
            (None, None) => {
                Err(TextPosition { line: 1, column: 1 }.error("expected a line \"rig: NAME\" or \"model: FILE\""))
            }
            (Some(rig), None) => {
                let found = SCENES.iter().find(|scene| scene.id == rig.value).map(|scene| Named::Rig(scene));
                found.ok_or_else(|| unknown(rig.value_at, "rig", rig.value, SCENES.iter().map(|scene| scene.id)))
            }
            (None, Some(model)) if model.value.is_empty() => Err(model.value_at.error("expected the file of a model")),
            (None, Some(model)) => Ok(Named::Model(model.value.to_owned())),
        }
    }

    /// Reads the sliders, and what each of them does with a model.
    pub(super) fn sliders(&self, ground: Ground) -> Result<(Vec<Slider>, Vec<Control>), PageError> {
        let (mut sliders, mut controls) = match ground {
            Ground::Rig(scene) => (scene.example().sliders.to_vec(), Vec::new()),
            Ground::Own(_) | Ground::Model(_) => (Vec::new(), Vec::new()),
        };
        for entry in self.all("slider") {
            let known = match ground {
                Ground::Own(scene) | Ground::Rig(scene) => Some(scene.sliders),
                Ground::Model(_) => None,
            };
            if let Some(known) = known.filter(|known| !known.contains(&entry.name)) {
                return Err(unknown(entry.name_at, "slider", entry.name, known.iter().copied()));
            }
            if equation::is_reserved(entry.name) {
                return Err(entry.name_at.error(format!("\"{}\" is the name of a function", entry.name)));
            }
            let mut lexer = Lexer::new(entry.value, entry.value_at)?;
            match ground {
                Ground::Own(scene) => {
                    let rebuilds = scene.rebuilds.contains(&entry.name);
                    let in_picture = scene.dragged.contains(&entry.name);
                    let plain = Slider { id: intern(entry.name), rebuilds, in_picture, ..Slider::PLAIN };
                    sliders.push(rows::slider(&mut lexer, plain, None)?);
                }
                Ground::Rig(_) => {
                    if let Some(slider) = sliders.iter_mut().find(|slider| slider.id == entry.name) {
                        *slider = rows::slider(&mut lexer, *slider, Some(slider.range))?;
                    }
                }
                Ground::Model(model) => {
                    let (control, plain) = rows::control(&mut lexer, model)?;
                    sliders.push(rows::slider(&mut lexer, Slider { id: intern(entry.name), ..plain }, None)?);
                    controls.push(control);
                }
            }
            if sliders.iter().filter(|slider| !slider.in_picture).count() > MOST_SLIDERS {
                return Err(entry.at.error(format!("a page has {MOST_SLIDERS} sliders at most")));
            }
        }
        if let Ground::Own(scene) = ground
            && let Some(missing) = scene.sliders.iter().find(|id| sliders.iter().all(|slider| slider.id != **id))
        {
            return Err(TextPosition { line: 1, column: 1 }
                .error(format!("the rig has a slider \"{missing}\", which is missing")));
        }
        Ok((sliders, controls))
    }

    /// Reads the symbols: those of the rig or one for each slider, and then the page's own.
    pub(super) fn symbols(
        &self,
        ground: Ground,
        sliders: &[Slider],
        model: Option<&Model>,
    ) -> Result<Vec<Symbol>, PageError> {
        let mut out = match ground {
            Ground::Own(scene) | Ground::Rig(scene) => scene.symbols.to_vec(),
            Ground::Model(_) => sliders.iter().map(rows::symbol_of_slider).collect(),
        };
        for entry in self.all("symbol") {
            if equation::is_reserved(entry.name) || out.iter().any(|symbol| symbol.id == entry.name) {
                return Err(entry.name_at.error(format!("the name \"{}\" is taken", entry.name)));
            }
            let mut lexer = Lexer::new(entry.value, entry.value_at)?;
            let known = super::Known { symbols: &out, sliders, model };
            let symbol = rows::symbol(&mut lexer, intern(entry.name), &known)?;
            out.push(symbol);
        }
        Ok(out)
    }

    /// Reads how the picture shows the rig at first.
    pub(super) fn look(&self, own: Option<Look>, model: Option<&Model>) -> Result<Look, PageError> {
        let mut look = match (own, model) {
            (Some(look), _) => look,
            (None, Some(model)) => Look { stage: stage(model), ..Look::PLAIN },
            (None, None) => Look::PLAIN,
        };
        for entry in &self.entries {
            match entry.key {
                "method" => look.method = super::method(entry.value, entry.value_at)?,
                "compare" => look.compare = Some(super::method(entry.value, entry.value_at)?),
                "select" => {
                    look.selected = Some(match model {
                        Some(model) => super::node(model, entry.value, entry.value_at)?,
                        None => intern(entry.value),
                    });
                }
                "bones" => look.bones = entry.yes()?,
                "edges" => look.wireframe = entry.yes()?,
                "opacity" => {
                    [look.opacity] = entry.numbers()?;
                    if !(0.0..=1.0).contains(&look.opacity) {
                        return Err(entry.value_at.error("expected an opacity from 0 to 1"));
                    }
                }
                "view" => look.from = entry.numbers()?,
                _ => {}
            }
        }
        Ok(look)
    }
}

impl<'a> Entry<'a> {
    fn read(line: &'a str, at: TextPosition) -> Result<Self, PageError> {
        let colon = line.find(':').ok_or_else(|| at.error("expected a line \"key: value\""))?;
        let (before, value) = (&line[..colon], &line[colon + 1..]);
        let indent = before.len() - before.trim_ascii_start().len();
        let at = at.after(&line[..indent]);
        let (key, name) = before.trim_ascii().split_once(' ').unwrap_or((before.trim_ascii(), ""));
        if !KEYS.contains(&key) {
            return Err(unknown(at, "key", key, KEYS.iter().copied()));
        }
        let name_at = at.after(key).after(" ");
        let name = name.trim_ascii();
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\'');
        match key {
            "slider" | "symbol" if !name.starts_with(char::is_alphabetic) || !name.chars().all(is_name) => {
                return Err(name_at.error(format!("expected a name of letters and digits after \"{key}\"")));
            }
            "slider" | "symbol" => {}
            _ if !name.is_empty() => return Err(name_at.error(format!("expected \":\" after \"{key}\""))),
            _ => {}
        }
        let indent = value.len() - value.trim_ascii_start().len();
        let value_at = TextPosition { line: at.line, column: 1 }.after(&line[..colon + 1 + indent]);
        Ok(Self { key, name, value: value.trim_ascii(), at, name_at, value_at })
    }

    /// Reads the value as numbers, and nothing else.
    fn numbers<const COUNT: usize>(&self) -> Result<[f32; COUNT], PageError> {
        let mut lexer = Lexer::new(self.value, self.value_at)?;
        let mut out = [0.0; COUNT];
        for number in &mut out {
            *number = lexer.number()? as f32;
        }
        lexer.end()?;
        Ok(out)
    }

    fn yes(&self) -> Result<bool, PageError> {
        match self.value {
            "yes" => Ok(true),
            "no" => Ok(false),
            _ => Err(self.value_at.error("expected \"yes\" or \"no\"")),
        }
    }
}

/// The box around a model at rest.
fn stage(model: &Model) -> [[f32; 3]; 2] {
    let (mut rest, mut palettes) = (Vec::new(), Vec::new());
    anim::local_to_model(&model.skeleton, &model.skeleton.rest, &mut rest);
    deform::palettes(model, &rest, &mut palettes);
    let draws = anim::drawn_at_rest(model, model.default_scene);
    let morph_weights = &model.skeleton.rest.morph_weights;
    let mass = deform::extent(model, &draws, &palettes, morph_weights, deform::METHODS[0]).mass;
    if mass.is_empty() { Look::PLAIN.stage } else { [mass.min.to_array(), mass.max.to_array()] }
}
