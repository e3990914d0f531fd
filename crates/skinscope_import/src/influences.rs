//! Reads `JOINTS_n` and `WEIGHTS_n`: any number of sets, weights as stored.

use gltf::json::accessor::{ComponentType, Type};
use gltf::json::mesh::Semantic;
use gltf::json::validation::Checked;
use skinscope_base::math::largest_magnitude;
use skinscope_base::words::counted;
use skinscope_model::{
    AttributeOrigin, Influences, InfluencesRef, Mesh, MeshId, Model, NotFinite, OutOfRange, Primitive, SetOrigin,
    WeightFormat,
};

use super::attributes::PrimitiveSource;
use super::element::{Format, format};
use super::{ImportError, Reader, Warning};

const JOINTS: &[Format] = &[format::U8, format::U16];
const WEIGHTS: &[Format] = &[format::F32, format::U8_UNIT, format::U16_UNIT];

/// Reads all sets of a primitive; `None` where it has none.
pub(super) fn read(source: &PrimitiveSource, vertices: usize) -> Result<Option<Influences>, ImportError> {
    let sets = count_sets(source)?;
    if sets == 0 {
        return Ok(None);
    }
    let (mut lists, mut formats) = (Vec::with_capacity(sets), Vec::with_capacity(sets));
    for set in 0..sets as u32 {
        let (indices, values, stored) = read_set(source, set, vertices)?;
        formats.push(stored);
        lists.push((indices, values));
    }
    let format = formats.iter().copied().max().unwrap_or_default();
    if formats.iter().all(|f| *f == format) {
        formats = Vec::new();
    }
    let per_vertex = sets * 4;
    let (joints, weights) = if sets == 1 {
        let (indices, values) = lists.remove(0);
        (indices.into_flattened(), values.into_flattened())
    } else {
        let total = (vertices as u64).saturating_mul(per_vertex as u64);
        source.reader.decoded.charge(&|| source.location(), total, size_of::<u16>() + size_of::<f32>())?;
        let of_vertex = 0..vertices;
        let joints = of_vertex.clone().flat_map(|v| lists.iter().flat_map(move |l| l.0[v])).collect();
        (joints, of_vertex.flat_map(|v| lists.iter().flat_map(move |l| l.1[v])).collect())
    };
    let mut out = Influences { per_vertex, joints, weights, format, formats, ..Influences::default() };
    take_not_finite(source, &mut out)?;
    let negative = out.weights.iter().filter(|weight| **weight < 0.0).count();
    // What is said of the first list that has these weights is said of this one too.
    let doubts = source.repeats.is_none().then(|| doubts(out.as_stored(), vertices, negative));
    for message in doubts.into_iter().flatten().flatten() {
        source.reader.warnings.add(source.location(), message);
    }
    Ok(Some(out))
}

/// The locations in the file of the sets of a primitive that [`read`] has read.
pub(super) fn origins(source: &PrimitiveSource, read: &Influences) -> Vec<SetOrigin> {
    let attribute = |semantic: Semantic| {
        let draco = source.unpacked.as_ref().and_then(|unpacked| unpacked.ids.get(&semantic).copied());
        let accessor = source.primitive.attributes.get(&Checked::Valid(semantic))?.value();
        Some(AttributeOrigin { accessor, draco })
    };
    let set = |n: u32| {
        let (joints, weights) = (attribute(Semantic::Joints(n))?, attribute(Semantic::Weights(n))?);
        Some(SetOrigin { joints, weights })
    };
    (0..read.per_vertex as u32 / 4).filter_map(set).collect()
}

/// `JOINTS_n` and `WEIGHTS_n` of one `n`, and how the file stores the weights.
type Set = (Vec<[u16; 4]>, Vec<[f32; 4]>, WeightFormat);

fn read_set(source: &PrimitiveSource, n: u32, vertices: usize) -> Result<Set, ImportError> {
    let store = source.reader.store;
    let location = || format!("{}, JOINTS_{n}", source.location());
    let missing =
        || ImportError::invalid(source.location(), "JOINTS_n and WEIGHTS_n in pairs", "one without the other");
    let joints = source.attribute(Semantic::Joints(n), vertices)?.ok_or_else(missing)?;
    joints.expect(&[Type::Vec4], JOINTS, &location)?;
    let indices = store.shorts::<[u16; 4], 4>(joints, &location)?;
    let location = || format!("{}, WEIGHTS_{n}", source.location());
    let weights = source.attribute(Semantic::Weights(n), vertices)?.ok_or_else(missing)?;
    weights.expect(&[Type::Vec4], WEIGHTS, &location)?;
    let format = match weights.component {
        ComponentType::U8 => WeightFormat::U8,
        ComponentType::U16 => WeightFormat::U16,
        _ => WeightFormat::F32,
    };
    Ok((indices, store.floats::<[f32; 4], 4>(weights, &location)?, format))
}

/// Returns the number of sets, which must be numbered from zero without a gap and come in pairs.
fn count_sets(source: &PrimitiveSource) -> Result<usize, ImportError> {
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
    Err(ImportError::invalid(source.location(), "JOINTS_n and WEIGHTS_n in pairs, numbered from 0", found))
}

/// Sets weights that are not finite to zero, and keeps a list of the stored values.
fn take_not_finite(source: &PrimitiveSource, influences: &mut Influences) -> Result<(), ImportError> {
    let Influences { per_vertex, weights, not_finite, .. } = influences;
    if largest_magnitude(weights).is_finite() {
        return Ok(());
    }
    let bad = weights.iter().filter(|w| !w.is_finite()).count();
    source.reader.decoded.charge(&|| source.location(), bad as u64, size_of::<NotFinite>())?;
    not_finite.reserve_exact(bad);
    for (at, weight) in weights.iter_mut().enumerate().filter(|(_, w)| !w.is_finite()) {
        let (vertex, slot) = ((at / *per_vertex) as u32, (at % *per_vertex) as u32);
        not_finite.push(NotFinite { vertex, slot, value: std::mem::take(weight) });
    }
    Ok(())
}

/// Says what is odd about the weights of a primitive: those that are not finite, negative ones, and sums that are not one; `None` where
/// nothing is. Nothing is renormalised.
fn doubts(read: InfluencesRef<'_>, vertices: usize, negative: usize) -> [Option<String>; 3] {
    let not_finite = Some(read.not_finite.len()).filter(|n| *n > 0);
    let (mut off, mut least, mut most) = (0_usize, f64::INFINITY, f64::NEG_INFINITY);
    for vertex in (0..vertices).filter(|v| !read.sums_to_one(*v)) {
        let sum = read.sum(vertex);
        (off, least, most) = (off + 1, least.min(sum), most.max(sum));
    }
    let uneven = (off > 0).then(|| {
        let (have, sums) = (if off == 1 { "has" } else { "have" }, range(least, most));
        let all = counted(vertices, "vertex", "vertices");
        format!("{off} of {all} {have} weights that do not sum to one ({sums}); drawn as stored unless normalised")
    });
    [
        not_finite.map(|n| format!("has {} not finite; read as 0", counted(n, "weight that is", "weights that are"))),
        Some(negative)
            .filter(|n| *n > 0)
            .map(|n| format!("has {}, kept as stored", counted(n, "negative weight", "negative weights"))),
        uneven,
    ]
}

/// Returns the warnings that import would give about the current weights of `model`, edits included: for each primitive
/// with weights three entries (weights that are not finite, negative weights, sums that are not one), each `None` where
/// there is no such weight. Two models of one file have the same primitives, so that their lists can be compared.
#[must_use]
pub fn weight_warnings(model: &Model) -> Vec<Option<Warning>> {
    let mut out = Vec::new();
    for (m, mesh) in model.meshes.iter().enumerate() {
        for (p, primitive) in mesh.primitives.iter().enumerate() {
            let Some(influences) = model.influences(MeshId::from_index(m), p) else { continue };
            let id = MeshId::from_index(m);
            let of_file = model.file_mesh(id).0;
            let warning = |message: String| Warning { location: format!("mesh {of_file}, primitive {p}"), message };
            // What is said of the mesh of the file is said of this one too, and so is what is said of the first list that has these weights.
            if model.is_repeated(id) || primitive.repeats.is_some() {
                out.extend([const { None }; 3]);
                continue;
            }
            let vertices = 0..primitive.stored_vertices;
            let negative = |vertex| influences.of(vertex).1.iter().filter(|weight| **weight < 0.0).count();
            let negative = vertices.map(negative).sum();
            out.extend(doubts(influences, primitive.stored_vertices, negative).map(|doubt| doubt.map(warning)));
        }
    }
    out
}

/// Writes a range with as few digits as are needed to tell both ends from one.
fn range(least: f64, most: f64) -> String {
    let nearest = [least, most].into_iter().map(|s| (s - 1.0).abs()).fold(f64::INFINITY, f64::min);
    let digits = if nearest >= 0.005 || nearest == 0.0 { 2 } else { (-nearest.log10()).ceil() as usize };
    let text = |sum: f64| if sum.abs() < 1e6 { format!("{sum:.digits$}") } else { format!("{sum:.2e}") };
    let (least, most) = (text(least), text(most));
    if least == most { least } else { format!("{least} to {most}") }
}

/// Checks the joint indices of a mesh against the smallest of its skins; `skin` names it. Pairs with weight 0 move
/// nothing: their joints become 0 where they are out of range, and [`Influences::out_of_range`] lists the stored
/// indices.
pub(super) fn check_joints(
    reader: &Reader,
    mesh: &mut Mesh,
    (index, skin, joint_count): (usize, usize, usize),
) -> Result<(), ImportError> {
    for (p, Primitive { stored_influences, stored_vertices, .. }) in mesh.primitives.iter_mut().enumerate() {
        let Some(influences) = stored_influences else { continue };
        if influences.as_stored().joints_needed() <= joint_count {
            continue;
        }
        let location = || format!("mesh {index}, primitive {p}");
        let Influences { per_vertex, joints, weights, out_of_range, .. } = influences;
        let beyond = |joint: u16| usize::from(joint) >= joint_count;
        let mut pairs = joints.iter().zip(weights.iter()).enumerate();
        if let Some((at, (joint, weight))) = pairs.find(|(_, (joint, weight))| beyond(**joint) && **weight != 0.0) {
            let location = format!("{}, vertex {}", location(), at / *per_vertex);
            let expected = format!("joints below {joint_count}, as skin {skin} has them");
            return Err(ImportError::invalid(location, expected, format!("joint {joint} with weight {weight}")));
        }
        // Vertices that were split off come after those of the file, and are not listed.
        let (stored, split) = joints.split_at_mut(*stored_vertices * *per_vertex);
        let cleared = stored.iter().filter(|joint| beyond(**joint)).count();
        reader.decoded.charge(&location, cleared as u64, size_of::<OutOfRange>())?;
        out_of_range.reserve_exact(cleared);
        for (at, joint) in stored.iter_mut().enumerate().filter(|(_, joint)| beyond(**joint)) {
            let (vertex, slot) = ((at / *per_vertex) as u32, (at % *per_vertex) as u32);
            out_of_range.push(OutOfRange { vertex, slot, joint: std::mem::take(joint) });
        }
        split.iter_mut().filter(|joint| beyond(**joint)).for_each(|joint| *joint = 0);
        let numbers = match cleared {
            1 => format!("1 joint number beyond skin {skin} has"),
            n => format!("{n} joint numbers beyond skin {skin} have"),
        };
        let text = format!("{numbers} weight 0; read as joint 0");
        reader.warnings.add(location(), text);
    }
    Ok(())
}
