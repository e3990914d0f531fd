//! A second model of any kind beside the open one, in the same picture: a session of its own, with its own clip, time, pose, selection,
//! overlay and edits, which shares camera and look. One of the two is active: it is the session that all commands act on.

mod snapshot;

use std::sync::Arc;

use glam::{Vec2, Vec3};
use skinscope_base::math::Aabb;
use skinscope_model::Model;

pub use self::snapshot::BesideSnapshot;
use crate::{Document, Playback, PlaybackCommand, Playing, PoseSource, Session};

/// The room between two models, as a share of the height of the taller one.
const USUAL_GAP: f32 = 0.15;

/// The largest share of it.
const MOST_GAP: f32 = 4.0;

/// Models of which one is this many times as high as the other are much unlike.
const UNLIKE: f32 = 3.0;

/// A box whose lowest point is nearer to the floor than this share of its size stands on the floor.
const NEAR_FLOOR: f32 = 0.1;

/// Commands about the model beside the open one. They do nothing where there is none.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum BesideCommand {
    /// Make the other model the active one, which all panels and commands are about.
    Activate,
    /// Close the model that is not active. Its edits are lost.
    Close,
    /// Let both models stand in the same place, one over the other, or side by side.
    ToggleSamePlace,
    /// Let the clips of both models go on together, or each by itself.
    ToggleSameTime,
    /// Draw the second model as high as the first one, or as large as its file says. Only how it is drawn changes.
    ToggleSameHeight,
    /// Set the room between two models that stand side by side, as a share of the height of the taller one: 0…4.
    SetGap(f32),
}

/// How two models stand in a picture, and whether their time is the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrangement {
    /// Whether the origins of both are in one place; otherwise the second stands at +X of the first, on the same floor.
    pub same_place: bool,
    /// The room between models that stand side by side, as a share of the height of the taller one.
    pub gap: f32,
    /// Whether the second is drawn as high as the first.
    pub same_height: bool,
    /// Whether the clips of both go on together.
    pub same_time: bool,
    /// Whether the active model is the first one, in whose space floor and grid are.
    pub is_first_active: bool,
}

impl Default for Arrangement {
    fn default() -> Self {
        Self { same_place: false, gap: USUAL_GAP, same_height: false, same_time: true, is_first_active: true }
    }
}

/// The model that is not active.
#[derive(Clone, Debug)]
pub struct Beside {
    pub(crate) other: Session,
    arrangement: Arrangement,
}

impl Beside {
    /// The session of the model that is not active. Its camera is the same as that of the active one, in its own space.
    #[must_use]
    pub fn other(&self) -> &Session {
        &self.other
    }

    /// How both stand.
    #[must_use]
    pub fn arrangement(&self) -> Arrangement {
        self.arrangement
    }

    /// Lets the clip of the model follow what a command has done to that of the active one, `own`, whose time was `before`, seconds.
    pub(crate) fn follow_playback(&mut self, command: &PlaybackCommand, own: &Playback, before: f32) {
        let other = &mut self.other;
        let Some(model) = other.document.as_ref().map(|document| &document.model) else { return };
        match command {
            PlaybackCommand::Advance(secs) => other.playback.advance(*secs, model),
            PlaybackCommand::SetPose(_)
            | PlaybackCommand::SetFps(_)
            | PlaybackCommand::SetLayers(_)
            | PlaybackCommand::ToggleInPlace => {}
            _ if self.arrangement.same_time && other.playback.source == PoseSource::Clip => {
                (other.playback.speed, other.playback.loop_mode) = (own.speed, own.loop_mode);
                other.playback.playing = own.playing;
                if own.time_secs.to_bits() != before.to_bits() {
                    other.playback.seek(own.time_secs, model);
                }
            }
            _ => {}
        }
    }

    /// Lets both stand in another way; which of them is active stays.
    pub(crate) fn arrange(&mut self, arrangement: Arrangement) {
        self.arrangement = Arrangement { is_first_active: self.arrangement.is_first_active, ..arrangement };
    }
}

impl Arrangement {
    /// Returns where the second model stands in the space of the first one. The boxes are those of the models as they were opened, each in
    /// its own space.
    #[must_use]
    pub fn standing(&self, first: Aabb, second: Aabb) -> Standing {
        let scale = if self.same_height { times_as_high(first, second) } else { None }.unwrap_or(1.0);
        let scaled = Aabb { min: scale * second.min, max: scale * second.max };
        Standing { offset: self.offset(first, scaled), scale }
    }

    /// Returns where the origin of the second model is in the space of the first one, metres. The boxes are those of the models as they
    /// were opened, each in its own space.
    #[must_use]
    pub fn offset(&self, first: Aabb, second: Aabb) -> Vec3 {
        if self.same_place || first.is_empty() || second.is_empty() {
            return Vec3::ZERO;
        }
        let gap = self.gap * first.size().y.max(second.size().y);
        // Characters face one way from one origin; only what stands elsewhere is moved beside the first one.
        let is_apart = first.min.z > second.max.z || second.min.z > first.max.z;
        let depth = if is_apart { first.center().z - second.center().z } else { 0.0 };
        Vec3::new(first.max.x - second.min.x + gap, floor_of(first, 0.0) - floor_of(second, second.min.y), depth)
    }
}

/// Returns how many times as high as the second box the first one is; `None` where one of them has no height.
fn times_as_high(first: Aabb, second: Aabb) -> Option<f32> {
    let times = first.size().y / second.size().y;
    Some(times).filter(|times| times.is_normal())
}

/// Where another model stands in a space, and how large it is drawn there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// Where its origin is, metres.
    pub offset: Vec3,
    /// By what its lengths are multiplied.
    pub scale: f32,
}

impl Standing {
    /// Returns where a point of that model is in the space, metres.
    #[must_use]
    pub fn place(self, at: Vec3) -> Vec3 {
        self.offset + self.scale * at
    }

    /// Returns where a point of the space is in that of the model, metres.
    #[must_use]
    pub(crate) fn place_back(self, at: Vec3) -> Vec3 {
        (at - self.offset) / self.scale
    }

    /// Returns where the space stands in that of the model.
    fn inverse(self) -> Self {
        Self { offset: self.place_back(Vec3::ZERO), scale: 1.0 / self.scale }
    }
}

/// Returns the height of the floor that a model stands on; of one that does not stand on the plane y = 0 it is `else_at`.
fn floor_of(bounds: Aabb, else_at: f32) -> f32 {
    if bounds.min.y.abs() < NEAR_FLOOR * bounds.diagonal() { bounds.min.y.min(0.0) } else { else_at }
}

impl Session {
    /// Returns the model beside the open one, if there is one.
    #[must_use]
    pub fn beside(&self) -> Option<&Beside> {
        self.beside.as_deref()
    }

    /// Shows `document` beside the open model, in place of the one that stands there. The open model stays active, and both are in view.
    /// Where nothing is open, nothing happens.
    pub fn open_beside(&mut self, document: Document) {
        if self.document().is_none() {
            return;
        }
        let mut other = Self { defers_work: self.defers_work, ..Self::default() };
        other.open(document);
        self.put_beside(other, Arrangement::default());
        self.frame_both();
    }

    /// Moves the camera so that both models are in view.
    fn frame_both(&mut self) {
        let bounds = self.with_beside(|session| session.extents().posed_bounds());
        self.view.frame(bounds);
        self.update_pose();
    }

    /// Puts the model of another session beside the open one, as that session has it; the camera stays. Where both have the same time, it
    /// is that of this session.
    pub fn put_beside(&mut self, other: Self, arrangement: Arrangement) {
        self.beside = Some(Box::new(Beside { other, arrangement }));
        // A copy of a layer was meant for the model that stood there.
        self.painting.give_up_copies();
        self.update_pose();
        self.join_time();
        self.update_pose();
    }

    /// Returns where the other model stands in the space of the active one; `None` where there is no other one.
    #[must_use]
    pub fn beside_standing(&self) -> Option<Standing> {
        let Beside { other, arrangement } = self.beside()?;
        let (own, others) = (self.standing_bounds(), other.standing_bounds());
        Some(match arrangement.is_first_active {
            true => arrangement.standing(own, others),
            false => arrangement.standing(others, own).inverse(),
        })
    }

    /// Returns a sentence about the sizes of two models in the picture, where they are much unlike or the second one is drawn as high as
    /// the first.
    #[must_use]
    pub fn beside_sizes(&self) -> Option<String> {
        let Beside { other, arrangement } = self.beside()?;
        let (first, second) = if arrangement.is_first_active { (self, other) } else { (other, self) };
        let times = times_as_high(second.standing_bounds(), first.standing_bounds())?;
        let [first, second] = [first, second]
            .map(|session| session.document().map_or_else(String::new, |document| document.model.source.name.clone()));
        let (is_larger, ratio) = (times > 1.0, times.max(1.0 / times));
        let number = if ratio < 10.0 { format!("{ratio:.2}") } else { format!("{ratio:.0}") };
        if arrangement.same_height {
            let how = if is_larger { "smaller" } else { "larger" };
            return Some(format!("{second} is drawn {number} times {how} than it is, as high as {first}."));
        }
        let (high, low) = if is_larger { (second, first) } else { (first, second) };
        (ratio >= UNLIKE).then(|| format!("{high} is {number} times as high as {low}."))
    }

    /// Returns the box that another model stands beside: that of the pose in which the model was opened and of its rest pose.
    fn standing_bounds(&self) -> Aabb {
        let rest = self.document().map_or(Aabb::EMPTY, |document| document.rest_bounds());
        let opened = self.pose().shown_bounds();
        if rest.is_empty() { opened } else { opened.union(rest) }
    }

    /// Returns the box that `of` gives for this session, grown by that of the other model, in the space of the active one.
    #[must_use]
    pub fn with_beside(&self, of: impl Fn(&Self) -> Aabb) -> Aabb {
        let own = of(self);
        let Some((beside, standing)) = self.beside().zip(self.beside_standing()) else { return own };
        let others = of(&beside.other);
        if others.is_empty() {
            return own;
        }
        own.union(Aabb { min: standing.place(others.min), max: standing.place(others.max) })
    }

    /// Returns whether the clip of either model plays.
    #[must_use]
    pub fn plays(&self) -> bool {
        let plays = |session: &Self| session.playback().playing && session.document().is_some();
        plays(self) || self.beside().is_some_and(|beside| plays(&beside.other))
    }

    /// Returns whether a click at this point of the viewport (pixels from its top left) is nearer to the other model than to the active
    /// one: on a bone of it where the active one has none there, or on its surface. A model that is not ready for clicks is not hit.
    #[must_use]
    pub fn is_other_at(&self, at: Vec2) -> bool {
        let Some(beside) = self.beside().filter(|_| self.view.through.is_none() && self.view.comparison.is_none())
        else {
            return false;
        };
        let (own, other) = (self, &beside.other);
        if own.bones().bone_at(at).is_some() {
            return false;
        }
        if other.bones().bone_at(at).is_some() {
            return true;
        }
        let scale = self.beside_standing().map_or(1.0, |standing| standing.scale);
        let distance = |session: &Self| session.picking().vertex_near_at_hand(at).map(|hit| hit.distance);
        distance(other).is_some_and(|far| distance(own).is_none_or(|near| far * scale < near))
    }

    /// Brings the other model up to date: its camera and look are those of the active one, and its pose is that of its own time.
    pub(crate) fn update_beside(&mut self) {
        let Some(standing) = self.beside_standing() else { return };
        let Some(beside) = &mut self.beside else { return };
        beside.other.view.share(&self.view, standing);
        beside.other.update_pose();
    }

    /// Returns the session of the two that shows this model: the other one only where that is so and this one does not.
    pub(crate) fn showing_mut(&mut self, model: &Arc<Model>) -> &mut Self {
        let shows = |session: &Self| session.deforming().sides().any(|(_, shown)| Arc::ptr_eq(shown, model));
        if shows(self) || !self.beside().is_some_and(|beside| shows(&beside.other)) {
            return self;
        }
        match self.beside {
            Some(ref mut beside) => &mut beside.other,
            None => unreachable!("the other session shows the model"),
        }
    }

    /// Lets the other model be at the time of the active one, where both have the same time.
    fn join_time(&mut self) {
        let Playing { playback, beside, .. } = self.playing();
        if let Some(beside) = beside.filter(|beside| beside.arrangement.same_time) {
            beside.follow_playback(&PlaybackCommand::Seek(playback.time_secs), playback, f32::NAN);
        }
    }

    /// Makes the other model the active one. The camera stays where it is in the picture.
    fn activate_other(&mut self) {
        let middle = self.pose().opened_bounds.center();
        self.view.leave_camera(middle);
        self.view.hovered = None;
        self.update_beside();
        let Some(mut beside) = self.beside.take() else { return };
        std::mem::swap(self, &mut beside.other);
        self.painting.take_brush(&mut beside.other.painting);
        beside.arrangement.is_first_active = !beside.arrangement.is_first_active;
        self.beside = Some(beside);
        self.update_pose();
    }
}

/// Carries out a command of its family.
pub(crate) fn apply(session: &mut Session, command: &BesideCommand) {
    let Some(beside) = &mut session.beside else { return };
    let arrangement = &mut beside.arrangement;
    match command {
        BesideCommand::Activate => session.activate_other(),
        BesideCommand::Close => {
            session.beside = None;
            session.painting.give_up_copies();
        }
        BesideCommand::ToggleSamePlace => arrangement.same_place = !arrangement.same_place,
        BesideCommand::ToggleSameHeight => {
            arrangement.same_height = !arrangement.same_height;
            // One of the two may be many times as large as before.
            session.frame_both();
        }
        BesideCommand::ToggleSameTime => {
            arrangement.same_time = !arrangement.same_time;
            session.join_time();
        }
        BesideCommand::SetGap(gap) => {
            if gap.is_finite() {
                arrangement.gap = gap.clamp(0.0, MOST_GAP);
            }
        }
    }
}
