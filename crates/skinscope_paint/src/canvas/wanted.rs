//! Weights that all layers together are to make: the layer that is painted in gets the rows that do.

use std::collections::BTreeSet;
use std::sync::Arc;

use skinscope_model::WeightChange;
use skinscope_weights::{SAME, Shares, TableRow, difference};

use super::rows::Fit;
use super::{Canvas, PaintError, Painted};

impl Canvas {
    /// Gives the layer that is painted in rows by which all layers together make the weights that are wanted, or come as near to them as they can;
    /// rows without wanted weights become as they were in `before`, when the same layer was painted in. Without layers the rows are those of the
    /// weights themselves. Returns the weights that change, in single precision, and what became of each row.
    ///
    /// # Errors
    /// The model has refused the weights.
    pub fn set_wanted(
        &mut self,
        before: &Painted,
        wanted: &[(TableRow, Option<Shares>)],
        locked: &BTreeSet<u32>,
    ) -> Result<(Vec<WeightChange>, Vec<Fit>), PaintError> {
        let (fits, touched) = self.rows.set_wanted(wanted, before.rows(), locked);
        self.take_wanted(before, (wanted, fits), touched, locked)
    }

    /// Gives the model what the layers make of rows that have been touched, which were to make the weights that are wanted. Returns what changes, and
    /// what became of each wanted row.
    pub(super) fn take_wanted(
        &mut self,
        before: &Painted,
        (wanted, mut fits): (&[(TableRow, Option<Shares>)], Vec<Fit>),
        mut changed: Vec<TableRow>,
        locked: &BTreeSet<u32>,
    ) -> Result<(Vec<WeightChange>, Vec<Fit>), PaintError> {
        let before = before.rows();
        changed.sort_unstable();
        changed.dedup();
        if self.rows.layers.has_effects() {
            let mut held = BTreeSet::new();
            changed = self.rows.follow_effects(changed, locked, &mut |rows, back| {
                for at in back {
                    rows.layers.set_active_row(*at, before.layers.active_row(*at).cloned());
                }
                held.extend(back.iter().copied());
            });
            for ((at, _), fit) in wanted.iter().zip(&mut fits) {
                if held.contains(at) {
                    *fit = Fit::Locked;
                }
            }
        }
        let changes = self.change_rows(&changed)?;
        let mut space = Shares::new();
        for ((at, row), fit) in wanted.iter().zip(&mut fits) {
            if let Some(row) = row
                && *fit == Fit::Whole
                && difference(self.rows.flat(*at, &mut space), row) > SAME
            {
                *fit = Fit::Part;
            }
        }
        Ok((changes, fits))
    }

    /// Returns the weights of a row that all layers make together, by the keys of joints; none where there is no such row.
    pub(super) fn weights_of(&self, at: TableRow) -> Shares {
        let mut space = Shares::new();
        if self.rows.has(at) { self.rows.flat(at, &mut space).to_vec() } else { space }
    }

    /// Returns whether weights from before are those of this canvas, on the same weights of a file.
    #[must_use]
    pub fn has_made(&self, painted: &Painted) -> bool {
        Arc::ptr_eq(&self.rows.tables, &painted.rows().tables)
    }
}

#[cfg(test)]
mod tests {
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_weights::share_of;

    use super::*;
    use crate::LayerId;

    const AT: TableRow = TableRow { table: 0, row: 100 };

    /// A tube with layers of these names, of which the last one is painted in.
    fn layered(names: &[&str]) -> (Canvas, Vec<LayerId>) {
        let model = tube(Tube { joints: 4, rings: 13, ..Tube::default() });
        let mut canvas = Canvas::new(Arc::new(model));
        let mut layers = canvas.layers().clone();
        let ids = names.iter().map(|name| layers.add(name)).collect();
        canvas.set_layers(layers).unwrap();
        (canvas, ids)
    }

    /// Sets the weights that are wanted of the row, and returns what became of it.
    fn set(canvas: &mut Canvas, wanted: &Shares, locked: &[u32]) -> Fit {
        let before = canvas.painted();
        let wanted = [(AT, Some(wanted.clone()))];
        canvas.set_wanted(&before, &wanted, &locked.iter().copied().collect()).unwrap().1[0]
    }

    fn change(canvas: &mut Canvas, change: impl FnOnce(&mut crate::LayerStack)) {
        let mut layers = canvas.layers().clone();
        change(&mut layers);
        canvas.set_layers(layers).unwrap();
    }

    /// Weights of the joints of a row with a part of the first one given to the second.
    fn moved(before: &Shares, by: f64) -> Shares {
        assert!(before.len() > 1 && before[0].1 > by, "{before:?}");
        let mut out = before.clone();
        out[0].1 -= by;
        out[1].1 += by;
        out
    }

    #[test]
    fn layers_make_what_is_wanted_and_without_the_layer_it_is_as_it_was() {
        let (mut canvas, ids) = layered(&["A", "B"]);
        let first = canvas.weights_of(AT);
        let wanted = moved(&first, 0.1);
        assert_eq!(set(&mut canvas, &wanted, &[]), Fit::Whole);
        assert_eq!(canvas.weights_of(AT), wanted);
        change(&mut canvas, |layers| _ = layers.set_on(ids[1], false));
        assert_eq!(canvas.weights_of(AT), first);
        // Another layer below, and half of this one: the row makes up for it.
        change(&mut canvas, |layers| {
            layers.set_on(ids[1], true);
            layers.set_opacity(ids[1], 0.5);
            layers.select(Some(ids[0]));
        });
        let (below, seen) = (moved(&first, 0.02), canvas.weights_of(AT));
        assert_eq!(set(&mut canvas, &moved(&seen, 0.02), &[]), Fit::Whole);
        assert!(difference(&canvas.weights_of(AT), &moved(&seen, 0.02)) < 1e-12);
        canvas.select_layer(Some(ids[1]));
        assert_eq!(set(&mut canvas, &below, &[]), Fit::Whole);
        assert!(difference(&canvas.weights_of(AT), &below) < 1e-12);
    }

    #[test]
    fn what_layers_cannot_show_is_said_and_comes_as_near_as_it_can() {
        let (mut canvas, ids) = layered(&["A", "B"]);
        let first = canvas.weights_of(AT);
        change(&mut canvas, |layers| _ = layers.set_opacity(ids[1], 0.25));
        // A quarter of a layer moves no more than a quarter of the weight.
        let wanted = vec![(first[0].0, 1.0)];
        assert_eq!(set(&mut canvas, &wanted, &[]), Fit::Part);
        let got = share_of(&canvas.weights_of(AT), first[0].0);
        assert!((got - (first[0].1 + 0.25 * (1.0 - first[0].1))).abs() < 1e-9, "{got}");
        change(&mut canvas, |layers| _ = layers.set_mask(ids[1], Some(&[])));
        assert_eq!(set(&mut canvas, &wanted, &[]), Fit::Masked);
        change(&mut canvas, |layers| {
            layers.set_mask(ids[1], None);
            layers.set_opacity(ids[1], 1.0);
        });
        canvas.select_layer(Some(ids[0]));
        assert_eq!(set(&mut canvas, &wanted, &[]), Fit::Hidden, "the layer above has a row there");
        change(&mut canvas, |layers| _ = layers.set_solo(Some(ids[0])));
        assert_eq!(set(&mut canvas, &wanted, &[]), Fit::Whole);
        canvas.select_layer(Some(ids[1]));
        assert_eq!(set(&mut canvas, &first, &[]), Fit::Hidden, "the other one is shown alone");
    }

    #[test]
    fn locked_joints_keep_their_bits_and_rows_go_back_to_the_bit() {
        let (mut canvas, ids) = layered(&["A"]);
        let (first, before) = (canvas.weights_of(AT), canvas.painted());
        change(&mut canvas, |layers| _ = layers.set_opacity(ids[0], 0.7));
        let other = (1..6).find(|key| first.iter().all(|(known, _)| known != key)).unwrap();
        let wanted = vec![first[0], (other, 1.0 - first[0].1)];
        set(&mut canvas, &wanted, &[first[0].0]);
        let got = canvas.weights_of(AT);
        assert!(share_of(&got, other) > 0.0, "{got:?}");
        assert_eq!(share_of(&got, first[0].0).to_bits(), first[0].1.to_bits());
        canvas.set_wanted(&before, &[(AT, None)], &BTreeSet::new()).unwrap();
        assert_eq!(canvas.weights_of(AT), first);
    }
}
