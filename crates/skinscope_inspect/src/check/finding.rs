//! A finding of a rule: its severity, where it is, the harm it does, and what to do.

use glam::Vec3;
use skinscope_base::math::{factor, length};
use skinscope_model::{ClipId, MaterialId, MeshId, Model, NodeId};

use crate::{VertexPart, VertexSet};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// It is worth knowing and may be meant.
    Info,
    /// It deforms badly, or other programs read it differently.
    Warning,
    /// It is broken: the picture is not what was made.
    Error,
}

impl Severity {
    /// All severities, the least first.
    pub const ALL: [Self; 3] = [Self::Info, Self::Warning, Self::Error];

    /// The name in JSON and on the command line.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// The size of a fault in one number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure {
    /// The quantity that is measured, such as "largest crack".
    pub what: &'static str,
    /// The size in `unit`.
    pub value: f64,
    /// The unit, such as "mm", "°", "%"; empty for a count or a plain ratio.
    pub unit: &'static str,
}

impl Measure {
    /// Returns the number with its unit, for people; lengths are written by [`length`].
    #[must_use]
    pub fn text(&self) -> String {
        let Self { value, unit, .. } = *self;
        if unit == "mm" {
            return length(value / 1e3);
        }
        let decimals = match value.abs() {
            _ if unit.is_empty() && value.fract() == 0.0 => 0,
            v if v >= 100.0 => 0,
            v if v >= 10.0 => 1,
            _ => 2,
        };
        let number = if value.abs() < 1e6 { format!("{value:.decimals$}") } else { factor(value) };
        let space = if matches!(unit, "" | "°") { "" } else { " " };
        format!("{number}{space}{unit}").replace('-', "−")
    }
}

/// The pose in which a finding is seen best.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum FindingPose {
    /// The pose that the file stores.
    #[default]
    Rest,
    /// The rest pose with one joint turned: its local rotation is `rest · rotation about axis`.
    Turned {
        /// The joint that is turned.
        joint: NodeId,
        /// The axis, of unit length, in the joint's own space.
        axis: Vec3,
        /// The angle in radians.
        angle: f32,
    },
    /// A clip at a time.
    Clip {
        /// The clip that is played.
        clip: ClipId,
        /// The time in seconds on the file's own timeline.
        time_secs: f32,
    },
}

/// A fault that a rule found.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The id of the rule ([`super::Rule::id`]).
    pub rule: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// The mesh whose vertices are at fault; `None` where joints are.
    pub mesh: Option<MeshId>,
    /// The primitive's number in the mesh.
    pub primitive: Option<usize>,
    /// Every stored vertex at fault, rising.
    pub vertices: Vec<u32>,
    /// The joints (or nodes) at fault.
    pub joints: Vec<NodeId>,
    /// One or two sentences that say what is wrong and what harm it does.
    pub message: String,
    /// A sentence that says what to do about it.
    pub fix: String,
    /// The size of the fault; `None` where no number says it.
    pub measure: Option<Measure>,
    /// The pose in which it is seen best.
    pub pose: FindingPose,
}

impl Finding {
    /// Returns the materials that the vertices at fault touch, in the order of the primitives that draw them: `None` stands for
    /// the default material. Empty where joints are at fault, or no triangle has one of the vertices.
    #[must_use]
    pub fn materials(&self, model: &Model) -> Vec<Option<MaterialId>> {
        let (Some(mesh), Some(primitive)) = (self.mesh, self.primitive) else { return Vec::new() };
        let mesh = &model.meshes[mesh.index()];
        let p = &mesh.primitives[primitive];
        let is_at_fault = |corner: &u32| self.vertices.binary_search(&p.stored_vertex(*corner)).is_ok();
        let touched = mesh.parts(primitive).filter(|part| p.indices[part.indices.clone()].iter().any(is_at_fault));
        let mut out: Vec<Option<MaterialId>> = Vec::new();
        for material in touched.map(|part| mesh.primitives[part.primitive].material) {
            if !out.contains(&material) {
                out.push(material);
            }
        }
        out
    }

    /// The vertices at fault, by their primitive.
    #[must_use]
    pub fn vertex_set(&self) -> VertexSet {
        let (Some(mesh), Some(primitive)) = (self.mesh, self.primitive) else { return VertexSet::default() };
        VertexSet { parts: vec![VertexPart { mesh, primitive, vertices: self.vertices.clone() }] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_are_said_with_their_unit_and_beyond_sense_in_words() {
        let text = |value, unit| Measure { what: "", value, unit }.text();
        assert_eq!(
            (text(12.345, "mm"), text(707.107, "mm"), text(1e9, "mm")),
            ("1.23 cm".into(), "70.7 cm".into(), "1000 km".into())
        );
        assert_eq!((text(28_571_431_719_167_590_400_000.0, "mm")), "more than a million km");
        assert_eq!((text(3.0, ""), text(0.25, ""), text(-37.06, "%")), ("3".into(), "0.25".into(), "−37.1 %".into()));
        assert_eq!((text(178.0, "°"), text(1e22, "%")), ("178°".into(), "more than a million %".into()));
    }
}
