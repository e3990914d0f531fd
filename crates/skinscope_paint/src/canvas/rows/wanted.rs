//! Rows of the layer that is painted in by which all layers together make weights that are wanted.

use std::collections::BTreeSet;

use skinscope_weights::{Shares, TableRow, share_of};

use super::{Member, PaintedRow, Rows};
use crate::canvas::composer::Composer;

/// Where the layer that is painted in has no more of a say than this, nothing can be seen of it.
const LEAST: f64 = 1e-9;
/// Sums that differ by no more than this are one.
const ROUNDING: f64 = 1e-12;

/// What became of weights that all layers together were to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// They are there.
    Whole,
    /// Others are there: the opacity or the mask of the layer that is painted in, the layers above or effects let it come only so far.
    Part,
    /// The mask of the layer that is painted in leaves nothing of it there.
    Masked,
    /// Nothing is seen there of the layer that is painted in: layers above hide it, or it is not shown.
    Hidden,
    /// Nothing is seen there of the layer that is painted in: a mirror among the effects of layers shows the other side.
    Mirrored,
    /// Others are there, since a locked joint would have got another weight.
    Locked,
}

impl Fit {
    /// Says why layers do not make the weights, where they do not: `layer` is the name of the one that is painted in.
    #[must_use]
    pub fn why(self, layer: &str, has_effects: bool) -> Option<String> {
        Some(match self {
            Self::Whole => return None,
            Self::Part if has_effects => "effects of layers let it come only a part of the way".to_owned(),
            Self::Part => format!("the layers let {layer} take it only a part of the way"),
            Self::Masked => format!("the mask of {layer} is empty here"),
            Self::Hidden => format!("layers above {layer} hide it here, or it is not shown"),
            Self::Mirrored => "a mirror among the effects of layers shows the other side here".to_owned(),
            Self::Locked => "locked joints would get other weights under the layers".to_owned(),
        })
    }
}

impl Rows {
    /// Gives the layer that is painted in rows by which all layers make the weights that are wanted, or come as near to them as they can; rows
    /// without wanted weights, and those that cannot get them, become as they were in `before`. Returns what became of each row, and the rows
    /// that may have other flat weights now.
    pub(crate) fn set_wanted(
        &mut self,
        wanted: &[(TableRow, Option<Shares>)],
        before: &Self,
        locked: &BTreeSet<u32>,
    ) -> (Vec<Fit>, Vec<TableRow>) {
        let made = self.rows_making(wanted, locked);
        let (mut fits, mut touched) = (Vec::with_capacity(made.len()), Vec::new());
        for ((at, _), made) in wanted.iter().zip(made) {
            let together = self.together.get(at.table).map_or(&[][..], |tables| &tables[..]);
            let member = |table: &usize| Member { at: TableRow { table: *table, row: at.row }, own: at.table };
            let members: Vec<Member> = together.iter().map(member).collect();
            let set = made.and_then(|row| match row {
                Some(row) if self.set_in_layer(&members, Some((&row[..], true)), locked) => Ok(true),
                Some(_) => Err(Fit::Locked),
                None => Ok(false),
            });
            for Member { at, .. } in members {
                if set == Ok(true) {
                    touched.push(at);
                } else if self.painted(at).map(PaintedRow::to_row) != before.painted(at).map(PaintedRow::to_row) {
                    self.give_back(at, before);
                    touched.push(at);
                }
            }
            fits.push(set.err().unwrap_or(Fit::Whole));
        }
        (fits, touched)
    }

    /// Returns the rows of the layer that is painted in that make some weights; `None` for a row of which nothing is wanted.
    fn rows_making(
        &self,
        wanted: &[(TableRow, Option<Shares>)],
        locked: &BTreeSet<u32>,
    ) -> Vec<Result<Option<Shares>, Fit>> {
        let composer = Composer::new(&self.layers, &self.near);
        let making = |(at, row): &(TableRow, Option<Shares>)| match row {
            Some(row) => self.row_making(&composer, *at, row, locked).map(Some),
            None => Ok(None),
        };
        wanted.iter().map(making).collect()
    }

    /// Returns the row of the layer that is painted in by which all layers make these weights. Where no row does, it is the one that comes
    /// nearest. Locked joints have in it what they have there now.
    fn row_making(
        &self,
        composer: &Composer<'_>,
        at: TableRow,
        wanted: &[(u32, f64)],
        locked: &BTreeSet<u32>,
    ) -> Result<Shares, Fit> {
        let (rest, share) = self.mix(composer, at)?;
        let mut space = Shares::new();
        let own = self.of_row(at, &mut space);
        let mut out: Shares = own.iter().copied().filter(|(key, _)| locked.contains(key)).collect();
        let left = (sum(wanted) - sum(&rest)) / share - sum(&out);
        let below = rest.iter().filter(|(key, _)| wanted.iter().all(|(other, _)| other != key));
        let keys = wanted.iter().chain(below).map(|(key, _)| *key).filter(|key| !locked.contains(key));
        let asked = |key: u32| (share_of(wanted, key) - share_of(&rest, key)) / share;
        let mut free: Shares = keys.map(|key| (key, asked(key))).collect();
        if free.is_empty() || left <= ROUNDING {
            return Err(Fit::Part);
        }
        come_to(&mut free, left);
        out.extend(free);
        Ok(out)
    }

    /// Returns what all layers make of a vertex without the row of the layer that is painted in, and the share that this row has of the whole.
    fn mix(&self, composer: &Composer<'_>, at: TableRow) -> Result<(Shares, f64), Fit> {
        let (mut first, mut rest, mut share) = (0, Shares::new(), 1.0);
        if let Some((number, layer)) = self.layers.active_layer() {
            let is_shown = self.layers.is_shown(layer);
            share = if is_shown { layer.strength(at) } else { 0.0 };
            if share <= LEAST {
                return Err(if is_shown && layer.opacity() > LEAST { Fit::Masked } else { Fit::Hidden });
            }
            if composer.shows_other_side(number, at) {
                return Err(Fit::Mirrored);
            }
            let mut space = Shares::new();
            let below = match composer.over(number, at) {
                Some(below) => below.shares.to_vec(),
                // No layer knows the row.
                None => self.flat(at, &mut space).to_vec(),
            };
            rest.extend(below.into_iter().map(|(key, weight)| (key, (1.0 - share) * weight)));
            first = number + 1;
        }
        for number in first..self.layers.layers().len() {
            let Some((row, strength)) = composer.shown(number, at) else { continue };
            share *= 1.0 - strength;
            rest.iter_mut().for_each(|(_, weight)| *weight *= 1.0 - strength);
            for (key, weight) in row.shares.iter() {
                match rest.iter_mut().find(|(known, _)| known == key) {
                    Some((_, total)) => *total += strength * weight,
                    None => rest.push((*key, strength * weight)),
                }
            }
        }
        rest.retain(|(_, weight)| *weight > 0.0);
        if share > LEAST { Ok((rest, share)) } else { Err(Fit::Hidden) }
    }
}

fn sum(shares: &[(u32, f64)]) -> f64 {
    shares.iter().map(|(_, weight)| *weight).sum()
}

/// Makes of weights the nearest ones that are not negative and have this sum, which is above zero.
fn come_to(shares: &mut Shares, whole: f64) {
    let fits = shares.iter().all(|(_, weight)| *weight >= 0.0) && (sum(shares) - whole).abs() <= ROUNDING;
    if !fits {
        let mut falling: Vec<f64> = shares.iter().map(|(_, weight)| *weight).collect();
        falling.sort_by(|a, b| b.total_cmp(a));
        let (mut total, mut count, mut over) = (0.0, 0.0, 0.0);
        for weight in falling {
            total += weight;
            count += 1.0;
            let by = (total - whole) / count;
            if weight <= by {
                break;
            }
            over = by;
        }
        shares.iter_mut().for_each(|(_, weight)| *weight -= over);
    }
    shares.retain(|(_, weight)| *weight > 0.0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_come_to_the_nearest_ones_with_a_sum() {
        let came = |weights: &[f64], whole: f64| {
            let mut shares: Shares = (0..).zip(weights.iter().copied()).collect();
            come_to(&mut shares, whole);
            shares
        };
        assert_eq!(came(&[0.25, 0.0, 0.75], 1.0), [(0, 0.25), (2, 0.75)]);
        // What is below zero goes, and the others have it in equal parts.
        assert_eq!(came(&[1.0, 0.5, -0.5], 1.0), [(0, 0.75), (1, 0.25)]);
        assert_eq!(came(&[2.0, -1.0], 1.0), [(0, 1.0)]);
        assert_eq!(came(&[0.25, 0.25], 1.0), [(0, 0.5), (1, 0.5)]);
    }
}
