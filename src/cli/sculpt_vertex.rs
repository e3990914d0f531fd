//! `skinscope sculpt --vertex`: sculpts by single vertices that are put somewhere in a pose, with those around them.

use clap::Args;
use glam::DVec3;

use super::CliError;
use super::solve_args::SearchArgs;
use super::solve_vertex::{HeldVertex, falloffs, parse_radius, parse_vertex};
use crate::deform::Deformation;
use crate::edit::Sheet;
use crate::model::{LocalPose, Model};
use crate::paint::written;
use crate::session::shaping::{Targets, skinned};
use crate::solve::{DraggedError, DraggedVertex, Joints, PullSettings, SolveSettings, dragged_targets};
use crate::weights::brush::falloff;
use crate::weights::{FALLOFFS, Falloff};

/// Vertices that are put somewhere, and how far the surface goes along.
#[derive(Debug, Args)]
pub(super) struct DraggedArgs {
    /// In this pose this vertex of the file should be there, in the scene, metres: those of one pose make one shape; may be given several times
    #[arg(long, value_name = "MESH,PRIMITIVE,VERTEX=X,Y,Z@POSE", value_parser = parse_vertex, allow_hyphen_values = true)]
    vertex: Vec<HeldVertex>,
    /// Let the surface around those vertices go along, so far along the surface at rest, metres
    #[arg(long, value_name = "METRES", requires = "vertex", default_value = "0", value_parser = parse_radius)]
    radius: f64,
    /// How it goes along the less the farther away it is
    #[arg(long, value_name = "CURVE", requires = "vertex", value_parser = falloffs())]
    falloff: Option<String>,
}

/// The vertices of one pose.
pub(super) struct VertexSculpt {
    vertices: Vec<HeldVertex>,
    radius: f64,
    falloff: &'static Falloff,
}

impl DraggedArgs {
    /// Returns the poses in their order, each with its vertices.
    pub(super) fn by_pose(&self) -> Vec<(String, VertexSculpt)> {
        let falloff = self.falloff.as_deref().and_then(falloff).unwrap_or(FALLOFFS[0]);
        let mut out: Vec<(String, VertexSculpt)> = Vec::new();
        for held in &self.vertex {
            let pose = held.pose.clone();
            match out.iter_mut().find(|(known, _)| *known == pose) {
                Some((_, sculpt)) => sculpt.vertices.push(held.clone()),
                None => {
                    let vertices = vec![held.clone()];
                    out.push((pose, VertexSculpt { vertices, radius: written(self.radius), falloff }));
                }
            }
        }
        out
    }
}

impl VertexSculpt {
    /// Finds the vertices, and where each should be.
    pub(super) fn vertices(&self, model: &Model) -> Result<Vec<DraggedVertex>, CliError> {
        let found = |held: &HeldVertex| -> Result<DraggedVertex, CliError> {
            let [mesh, primitive, vertex] = held.vertex;
            let at = SearchArgs::find_primitive(model, [mesh, primitive], "--vertex")?;
            Ok(DraggedVertex { at, vertex: vertex as usize, target: held.target.map(written).into() })
        };
        self.vertices.iter().map(found).collect()
    }

    /// Finds where the vertices of each primitive should be in the pose.
    pub(super) fn targets(
        &self,
        model: &Model,
        pose: &LocalPose,
        method: Deformation<'_>,
    ) -> Result<Vec<Targets>, CliError> {
        let vertices = self.vertices(model)?;
        let (tables, surfaces) = Sheet::of(model).into_parts();
        let settings = PullSettings {
            most: usize::MAX,
            joints: Joints::Kept,
            keep: SolveSettings::default().keep,
            radius: self.radius,
            falloff: self.falloff,
        };
        let parts = dragged_targets((model, pose), (&surfaces, &tables), &vertices, (method, &settings));
        let parts = parts.map_err(|why| CliError::Usage(format!("--vertex: {}", self.refusal(why))))?;
        let mut out: Vec<Targets> = parts.into_iter().map(|part| (part.of, part.targets)).collect();
        // The mirror images of vertices may be in primitives of which none is dragged.
        for (instance, at) in skinned(model) {
            let count = model.meshes[at.mesh.index()].primitives[at.primitive].stored_vertices;
            if !out.iter().any(|(of, _)| *of == (instance, at)) {
                out.push(((instance, at), vec![DVec3::NAN; count]));
            }
        }
        Ok(out)
    }

    fn refusal(&self, why: DraggedError) -> String {
        let name = |number: usize| {
            let [mesh, primitive, vertex] = self.vertices.get(number).map_or([0; 3], |held| held.vertex);
            format!("vertex {vertex} of primitive {mesh},{primitive}")
        };
        match why {
            DraggedError::NoSkin(one) => format!("no skin moves {}", name(one)),
            DraggedError::OnePlace(one, other) => format!("{} is at the place of {}", name(other), name(one)),
        }
    }
}
