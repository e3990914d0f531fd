//! What the symbols of a page can be measured as, on any model: a table of functions that formulas call.

use glam::{DAffine3, DVec3};
use skinscope_model::Model;

use super::{Mark, MarkInk, Moment, Value};

/// A row of [`MEASURES`].
#[derive(Debug)]
pub struct Measured {
    /// The name in formulas.
    pub name: &'static str,
    /// What stands between its parentheses.
    pub takes: &'static [Argument],
    /// What it is, as the end of a sentence that begins with its name and "is".
    pub help: &'static str,
    /// How it is measured.
    pub reading: Reading,
}

/// How something is measured.
#[derive(Clone, Copy, Debug)]
pub enum Reading {
    /// As a point of the picture.
    Point(fn(&Moment, &[Given]) -> DVec3),
    /// As the distance of two points.
    Span(fn(&Moment, &[Given]) -> [DVec3; 2]),
    /// As what stands nowhere in the picture.
    Value(fn(&Moment, &[Given]) -> Value),
}

/// What a measure takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A joint or another node, by its name.
    Node,
    /// A vertex, by its number in the first primitive of the mesh.
    Vertex,
    /// A method, by its id.
    Method,
}

/// What a measure is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// A name or id.
    Name(&'static str),
    /// The number of a vertex.
    Vertex(usize),
}

/// The rows of [`MEASURES`]: the name, what it takes, what it is, and how it is measured.
macro_rules! measures {
    ($($name:literal [$($takes:ident),*] $help:literal => $reading:ident($read:expr);)*) => {
        &[$(Measured { name: $name, takes: &[$(Argument::$takes),*], help: $help, reading: Reading::$reading($read) }),*]
    };
}

/// All measures, in the order of the manual.
pub static MEASURES: &[Measured] = measures! {
    "joint" [Node] "where a joint stands now, in metres" =>
        Point(|m, g| at(m, g, 0));
    "joint_rest" [Node] "where a joint stands at rest" =>
        Point(|m, g| m.rest_node(name(g, 0)).translation);
    "vertex" [Vertex, Method] "where a method carries a vertex" =>
        Point(|m, g| m.vertex(name(g, 1), instance(m.model()), number(g, 0)));
    "vertex_rest" [Vertex] "where a vertex is stored, before any pose" =>
        Point(|m, g| m.stored_vertex(instance(m.model()), number(g, 0)));
    "carried" [Vertex, Node] "where one joint of the skin alone would carry a vertex" =>
        Point(|m, g| skinning(m, g, 1).transform_point3(m.stored_vertex(instance(m.model()), number(g, 0))));
    "weight" [Vertex, Node] "the weight that a vertex has for a joint" =>
        Value(|m, g| weight(m.model(), g).into());
    "matrix" [Node] "the matrix of four rows from a joint's space to the world now" =>
        Value(|m, g| Value::in_space(m.exact_node(name(g, 0))));
    "matrix_rest" [Node] "the same matrix at rest" =>
        Value(|m, g| Value::in_space(m.rest_node(name(g, 0))));
    "skinning" [Node] "the matrix of four rows by which a joint moves vertices from rest" =>
        Value(|m, g| Value::in_space(skinning(m, g, 0)));
    "rotation" [Node] "the matrix of three rows by which a joint turns and scales directions" =>
        Value(|m, g| m.exact_node(name(g, 0)).matrix3.into());
    "length" [Node, Node] "the distance of two joints now, in metres" =>
        Span(|m, g| [at(m, g, 0), at(m, g, 1)]);
    "angle" [Node, Node, Node] "the angle at the second joint between the other two, in radians" =>
        Value(|m, g| {
            let [a, b, c] = [0, 1, 2].map(|i| at(m, g, i));
            (a - b).angle_between(c - b).into()
        });
    "volume" [] "the volume within the mesh as linear blending leaves it, in cubic metres" =>
        Value(|m, _| m.volume(instance(m.model())).into());
};

impl Measured {
    /// Measures it at a moment.
    #[must_use]
    pub fn value(&self, moment: &Moment, given: &[Given]) -> Value {
        match self.reading {
            Reading::Point(point) => point(moment, given).into(),
            Reading::Span(ends) => {
                let [a, b] = ends(moment, given);
                a.distance(b).into()
            }
            Reading::Value(value) => value(moment, given),
        }
    }

    /// Returns what it is in the picture.
    #[must_use]
    pub fn marks(&self, moment: &Moment, given: &[Given], label: &str) -> Vec<Mark> {
        match self.reading {
            Reading::Point(point) => vec![Mark::dot(point(moment, given).as_vec3(), MarkInk::Accent, label)],
            Reading::Span(ends) => vec![Mark::span(ends(moment, given).map(|end| end.as_vec3()), label)],
            Reading::Value(_) => Vec::new(),
        }
    }

    /// Writes it as it is printed where it has no letter.
    #[must_use]
    pub fn written(&self, given: &[Given]) -> String {
        let text = |given: &Given| match given {
            Given::Name(name) => (*name).to_owned(),
            Given::Vertex(vertex) => vertex.to_string(),
        };
        format!("{}({})", self.name, given.iter().map(text).collect::<Vec<_>>().join(", "))
    }
}

/// Returns the instance that is measured: the first one with a skin, or the first one of all.
fn instance(model: &Model) -> usize {
    model.instances.iter().position(|instance| instance.skin.is_some()).unwrap_or(0)
}

/// Returns how many vertices can be measured.
#[must_use]
pub fn vertices(model: &Model) -> usize {
    let mesh = model.instances.get(instance(model)).map(|instance| &model.meshes[instance.mesh.index()]);
    mesh.and_then(|mesh| mesh.primitives.first()).map_or(0, |primitive| primitive.positions.len())
}

fn name(given: &[Given], at: usize) -> &'static str {
    if let Some(Given::Name(name)) = given.get(at) { name } else { "" }
}

fn number(given: &[Given], at: usize) -> usize {
    if let Some(Given::Vertex(vertex)) = given.get(at) { *vertex } else { 0 }
}

fn at(moment: &Moment, given: &[Given], index: usize) -> DVec3 {
    moment.joint_position(name(given, index)).as_dvec3()
}

/// The indices of a joint by its name: the skin of what is measured, and the joint there.
fn joint_of_skin(model: &Model, name: &str) -> Option<[usize; 2]> {
    let skin = model.instances.get(instance(model))?.skin?.index();
    let joint = model.skins[skin].joints.iter().position(|joint| model.skeleton.names[joint.index()] == name)?;
    Some([skin, joint])
}

/// The skinning matrix of a joint. What no skin has moves nothing.
fn skinning(moment: &Moment, given: &[Given], index: usize) -> DAffine3 {
    joint_of_skin(moment.model(), name(given, index))
        .map_or(DAffine3::IDENTITY, |[skin, joint]| moment.skinning_matrix(skin, joint))
}

/// The sum of all weights that a vertex has for a joint.
fn weight(model: &Model, given: &[Given]) -> f64 {
    let Some([_, joint]) = joint_of_skin(model, name(given, 1)) else { return 0.0 };
    let mesh = model.instances[instance(model)].mesh.index();
    let Some(influences) = &model.meshes[mesh].primitives[0].stored_influences else { return 0.0 };
    let (joints, weights) = influences.of(number(given, 0));
    let own = joints.iter().zip(weights).filter(|(j, _)| usize::from(**j) == joint);
    own.map(|(_, weight)| f64::from(*weight)).sum()
}
