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

/// Weights may sum to one more or less than this before it is worth a line: half a step of each of four u8 weights.
const SUM_TOLERANCE: f32 = 2.0 / 255.0;

/// Reads all sets of a primitive; `None` where it has none.
pub(super) fn read(source: &Source, vertices: usize) -> Result<Option<Influences>, ImportError> {
    let sets = count_sets(source)?;
    if sets == 0 {
        return Ok(None);
    }
    let per_vertex = sets * 4;
    let total = (vertices as u64).saturating_mul(per_vertex as u64);
    source.reader.decoded.charge(&|| source.place(), total, size_of::<u16>() + size_of::<f32>())?;
    let mut out = Influences {
        per_vertex,
        joints: vec![0; vertices * per_vertex],
        weights: vec![0.0; vertices * per_vertex],
        format: WeightFormat::F32,
    };
    for set in 0..sets {
        let n = set as u32;
        let (joints, weights) = (Semantic::Joints(n), Semantic::Weights(n));
        let place = |what: &Semantic| format!("{}, {}", source.place(), what.to_string());
        let (joints_place, weights_place) = (place(&joints), place(&weights));
        let (Some(joints), Some(weights)) = (source.attribute(joints, vertices)?, source.attribute(weights, vertices)?)
        else {
            continue;
        };
        joints.expect(&[Type::Vec4], JOINTS, &|| joints_place.clone())?;
        weights.expect(&[Type::Vec4], WEIGHTS, &|| weights_place.clone())?;
        out.format = match weights.component {
            ComponentType::U8 => WeightFormat::U8,
            ComponentType::U16 => WeightFormat::U16,
            _ => WeightFormat::F32,
        };
        let indices: Vec<[u32; 4]> = source.reader.store.integers::<_, 4>(joints, &|| joints_place.clone())?;
        let values: Vec<[f32; 4]> = source.reader.store.floats::<_, 4>(weights, &|| weights_place.clone())?;
        for (vertex, (i, w)) in indices.iter().zip(&values).enumerate() {
            let at = vertex * per_vertex + set * 4;
            // u8 and u16 only, so nothing is cut off.
            out.joints[at..at + 4].copy_from_slice(&i.map(|j| j as u16));
            out.weights[at..at + 4].copy_from_slice(w);
        }
    }
    examine(source, &mut out);
    Ok(Some(out))
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
    let (mut off, mut worst) = (0_usize, 1.0_f32);
    for vertex in influences.weights.chunks_exact(influences.per_vertex) {
        let sum: f32 = vertex.iter().sum();
        if (sum - 1.0).abs() > SUM_TOLERANCE {
            off += 1;
            if (sum - 1.0).abs() > (worst - 1.0).abs() {
                worst = sum;
            }
        }
    }
    if off > 0 {
        source
            .warn("has", format_args!("{off} vertices whose weights do not sum to 1 (worst: {worst}), kept as stored"));
    }
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
