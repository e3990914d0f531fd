//! The making of shapes as one piece of work, which runs on any thread: with all that it is made of, so that the result is the same whenever that is.

use std::sync::Arc;

use glam::DVec3;
use skinscope_base::math::Aabb;
use skinscope_base::parallel::JobContext;
use skinscope_deform::{Deformation, METHODS, Method, ParameterSettings, Pass};
use skinscope_edit::{Sheet, mirrored_name};
use skinscope_model::{LocalPose, Model, NodeId, PrimitiveId};
use skinscope_solve::{DraggedError, DraggedPart, DraggedVertex, PullSettings, ShapeDriver, dragged_targets};

use super::{
    Shape, ShapeError, Sides, TargetName, Targets, add_shapes, drivers, mirror_image, remarks, remove_shapes,
    rename_shape, shape, targets_of_mesh, targets_of_method, without_unfit_drivers,
};

/// Where the making of each shape ends and that of keys begins, as a share of the work.
const MADE: f32 = 0.7;

/// How a shape that was made is seen.
const SEEN: &str = "Turn a joint that brings it in, or play the clip, to see it come and go; Undo takes it back.";

/// Displacements of some vertices of a primitive of the file: metres, in the scene.
pub(crate) type Displaced = (PrimitiveId, Vec<(u32, [f64; 3])>);

/// What is to be done.
#[derive(Clone, Debug)]
pub(crate) enum ShapeWork {
    /// Give morph targets another name.
    Rename(TargetName, String),
    /// Take morph targets away.
    Remove(TargetName),
    /// Make the mirror image of the shape of this name.
    Mirror(String),
    /// Make a shape of the surface as it is drawn.
    OfMethod,
    /// Make a shape of a mesh: the vertices of the file, in the scene, metres.
    OfMesh(Arc<Vec<[f64; 3]>>),
    /// Make a shape of displacements.
    OfOffsets(Arc<Vec<Displaced>>),
    /// Make a shape of each pose in which vertices were dragged.
    OfDrags(Vec<DraggedPose>, PullSettings),
}

/// A pose, and where vertices should be in it.
#[derive(Clone, Debug)]
pub(crate) struct DraggedPose {
    /// The name of its shape.
    pub name: String,
    pub pose: LocalPose,
    pub vertices: Vec<DraggedVertex>,
}

/// What is to be made of a model, and how.
#[derive(Clone, Debug)]
pub(crate) struct ShapeTask {
    /// The model that is shown while it goes on: the result is of use for this one alone.
    pub shown: Arc<Model>,
    /// The model that it is made of: the same, or without the weights that drags have found.
    pub model: Arc<Model>,
    pub work: ShapeWork,
    /// The name of a new shape.
    pub name: String,
    /// The joints that bring it in; without any, those that its pose turns.
    pub joints: Vec<NodeId>,
    /// Whether the mirror image of each is made too.
    pub both_sides: bool,
    /// Whether drivers of the file that do not fit it are left out.
    pub drops_unfit: bool,
    /// The pose that is shown.
    pub pose: LocalPose,
    /// The method that is shown, and the pass after it.
    pub drawn: (&'static Method, Option<&'static Pass>),
    /// The method that shapes are taken back through.
    pub base: &'static Method,
    pub parameters: ParameterSettings,
    /// The box around the model at rest.
    pub bounds: Aabb,
}

/// A model with other morph targets, and what is said of them: a line each, of which the first says what was made.
#[derive(Clone, Debug)]
pub(crate) struct MadeShapes {
    pub model: Arc<Model>,
    pub lines: Vec<String>,
}

/// Where the surface should be in a pose, and what its shape is called.
#[derive(Debug)]
struct Posed {
    name: String,
    pose: LocalPose,
    targets: Vec<Targets>,
    /// The vertices that were dragged there, where it is of a drag.
    dragged: Vec<(PrimitiveId, usize)>,
}

impl ShapeTask {
    /// Does the work; `None` where it was cancelled.
    pub fn run(&self, context: &JobContext) -> Option<Result<MadeShapes, ShapeError>> {
        let made = self.made(context);
        let made = made.map(|(model, lines)| MadeShapes { model: Arc::new(model), lines });
        (!context.is_cancelled()).then_some(made)
    }

    fn made(&self, context: &JobContext) -> Result<(Model, Vec<String>), ShapeError> {
        let nothing = |model: Model| (model, Vec::new());
        match &self.work {
            ShapeWork::Rename(old, new) => return rename_shape(&self.model, old, new).map(nothing),
            ShapeWork::Remove(name) => {
                return remove_shapes(&self.model, std::slice::from_ref(name), context).map(nothing);
            }
            _ => {}
        }
        let fitting = if self.drops_unfit { without_unfit_drivers(&self.model)? } else { None };
        let model = fitting.as_ref().unwrap_or(&self.model);
        match &self.work {
            ShapeWork::Mirror(name) => {
                let (image, driver) = mirror_image(model, &Sides::of(model, self.bounds)?, name, context)?;
                let (shapes, drivers) = ([image], [ShapeDriver { driver, shapes: vec![0] }]);
                let made = add_shapes(model, &shapes, &drivers, context)?;
                let mut lines = made.told(&shapes, &drivers);
                lines.push(SEEN.to_owned());
                Ok((made.model, lines))
            }
            _ => self.shaped(model, self.targets(model, context)?, context),
        }
    }

    fn deformation(&self) -> Deformation<'static> {
        Deformation::with(self.base, &self.parameters)
    }

    /// Finds where the surface should be, in each pose of which a shape is made.
    fn targets(&self, model: &Model, context: &JobContext) -> Result<Vec<Posed>, ShapeError> {
        match &self.work {
            ShapeWork::OfMesh(points) => {
                let points: Vec<DVec3> = points.iter().copied().map(DVec3::from_array).collect();
                let targets = targets_of_mesh(model, &self.pose, (None, None), &points);
                let targets = targets.map_err(|why| ShapeError(format!("the mesh does not fit: {why}")))?;
                Ok(vec![self.shown_pose(targets)])
            }
            ShapeWork::OfOffsets(displaced) => {
                Ok(vec![self.shown_pose(self.displaced(model, &self.pose, displaced, context)?)])
            }
            ShapeWork::OfDrags(poses, settings) => {
                let (tables, surfaces) = Sheet::parts_of(&self.model);
                let mut out = Vec::with_capacity(poses.len());
                for DraggedPose { name, pose, vertices } in poses {
                    let how = (self.deformation(), settings);
                    let parts = dragged_targets((model, pose), (&surfaces, &tables), vertices, how);
                    let why = |error| match error {
                        DraggedError::NoSkin(_) => "no skin moves this vertex",
                        DraggedError::OnePlace(..) => "two of the dragged vertices are at one place of the surface",
                    };
                    let parts = parts.map_err(|error| ShapeError(why(error).to_owned()))?;
                    let moved: Vec<Displaced> = parts.iter().map(moved_of).collect();
                    let targets = self.displaced(model, pose, &moved, context)?;
                    let dragged = vertices.iter().map(|vertex| (vertex.at, vertex.vertex)).collect();
                    out.push(Posed { name: name.clone(), pose: pose.clone(), targets, dragged });
                }
                Ok(out)
            }
            _ => Ok(vec![self.shown_pose(self.drawn_targets(model, context)?)]),
        }
    }

    /// Returns where the surface should be in the pose that is shown.
    fn shown_pose(&self, targets: Vec<Targets>) -> Posed {
        Posed { name: self.name.clone(), pose: self.pose.clone(), targets, dragged: Vec::new() }
    }

    /// Returns where the method that is shown puts the surface in the pose.
    fn drawn_targets(&self, model: &Model, context: &JobContext) -> Result<Vec<Targets>, ShapeError> {
        let (method, pass) = self.drawn;
        if pass.is_none() && std::ptr::eq(method, METHODS[0]) {
            let why =
                "the picture shows linear blending: choose the method or the pass whose surface the shape is to have";
            return Err(ShapeError(why.to_owned()));
        }
        let mut drawn = Deformation::with(method, &self.parameters);
        if let Some(pass) = pass {
            drawn = drawn.then(pass, &self.parameters);
        }
        targets_of_method(model, &self.pose, None, drawn, context).ok_or_else(|| unknown(method))
    }

    fn displaced(
        &self,
        model: &Model,
        pose: &LocalPose,
        displaced: &[Displaced],
        context: &JobContext,
    ) -> Result<Vec<Targets>, ShapeError> {
        let targets = targets_of_method(model, pose, None, self.deformation(), context);
        let mut targets = targets.ok_or_else(|| unknown(self.base))?;
        for (at, vertices) in displaced {
            let own = targets.iter_mut().find(|((_, of), _)| of == at);
            let Some((_, places)) = own else { continue };
            for (vertex, by) in vertices {
                if let Some(place) = places.get_mut(*vertex as usize) {
                    *place += DVec3::from_array(*by);
                }
            }
        }
        Ok(targets)
    }

    /// Makes a shape of each pose, and returns the model with them and what is said of them.
    fn shaped(&self, model: &Model, all: Vec<Posed>, context: &JobContext) -> Result<(Model, Vec<String>), ShapeError> {
        let how = (self.deformation(), true);
        let sides = if self.both_sides { Some(Sides::of(model, self.bounds)?) } else { None };
        let count = all.len() as f32;
        let mut shapes: Vec<Shape> = Vec::new();
        for (number, Posed { name, pose, targets, dragged }) in all.into_iter().enumerate() {
            let mirrored = sides.as_ref().and_then(|sides| sides.mirrored(model, &pose, &targets));
            let images = sides.as_ref().map(|sides| sides.images_of(&dragged)).unwrap_or_default();
            let other = mirrored_name(&name).unwrap_or_else(|| format!("{name} mirrored"));
            shapes.push(Shape { dragged, ..shape(model, (name, pose), &targets, how, context)? });
            if let Some((pose, targets)) = mirrored {
                shapes.push(Shape { dragged: images, ..shape(model, (other, pose), &targets, how, context)? });
            }
            if context.set_fraction(MADE * (number + 1) as f32 / count) {
                context.wake();
            }
        }
        let named = Some(self.joints.clone()).filter(|joints| !joints.is_empty());
        let drivers = drivers(model, &shapes, named)?;
        let made = add_shapes(model, &shapes, &drivers, context)?;
        let mut lines = made.told(&shapes, &drivers);
        lines.extend(remarks(&made.model));
        lines.push(format!("It is right by {}, which it was taken back through.", self.base.label));
        lines.push(SEEN.to_owned());
        Ok((made.model, lines))
    }
}

fn unknown(method: &Method) -> ShapeError {
    ShapeError(format!("{} cannot be worked out for this model", method.label))
}

/// Returns by how much the vertices of a primitive move that do.
fn moved_of(part: &DraggedPart) -> Displaced {
    let places = (0..).zip(part.targets.iter().zip(&part.now)).filter(|(_, (target, _))| target.is_finite());
    (part.of.1, places.map(|(vertex, (target, now))| (vertex, (*target - now.as_dvec3()).to_array())).collect())
}
