//! A vertex that is dragged where layers make the weights: the layer that is painted in gets the rows by which all layers together put it where it
//! should be.
//!
//! Effects make something else of what a layer has, so that the vertex comes short of its place. It is then solved for a place beyond that, a few
//! times: how far beyond follows from what has come of the step before (a secant, with one number for all poses). What has come nearest counts.

use std::collections::BTreeSet;

use glam::DVec3;
use skinscope_model::{Model, WeightChange};
use skinscope_solve::{Pin, PullField, PullSettings, Pulled};
use skinscope_weights::{Shares, Table, TableRow};

use super::rows::Fit;
use super::{Canvas, PaintError, Painted};

/// So often a drag is solved at most where effects have a say.
const ROUNDS: usize = 6;
/// A vertex that is no farther from where its joints can take it than this share of the size of the surface is there.
const NEAR: f64 = 1e-5;
/// The same where a limit of joints may be what keeps it away: the weights from before the drag, which are kept, take it a little farther off.
const NEAR_LIMITED: f64 = 2e-4;
/// What comes of a step is taken to be such a share of it.
const RESPONSE: std::ops::RangeInclusive<f64> = 0.05..=4.0;

/// What is dragged through layers.
#[derive(Debug)]
pub struct LayerDrag<'a> {
    /// What the vertex takes along.
    pub field: &'a mut PullField,
    /// The model from before the drag.
    pub base: &'a Model,
    /// The weights of that model.
    pub tables: &'a [Table],
    /// The poses in which the vertex is held.
    pub pins: &'a [Pin],
    /// The joints that keep their weights, by their keys.
    pub locked: &'a BTreeSet<u32>,
    /// How it is dragged.
    pub settings: &'a PullSettings,
    /// The weights of the canvas from before the drag, when the same layer was painted in.
    pub before: &'a Painted,
    /// The rows that an earlier move of the drag has reached. Those that this one reaches no more become as they were before.
    pub reached: &'a [TableRow],
}

/// What a drag has made of layers.
#[derive(Debug)]
pub struct LayerDragged {
    /// The weights that change, in single precision.
    pub changes: Vec<WeightChange>,
    /// The rows that the drag reaches, rising.
    pub rows: Vec<TableRow>,
    /// Where all layers put the vertex in each pose: in the scene of the file, metres.
    pub landed: Vec<DVec3>,
    /// How far each of these is from where the vertex should be.
    pub away: Vec<f64>,
    /// How far the hull of its joints is from there in each pose.
    pub outside: Vec<f64>,
    /// What became of the vertex: [`Fit::Whole`] where it is as near as its joints can take it.
    pub fit: Fit,
}

/// Places that the vertex was solved for, and what came of them.
struct Attempt {
    pulled: Pulled,
    /// The weights that rows are to have: first those that the drag reaches.
    wanted: Vec<(TableRow, Option<Shares>)>,
    reached: usize,
    fits: Vec<Fit>,
    /// Where layers and their effects put the vertex, and the sum of the squares of the distances to where it should be.
    landed: Vec<DVec3>,
    error: f64,
}

impl Attempt {
    /// Returns what became of a row.
    fn fit(&self, own: Option<TableRow>) -> Fit {
        let mut fits = self.wanted.iter().zip(&self.fits);
        fits.find(|((at, _), _)| Some(*at) == own).map_or(Fit::Whole, |(_, fit)| *fit)
    }
}

impl LayerDrag<'_> {
    /// Returns where weights put the vertex in each pose; where that is nowhere, the place of `instead`.
    fn put_by(&self, shares: &[(u32, f64)], instead: &[DVec3]) -> Vec<DVec3> {
        let put = |(pin, instead): (&Pin, &DVec3)| self.field.put_by(self.base, &pin.pose, shares).unwrap_or(*instead);
        self.pins.iter().zip(instead).map(put).collect()
    }
}

impl Canvas {
    /// Solves a drag for all its poses, and gives the layer that is painted in the rows by which all layers and their effects put the vertex where
    /// it should be, or as near as they can. Without layers these are the weights themselves.
    ///
    /// # Errors
    /// The model has refused the weights.
    pub fn drag(&mut self, drag: &mut LayerDrag<'_>) -> Result<LayerDragged, PaintError> {
        let (own, pins, has_effects) = (drag.field.row(), drag.pins, self.rows.layers.has_effects());
        let limit = own.filter(|_| has_effects).and_then(|at| self.rows.layers.most_joints(at));
        let limit = limit.filter(|most| *most < drag.settings.most.min(drag.field.room()));
        let settings = PullSettings { most: limit.unwrap_or(drag.settings.most), ..*drag.settings };
        let mut touched = Vec::new();
        let first = self.attempt(drag, (pins, &settings), &mut touched);
        let (goal, outside) = (first.pulled.landed.clone(), first.pulled.outside.clone());
        let mut best = match has_effects && first.fit(own) == Fit::Whole {
            true => self.corrected(drag, first, &settings, &mut touched),
            false => first,
        };
        let fits = std::mem::take(&mut best.fits);
        let (changes, fits) = self.take_wanted(drag.before, (&best.wanted, fits), touched, drag.locked)?;
        best.fits = fits;
        let mut fit = best.fit(own);
        // What was solved is what is drawn where nothing stands in between.
        let landed = match own.filter(|_| has_effects || fit != Fit::Whole) {
            Some(own) => drag.put_by(&self.weights_of(own), &goal),
            None => goal.clone(),
        };
        let away: Vec<f64> = landed.iter().zip(pins).map(|(landed, pin)| landed.distance(pin.target)).collect();
        if has_effects && matches!(fit, Fit::Whole | Fit::Part) {
            let size = drag.field.size();
            // Of one pose it is known that nothing else than the limit keeps the vertex from the hull of its joints.
            let is_limited = limit.is_some()
                && matches!((&away[..], &outside[..]), ([away], [outside]) if away - outside > NEAR_LIMITED * size);
            let is_there = farthest(&landed, &goal) <= NEAR * size && !is_limited;
            fit = if is_there { Fit::Whole } else { Fit::Part };
        }
        let rows = best.wanted.iter().take(best.reached).map(|(at, _)| *at).collect();
        Ok(LayerDragged { changes, rows, landed, away, outside, fit })
    }

    /// Gives the layer the rows that put the vertex to some places. What effects make of them is found for the vertex alone.
    fn attempt(
        &mut self,
        drag: &mut LayerDrag<'_>,
        (asked, settings): (&[Pin], &PullSettings),
        touched: &mut Vec<TableRow>,
    ) -> Attempt {
        let pulled = drag.field.pull(drag.base, asked, drag.locked, settings);
        let mut wanted = pulled.rows(drag.tables);
        let reached = wanted.len();
        let is_left = |at: &&TableRow| wanted.binary_search_by(|(row, _)| row.cmp(at)).is_err();
        let left: Vec<TableRow> = drag.reached.iter().filter(is_left).copied().collect();
        wanted.extend(left.into_iter().map(|at| (at, None)));
        let fits = self.give(drag, &wanted, touched);
        let landed = pulled.landed.clone();
        let mut out = Attempt { pulled, wanted, reached, fits, landed, error: 0.0 };
        let own = drag.field.row().filter(|at| self.rows.layers.has_effects() && out.fit(Some(*at)) == Fit::Whole);
        if let Some(own) = own {
            out.landed = drag.put_by(&self.rows.made_now(own), &out.pulled.landed);
        }
        out.error = out.landed.iter().zip(drag.pins).map(|(landed, pin)| landed.distance_squared(pin.target)).sum();
        out
    }

    /// Gives the layer rows by which all layers make weights, but for their effects, and notes which rows that touches.
    fn give(
        &mut self,
        drag: &LayerDrag<'_>,
        wanted: &[(TableRow, Option<Shares>)],
        touched: &mut Vec<TableRow>,
    ) -> Vec<Fit> {
        let (fits, rows) = self.rows.set_wanted(wanted, drag.before.rows(), drag.locked);
        touched.extend(rows);
        fits
    }

    /// Asks for places beyond those where the vertex should be, as far as effects have let it come short, and returns the attempt that has come
    /// nearest, whose rows the layer has then.
    fn corrected(
        &mut self,
        drag: &mut LayerDrag<'_>,
        first: Attempt,
        settings: &PullSettings,
        touched: &mut Vec<TableRow>,
    ) -> Attempt {
        let (goal, near) = (first.pulled.landed.clone(), NEAR * drag.field.size());
        let (mut asked, mut landed) = (drag.pins.to_vec(), first.landed.clone());
        asked.iter_mut().zip(&goal).for_each(|(pin, goal)| pin.target = *goal);
        let (mut best, mut is_last, mut response) = (first, true, 1.0_f64);
        for _ in 1..ROUNDS {
            if farthest(&landed, &goal) <= near {
                break;
            }
            let steps: Vec<DVec3> = goal.iter().zip(&landed).map(|(goal, at)| (*goal - *at) / response).collect();
            asked.iter_mut().zip(&steps).for_each(|(pin, step)| pin.target += *step);
            let next = self.attempt(drag, (&asked, settings), touched);
            let came = next.landed.iter().zip(&landed).zip(&steps).map(|((now, was), step)| (*now - *was).dot(*step));
            let asked_for: f64 = steps.iter().map(|step| step.length_squared()).sum();
            response = (came.sum::<f64>() / asked_for).clamp(*RESPONSE.start(), *RESPONSE.end());
            landed.clone_from(&next.landed);
            is_last = next.error < best.error;
            if is_last {
                best = next;
            }
        }
        if !is_last {
            self.give(drag, &best.wanted, touched);
        }
        best
    }
}

/// Returns the largest distance between places of two lists.
fn farthest(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::Vec3;
    use skinscope_anim::pose::rotate;
    use skinscope_edit::Sheet;
    use skinscope_model::NodeId;
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_solve::Joints;
    use skinscope_weights::FALLOFFS;

    use super::*;

    /// A canvas whose layer has these effects, or of which all layers have them.
    fn layered(model: &Arc<Model>, effects: &[&str], of_layer: bool) -> Canvas {
        let mut canvas = Canvas::new(Arc::clone(model));
        let mut layers = canvas.layers().clone();
        let of = Some(layers.add("Layer")).filter(|_| of_layer);
        assert!(effects.iter().all(|kind| layers.add_effect(of, kind, BTreeSet::new())));
        canvas.set_layers(layers).unwrap();
        canvas
    }

    #[test]
    fn what_effects_hold_back_is_made_up_for_and_never_made_worse() {
        let model = Arc::new(tube(Tube { joints: 4, rings: 25, sides: 12, influences: 3, ..Tube::default() }));
        let (tables, surfaces) = Sheet::parts_of(&model);
        let mut pose = model.skeleton.rest.clone();
        rotate(&mut pose, NodeId(2), Vec3::new(50.0, 0.0, 0.0));
        rotate(&mut pose, NodeId(3), Vec3::new(0.0, 30.0, 40.0));
        let settings = PullSettings { most: 4, joints: Joints::Near, keep: 1e-6, radius: 0.3, falloff: FALLOFFS[0] };
        let (at, none) = ((tables[0].primitives[0], 12 * 12 + 2), BTreeSet::new());
        let mut helped = 0;
        for effects in [&["smooth"][..], &["prune"], &["limit"], &["smooth", "limit"], &["smooth", "prune", "smooth"]] {
            for of_layer in [true, false] {
                let mut canvas = layered(&model, effects, of_layer);
                let mut field = PullField::new(&model, (&surfaces, &tables), at, &settings, None).unwrap();
                let (own, before) = (field.row().unwrap(), canvas.painted());
                let drawn =
                    |canvas: &Canvas, field: &PullField| field.put_by(&model, &pose, &canvas.weights_of(own)).unwrap();
                let (was, ghosts) = (drawn(&canvas, &field), field.ghosts(&model, &pose));
                let target = was.lerp(ghosts.iter().sum::<DVec3>() / ghosts.len() as f64, 0.3);
                let pins = [Pin { pose: pose.clone(), target }];
                let pulled = field.pull(&model, &pins, &none, &settings);
                canvas.set_wanted(&before, &pulled.rows(&tables), &none).unwrap();
                let plain = drawn(&canvas, &field).distance(target);
                let dragged = canvas.drag(&mut LayerDrag {
                    field: &mut field,
                    base: &model,
                    tables: &tables,
                    pins: &pins,
                    locked: &none,
                    settings: &settings,
                    before: &before,
                    reached: &[],
                });
                let LayerDragged { away, landed, fit, .. } = dragged.unwrap();
                let what = format!("{effects:?} {of_layer}: {} where it was {plain} away, {fit:?}", away[0]);
                assert!(away[0] < plain + 1e-9, "{what}");
                assert!(drawn(&canvas, &field).distance(landed[0]) < 1e-12, "{what}");
                assert!(fit != Fit::Whole || away[0] < 1e-4 * field.size() + pulled.away[0], "{what}");
                assert!(effects != ["smooth"] || fit == Fit::Whole, "{what}");
                helped += usize::from(away[0] < 0.5 * plain);
            }
        }
        assert!(helped > 1, "{helped}");
    }
}
