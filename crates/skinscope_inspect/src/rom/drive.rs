//! The work of one core: it poses the model, deforms the part of the skin that bends, measures it, and keeps the worst.

use std::ops::Range;
use std::time::{Duration, Instant};

use glam::{Affine3A, Quat, Vec3, Vec4};
use skinscope_anim::{self as anim, SampleScratch};
use skinscope_deform::{self as deform, MeasureScratch, MeasuredSurface, Measures, Method, Patch};
use skinscope_model::{LocalPose, Model, NodeId};

use super::rules::{FaultyPose, LIMITS, RomRule, Worst};
use super::surface::{JointShare, SampledVertices, Scratch, Skinned, turns_rigidly};
use super::{Drive, Driven, Plan};
use crate::check::FindingPose;

/// The part of a primitive that a drive bends.
struct Part {
    unit: usize,
    patch: Patch,
    /// All vertices that are read, rising.
    vertices: SampledVertices,
    /// The corners of its triangles, three for each.
    corners: SampledVertices,
}

/// The slots of each node in the palettes, sorted by node, so that those of a subtree lie in one range.
#[derive(Debug, Default)]
pub(super) struct Slots {
    all: Vec<Slot>,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    node: usize,
    skin: usize,
    /// The index in the joints of the skin.
    joint: usize,
    /// The index of its matrix among all palettes.
    palette_index: usize,
}

pub(super) fn slots(model: &Model) -> Slots {
    let mut all = Vec::new();
    for (s, (skin, first)) in model.skins.iter().zip(&model.palette_layout().skins).enumerate() {
        let slot = |(joint, node): (usize, &NodeId)| Slot {
            node: node.index(),
            skin: s,
            joint,
            palette_index: *first as usize + joint,
        };
        all.extend(skin.joints.iter().enumerate().map(slot));
    }
    all.sort_by_key(|slot| slot.node);
    Slots { all }
}

impl Slots {
    fn of(&self, nodes: &Range<usize>) -> &[Slot] {
        let first_slot = |node: usize| self.all.partition_point(|slot| slot.node < node);
        &self.all[first_slot(nodes.start)..first_slot(nodes.end)]
    }
}

/// Callbacks by which a drive reports while it runs.
pub(super) struct DriveCallbacks<'a> {
    /// Called when one more pose is measured.
    pub(super) tick: &'a dyn Fn(),
    /// Returns whether to leave out the remaining poses.
    pub(super) ends: &'a dyn Fn() -> bool,
    /// Called with the time that it takes to find what a drive bends of a primitive and to measure one pose of it.
    pub(super) note: &'a dyn Fn(Duration),
}

/// The data and memory of one thread.
pub(super) struct Worker<'a> {
    model: &'a Model,
    method: &'static Method,
    skinned: &'a [Skinned<'a>],
    slots: &'a Slots,
    rest: Vec<Affine3A>,
    rest_packed: Vec<Vec4>,
    local: LocalPose,
    nodes: Vec<Affine3A>,
    packed: Vec<Vec4>,
    /// The nodes that are not at rest.
    moved: Range<usize>,
    sample: SampleScratch,
    base: Vec<Vec3>,
    positions: Vec<Vec3>,
    facing: Vec<Vec3>,
    moving: Scratch,
    scratch: MeasureScratch,
}

impl<'a> Worker<'a> {
    pub(super) fn new(model: &'a Model, method: &'static Method, skinned: &'a [Skinned<'a>], slots: &'a Slots) -> Self {
        let (mut rest, mut palettes, mut rest_packed) = (Vec::new(), Vec::new(), Vec::new());
        anim::local_to_model(&model.skeleton, &model.skeleton.rest, &mut rest);
        deform::palettes(model, &rest, &mut palettes);
        deform::pack(method, &palettes, &mut rest_packed);
        Self {
            model,
            method,
            skinned,
            slots,
            local: model.skeleton.rest.clone(),
            nodes: rest.clone(),
            packed: rest_packed.clone(),
            rest,
            rest_packed,
            moved: 0..0,
            sample: SampleScratch::default(),
            base: Vec::new(),
            positions: Vec::new(),
            facing: Vec::new(),
            moving: Scratch::default(),
            scratch: MeasureScratch::default(),
        }
    }

    /// Measures some poses of a drive, and returns the worst for each primitive that it bends. It skips the remaining
    /// poses once it is told to.
    pub(super) fn drive(
        &mut self,
        plan: &Plan,
        drive: &Drive,
        poses: Range<usize>,
        hooks: &DriveCallbacks,
    ) -> Vec<(usize, Worst)> {
        let began = Instant::now();
        let mut parts: Vec<Part> = Vec::new();
        for unit in 0..self.skinned.len() {
            if (hooks.ends)() {
                return Vec::new();
            }
            parts.extend(self.part(drive.what, unit));
        }
        let mut out: Vec<_> = parts.iter().map(|p| (p.unit, Worst::NONE)).collect();
        let first = poses.start;
        for pose in poses {
            if (hooks.ends)() {
                break;
            }
            if !parts.is_empty() {
                self.pose(plan.pose(drive, pose));
            }
            for (part, (_, worst)) in parts.iter().zip(&mut out) {
                worst.note(pose, &self.measure(part, &mut |_, _| {}));
            }
            (hooks.tick)();
            if pose == first {
                (hooks.note)(began.elapsed());
            }
        }
        out
    }

    /// Describes the faults of one rule, primitive and pose.
    pub(super) fn fault(&mut self, what: Driven, unit: usize, pose: FindingPose, rule: &RomRule) -> Option<FaultyPose> {
        let part = self.part(what, unit)?;
        self.pose(pose);
        let (mut vertices, mut count) = (Vec::new(), 0);
        let measures = self.measure(&part, &mut |fault, at| {
            if rule.fault == Some(fault) {
                vertices.extend_from_slice(at);
                count += 1;
            }
        });
        if rule.fault.is_none() {
            vertices = part.patch.measured_vertices();
        }
        vertices.sort_unstable();
        vertices.dedup();
        let mover = self.mover(&self.skinned[unit], &vertices);
        Some(FaultyPose { measures, vertices, count, mover })
    }

    /// Returns the joint with most of the weights of these vertices, the first of the skin among equals.
    fn mover(&self, unit: &Skinned, vertices: &[u32]) -> Option<NodeId> {
        let mut sums = vec![0.0_f64; unit.skin.joints.len()];
        for vertex in vertices {
            let (joints, weights) = unit.influences().of(*vertex as usize);
            for (joint, weight) in joints.iter().zip(weights) {
                sums[*joint as usize] += f64::from(*weight);
            }
        }
        let best = (0..sums.len()).rev().max_by(|a, b| sums[*a].total_cmp(&sums[*b]))?;
        Some(unit.skin.joints[best])
    }

    /// Returns the part of a primitive that a drive bends; `None` where it bends nothing.
    fn part(&mut self, what: Driven, unit: usize) -> Option<Part> {
        let s = &self.skinned[unit];
        let moves = (s.palette(&self.rest_packed, self.method), self.method);
        let moving = &mut self.moving;
        let facing = &mut |faces: &[[u32; 3]]| -> Vec<Vec3> {
            let mut out = Vec::new();
            let corners = SampledVertices::new(s.influences(), faces.as_flattened().to_vec());
            s.facing(&corners, &s.base, moves, moving, &mut out);
            out
        };
        let patch = match what {
            Driven::Clip { .. } => Patch::new(&s.topology, &s.rest, s.least, &|_| true, facing),
            Driven::Joint(joint) => {
                let shares = s.shares(self.model, joint)?;
                let rigid = turns_rigidly(self.model, &self.rest, joint);
                let share = |v: &u32| shares[*v as usize];
                let bends = |corners: &[u32]| {
                    let first = share(&corners[0]);
                    let alike = corners.iter().all(|v| share(v) == first);
                    !alike || first == JointShare::Blends || first == JointShare::Follows && !rigid
                };
                Patch::new(&s.topology, &s.rest, s.least, &bends, facing)
            }
        };
        if patch.is_empty() {
            return None;
        }
        let vertices = SampledVertices::new(s.influences(), patch.vertices());
        let corners = SampledVertices::new(s.influences(), patch.triangles().flatten().collect());
        Some(Part { unit, patch, vertices, corners })
    }

    fn measure(&mut self, part: &Part, found: &mut dyn FnMut(deform::Fault, &[u32])) -> Measures {
        let s = &self.skinned[part.unit];
        let moves = (s.palette(&self.packed, self.method), self.method);
        let weights = &self.local.morph_weights[s.instance.morph_offset..][..s.instance.morph_weights.len()];
        let morphs = weights != &self.model.skeleton.rest.morph_weights[s.instance.morph_offset..][..weights.len()];
        if morphs {
            deform::morphed(s.source(), weights, &mut self.base);
        }
        let base = if morphs { &self.base } else { &s.base };
        if self.positions.len() < s.source().stored_vertices {
            self.positions.resize(s.source().stored_vertices, Vec3::ZERO);
        }
        s.positions(&part.vertices, base, moves, &mut self.moving, &mut self.positions);
        s.facing(&part.corners, base, moves, &mut self.moving, &mut self.facing);
        let posed = MeasuredSurface { positions: &self.positions, facing: &self.facing };
        part.patch.measure(posed, &LIMITS, &mut self.scratch, found)
    }

    /// Poses the model; nodes that an earlier pose moved go back to rest.
    fn pose(&mut self, pose: FindingPose) {
        let back = std::mem::replace(&mut self.moved, 0..0);
        self.nodes[back.clone()].copy_from_slice(&self.rest[back.clone()]);
        self.local.transforms[back.clone()].copy_from_slice(&self.model.skeleton.rest.transforms[back.clone()]);
        self.local.morph_weights.clone_from(&self.model.skeleton.rest.morph_weights);
        self.repack(back, true);
        match pose {
            FindingPose::Rest => {}
            FindingPose::Turned { joint, axis, angle } => {
                let local = &mut self.local.transforms[joint.index()];
                local.rotation = (local.rotation * Quat::from_axis_angle(axis, angle)).normalize();
                self.model.drive_links(&mut self.local);
                self.moved = joint.index()..self.model.moved_end(joint);
                let skeleton = &self.model.skeleton;
                for n in self.moved.clone() {
                    let local = skeleton.local_matrix(n, self.local.transforms[n]);
                    self.nodes[n] = skeleton.parents[n].map_or(local, |p| self.nodes[p.index()] * local);
                }
                self.repack(self.moved.clone(), false);
            }
            FindingPose::Clip { clip, time_secs } => {
                let clip = &self.model.clips[clip.index()];
                let Self { sample, local, nodes, .. } = self;
                anim::evaluate_clip(self.model, clip, time_secs, sample, local, nodes);
                self.moved = 0..self.nodes.len();
                self.repack(self.moved.clone(), false);
            }
        }
    }

    /// Updates the palettes of the joints among `nodes`.
    fn repack(&mut self, nodes: Range<usize>, rest: bool) {
        if nodes.is_empty() {
            return;
        }
        let stride = self.method.vec4s_per_joint;
        for Slot { node, skin, joint, palette_index } in self.slots.of(&nodes) {
            let packed = palette_index * stride..(palette_index + 1) * stride;
            if rest {
                self.packed[packed.clone()].copy_from_slice(&self.rest_packed[packed]);
            } else {
                let matrix = self.nodes[*node] * self.model.skins[*skin].inverse_bind[*joint];
                (self.method.pack)(&matrix, &mut self.packed[packed]);
            }
        }
    }
}
