//! What is done to the weights after any method: sides, loose pieces, mirror images.

use glam::DVec3;

use crate::Applied;
use crate::BindSettings;
use crate::binder::Body;
use crate::mirror::{Mirror, NONE};
use crate::rows::{self, Rows};
use crate::rules::{LOOSE_PIECES, MIRRORED, SIDES};

/// A share of more than this was not nothing.
const SEEN: f64 = 1e-3;
/// A loose piece is rigid where one joint has at least this share of every place of it,
/// and on the average at least that of [`MOSTLY`].
const RIGID: f64 = 0.5;
/// See [`RIGID`].
const MOSTLY: f64 = 0.85;
/// What reaches farther than this is no loose piece, whatever moves it.
const LARGEST: f64 = 0.6;
/// A piece that reaches no farther moves as one where its places differ from their mean by no more than [`UNEVEN`].
const SMALL: f64 = 0.15;
/// See [`SMALL`].
const UNEVEN: f64 = 0.12;
/// Joints nearer to the plane of symmetry than this are of no side.
const MIDDLE: f64 = 1e-3;
/// The weights are mirrored where at least this share of the places have a partner.
const PAIRED: f64 = 0.5;

/// Takes shares of joints of one side from what lies on the other: they end where the partner of the joint stands.
pub(crate) fn part_sides(body: &Body, mirror: &Mirror, rows: &mut Rows) -> Vec<Applied> {
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

/// Makes loose pieces move as one: with [`BindSettings::rigid_pieces`] all of them follow one joint, else those that one joint moves nearly alone,
/// and small ones whose places hardly differ get the mean of them.
pub(crate) fn hold_pieces(body: &Body, settings: &BindSettings, rows: &mut Rows) -> Vec<Applied> {
    if !settings.rigid_pieces && !settings.has_rule(LOOSE_PIECES) {
        return Vec::new();
    }
    let least = body.shape.areas.iter().sum::<f64>() * 1e-12;
    let area = |place: u32| body.shape.areas[place as usize].max(least);
    let mut out = Vec::new();
    for (island, piece) in body.islands.places.iter().enumerate().skip(1) {
        let mut mean = rows::sum(piece.iter().map(|place| (&rows[*place as usize][..], area(*place))));
        if !rows::normalise(&mut mean) {
            continue;
        }
        let (joint, most) = mean[0];
        let share = |place: &u32| share_of(&rows[*place as usize], joint);
        let extent = extent(body, piece);
        let is_rigid = most >= MOSTLY && extent <= LARGEST && piece.iter().all(|place| share(place) >= RIGID);
        let held = if settings.rigid_pieces || is_rigid {
            vec![(joint, 1.0)]
        } else if extent <= SMALL && unevenness(rows, piece, &mean, &area) <= UNEVEN {
            mean
        } else {
            continue;
        };
        let is_new = piece.iter().any(|place| distance(&rows[*place as usize], &held) > SEEN);
        piece.iter().for_each(|place| rows[*place as usize].clone_from(&held));
        out.extend(is_new.then_some(Applied { rule: LOOSE_PIECES, joint: Some(joint), island: Some(island) }));
    }
    out
}

/// Returns twice the distance of the farthest place of a piece from the mean of them.
fn extent(body: &Body, piece: &[u32]) -> f64 {
    let at = |place: &u32| body.shape.points[*place as usize];
    let mean = piece.iter().map(at).sum::<DVec3>() / piece.len() as f64;
    2.0 * piece.iter().map(|place| at(place).distance(mean)).fold(0.0, f64::max)
}

/// Returns how far the rows of a piece are from their mean, on the average over its area.
fn unevenness(rows: &Rows, piece: &[u32], mean: &[(u32, f64)], area: &dyn Fn(u32) -> f64) -> f64 {
    let whole: f64 = piece.iter().map(|place| area(*place)).sum();
    let sum: f64 = piece.iter().map(|place| area(*place) * distance(&rows[*place as usize], mean)).sum();
    sum / whole
}

/// Returns how much of one row is of other joints than in another one, 0…1.
fn distance(a: &[(u32, f64)], b: &[(u32, f64)]) -> f64 {
    let ours: f64 = a.iter().map(|(joint, share)| (share - share_of(b, *joint)).abs()).sum();
    let theirs: f64 = b.iter().filter(|(joint, _)| share_of(a, *joint) == 0.0).map(|(_, share)| share).sum();
    (ours + theirs) / 2.0
}

fn share_of(row: &[(u32, f64)], joint: u32) -> f64 {
    row.iter().find(|(other, _)| *other == joint).map_or(0.0, |(_, share)| *share)
}

/// Gives each place and its mirror image the mean of both. Returns nothing where too few places have a partner, or a joint may have weight
/// and its partner may not.
pub(crate) fn mirror_rows(body: &Body, mirror: &Mirror, rows: &mut Rows) -> Vec<Applied> {
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
        is_changed |= mean.iter().any(|(joint, share)| (share_of(&own, *joint) - share).abs() > SEEN);
        // The image of the same numbers, so that both agree to the bit.
        let mut turned = image(&mean);
        rows::sort(&mut turned);
        rows[other as usize] = turned;
        rows[place] = mean;
    }
    if is_changed { vec![Applied { rule: MIRRORED, joint: None, island: None }] } else { Vec::new() }
}
