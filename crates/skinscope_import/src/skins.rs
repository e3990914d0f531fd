//! Reads skins: joints and their inverse bind matrices.

use glam::{Affine3A, Mat4};
use gltf::json;
use gltf::json::accessor::Type;
use skinscope_base::words::counted;
use skinscope_model::{NodeId, Skin};

use super::element::format;
use super::nodes::{Nodes, affine};
use super::{ImportError, Reader};

/// Reads all skins, in file order.
pub(super) fn read(reader: &Reader, nodes: &Nodes) -> Result<Vec<Skin>, ImportError> {
    reader.root.skins.iter().enumerate().map(|(i, skin)| read_skin(reader, nodes, i, skin)).collect()
}

fn read_skin(reader: &Reader, nodes: &Nodes, index: usize, skin: &json::Skin) -> Result<Skin, ImportError> {
    let location = || format!("skin {index}");
    if skin.joints.is_empty() {
        return Err(ImportError::invalid(location(), "one joint at least", "none"));
    }
    reader.decoded.charge(&location, skin.joints.len() as u64, size_of::<Affine3A>())?;
    let joints: Vec<NodeId> = skin.joints.iter().map(|j| nodes.id(*j, &location)).collect::<Result<_, _>>()?;
    let mut sorted = joints.clone();
    sorted.sort_unstable();
    if let Some(twice) = sorted.windows(2).find(|w| w[0] == w[1]) {
        let name = &nodes.skeleton.names[twice[0].index()];
        reader.warnings.add(location(), format!("lists joint {} more than once", super::error::quoted(name)));
    }
    let root = skin.skeleton.map(|s| nodes.id(s, &location)).transpose()?;
    let (inverse_bind, not_finite) = inverse_bind(reader, index, skin)?;
    let name = skin.name.clone().unwrap_or_default();
    let binds_missing = skin.inverse_bind_matrices.is_none();
    Ok(Skin { name, joints, inverse_bind, binds_missing, not_finite, root, far: None })
}

/// Returns a matrix for each joint, and the numbers of those that replace matrices that are not finite.
fn inverse_bind(reader: &Reader, index: usize, skin: &json::Skin) -> Result<(Vec<Affine3A>, Vec<usize>), ImportError> {
    let count = skin.joints.len();
    let Some(accessor) = skin.inverse_bind_matrices else {
        return Ok((vec![Affine3A::IDENTITY; count], Vec::new()));
    };
    let location = || format!("skin {index}, inverse bind matrices");
    let accessor = reader.store.accessor(accessor, &location)?;
    accessor.expect(&[Type::Mat4], &[format::F32], &location)?;
    if accessor.count < count {
        return Err(ImportError::invalid(
            location(),
            format!("one for each of {}", counted(count, "joint", "joints")),
            accessor.count.to_string(),
        ));
    }
    if accessor.count > count {
        let extra = counted(accessor.count - count, "more than joints, which was", "more than joints, which were");
        reader.warnings.add(location(), format!("has {extra} ignored"));
    }
    let matrices: Vec<Mat4> = reader.store.floats::<Mat4, 16>(accessor, &location)?;
    let joint = |(j, m): (usize, &Mat4)| {
        let location = || format!("skin {index}, joint {j}");
        if m.is_finite() {
            return affine(m, "what this joint moves is flat", &location, reader.warnings);
        }
        reader.warnings.add(location(), "has an inverse bind matrix that is not finite; read as the identity");
        Ok(Affine3A::IDENTITY)
    };
    let not_finite: Vec<usize> = (0..count).filter(|j| !matrices[*j].is_finite()).collect();
    reader.decoded.charge(&location, not_finite.len() as u64, size_of::<usize>())?;
    let read = matrices.iter().take(count).enumerate().map(joint).collect::<Result<_, _>>()?;
    Ok((read, not_finite))
}
