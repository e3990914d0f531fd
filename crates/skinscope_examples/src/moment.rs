//! An example at some positions of its sliders: the pose, and the surface that each method makes of it.

use std::sync::{Arc, OnceLock};

use glam::{Affine3A, DAffine3, DVec3, Vec3};
use skinscope_anim as anim;
use skinscope_base::parallel::JobContext;
use skinscope_deform::{self as deform, Deformation, METHODS, MethodData, Surface, SurfaceInput};
use skinscope_model::{InstanceId, LocalPose, Model, NodeId};

use super::{Example, Expr, Mark, MarkInk, Settings, Symbol, Unit, Value};

/// The rig of an example, with what methods compute for it once.
#[derive(Debug)]
struct Rig {
    model: Arc<Model>,
    /// By method.
    data: Vec<OnceLock<Option<MethodData>>>,
}

/// A curve of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What it is.
    pub name: String,
    /// Whether it is computed by a formula, and drawn as a broken line; else it is measured on a surface.
    pub is_formula: bool,
    /// The slider's value and the number there.
    pub points: Vec<[f64; 2]>,
}

/// An example at some positions of its sliders. What is asked is computed once.
#[derive(Debug)]
pub struct Moment {
    settings: Settings,
    rig: Arc<Rig>,
    local: LocalPose,
    model_from_node: Vec<Affine3A>,
    palettes: Vec<Affine3A>,
    /// By method.
    surfaces: Vec<OnceLock<Surface>>,
}

impl Curve {
    /// Makes a curve of what is measured at each of some moments.
    #[must_use]
    pub fn measured(name: impl Into<String>, along: &[(f64, Moment)], measure: impl Fn(&Moment) -> f64) -> Self {
        let points = along.iter().map(|(at, moment)| [*at, measure(moment)]).collect();
        Self { name: name.into(), is_formula: false, points }
    }

    /// Makes a curve of measures over a slider, at the moments `along` and closer where it jumps: between two of them whose measures differ by
    /// more than `jump` the interval is halved eight times towards the larger difference, so that a break is drawn where it is.
    #[must_use]
    pub(crate) fn traced(
        name: impl Into<String>,
        slider: &str,
        along: &[(f64, Moment)],
        jump: f64,
        measure: impl Fn(&Moment) -> f64,
    ) -> Self {
        const HALVINGS: usize = 8;
        let mut points: Vec<[f64; 2]> = Vec::with_capacity(along.len());
        for (at, moment) in along {
            let [mut from, mut to] = [points.last().copied(), Some([*at, measure(moment)])];
            let end = to;
            let mut between = Vec::new();
            for _ in 0..HALVINGS {
                let (Some([x0, y0]), Some([x1, y1])) = (from, to) else { break };
                if (y1 - y0).abs() <= jump {
                    break;
                }
                let x = 0.5 * (x0 + x1);
                let middle = [x, measure(&moment.with(slider, x as f32))];
                between.push(middle);
                if (middle[1] - y0).abs() > (y1 - middle[1]).abs() { to = Some(middle) } else { from = Some(middle) }
            }
            between.sort_by(|a: &[f64; 2], b| a[0].total_cmp(&b[0]));
            points.extend(between);
            points.extend(end);
        }
        Self { name: name.into(), is_formula: false, points }
    }

    /// Makes a curve of a formula, by its value at so many positions of a range.
    #[must_use]
    pub fn formula(name: impl Into<String>, [from, to]: [f64; 2], steps: usize, value: impl Fn(f64) -> f64) -> Self {
        let at = |i: usize| from + (to - from) * i as f64 / steps as f64;
        let points = (0..=steps).map(at).map(|x| [x, value(x)]).collect();
        Self { name: name.into(), is_formula: true, points }
    }
}

impl Moment {
    /// Makes the rig and poses it.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self::of_model(settings, Arc::new((settings.example().model)(&settings)))
    }

    /// Poses a model that is already there.
    #[must_use]
    pub fn of_model(settings: Settings, model: Arc<Model>) -> Self {
        Self::posed(settings, Arc::new(Rig { model, data: METHODS.iter().map(|_| OnceLock::new()).collect() }))
    }

    /// Returns the same example at other positions of its sliders. The rig is shared where it is the same.
    #[must_use]
    pub fn at(&self, settings: Settings) -> Self {
        if settings.has_other_model(&self.settings) {
            Self::new(settings)
        } else {
            Self::posed(settings, Arc::clone(&self.rig))
        }
    }

    /// Returns the same with one slider at another position.
    #[must_use]
    pub fn with(&self, slider: &str, value: f32) -> Self {
        let mut settings = self.settings;
        settings.set(slider, value);
        self.at(settings)
    }

    /// Returns the same at so many positions of a slider's whole range, each with the slider's value.
    #[must_use]
    pub fn along(&self, slider: &str, steps: usize) -> Vec<(f64, Self)> {
        let range = self.example().sliders.iter().find(|s| s.id == slider).map_or([0.0; 2], |s| s.range);
        let at = |i: usize| range[0] + (range[1] - range[0]) * i as f32 / steps as f32;
        (0..=steps).map(at).map(|value| (f64::from(value), self.with(slider, value))).collect()
    }

    fn posed(settings: Settings, rig: Arc<Rig>) -> Self {
        let mut local = rig.model.skeleton.rest.clone();
        settings.pose(&rig.model, &mut local);
        let (mut model_from_node, mut palettes) = (Vec::new(), Vec::new());
        anim::local_to_model(&rig.model.skeleton, &local, &mut model_from_node);
        deform::palettes(&rig.model, &model_from_node, &mut palettes);
        let surfaces = METHODS.iter().map(|_| OnceLock::new()).collect();
        Self { settings, rig, local, model_from_node, palettes, surfaces }
    }

    /// Returns the positions of the sliders.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the example.
    #[must_use]
    pub fn example(&self) -> &'static Example {
        self.settings.example()
    }

    /// Returns the rig.
    #[must_use]
    pub fn model(&self) -> &Arc<Model> {
        &self.rig.model
    }

    /// Returns the value of a slider, in its unit; NaN for one that the example does not have.
    #[must_use]
    pub fn slider(&self, id: &str) -> f64 {
        f64::from(self.settings.get(id))
    }

    /// Returns the same as formulas compute with it: angles in radians.
    #[must_use]
    pub(crate) fn slider_in_radians(&self, id: &str) -> f64 {
        let slider = self.example().sliders.iter().find(|slider| slider.id == id);
        let value = self.slider(id);
        if slider.is_some_and(|slider| slider.unit == Unit::Degrees) { value.to_radians() } else { value }
    }

    /// Returns a symbol by its id.
    #[must_use]
    pub fn symbol(&self, id: &str) -> Option<&'static Symbol> {
        self.example().symbols.iter().find(|symbol| symbol.id == id)
    }

    /// Returns the symbol that an expression is.
    #[must_use]
    pub(crate) fn symbol_in(&self, expr: &Expr) -> Option<&'static Symbol> {
        if let Expr::Of(id) = expr { self.symbol(id) } else { None }
    }

    /// Returns the value of a symbol by its id.
    #[must_use]
    pub fn value_of(&self, id: &str) -> Option<Value> {
        self.symbol(id).map(|symbol| symbol.value(self))
    }

    /// Returns `model_from_node` of a node by its name: where it stands now. The identity for one that is not there.
    #[must_use]
    pub fn node(&self, name: &str) -> Affine3A {
        self.find(name).map_or(Affine3A::IDENTITY, |node| self.model_from_node[node.index()])
    }

    /// The same in double precision.
    #[must_use]
    pub(crate) fn exact_node(&self, name: &str) -> DAffine3 {
        exact(self.node(name))
    }

    /// Returns `model_from_node` of a node by its name at rest.
    #[must_use]
    pub(crate) fn rest_node(&self, name: &str) -> DAffine3 {
        let mut rest = Vec::new();
        anim::local_to_model(&self.rig.model.skeleton, &self.rig.model.skeleton.rest, &mut rest);
        self.find(name).map_or(DAffine3::IDENTITY, |node| exact(rest[node.index()]))
    }

    fn find(&self, name: &str) -> Option<NodeId> {
        self.rig.model.skeleton.names.iter().position(|n| n == name).map(NodeId::from_index)
    }

    /// Returns where a node stands, metres.
    #[must_use]
    pub fn joint_position(&self, name: &str) -> Vec3 {
        self.node(name).translation.into()
    }

    /// Returns the skinning matrix of a joint, by its skin and its index there.
    #[must_use]
    pub(crate) fn skinning_matrix(&self, skin: usize, joint: usize) -> DAffine3 {
        let before: usize = self.rig.model.skins[..skin].iter().map(|skin| skin.joints.len()).sum();
        exact(self.palettes[before + joint])
    }

    /// Returns the local pose.
    #[must_use]
    pub fn local(&self) -> &LocalPose {
        &self.local
    }

    /// Returns the surface that a method makes of the rig, by [`deform::Method::id`]; by the first method where there is none of
    /// this name.
    #[must_use]
    pub fn surface(&self, method: &str) -> &Surface {
        let at = METHODS.iter().position(|m| m.id == method).unwrap_or(0);
        self.surfaces[at].get_or_init(|| {
            let model = &self.rig.model;
            let data = self.rig.data[at]
                .get_or_init(|| METHODS[at].data.and_then(|source| (source.make)(model, &JobContext::of_waiting())));
            let method = Deformation { data: data.as_ref(), ..Deformation::from(METHODS[at]) };
            let draws = anim::drawn_at_rest(model, model.default_scene);
            let (palettes, morph_weights) = (&self.palettes, &self.local.morph_weights);
            Surface::of(&SurfaceInput { model, draws: &draws, palettes, morph_weights, method })
        })
    }

    /// Returns where a method carries a vertex, by instance and number of the vertex in its first primitive. NaN where there is none.
    #[must_use]
    pub fn vertex(&self, method: &str, instance: usize, vertex: usize) -> DVec3 {
        let part = self.surface(method).part(InstanceId::from_index(instance), 0);
        part.and_then(|part| part.position(vertex, 0)).map_or(DVec3::NAN, |at| at.as_dvec3())
    }

    /// Returns where a joint of the first skin alone would carry a vertex, by instance and number of the vertex.
    #[must_use]
    pub fn alone(&self, joint: usize, instance: usize, vertex: usize) -> DVec3 {
        self.skinning_matrix(0, joint).transform_point3(self.stored_vertex(instance, vertex))
    }

    /// Returns the vertices of a ring of a tube (`Shape::tube` of the rigs) of so many sides.
    #[must_use]
    pub fn ring(&self, method: &str, instance: usize, ring: usize, sides: usize) -> Vec<DVec3> {
        (0..sides).map(|side| self.vertex(method, instance, ring * sides + side)).collect()
    }

    /// Returns such a ring as a line, and the mean distance of its vertices from its middle, metres.
    #[must_use]
    pub(crate) fn measured_ring(&self, method: &str, instance: usize, ring: usize, sides: usize) -> (Vec<Vec3>, f64) {
        let ring = self.ring(method, instance, ring, sides);
        let middle = ring.iter().sum::<DVec3>() / sides as f64;
        let radius = ring.iter().map(|p| p.distance(middle)).sum::<f64>() / sides as f64;
        (ring.iter().chain(ring.first()).map(|p| p.as_vec3()).collect(), radius)
    }

    /// Returns the part of its volume that an instance keeps against where a slider is at 0.
    #[must_use]
    pub(crate) fn volume_ratio(&self, instance: usize, slider: &str) -> f64 {
        self.volume(instance) / self.with(slider, 0.0).volume(instance)
    }

    /// Returns the volume that linear blending leaves an instance whose first primitive is closed, cubic metres: a sixth of the sum of triple
    /// products over its triangles. NaN where there is none.
    #[must_use]
    pub fn volume(&self, instance: usize) -> f64 {
        let Some(part) = self.surface("linear").part(InstanceId::from_index(instance), 0) else { return f64::NAN };
        let mesh = &self.rig.model.meshes[self.rig.model.instances[instance].mesh.index()].primitives[0];
        let positions = &part.deformed.positions;
        let at = |i: u32| (positions[i as usize] - positions[0]).as_dvec3();
        let triangles = mesh.indices.as_chunks::<3>().0;
        triangles.iter().map(|[a, b, c]| at(*a).dot(at(*b).cross(at(*c)))).sum::<f64>() / 6.0
    }

    /// Returns the outline of a tube (`Shape::tube` of the rigs) as linear blending leaves it: up one column of vertices, down another.
    #[must_use]
    pub(crate) fn tube_outline(&self, instance: usize, [rings, sides]: [usize; 2], [up, down]: [usize; 2]) -> Mark {
        let at = |ring: usize, side: usize| self.vertex("linear", instance, ring * sides + side).as_vec3();
        let (up, down) = ((0..rings).map(|ring| at(ring, up)), (0..rings).rev().map(|ring| at(ring, down)));
        Mark::line(up.chain(down).collect(), MarkInk::Accent, "")
    }

    /// Returns where a vertex is stored, by instance and number of the vertex in its first primitive.
    #[must_use]
    pub fn stored_vertex(&self, instance: usize, vertex: usize) -> DVec3 {
        let mesh = self.rig.model.instances[instance].mesh;
        self.rig.model.meshes[mesh.index()].primitives[0].positions[vertex].as_dvec3()
    }
}

/// The same matrix in double precision.
fn exact(m: Affine3A) -> DAffine3 {
    DAffine3::from_cols_array(&m.to_cols_array().map(f64::from))
}
