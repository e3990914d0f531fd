//! `JOINTS_n` and `WEIGHTS_n`: any number of sets, weights as stored.

use gltf::json::accessor::{ComponentType, Type};
use gltf::json::mesh::Semantic;
use gltf::json::validation::Checked;

use super::ImportError;
use super::accessor::{Format, format};
use super::primitive::{Source, make_finite};
use crate::model::{Influences, Mesh, WeightFormat};

const JOINTS: &[Format] = &[format::U8, format::U16];
const WEIGHTS: &[Format] = &[format::F32, format::U8_UNIT, format::U16_UNIT];

/// Reads all sets of a primitive; `None` where it has none.
pub(super) fn read(source: &Source, vertices: usize) -> Result<Option<Influences>, ImportError> {
    let sets = count_sets(source)?;
    if sets == 0 {
        return Ok(None);
    }
    let mut format = WeightFormat::F32;
    let mut lists = Vec::with_capacity(sets);
    for set in 0..sets as u32 {
        let (indices, values, stored) = read_set(source, set, vertices)?;
        format = stored;
        lists.push((indices, values));
    }
    let per_vertex = sets * 4;
    let (joints, weights) = if sets == 1 {
        let (indices, values) = lists.remove(0);
        (indices.into_flattened(), values.into_flattened())
    } else {
        let total = (vertices as u64).saturating_mul(per_vertex as u64);
        source.reader.decoded.charge(&|| source.place(), total, size_of::<u16>() + size_of::<f32>())?;
        let of_vertex = 0..vertices;
        let joints = of_vertex.clone().flat_map(|v| lists.iter().flat_map(move |l| l.0[v])).collect();
        (joints, of_vertex.flat_map(|v| lists.iter().flat_map(move |l| l.1[v])).collect())
    };
    let mut out = Influences { per_vertex, joints, weights, format };
    examine(source, &mut out);
    Ok(Some(out))
}

/// `JOINTS_n` and `WEIGHTS_n` of one `n`, and how the file stores the weights.
type Set = (Vec<[u16; 4]>, Vec<[f32; 4]>, WeightFormat);

fn read_set(source: &Source, n: u32, vertices: usize) -> Result<Set, ImportError> {
    let store = source.reader.store;
    let place = || format!("{}, JOINTS_{n}", source.place());
    let missing = || ImportError::invalid(source.place(), "JOINTS_n and WEIGHTS_n in pairs", "one without the other");
    let joints = source.attribute(Semantic::Joints(n), vertices)?.ok_or_else(missing)?;
    joints.expect(&[Type::Vec4], JOINTS, &place)?;
    let indices = store.shorts::<[u16; 4], 4>(joints, &place)?;
    let place = || format!("{}, WEIGHTS_{n}", source.place());
    let weights = source.attribute(Semantic::Weights(n), vertices)?.ok_or_else(missing)?;
    weights.expect(&[Type::Vec4], WEIGHTS, &place)?;
    let format = match weights.component {
        ComponentType::U8 => WeightFormat::U8,
        ComponentType::U16 => WeightFormat::U16,
        _ => WeightFormat::F32,
    };
    Ok((indices, store.floats::<[f32; 4], 4>(weights, &place)?, format))
}

/// The number of sets, which must be numbered from zero without a gap and come in pairs.
fn count_sets(source: &Source) -> Result<usize, ImportError> {
    let (mut joints, mut weights) = (Vec::new(), Vec::new());
    for semantic in source.primitive.attributes.keys() {
        match semantic {
            Checked::Valid(Semantic::Joints(n)) => joints.push(*n),
            Checked::Valid(Semantic::Weights(n)) => weights.push(*n),
            _ => {}
        }
    }
    let numbered = |sets: &[u32]| sets.iter().enumerate().all(|(i, n)| i == *n as usize);
    if joints == weights && numbered(&joints) {
        return Ok(joints.len());
    }
    let names = |what: &str, sets: &[u32]| {
        let list: Vec<_> = sets.iter().take(8).map(|n| format!("{what}_{n}")).collect();
        if list.is_empty() { format!("no {what}") } else { list.join(" ") }
    };
    let found = format!("{} with {}", names("JOINTS", &joints), names("WEIGHTS", &weights));
    Err(ImportError::invalid(source.place(), "JOINTS_n and WEIGHTS_n in pairs, numbered from 0", found))
}

/// Lists what is odd about the weights; nothing is renormalised.
fn examine(source: &Source, influences: &mut Influences) {
    let bad = make_finite(&mut influences.weights);
    if bad > 0 {
        source.warn("has", format_args!("{bad} weights that are not finite; read as 0"));
    }
    let negative = influences.weights.iter().filter(|w| **w < 0.0).count();
    if negative > 0 {
        source.warn("has", format_args!("{negative} negative weights, kept as stored"));
    }
    let (mut off, mut least, mut most) = (0_usize, f64::INFINITY, f64::NEG_INFINITY);
    let vertices = influences.weights.len() / influences.per_vertex;
    for vertex in (0..vertices).filter(|v| !influences.sums_to_one(*v)) {
        let sum = influences.sum(vertex);
        (off, least, most) = (off + 1, least.min(sum), most.max(sum));
    }
    if off > 0 {
        let (have, sums) = (if off == 1 { "has" } else { "have" }, range(least, most));
        let text = format!(
            "{off} of {vertices} vertices {have} weights that do not sum to one ({sums}); drawn as stored unless normalised"
        );
        source.reader.warnings.add(source.place(), text);
    }
}

/// As few digits as tell both ends from one.
fn range(least: f64, most: f64) -> String {
    let nearest = [least, most].into_iter().map(|s| (s - 1.0).abs()).fold(f64::INFINITY, f64::min);
    let digits = if nearest >= 0.005 || nearest == 0.0 { 2 } else { (-nearest.log10()).ceil() as usize };
    let text = |sum: f64| if sum.abs() < 1e6 { format!("{sum:.digits$}") } else { format!("{sum:.2e}") };
    let (least, most) = (text(least), text(most));
    if least == most { least } else { format!("{least} to {most}") }
}

/// Checks the joint numbers of a mesh against the smallest of its skins; `skin` names it. Numbers with weight zero
/// move nothing: those out of range become 0.
pub(super) fn check_joints(
    mesh: &mut Mesh,
    (index, skin, joint_count): (usize, usize, usize),
    warnings: &super::error::Warnings,
) -> Result<(), ImportError> {
    for (p, primitive) in mesh.primitives.iter_mut().enumerate() {
        let Some(influences) = &mut primitive.influences else { continue };
        if influences.joints_needed() <= joint_count {
            continue;
        }
        let place = || format!("mesh {index}, primitive {p}");
        let mut cleared = 0_usize;
        for (at, joint) in influences.joints.iter_mut().enumerate() {
            if usize::from(*joint) < joint_count {
                continue;
            }
            if influences.weights[at] != 0.0 {
                let place = format!("{}, vertex {}", place(), at / influences.per_vertex);
                let expected = format!("joints below {joint_count}, as skin {skin} has them");
                let found = format!("joint {joint} with weight {}", influences.weights[at]);
                return Err(ImportError::invalid(place, expected, found));
            }
            *joint = 0;
            cleared += 1;
        }
        if cleared > 0 {
            warnings.add(place(), format!("{cleared} joint numbers beyond skin {skin} have weight 0; read as joint 0"));
        }
    }
    Ok(())
}
