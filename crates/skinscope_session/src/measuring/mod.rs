//! What the pose that is shown does to the surface, in numbers: of the present moment, and over a whole clip.
//!
//! Measuring a large model takes longer than a picture may wait. Where the session defers work it is measured in the background
//! ([`Work::MeasurePose`](crate::Work), [`Work::MeasureClip`](crate::Work)), and the numbers are those of a moment ago, unless its owner
//! measures before each picture ([`Session::measure_before_picture`]); else it is done when it is asked for.

mod before_picture;
pub(crate) mod keys;
pub(crate) mod measure_commands;

pub use self::keys::{CurvesKey, MeasureKey, WorstMomentKey};

use std::sync::{Arc, Mutex, PoisonError, Weak};

use glam::Affine3A;
use skinscope_deform::{AppliedPass, Deformation, METHODS, MethodData, ParameterValues, Pass, Surface, SurfaceInput};
use skinscope_inspect::PerVertex;
use skinscope_inspect::measure::{self, Measurer, SurfaceMeasures, VertexMeasure, Wanted};
use skinscope_model::{InstanceId, Model};

use crate::command::ids::Id;
use crate::pose::crowd;
use crate::{
    Deforming, Edits, MethodChoice, Playback, PlaybackCommand, Pose, PoseSource, Session, SideWeights, Surfaces, View,
};

/// Commands about the measures of the posed surface.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum MeasureCommand {
    /// Show the panel with the measures and their curves, or put it away.
    TogglePanel,
    /// Show in it what every mode of the normals of linear blending makes of the pose, or only the mode that is shown.
    ToggleNormalModes,
    /// Measure the clip anew.
    MeasureClip,
    /// Stop measuring the clip.
    StopMeasuringClip,
    /// Pause at this moment of the clip (seconds), and pin and frame the vertex where this measure (by [`measure::Measure::id`]) is
    /// worst there.
    ShowMoment(#[serde(deserialize_with = "crate::command::ids::id")] Id, f32),
}

/// What is measured, as far as it is known.
#[derive(Debug, Default)]
pub struct Measuring {
    /// The panel is shown.
    pub open: bool,
    /// The panel shows what every mode of the normals of linear blending makes of the pose.
    pub modes: bool,
    /// The pose that was measured last, by side: what is shown, and what it is compared with.
    latest: [Option<Arc<MeasuredPose>>; 2],
    /// The clip that was measured last.
    pub(super) curves: Option<Arc<MeasureCurves>>,
    /// The user has stopped measuring what this names.
    pub(super) stopped: Option<CurvesKey>,
    /// Measures poses, unless that is done in the background, which has taken them along.
    own: Mutex<Measurers>,
}

impl Clone for Measuring {
    /// Copies what is known; what measures is prepared anew when the copy needs it.
    fn clone(&self) -> Self {
        let Self { open, modes, latest, curves, stopped, .. } = self;
        Self {
            open: *open,
            modes: *modes,
            latest: latest.clone(),
            curves: curves.clone(),
            stopped: stopped.clone(),
            own: Mutex::default(),
        }
    }
}

/// What measures the surfaces of the last models that were measured: both sides of a comparison, at most.
#[derive(Debug, Default)]
pub(super) struct Measurers(Vec<Measurer>);

impl Measurers {
    /// Returns whether the one for `model` is prepared.
    fn has(&self, model: &Arc<Model>, wanted: Wanted) -> bool {
        self.0.iter().any(|measurer| Arc::ptr_eq(measurer.model(), model) && measurer.is_for(wanted))
    }

    /// Returns the one for `model`, prepared where there is none; `None` soon after `stop` returns true.
    fn of(&mut self, model: &Arc<Model>, wanted: Wanted, stop: &dyn Fn() -> bool) -> Option<&mut Measurer> {
        let known = self.0.iter().position(|m| Arc::ptr_eq(m.model(), model) && m.is_for(wanted));
        let new = if wanted.by_primitive { Measurer::by_primitive } else { Measurer::new };
        let measurer = known.map_or_else(|| new(model, stop), |at| Some(self.0.remove(at)))?;
        self.0.truncate(1);
        self.0.insert(0, measurer);
        self.0.first_mut()
    }
}

/// The measures of one pose.
#[derive(Clone, Debug)]
pub struct MeasuredPose {
    /// The state of the session that the curves were measured in.
    pub key: MeasureKey,
    /// The measures.
    pub measures: SurfaceMeasures,
    /// The numbers of vertices that were wanted, as overlays read them.
    pub values: Arc<PerVertex>,
}

/// A pose that is to be measured elsewhere.
#[derive(Clone, Debug)]
pub(super) struct PoseToMeasure {
    key: MeasureKey,
    model: Arc<Model>,
    draws: Vec<InstanceId>,
    palettes: Vec<Affine3A>,
    morph_weights: Vec<f32>,
    surface: Option<Arc<Surface>>,
    values: ParameterValues,
    data: Option<Arc<MethodData>>,
    pass: Option<(&'static Pass, ParameterValues, Option<Arc<MethodData>>)>,
}

impl PoseToMeasure {
    /// Measures it. `measurers` are reused for the next poses. `None` soon after `stop` returns true.
    #[must_use]
    pub(super) fn measure(&self, measurers: &mut Measurers, stop: &dyn Fn() -> bool) -> Option<MeasuredPose> {
        let input = SurfaceInput {
            model: &self.model,
            draws: &self.draws,
            palettes: &self.palettes,
            morph_weights: &self.morph_weights,
            method: Deformation {
                method: self.key.choice.method,
                values: self.values,
                data: self.data.as_deref(),
                normals: self.key.choice.normals,
                pass: self.pass.as_ref().map(|(pass, values, data)| AppliedPass {
                    pass,
                    values: *values,
                    data: data.as_deref(),
                }),
            },
        };
        let measurer = measurers.of(&self.model, self.key.wanted, stop)?;
        let (measures, values) = match &self.surface {
            Some(surface) => measurer.measure(&input, surface, self.key.wanted),
            None => measurer.deform_and_measure(&input, self.key.wanted),
        };
        Some(MeasuredPose { key: self.key.clone(), measures, values: Arc::new(values) })
    }
}

/// The measures of a clip at evenly spaced moments.
#[derive(Clone, Debug)]
pub struct MeasureCurves {
    /// What they belong to; `None` without a clip.
    pub key: Option<CurvesKey>,
    /// Each moment (seconds) with its measures, rising.
    pub moments: Vec<(f32, SurfaceMeasures)>,
    /// Whether the clip was measured to its end.
    pub complete: bool,
}

impl MeasureCurves {
    /// What is asked of each moment for the curves of the panel.
    pub const WANTED: Wanted =
        Wanted { normal_error: true, normal_modes: false, vertices: None, overlay_only: false, by_primitive: false };

    /// Returns the moment at which a measure is worst, with its number; `None` where it has none.
    #[must_use]
    pub fn worst(&self, measure: &measure::Measure) -> Option<(usize, f64)> {
        let values = self.moments.iter().enumerate().filter_map(|(i, (_, m))| Some((i, (measure.value)(m)?)));
        // Of several the first.
        values.fold(None, |worst: Option<(usize, f64)>, (i, value)| match worst {
            Some((_, before)) if measure.badness(value).total_cmp(&measure.badness(before)).is_le() => worst,
            _ => Some((i, value)),
        })
    }
}

/// Moments of a clip that are measured in a second of it, unless another rate is given.
pub const MEASURES_PER_SECOND: f32 = 30.0;
/// The most moments of a clip that are measured.
pub const MOST_MEASURED: usize = 1800;

impl Measuring {
    /// Takes the measures of a clip; they are shown while that clip is.
    pub(crate) fn take_curves(&mut self, curves: MeasureCurves) {
        self.curves = Some(Arc::new(curves));
    }

    /// Takes the measures of a pose for the sides that they are of ([`crate::Measurements::sides_of`]), and what measured it for the next ones.
    pub(super) fn take_measures(&mut self, sides: [bool; 2], pose: MeasuredPose, measurers: Measurers) {
        *self.own.get_mut().unwrap_or_else(PoisonError::into_inner) = measurers;
        let pose = Arc::new(pose);
        for (latest, _) in self.latest.iter_mut().zip(sides).filter(|(_, is_of)| *is_of) {
            *latest = Some(Arc::clone(&pose));
        }
    }
}

impl Session {
    /// Returns what is measured, as far as it is known.
    #[must_use]
    pub fn measuring(&self) -> &Measuring {
        &self.measuring
    }

    /// Measures the clip that is shown at `rate` moments a second; without one, the pose alone. `go_on` hears what part is done, 0…1,
    /// and ends it by `false`: then what was measured until then is returned. `None` where nothing is open.
    #[must_use]
    pub fn measure_clip(&self, rate: f32, wanted: Wanted, go_on: &mut dyn FnMut(f32) -> bool) -> Option<MeasureCurves> {
        let mut session = Self { beside: None, ..self.clone() };
        session.defers_work = false;
        session.view.crowd = 1;
        crowd::show_crowd(&mut session);
        session.playback.playing = false;
        let mut out = MeasureCurves { key: self.measurements().curves_key(), moments: Vec::new(), complete: true };
        let Some(key) = &out.key else {
            out.moments.push((0.0, session.measurements().measure_as(wanted)?.measures.clone()));
            return Some(out);
        };
        let source = &self.deforming().shown_model()?.clips[key.clip.index()];
        let start = source.start_secs.max(0.0);
        let length = (source.end_secs - start).max(0.0);
        let steps = if length > 0.0 { ((length * rate).ceil() as usize).clamp(1, MOST_MEASURED - 1) } else { 0 };
        for i in 0..=steps {
            if !go_on(i as f32 / (steps + 1) as f32) {
                out.complete = false;
                break;
            }
            let time_secs = start + length * i as f32 / steps.max(1) as f32;
            session.playing().apply(&PlaybackCommand::Seek(time_secs));
            session.update_pose();
            out.moments.push((time_secs, session.measurements().measure_as(wanted)?.measures.clone()));
        }
        Some(out)
    }
}

/// The measures of the surfaces that are shown, as far as they are known, and what is still to be measured.
#[derive(Clone, Copy, Debug)]
pub struct Measurements<'a> {
    pub(super) model: Option<&'a Arc<Model>>,
    pub(super) deforming: Deforming<'a>,
    pub(super) surfaces: Surfaces<'a>,
    pub(super) view: &'a View,
    pub(super) playback: &'a Playback,
    pub(super) edits: &'a Arc<Edits>,
    pub(super) pose: &'a Pose,
    pub(super) measuring: &'a Measuring,
    pub(super) defers_work: bool,
}

impl<'a> Measurements<'a> {
    /// Returns the measure that the overlay shows, if it shows one.
    #[must_use]
    pub fn shown_measure(self) -> Option<VertexMeasure> {
        self.view.overlay?.values?.measure
    }

    /// Returns what panel and overlay want to know of each pose; `None`: nothing.
    #[must_use]
    pub(crate) fn wanted_measures(self) -> Option<Wanted> {
        let vertices = self.shown_measure();
        let is_shown = self.measuring.open || vertices.is_some();
        let has_skin = self.deforming.shown_model().is_some_and(|model| !model.skins.is_empty());
        let normal_error = self.measuring.open || vertices == Some(VertexMeasure::NormalError);
        let normal_modes = self.measuring.open && self.measuring.modes && self.deforming.has_normal_modes();
        // The panel alone shows more than the colours and the numbers of the overlay.
        let overlay_only = !self.measuring.open;
        (is_shown && has_skin).then_some(Wanted {
            normal_error,
            normal_modes,
            vertices,
            overlay_only,
            by_primitive: false,
        })
    }

    /// Returns what is wanted of the other side of a comparison: the numbers of the overlay.
    fn wanted_of_other(self) -> Option<Wanted> {
        let vertices = Some(self.shown_measure()?);
        let normal_error = vertices == Some(VertexMeasure::NormalError);
        let wanted = Wanted { normal_error, vertices, overlay_only: true, ..Wanted::default() };
        self.deforming.comparison().map(|_| wanted)
    }

    /// Returns the side whose measures are wanted and not there. Where it is both, the one whose measures are older is returned.
    fn side_to_measure(self) -> Option<(usize, MeasureKey)> {
        let wanted = [self.wanted_measures(), self.wanted_of_other()];
        let lacks = |side: usize| {
            let key = self.measure_key(side, wanted[side]?)?;
            let latest = self.measuring.latest[side].as_ref();
            let age = latest.filter(|l| l.key.model.ptr_eq(&key.model)).map_or(0, |latest| latest.key.pose + 1);
            latest.is_none_or(|latest| latest.key != key).then_some((age, side, key))
        };
        let (_, side, key) = (0..2).filter_map(lacks).min_by_key(|(age, side, _)| (*age, *side))?;
        Some((side, key))
    }

    /// Returns the pose that is shown, to be measured in the background, and what measures it; `None` where nobody wants that, or its
    /// measures are there.
    pub(super) fn begin(self) -> Option<(PoseToMeasure, Measurers)> {
        let (side, key) = self.side_to_measure()?;
        let pose = self.to_measure(side, key)?;
        let mut own = self.measuring.own.lock().unwrap_or_else(PoisonError::into_inner);
        Some((pose, std::mem::take(&mut *own)))
    }

    /// Returns the model that is shown, where the measures of its pose are wanted and not known.
    pub(super) fn wanted_pose(self) -> Option<Weak<Model>> {
        if self.wanted_measures().is_none() {
            // They are large, and nobody will need them soon.
            *self.measuring.own.lock().unwrap_or_else(PoisonError::into_inner) = Measurers::default();
            return None;
        }
        self.side_to_measure()?;
        self.deforming.shown_model().map(Arc::downgrade)
    }

    /// Returns which sides show what these are the measures of: neither where they are of another model.
    pub(super) fn sides_of(self, pose: &MeasuredPose) -> [bool; 2] {
        [0, 1].map(|side| {
            self.side(side).is_some_and(|(choice, model)| {
                std::ptr::eq(Arc::as_ptr(model), pose.key.model.as_ptr()) && choice == pose.key.choice
            })
        })
    }

    /// Returns how a side is deformed, and its model.
    fn side(self, side: usize) -> Option<(MethodChoice, &'a Arc<Model>)> {
        let (choice, model) = match side {
            0 => (self.view.choice(), self.deforming.shown_model()?),
            _ => (self.deforming.comparison()?.choice, self.deforming.compared_model()?),
        };
        Some((self.deforming.ready(choice, Some(model)), model))
    }

    fn measure_key(self, side: usize, wanted: Wanted) -> Option<MeasureKey> {
        let (choice, model) = self.side(side)?;
        Some(MeasureKey { model: Arc::downgrade(model), pose: self.pose.revision, choice, wanted })
    }

    fn to_measure(self, side: usize, key: MeasureKey) -> Option<PoseToMeasure> {
        let (choice, model) = self.side(side)?;
        let SurfaceInput { draws, palettes, morph_weights, .. } = self.surfaces.surface_input(choice)?;
        let method = self.deforming.deformation_of(choice, Some(model));
        let is_other = side == 1 && self.deforming.comparison().is_some_and(|c| c.weights != SideWeights::Shown);
        let pass = choice.pass;
        let of_pass = method.pass.map(|applied| applied.values).unwrap_or_default();
        Some(PoseToMeasure {
            values: method.values,
            data: choice.method.data.and_then(|source| self.deforming.cached_data(source, model)),
            pass: pass
                .map(|pass| (pass, of_pass, pass.data.and_then(|source| self.deforming.cached_data(source, model)))),
            key,
            model: Arc::clone(model),
            draws: draws.to_vec(),
            palettes: if is_other { self.surfaces.palettes_of(model).into_owned() } else { palettes.to_vec() },
            morph_weights: morph_weights.to_vec(),
            surface: self.pose.surfaces.at_hand(choice).filter(|_| !is_other),
        })
    }

    /// Returns the measures of the other side of a comparison, as [`crate::Measurements::measures`] those of what is shown: while an overlay of
    /// measures is on.
    #[must_use]
    pub fn compared_measures(self) -> Option<Arc<MeasuredPose>> {
        let wanted = self.wanted_of_other()?;
        if self.defers_work {
            let (_, model) = self.side(1)?;
            return self.latest(1, model, wanted);
        }
        self.measure_side(1, wanted)
    }

    /// Returns the measures of the pose that is shown. Where the session defers work they may be those of a moment ago, and are `None`
    /// until there are some.
    #[must_use]
    pub fn measures(self) -> Option<Arc<MeasuredPose>> {
        let wanted = self.wanted_measures()?;
        if self.defers_work {
            return self.latest(0, self.deforming.shown_model()?, wanted);
        }
        self.measure_as(wanted)
    }

    /// Returns the measures of a side that were taken last, where they are those of `model` and have what is wanted.
    fn latest(self, side: usize, model: &Arc<Model>, wanted: Wanted) -> Option<Arc<MeasuredPose>> {
        let is_it = |latest: &&Arc<MeasuredPose>| {
            std::ptr::eq(Arc::as_ptr(model), latest.key.model.as_ptr()) && wanted.is_measured_by(latest.key.wanted)
        };
        self.measuring.latest[side].as_ref().filter(is_it).map(Arc::clone)
    }

    /// Measures the pose that is shown, unless that was done.
    #[must_use]
    pub fn measure_as(self, wanted: Wanted) -> Option<Arc<MeasuredPose>> {
        self.measure_side(0, wanted)
    }

    fn measure_side(self, side: usize, wanted: Wanted) -> Option<Arc<MeasuredPose>> {
        let key = self.measure_key(side, wanted)?;
        if let Some(known) = self.pose.surfaces.measured(&key) {
            return Some(known);
        }
        let mut own = self.measuring.own.lock().unwrap_or_else(PoisonError::into_inner);
        let measured = Arc::new(self.to_measure(side, key)?.measure(&mut own, &|| false)?);
        self.pose.surfaces.keep_measured(&measured);
        Some(measured)
    }

    /// Returns the measures of the clip that is shown, by the method that is shown, as far as they are known; those of other edits of the
    /// pose are not.
    #[must_use]
    pub fn measured_clip(self) -> Option<&'a Arc<MeasureCurves>> {
        let key = self.curves_key()?;
        self.measuring.curves.as_ref().filter(|curves| curves.key.as_ref() == Some(&key))
    }

    /// Returns whether the panel lacks the measures of the clip.
    #[must_use]
    pub fn lacks_curves(self) -> bool {
        self.wanted_curves().is_some()
    }

    /// Returns the clip whose measures the panel lacks.
    pub(super) fn wanted_curves(self) -> Option<CurvesKey> {
        let has_skin = self.deforming.shown_model().is_some_and(|model| !model.skins.is_empty());
        let key = self.curves_key().filter(|_| self.measuring.open && has_skin)?;
        let is_stopped = self.measuring.stopped.as_ref() == Some(&key);
        (!is_stopped && self.measured_clip().is_none()).then_some(key)
    }

    /// Returns what the measures of the clip that is shown depend on; `None` where no clip is shown.
    #[must_use]
    pub fn curves_key(self) -> Option<CurvesKey> {
        let clip = self.playback.clip.filter(|_| self.playback.source == PoseSource::Clip)?;
        let model = Arc::downgrade(self.deforming.shown_model()?);
        let choice = self.deforming.ready(self.view.choice(), self.deforming.shown_model());
        Some(CurvesKey {
            model,
            clip,
            choice,
            parameters: self.view.parameters.clone(),
            edits: Arc::clone(self.edits),
            layers: self.playback.layers,
            in_place: self.playback.in_place,
        })
    }

    /// Returns what the worst moment of the comparison depends on, where that is being sought.
    pub(super) fn wanted_worst_moment(self) -> Option<WorstMomentKey> {
        if !self.deforming.compared.is_seeking_worst {
            return None;
        }
        let compared = self.deforming.compared_model()?;
        let choice = self.deforming.ready(self.deforming.comparison()?.choice, Some(compared));
        Some(WorstMomentKey { shown: self.curves_key()?, compared: Arc::downgrade(compared), choice })
    }
}

impl Deforming<'_> {
    /// Whether the modes of the normals of linear blending fit what is shown: no other method, and no pass after it.
    #[must_use]
    pub fn has_normal_modes(self) -> bool {
        let MethodChoice { method, pass, .. } = self.ready(self.view.choice(), self.shown_model());
        std::ptr::eq(method, METHODS[0]) && pass.is_none()
    }
}
