//! A whole binding: the rules before it, the method, and what comes afterwards.

use glam::{DAffine3, DQuat, DVec3};
use skinscope_base::parallel::JobContext;

use crate::binder::{Body, Found};
use crate::bones::Bones;
use crate::islands::Islands;
use crate::mirror::Mirror;
use crate::progress::Progress;
use crate::rows::{self, Rows};
use crate::rules::Free;
use crate::shape::Shape;
use crate::surface::Surface;
use crate::{Applied, BindError, BindProblem, BindSettings, BindShape, Bound, after, rules};

/// Joints nearer to each other than this share of the size stand at one place.
const SAME_PLACE: f64 = 1e-6;

/// Finds the weights of all points. It says what is wrong before it computes anything, and ends soon after the job is cancelled.
pub fn bind(problem: &BindProblem, settings: &BindSettings, context: &JobContext) -> Result<Bound, BindError> {
    let progress = Progress::new(context);
    progress.at(0.0)?;
    let binder = settings.check()?;
    problem.check()?;
    let reading = progress.of_stage(0);
    let shape = Shape::of(problem, reading.part(0.0, 0.4))?;
    let surface = Surface::of(&shape, |_| true);
    reading.at(0.7)?;
    let islands = Islands::of(&shape);
    let mut bones = Bones::of(problem, &shape.heads, &surface);
    reading.at(0.8)?;
    let is_far = if settings.has_rule(rules::NEAR_NOTHING) {
        rules::far_joints(&shape, &surface, &bones, reading.part(0.8, 1.0))?
    } else {
        Vec::new()
    };
    let Free { is_free, mut applied, given_way } =
        rules::free_joints(problem, settings, SAME_PLACE * shape.size, &is_far);
    bones.keep(is_free);
    reading.at(1.0)?;
    let mut body = Body { shape: &shape, surface, islands: &islands, bones: &bones, joints: &problem.joints };
    let Found { mut rows, fallback, shapes } = match only_joint(&bones) {
        Some(joint) => Found { rows: vec![vec![(joint, 1.0)]; shape.points.len()], ..Found::default() },
        None => (binder.run)(&mut body, settings, progress.of_stage(1))?,
    };
    let after = progress.of_stage(2);
    rows.iter_mut().for_each(|row| _ = rows::normalise(row));
    fill(&body, &mut rows);
    after.at(0.3)?;
    for _ in 0..settings.smooth {
        rows = body.smoothed(&rows, &|weight| weight, after.part(0.3, 0.6))?;
    }
    applied.extend(apply_rules(problem, &body, settings, &mut rows, after)?);
    for row in &mut rows {
        rows::prune(row);
        rows::limit(row, settings.most);
    }
    after.at(1.0)?;
    applied.sort_unstable();
    applied.dedup();
    let to_problem = out_of_shape(problem, &shape);
    let shapes = shapes.iter().map(|found| BindShape { form: found.form.moved(&to_problem), ..*found }).collect();
    let rows = shape.place_of.iter().map(|place| rows[*place as usize].clone()).collect();
    let island_of = shape.place_of.iter().map(|place| islands.of[*place as usize]).collect();
    context.set_fraction(1.0);
    Ok(Bound { rows, islands: islands.len(), island_of, fallback, rules: applied, given_way, shapes })
}

/// Returns the matrix that brings the space of a shape into that of its problem.
fn out_of_shape(problem: &BindProblem, shape: &Shape) -> DAffine3 {
    let centre = problem.joints[0].head - shape.heads[0] * shape.size;
    DAffine3::from_scale_rotation_translation(DVec3::splat(shape.size), DQuat::IDENTITY, centre)
}

/// Applies the rules that hold for finished weights.
fn apply_rules(
    problem: &BindProblem,
    body: &Body,
    settings: &BindSettings,
    rows: &mut Rows,
    progress: Progress,
) -> Result<Vec<Applied>, BindError> {
    let wanted = [rules::SIDES, rules::MIRRORED].map(|rule| settings.has_rule(rule));
    let mirror = if wanted == [false; 2] { None } else { Mirror::of(problem, body.shape) };
    progress.at(0.7)?;
    let mut out = Vec::new();
    if let Some(mirror) = mirror.as_ref().filter(|_| wanted[0]) {
        out.extend(after::part_sides(body, mirror, rows));
    }
    progress.at(0.8)?;
    if let Some(mirror) = mirror.as_ref().filter(|_| wanted[1]) {
        out.extend(after::mirror_rows(body, mirror, rows));
    }
    progress.at(0.9)?;
    out.extend(after::hold_pieces(body, settings, rows));
    Ok(out)
}

/// Returns the one joint that may have weight; `None` where there are several.
fn only_joint(bones: &Bones) -> Option<u32> {
    let mut free = (0..).zip(&bones.is_free).filter(|(_, is_free)| **is_free).map(|(joint, _)| joint);
    let first = free.next();
    first.filter(|_| free.next().is_none())
}

/// Gives places without weight, such as those of no triangle, the weights of the nearest surface that has some; where none has, the nearest
/// bone.
fn fill(body: &Body, rows: &mut Rows) {
    let empty: Vec<usize> = (0..rows.len()).filter(|place| rows[*place].is_empty()).collect();
    if empty.is_empty() {
        return;
    }
    let known = Surface::of(body.shape, |corners| corners.iter().all(|place| !rows[*place as usize].is_empty()));
    for place in empty {
        let at = body.shape.points[place];
        let mut row = match known.nearest(at, f64::INFINITY) {
            Some(near) => {
                let parts = near.places.iter().zip(near.shares);
                rows::sum(parts.map(|(place, share)| (&rows[*place as usize][..], share)))
            }
            None => Vec::new(),
        };
        if !rows::normalise(&mut row) {
            row = body.bones.nearest(at).map_or_else(Vec::new, |(joint, _)| vec![(joint, 1.0)]);
        }
        rows[place] = row;
    }
}
