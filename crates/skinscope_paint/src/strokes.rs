//! Finds what a file of strokes names in a model.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::DVec3;
use skinscope_anim::pose::{Keys, PoseFile, Resolved, find_key, resolve};
use skinscope_deform::METHODS;
use skinscope_inspect::VertexSet;
use skinscope_model::{ClipId, MeshId, Model, NodeId, PrimitiveId};
use skinscope_weights::{BRUSHES, Brush, FALLOFFS, LAYER_BRUSHES, Need};

use super::file::{DabForm, MaskForm, Named, StrokeForm, StrokesFile};
use super::located::{StrokesError, wrong};
use super::posing::Posing;
use super::stroke::{Centre, Dab, Distance, FrontFaces, MirrorAxis, Stroke, Touch};

/// The most bytes of a file that are read.
const MOST_BYTES: usize = 256 << 20;

/// The most clips that a message lists.
const MOST_LISTED: usize = 16;

/// What strokes are carried out on, which says what they have to name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PaintedOn {
    /// The weights themselves.
    #[default]
    Weights,
    /// A layer of weights, which brushes of layers work on too.
    Layer,
    /// The mask of a layer, of which a brush needs no joint.
    Mask,
}

/// The strokes of a file, and what was read beside it.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// The strokes, in the order in which they are carried out.
    pub strokes: Vec<Stroke>,
    /// The pose files that they name.
    pub poses: Vec<PathBuf>,
    /// The keys of these pose files that the model has nothing for.
    pub unmatched: Vec<String>,
}

/// Reads a file of strokes for a model.
///
/// # Errors
/// The file cannot be read; those of [`parse`].
pub fn read(path: &Path, model: &Model, on: PaintedOn) -> Result<Script, StrokesError> {
    let unreadable = |error: std::io::Error| StrokesError::Unreadable(error.to_string());
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    // One byte more, so that a longer file is recognised, even a device that never ends.
    file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() > MOST_BYTES {
        return Err(StrokesError::Unreadable(format!("more than {MOST_BYTES} bytes are too many for strokes")));
    }
    parse_on(&bytes, path.parent().unwrap_or(Path::new("")), model, on)
}

/// Parses the bytes of a file of strokes for the weights of a model. The paths of pose files begin at `folder`.
///
/// # Errors
/// The bytes are no such file, or name what the model does not have; a brush lacks what it needs; a number is not one that can stand there;
/// a pose file cannot be read.
pub fn parse(bytes: &[u8], folder: &Path, model: &Model) -> Result<Script, StrokesError> {
    parse_on(bytes, folder, model, PaintedOn::Weights)
}

fn parse_on(bytes: &[u8], folder: &Path, model: &Model, on: PaintedOn) -> Result<Script, StrokesError> {
    let file = StrokesFile::parse(bytes)?;
    let mut finder = Finder::new(model, folder, on);
    for (number, form) in file.strokes.iter().enumerate() {
        let stroke = finder.stroke(form, &format!("strokes[{number}]"))?;
        finder.script.strokes.push(stroke);
    }
    Ok(finder.script)
}

/// Finds what a stroke without dabs names, which acts on every vertex that it may change. Locations of errors are the keys of the form, and
/// paths of pose files begin at the current folder.
///
/// # Errors
/// Those of [`parse`].
pub fn of_all(form: &StrokeForm, model: &Model, on: PaintedOn) -> Result<Script, StrokesError> {
    let mut finder = Finder::new(model, Path::new(""), on);
    let stroke = finder.without_dabs(form, &str::to_owned)?;
    finder.script.strokes.push(stroke);
    Ok(finder.script)
}

/// What is needed to find what strokes name.
struct Finder<'m> {
    model: &'m Model,
    keys: Keys,
    folder: &'m Path,
    on: PaintedOn,
    /// The pose files that were read.
    poses: BTreeMap<PathBuf, Arc<Resolved>>,
    script: Script,
}

impl<'m> Finder<'m> {
    fn new(model: &'m Model, folder: &'m Path, on: PaintedOn) -> Self {
        Self { model, keys: Keys::of(model), folder, on, poses: BTreeMap::new(), script: Script::default() }
    }

    fn stroke(&mut self, form: &StrokeForm, location: &str) -> Result<Stroke, StrokesError> {
        let at = |key: &str| format!("{location}.{key}");
        let stroke = self.without_dabs(form, &at)?;
        let Some(radius) = form.radius else { return Err(wrong(at("radius"), "a stroke needs it")) };
        if !(radius.is_finite() && radius > 0.0) {
            return Err(wrong(at("radius"), format!("expected metres above 0, found {radius}")));
        }
        let dabs = form.dabs.as_deref().unwrap_or_default();
        if dabs.is_empty() {
            return Err(wrong(at("dabs"), "a stroke needs at least one"));
        }
        Ok(Stroke { radius, dabs: self.dabs(dabs, &at("dabs"))?, ..stroke })
    }

    /// Finds all but radius and dabs. `at` returns the location of a key.
    fn without_dabs(&mut self, form: &StrokeForm, at: &dyn Fn(&str) -> String) -> Result<Stroke, StrokesError> {
        let brush = brush(form, &at("brush"), self.on)?;
        let is_of_mask = self.on == PaintedOn::Mask;
        if is_of_mask && brush.needs.contains(&Need::To) {
            return Err(wrong(at("brush"), "a mask has no other joint to give to"));
        }
        for need in brush.needs {
            let (key, is_there) = match need {
                Need::Joint => ("joint", form.joint.is_some() || is_of_mask),
                Need::To => ("to", form.to.is_some()),
                Need::Value => ("value", form.value.is_some()),
                Need::Factor => ("factor", form.factor.is_some()),
            };
            if !is_there {
                return Err(wrong(at(key), format!("the brush {} needs it", brush.id)));
            }
        }
        let with = form.with.iter().map(|name| self.joint(name, &at("joint")));
        let with = with.collect::<Result<_, _>>()?;
        let locked = form.locked.iter().flatten().map(|name| self.joint(name, &at("locked")));
        Ok(Stroke {
            brush,
            joint: form.joint.as_ref().map(|name| self.joint(name, &at("joint"))).transpose()?,
            to: form.to.as_ref().map(|name| self.joint(name, &at("to"))).transpose()?,
            with,
            value: number(form.value, 0.0, &at("value"))?,
            factor: number(form.factor, 1.0, &at("factor"))?,
            strength: number(form.strength, 1.0, &at("strength"))?,
            radius: f64::INFINITY,
            falloff: *row(FALLOFFS, |row| row.id, form.falloff.as_deref().unwrap_or("smooth"), &at("falloff"))?,
            distance: word(&Distance::ALL, Distance::id, form.distance.as_deref(), &at("distance"))?
                .unwrap_or_default(),
            accumulate: form.accumulate.unwrap_or(false),
            floor: number(form.floor, 0.0, &at("floor"))?,
            ceiling: number(form.ceiling, 1.0, &at("ceiling"))?,
            normalise: form.normalise.unwrap_or(true),
            max_influences: form.max_influences.map(|most| limit(most, &at("max_influences"))).transpose()?,
            locked: locked.collect::<Result<_, _>>()?,
            mirror: word(&MirrorAxis::ALL, MirrorAxis::id, form.mirror.as_deref(), &at("mirror"))?,
            front_faces: match &form.front_faces {
                Some(form) => Some(FrontFaces {
                    eye: point(form.eye, &at("front_faces.eye"))?,
                    angle: angle(form.angle, &at("front_faces.angle"))?,
                }),
                None => None,
            },
            mask: form.mask.as_ref().map(|mask| self.mask(mask, &at("mask"))).transpose()?,
            method: *row(METHODS, |row| row.id, form.method.as_deref().unwrap_or("linear"), &at("method"))?,
            dabs: Vec::new(),
            posing: Arc::new(self.posing(form, at)?),
        })
    }

    /// Finds a joint of a skin, which is named by its key.
    fn joint(&self, name: &str, location: &str) -> Result<NodeId, StrokesError> {
        let node = find_key(self.model, &self.keys, name).map_err(|why| wrong(location, why))?;
        match self.model.is_joint(node) {
            true => Ok(node),
            false => Err(wrong(location, format!("\"{name}\" is no joint of a skin"))),
        }
    }

    fn dabs(&self, forms: &[DabForm], location: &str) -> Result<Vec<Dab>, StrokesError> {
        let dab = |(index, form): (usize, &DabForm)| {
            let location = format!("{location}[{index}]");
            let at = match (form.vertex, form.position) {
                (None, None) if form.weights.is_some() => {
                    let listed = form.weights.as_deref().unwrap_or_default();
                    Centre::Listed(self.touches(listed, &format!("{location}.weights"))?)
                }
                _ if form.weights.is_some() => {
                    return Err(wrong(location, "it has weights beside vertex or position; one says what it touches"));
                }
                (Some(vertex), None) => {
                    let (primitive, vertex) =
                        self.vertex(vertex).map_err(|why| wrong(format!("{location}.vertex"), why))?;
                    Centre::Vertex(primitive, vertex)
                }
                (None, Some(position)) => Centre::Position(point(position, &format!("{location}.position"))?),
                (Some(_), Some(_)) => {
                    return Err(wrong(location, "it has both vertex and position; one says where it is"));
                }
                (None, None) => {
                    return Err(wrong(location, "it has neither vertex nor position, so that it is nowhere"));
                }
            };
            let pressure = number(form.pressure, 1.0, &format!("{location}.pressure"))?;
            let time = form.time.map(|time| finite(time, &format!("{location}.time"))).transpose()?;
            Ok(Dab { at, pressure, time })
        };
        forms.iter().enumerate().map(dab).collect()
    }

    /// Finds the vertices that a dab lists.
    fn touches(&self, forms: &[(u64, u64, u64, f64)], location: &str) -> Result<Arc<[Touch]>, StrokesError> {
        if forms.is_empty() {
            return Err(wrong(location, "expected at least one vertex"));
        }
        let touch = |(number, (mesh, primitive, vertex, share)): (usize, &(u64, u64, u64, f64))| {
            let location = || format!("{location}[{number}]");
            let found = self.vertex([*mesh, *primitive, *vertex]);
            let (primitive, vertex) = found.map_err(|why| wrong(location(), why))?;
            match (0.0..=1.0).contains(share) {
                true => Ok(Touch { primitive, vertex, share: *share }),
                false => Err(wrong(location(), format!("expected a share from 0 to 1, found {share}"))),
            }
        };
        forms.iter().enumerate().map(touch).collect()
    }

    /// Finds a vertex of the file; the reason says what is not there.
    fn vertex(&self, [mesh, primitive, vertex]: [u64; 3]) -> Result<(PrimitiveId, u32), String> {
        let model = self.model;
        let count = model.file_meshes().count();
        let m = usize::try_from(mesh).ok().filter(|m| *m < count);
        let Some(m) = m else { return Err(format!("there is no mesh {mesh}; the file has {count}")) };
        let (id, mesh) = (MeshId::from_index(m), &model.meshes[m]);
        let count = mesh.primitives.len();
        let p = usize::try_from(primitive).ok().filter(|p| *p < count);
        let Some(p) = p else { return Err(format!("mesh {m} has no primitive {primitive}; it has {count}")) };
        let holder = mesh.holder(p);
        let count = mesh.primitives[holder].stored_vertices;
        match u32::try_from(vertex).ok().filter(|vertex| (*vertex as usize) < count) {
            Some(vertex) => Ok((PrimitiveId::new(id, holder), vertex)),
            None => Err(format!("primitive {p} of mesh {m} has no vertex {vertex}; it has {count}")),
        }
    }

    /// Finds the vertices of a mask, in every copy of their meshes.
    fn mask(&self, form: &MaskForm, location: &str) -> Result<VertexSet, StrokesError> {
        let mut found = Vec::new();
        for (number, marked) in form.vertices.iter().enumerate() {
            for vertex in &marked.vertices {
                let (at, vertex) = self
                    .vertex([marked.mesh, marked.primitive, *vertex])
                    .map_err(|why| wrong(format!("{location}.vertices[{number}]"), why))?;
                let copies = (0..self.model.meshes.len()).map(MeshId::from_index);
                let copies = copies.filter(|copy| self.model.file_mesh(*copy) == at.mesh);
                found.extend(copies.map(|copy| (copy, at.primitive, vertex)));
            }
        }
        Ok(VertexSet::from_vertices(found))
    }

    fn posing(&mut self, form: &StrokeForm, at: &dyn Fn(&str) -> String) -> Result<Posing, StrokesError> {
        let clip = form.clip.as_ref().map(|clip| find_clip(self.model, clip));
        Ok(Posing {
            clip: clip.transpose().map_err(|why| wrong(at("clip"), why))?,
            time: number(form.time, 0.0, &at("time"))?,
            pose: form.pose.as_ref().map(|path| self.pose(path)).transpose()?,
        })
    }

    /// Reads a pose file, each once.
    fn pose(&mut self, path: &str) -> Result<Arc<Resolved>, StrokesError> {
        let path = self.folder.join(path);
        if let Some(known) = self.poses.get(&path) {
            return Ok(Arc::clone(known));
        }
        let file = PoseFile::read(&path).map_err(|error| StrokesError::Pose { file: path.clone(), error })?;
        let resolved = Arc::new(resolve(self.model, &file));
        self.script.unmatched.extend(resolved.unmatched.iter().cloned());
        self.script.poses.push(path.clone());
        self.poses.insert(path, Arc::clone(&resolved));
        Ok(resolved)
    }
}

fn brush(form: &StrokeForm, location: &str, on: PaintedOn) -> Result<&'static Brush, StrokesError> {
    let Some(id) = &form.brush else { return Err(wrong(location, "a stroke needs it")) };
    match LAYER_BRUSHES.iter().find(|brush| brush.id == id) {
        Some(brush) if on != PaintedOn::Weights => Ok(*brush),
        Some(_) => {
            Err(wrong(location, format!("\"{id}\" works on a layer of weights, and a file of strokes has no layers")))
        }
        None => Ok(*row(BRUSHES, |row| row.id, id, location)?),
    }
}

/// Finds the row of a table with an id.
fn row<T>(
    table: &'static [T],
    id: fn(&T) -> &'static str,
    wanted: &str,
    location: &str,
) -> Result<&'static T, StrokesError> {
    let found = table.iter().find(|row| id(row) == wanted);
    let known = || table.iter().map(id).collect::<Vec<_>>().join(", ");
    found.ok_or_else(|| wrong(location, format!("there is no \"{wanted}\"; expected one of {}", known())))
}

/// Finds the value with a name, where one is given.
fn word<T: Copy>(
    all: &[T],
    id: fn(T) -> &'static str,
    wanted: Option<&str>,
    location: &str,
) -> Result<Option<T>, StrokesError> {
    let Some(wanted) = wanted else { return Ok(None) };
    let found = all.iter().copied().find(|value| id(*value) == wanted);
    let known = || all.iter().map(|value| id(*value)).collect::<Vec<_>>().join(", ");
    let why = || wrong(location, format!("there is no \"{wanted}\"; expected one of {}", known()));
    found.map(Some).ok_or_else(why)
}

fn number(given: Option<f64>, default: f64, location: &str) -> Result<f64, StrokesError> {
    finite(given.unwrap_or(default), location)
}

fn finite(number: f64, location: &str) -> Result<f64, StrokesError> {
    if number.is_finite() { Ok(number) } else { Err(wrong(location, format!("{number} is not finite"))) }
}

fn point(numbers: [f64; 3], location: &str) -> Result<DVec3, StrokesError> {
    let [x, y, z] = numbers.map(|number| finite(number, location));
    Ok(DVec3::new(x?, y?, z?))
}

fn angle(given: Option<f64>, location: &str) -> Result<f64, StrokesError> {
    let degrees = given.unwrap_or(FrontFaces::USUAL_ANGLE);
    match degrees > 0.0 && degrees <= 180.0 {
        true => Ok(degrees),
        false => Err(wrong(location, format!("expected degrees above 0, up to 180, found {degrees}"))),
    }
}

fn limit(most: i64, location: &str) -> Result<usize, StrokesError> {
    let found = usize::try_from(most).ok().filter(|most| *most >= 1);
    found.ok_or_else(|| wrong(location, format!("expected 1 or more, found {most}")))
}

fn find_clip(model: &Model, wanted: &Named) -> Result<ClipId, String> {
    let names = || model.clips.iter().map(|clip| clip.name.as_str());
    let known = || match model.clips.len() {
        0 => "the file has none".to_owned(),
        count if count > MOST_LISTED => format!("the file has {count}"),
        _ => format!("the file has {}", names().collect::<Vec<_>>().join(", ")),
    };
    match wanted {
        Named::Number(number) => {
            let index = usize::try_from(*number).ok().filter(|index| *index < model.clips.len());
            index.map(ClipId::from_index).ok_or_else(|| format!("there is no clip {number}; {}", known()))
        }
        Named::Name(name) => {
            let found: Vec<usize> = names().enumerate().filter(|(_, of)| of == name).map(|(index, _)| index).collect();
            match found[..] {
                [index] => Ok(ClipId::from_index(index)),
                [] => Err(format!("there is no clip \"{name}\"; {}", known())),
                [first, ..] => {
                    Err(format!("several clips are called \"{name}\"; say which by its number, such as {first}"))
                }
            }
        }
    }
}
