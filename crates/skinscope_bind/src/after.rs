//! What is done to the weights after any method: sides, loose pieces, mirror images.

use crate::Applied;
use crate::BindSettings;
use crate::binder::Body;
use crate::mirror::{Mirror, NONE};
use crate::rows::{self, Rows};
use crate::rules::{LOOSE_PIECES, MIRRORED, SIDES};

/// A share of more than this was not nothing.
const SEEN: f64 = 1e-3;
/// A piece with a larger share of the area is no loose piece.
const LARGEST: f64 = 0.25;
/// A loose piece is rigid where one joint has at least this share of every place of it,
/// and on the average at least that of [`MOSTLY`].
const RIGID: f64 = 0.5;
/// See [`RIGID`].
const MOSTLY: f64 = 0.85;
/// Joints nearer to the plane of symmetry than this are of no side.
const MIDDLE: f64 = 1e-3;
/// The weights are mirrored where at least this share of the places have a partner.
const PAIRED: f64 = 0.5;

/// Takes shares of joints of one side from what lies on the other: they end where the partner of the joint stands.
pub fn part_sides(body: &Body, mirror: &Mirror, rows: &mut Rows) -> Vec<Applied> {
    let sides: Vec<f64> = body.shape.heads.iter().map(|head| mirror.side(*head)).collect();
    let mut is_cut = vec![false; sides.len()];
    for (row, point) in rows.iter_mut().zip(&body.shape.points) {
        let at = mirror.side(*point);
        let factor = |joint: u32| {
            let side = sides[joint as usize];
            if side.abs() <= MIDDLE || at * side >= 0.0 { 1.0 } else { (1.0 + at / side).max(0.0) }
        };
        if row.iter().all(|(joint, _)| factor(*joint) == 1.0) {
            continue;
        }
        let mut parted: Vec<(u32, f64)> = row.iter().map(|(joint, share)| (*joint, share * factor(*joint))).collect();
        if rows::normalise(&mut parted) {
            row.iter()
                .filter(|(joint, share)| share * (1.0 - factor(*joint)) > SEEN)
                .for_each(|(joint, _)| is_cut[*joint as usize] = true);
            *row = parted;
        }
    }
    let joints = (0..).zip(is_cut).filter(|(_, is_cut)| *is_cut);
    joints.map(|(joint, _)| Applied { rule: SIDES, joint: Some(joint), island: None }).collect()
}

/// Gives loose pieces to one joint: with [`BindSettings::rigid_pieces`] all of them, else those that one joint moves nearly alone.
pub fn hold_pieces(body: &Body, settings: &BindSettings, rows: &mut Rows) -> Vec<Applied> {
    let areas = |piece: &[u32]| piece.iter().map(|place| body.shape.areas[*place as usize]).sum::<f64>();
    let whole: f64 = body.islands.places.iter().map(|piece| areas(piece)).sum();
    let mut out = Vec::new();
    for (island, piece) in body.islands.places.iter().enumerate().skip(1) {
        if areas(piece) > LARGEST * whole {
            continue;
        }
        let least = body.shape.areas.iter().sum::<f64>() * 1e-12;
        let parts = piece.iter().map(|place| {
            let place = *place as usize;
            (&rows[place][..], body.shape.areas[place].max(least))
        });
        let mean = rows::sum(parts);
        let Some((joint, most)) = mean.first().copied() else { continue };
        let sum: f64 = mean.iter().map(|(_, share)| share).sum();
        let share = |place: &u32| {
            let own = rows[*place as usize].iter().find(|(other, _)| *other == joint);
            own.map_or(0.0, |(_, share)| *share)
        };
        let is_rigid = most >= MOSTLY * sum && piece.iter().all(|place| share(place) >= RIGID);
        if !settings.rigid_pieces && !(is_rigid && settings.has_rule(LOOSE_PIECES)) {
            continue;
        }
        let is_new = piece.iter().any(|place| share(place) < 1.0 - SEEN);
        piece.iter().for_each(|place| rows[*place as usize] = vec![(joint, 1.0)]);
        out.extend(is_new.then_some(Applied { rule: LOOSE_PIECES, joint: Some(joint), island: Some(island) }));
    }
    out
}

/// Gives each place and its mirror image the mean of both. Returns nothing where too few places have a partner, or a joint may have weight
/// and its partner may not.
pub fn mirror_rows(body: &Body, mirror: &Mirror, rows: &mut Rows) -> Vec<Applied> {
    let is_free = &body.bones.is_free;
    let is_alike =
        (0..).zip(&mirror.joints).all(|(joint, other): (usize, &u32)| is_free[joint] == is_free[*other as usize]);
    if !is_alike || (mirror.paired as f64) < PAIRED * rows.len() as f64 {
        return Vec::new();
    }
    let mut is_changed = false;
    for place in 0..rows.len() {
        let other = mirror.places[place];
        if other == NONE || (other as usize) < place {
            continue;
        }
        let image = |row: &[(u32, f64)]| -> Vec<(u32, f64)> {
            row.iter().map(|(joint, share)| (mirror.joints[*joint as usize], *share)).collect()
        };
        let [own, theirs] = [place, other as usize].map(|at| rows[at].clone());
        let mirrored = image(&theirs);
        let mean = rows::sum([(&own[..], 0.5), (&mirrored[..], 0.5)].into_iter());
        is_changed |= mean.iter().any(|(joint, share)| {
            let before = own.iter().find(|(other, _)| other == joint).map_or(0.0, |(_, share)| *share);
            (before - share).abs() > SEEN
        });
        // The image of the same numbers, so that both agree to the bit.
        let mut turned = image(&mean);
        rows::sort(&mut turned);
        rows[other as usize] = turned;
        rows[place] = mean;
    }
    if is_changed { vec![Applied { rule: MIRRORED, joint: None, island: None }] } else { Vec::new() }
}
