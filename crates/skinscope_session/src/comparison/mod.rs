//! A comparison of two surfaces of the open model: the one that is shown, and the same in the same pose by another method or with the
//! weights as the file stores them.

pub(crate) mod stored;

pub use self::stored::ComparedFile;

use std::sync::Arc;

use glam::Vec3;
use skinscope_base::math::Aabb;
use skinscope_base::parallel::JobContext;
use skinscope_deform::{self as deform, METHODS, Surface};
use skinscope_edit::{self as edit, PackedFigures, Packing};
use skinscope_inspect::check::FindingPose;
use skinscope_inspect::{InspectedValues, SurfaceDistance, distances, rom};
use skinscope_model::Model;

use crate::command::ids::Id;
use crate::comparison::stored::ChangedWeights;
use crate::pose::crowd;
use crate::{Deforming, MethodChoice, PlaybackCommand, PoseSource, Session, Surfaces, View};

/// How the two sides of a comparison share the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum ComparisonLayout {
    /// A line that can be dragged splits it.
    #[default]
    Split,
    /// Each side has a half of it, for all that the camera sees.
    SideBySide,
    /// The sides take turns, twice a second.
    Blink,
}

skinscope_base::choices! {
    ComparisonLayout {
        /// The name on the command line.
        id = 0;
        /// The name in the menu.
        label = 1;
        /// One sentence for the tooltip.
        help = 2;
    }
    Split: "split", "Split", "A line splits the picture; drag it to see more of one side";
    SideBySide: "side-by-side", "Side by side", "Each side has a half of the picture";
    Blink: "blink", "Blink", "The sides take turns";
}

/// The weights of the second side of a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum SideWeights {
    /// The weights that are shown.
    #[default]
    Shown,
    /// Those that the file stores, or that of the model that the open one is compared with.
    Stored,
    /// What a runtime makes of those that are shown.
    Packed(Packing),
}

/// The open model as a runtime would have it.
#[derive(Clone, Debug)]
pub(super) struct PackedModel {
    /// The model that it was made of.
    base: Arc<Model>,
    packing: Packing,
    model: Arc<Model>,
    figures: PackedFigures,
}

/// What the open model is compared with, and what is computed for that.
#[derive(Clone, Debug, Default)]
pub struct Compared {
    /// The model that the open one is compared with, where that is not the one that its file stores.
    pub(super) file: Option<ComparedFile>,
    pub(super) changed_weights: ChangedWeights,
    /// What the runtime makes of the open model that it is compared with.
    pub(super) packed: Option<PackedModel>,
    /// Whether the worst moment of a comparison is asked for and not found yet, see [`Work::FindWorstMoment`](crate::Work).
    pub(super) is_seeking_worst: bool,
}

/// What is compared with what is shown, and how.
#[derive(Clone, Copy, Debug)]
pub struct Comparison {
    /// How the second side is deformed.
    pub choice: MethodChoice,
    /// The weights of the second side.
    pub weights: SideWeights,
    /// Whether the second side is shown left and first, and the other one right and then.
    pub swapped: bool,
    /// How both share the picture.
    pub layout: ComparisonLayout,
    /// The part of the width that is left of the line, 0…1.
    pub split: f32,
    /// Whether the picture blinks to the side that is shown second just now.
    pub is_turned: bool,
}

impl Comparison {
    /// Compares `choice`, which is shown, with the first other method of the table.
    pub(crate) fn of(choice: MethodChoice) -> Self {
        let other = METHODS.iter().copied().find(|other| !std::ptr::eq(*other, choice.method));
        Self {
            choice: MethodChoice { method: other.unwrap_or(choice.method), ..choice },
            weights: SideWeights::Shown,
            swapped: false,
            layout: ComparisonLayout::Split,
            split: 0.5,
            is_turned: false,
        }
    }
}

/// Commands about the comparison of two surfaces.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum ComparisonCommand {
    /// Compare, or stop comparing.
    Toggle,
    /// Compare (`true`) or stop.
    Set(bool),
    /// The method of the second side, by [`deform::Method::id`].
    SetMethod(#[serde(deserialize_with = "crate::command::ids::id")] Id),
    /// The pass after the method of the second side, by [`deform::Pass::id`]; `None` for none.
    SetPass(#[serde(deserialize_with = "crate::command::ids::optional")] Option<Id>),
    /// Where the normals of the second side come from, by [`deform::NormalMode::id`].
    SetNormals(#[serde(deserialize_with = "crate::command::ids::id")] Id),
    /// The weights of the second side.
    SetWeights(SideWeights),
    /// Compare what is shown with what a runtime makes of it: the same method with the weights that it would use.
    PreviewAs(Packing),
    /// The model is compared no longer with another file, but with its own again.
    LeaveFile,
    /// Swap the sides.
    Swap,
    /// Chooses how the sides share the picture.
    SetLayout(ComparisonLayout),
    /// Where the line is, as a part of the width, 0…1.
    SetSplit(f32),
    /// Where the picture blinks, shows the other side.
    Blink,
    /// Select, pin and frame the vertex at which the sides are farthest apart.
    ToWorst,
    /// Look for the moment of the clip at which the sides are farthest apart, and go there. Asked for again while that goes on, it is
    /// given up.
    ToWorstMoment,
    /// Go to this moment of the clip, and to the worst vertex of it.
    ShowMoment(f32),
}

/// The distance between the two sides of a comparison in one pose.
#[derive(Clone, Debug)]
pub struct ComparedSurfaces {
    /// What is shown, and the other side.
    pub surfaces: [Arc<Surface>; 2],
    /// How far they are apart.
    pub distance: SurfaceDistance,
    /// The distance of each vertex, as overlays read it.
    pub inspected: Arc<InspectedValues>,
}

/// A pose in which the two sides are farther apart than in all others that were looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorstPose {
    /// The pose.
    pub pose: FindingPose,
    /// How far the sides are apart in it.
    pub distance: SurfaceDistance,
}

/// How much around the worst vertex the camera shows on each side, as a part of the height of the model.
const AROUND_WORST: f32 = 0.08;

/// Moments of a clip that are looked at in a second of it, and how many there are at most.
const MOMENTS_PER_SECOND: f32 = 30.0;
const MOST_MOMENTS: usize = 1800;

impl<'a> Deforming<'a> {
    /// What is compared, if anything is.
    #[must_use]
    pub fn comparison(self) -> Option<&'a Comparison> {
        self.view.comparison.as_ref().filter(|_| self.document.is_some())
    }

    /// The model of the second side.
    #[must_use]
    pub(crate) fn compared_model(self) -> Option<&'a Arc<Model>> {
        match self.comparison()?.weights {
            SideWeights::Shown => self.model,
            SideWeights::Stored => self.compared_with(),
            SideWeights::Packed(_) => self.compared.packed.as_ref().map(|packed| &packed.model).or(self.model),
        }
    }

    /// What the weights of the runtime cost and lose that the second side of a comparison shows; `None` until that is computed.
    #[must_use]
    pub fn packed_figures(self) -> Option<&'a PackedFigures> {
        if self.wanted_packing().is_some() {
            return None;
        }
        self.compared.packed.as_ref().map(|packed| &packed.figures)
    }

    /// Returns the runtime that is previewed and the model whose weights it packs, unless that has been computed already.
    /// In a session that defers work that is [`Work::PackWeights`](crate::Work); until it is done the second side has the weights that were
    /// packed before, or those that are shown.
    #[must_use]
    pub fn wanted_packing(self) -> Option<(Arc<Model>, Packing)> {
        let SideWeights::Packed(packing) = self.comparison()?.weights else { return None };
        let base = self.model?;
        let is_made = |packed: &PackedModel| Arc::ptr_eq(&packed.base, base) && packed.packing == packing;
        (!self.compared.packed.as_ref().is_some_and(is_made)).then(|| (Arc::clone(base), packing))
    }
}

impl Compared {
    /// Whether the worst moment of the clip is asked for and not found yet.
    #[must_use]
    pub fn is_seeking_worst(&self) -> bool {
        self.is_seeking_worst
    }

    /// Keeps what a runtime makes of the weights of a model.
    fn keep_packed(&mut self, base: &Arc<Model>, packing: Packing, (model, figures): (Model, PackedFigures)) {
        self.packed = Some(PackedModel { base: Arc::clone(base), packing, model: Arc::new(model), figures });
    }
}

impl WorstPose {
    /// Returns the moment of the clip, seconds; `None` where it is another pose.
    pub(super) fn moment(self) -> Option<f32> {
        if let FindingPose::Clip { time_secs, .. } = self.pose { Some(time_secs) } else { None }
    }
}

impl Session {
    /// Returns what the open model is compared with, as far as it is computed.
    #[must_use]
    pub fn compared(&self) -> &Compared {
        &self.compared
    }

    /// Takes what a runtime makes of the weights of a model, where that is what is still asked for.
    pub(crate) fn take_packed(&mut self, model: &Arc<Model>, packing: Packing, made: (Model, PackedFigures)) {
        let wanted = self.deforming().wanted_packing();
        if wanted.is_some_and(|(wanted, by)| Arc::ptr_eq(&wanted, model) && by == packing) {
            self.compared.keep_packed(model, packing, made);
            self.pose.invalidate();
        }
    }

    /// The moment of the clip that is shown at which the two sides are farthest apart; of several the first. `go_on` hears what part
    /// is done, 0…1, and ends the search by `false`. `None` where nothing is compared, there is no clip, or it was ended.
    #[must_use]
    pub fn worst_moment(&self, go_on: &mut dyn FnMut(f32) -> bool) -> Option<WorstPose> {
        let clip = self.playback().clip.filter(|_| self.playback().source == PoseSource::Clip)?;
        let source = &self.model()?.clips[clip.index()];
        let (start, length) = (source.start_secs.max(0.0), (source.end_secs - source.start_secs.max(0.0)).max(0.0));
        let steps = ((length * MOMENTS_PER_SECOND).ceil() as usize).clamp(1, MOST_MOMENTS);
        let poses =
            (0..=steps).map(|i| FindingPose::Clip { clip, time_secs: start + length * i as f32 / steps as f32 });
        self.worst_of(&poses.collect::<Vec<_>>(), true, go_on)
    }

    /// The pose in which the two sides are farthest apart where each joint in turn is driven through its limits, as the range of
    /// motion does by default.
    #[must_use]
    pub fn worst_of_motion(&self, go_on: &mut dyn FnMut(f32) -> bool) -> Option<WorstPose> {
        let poses: Vec<FindingPose> = rom::plan(self.model()?, &rom::RomOptions::default()).all().collect();
        self.worst_of(&poses, false, go_on)
    }

    /// Calls `look` with this session in each pose of that range of motion. The session itself stays as it is.
    pub fn each_of_motion(&self, look: &mut dyn FnMut(&Self, FindingPose)) {
        let Some(model) = self.model() else { return };
        let poses: Vec<FindingPose> = rom::plan(model, &rom::RomOptions::default()).all().collect();
        let mut session = Self { beside: None, ..self.clone() };
        for pose in poses {
            session.playing().pose_as(pose);
            session.update_pose();
            look(&session, pose);
        }
    }

    /// `keeps_edits`: moments of a clip with the pose edits over them.
    fn worst_of(
        &self,
        poses: &[FindingPose],
        keeps_edits: bool,
        go_on: &mut dyn FnMut(f32) -> bool,
    ) -> Option<WorstPose> {
        self.deforming().comparison()?;
        let mut session = Self { beside: None, ..self.clone() };
        session.view.crowd = 1;
        crowd::show_crowd(&mut session);
        session.playing().playback.playing = false;
        let mut worst: Option<WorstPose> = None;
        for (i, pose) in poses.iter().enumerate() {
            if !go_on(i as f32 / poses.len() as f32) {
                return None;
            }
            match pose {
                FindingPose::Clip { time_secs, .. } if keeps_edits => {
                    session.playing().apply(&PlaybackCommand::Seek(*time_secs));
                }
                pose => session.playing().pose_as(*pose),
            }
            session.update_pose();
            let distance = session.surfaces().compared_surfaces()?.distance;
            if worst.is_none_or(|worst| distance.worst > worst.distance.worst) {
                worst = Some(WorstPose { pose: *pose, distance });
            }
        }
        worst
    }
}

/// Makes the weights of the runtime that is compared where nobody else does it, and forgets those that nobody wants.
pub(super) fn pack(session: &mut Session) {
    let shares = |packed: &PackedModel| session.model().is_some_and(|model| model.shares_all_but_edits(&packed.base));
    let is_packed = session.deforming().comparison().is_some_and(|c| matches!(c.weights, SideWeights::Packed(_)));
    if !is_packed || !session.compared.packed.as_ref().is_some_and(shares) {
        session.compared.packed = None;
    }
    if let (false, Some((base, packing))) = (session.defers_work, session.deforming().wanted_packing())
        && let Some(made) = edit::packed(&base, packing, &JobContext::of_waiting())
    {
        session.take_packed(&base, packing, made);
    }
}

/// Carries out a command of its family.
pub(super) fn apply(session: &mut Session, command: &ComparisonCommand) {
    let comparison = &mut session.view.comparison;
    match command {
        ComparisonCommand::Toggle => {
            let on = comparison.is_none();
            set(&mut session.compared, &mut session.view, on);
        }
        ComparisonCommand::Set(on) => set(&mut session.compared, &mut session.view, *on),
        ComparisonCommand::SetMethod(id) => {
            if let (Some(comparison), Some(method)) = (comparison, deform::method(id)) {
                comparison.choice.method = method;
            }
        }
        ComparisonCommand::SetPass(id) => {
            if let Some(comparison) = comparison {
                comparison.choice.pass = id.and_then(deform::pass);
            }
        }
        ComparisonCommand::SetNormals(id) => {
            if let (Some(comparison), Some(normals)) = (comparison, deform::normal_mode(id)) {
                comparison.choice.normals = normals;
            }
        }
        ComparisonCommand::SetWeights(weights) => {
            if let Some(comparison) = comparison {
                comparison.weights = *weights;
            }
        }
        ComparisonCommand::LeaveFile => {
            session.compared.file = None;
            if let Some(comparison) = comparison {
                comparison.weights = SideWeights::Shown;
            }
            session.pose.invalidate();
        }
        ComparisonCommand::PreviewAs(packing) => {
            let choice = session.view.choice();
            let before = session.view.comparison.take().unwrap_or_else(|| Comparison::of(choice));
            let weights = SideWeights::Packed(*packing);
            session.view.comparison = Some(Comparison { choice, weights, ..before });
        }
        ComparisonCommand::Swap => {
            if let Some(comparison) = comparison {
                comparison.swapped = !comparison.swapped;
            }
        }
        ComparisonCommand::SetLayout(layout) => {
            if let Some(comparison) = comparison {
                (comparison.layout, comparison.is_turned) = (*layout, false);
            }
        }
        ComparisonCommand::SetSplit(split) => {
            if let Some(comparison) = comparison.as_mut().filter(|_| split.is_finite()) {
                comparison.split = split.clamp(0.0, 1.0);
            }
        }
        ComparisonCommand::Blink => {
            if let Some(comparison) = comparison {
                comparison.is_turned = !comparison.is_turned && comparison.layout == ComparisonLayout::Blink;
            }
        }
        ComparisonCommand::ToWorst => to_worst(session, None),
        ComparisonCommand::ToWorstMoment => {
            // Where that moment is being looked for, the search is cancelled.
            if std::mem::take(&mut session.compared.is_seeking_worst) {
                return;
            }
            if session.defers_work {
                session.compared.is_seeking_worst =
                    session.deforming().comparison().is_some() && session.playback().clip.is_some();
            } else if let Some(moment) = session.worst_moment(&mut |_| true).and_then(WorstPose::moment) {
                to_worst(session, Some(moment));
            }
        }
        ComparisonCommand::ShowMoment(time_secs) => {
            session.compared.is_seeking_worst = false;
            to_worst(session, Some(*time_secs));
        }
    }
}

fn set(compared: &mut Compared, view: &mut View, on: bool) {
    let choice = view.choice();
    compared.is_seeking_worst &= on;
    match (on, &mut view.comparison) {
        (true, comparison @ None) => *comparison = Some(Comparison::of(choice)),
        (false, comparison) => *comparison = None,
        (true, Some(_)) => {}
    }
}

/// Goes to a moment of the clip, seconds, where one is given, and pins and frames the vertex at which the two sides are farthest apart. The
/// clip pauses.
pub(super) fn to_worst(session: &mut Session, moment: Option<f32>) {
    if let Some(time_secs) = moment {
        session.playing().apply(&PlaybackCommand::SetPlaying(false));
        session.playing().apply(&PlaybackCommand::Seek(time_secs));
        session.update_pose();
    }
    let Some(compared) = session.surfaces().compared_surfaces() else { return };
    let Some(at) = compared.distance.at else { return };
    session.playing().apply(&PlaybackCommand::SetPlaying(false));
    let positions = compared.surfaces.iter().filter_map(|surface| {
        let part = surface.part(at.instance, at.primitive)?;
        part.position(at.vertex, 0)
    });
    let bounds = Aabb::from_points(positions);
    // Where both sides put the vertex, and as much around them as shows where that is.
    let around = (AROUND_WORST * session.extents().rest_height()).max(2.0 * compared.distance.worst as f32);
    let bounds = match bounds.is_empty() {
        true => session.extents().vertex_bounds(at),
        false => bounds.grown(Vec3::splat(around)),
    };
    session.marker().pin(Some(at));
    session.view.frame(bounds);
}

impl Surfaces<'_> {
    /// Both surfaces, and how far they are apart; computed once for a pose. `None` where nothing is compared.
    #[must_use]
    pub fn compared_surfaces(self) -> Option<Arc<ComparedSurfaces>> {
        let comparison = self.deforming.comparison()?;
        let surfaces = [self.surface()?, self.compared_surface(comparison, 0)?];
        Some(self.pose.surfaces.compared(&surfaces, || {
            let [a, b] = &surfaces;
            let model = self.deforming.document.map(|document| &*document.model);
            let distance = model.map(|model| SurfaceDistance::between(model, a, b)).unwrap_or_default();
            let distance_of = model.map(|model| distances(model, a, b)).unwrap_or_default();
            let distance_of = Arc::new(distance_of);
            let inspected = Arc::new(InspectedValues { distance: distance_of, ..InspectedValues::default() });
            ComparedSurfaces { surfaces: surfaces.clone(), distance, inspected }
        }))
    }

    /// The surface of the second side, of one member of the crowd.
    pub(crate) fn compared_surface(self, comparison: &Comparison, member: usize) -> Option<Arc<Surface>> {
        self.surface_of(comparison.choice, member, comparison.weights)
    }
}
