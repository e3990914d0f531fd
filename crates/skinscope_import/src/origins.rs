//! Records the locations of buffers, matrices and node members in the file. The other parts of
//! [`skinscope_model::Origins`] are recorded where they are read.

use std::ops::Range;

use gltf::json;
use skinscope_model::{BufferOrigin, BufferSource, NodeMembers};

use super::Reader;
use super::bytes::Owner;
use super::nodes::Nodes;
use super::uri::Resolver;

/// The storage of each buffer; `bin` is the range of the binary chunk in the file.
pub(super) fn buffers(
    root: &json::Root,
    bin: &Range<u64>,
    owners: &[Option<Owner>],
    resolver: &Resolver,
) -> Vec<BufferOrigin> {
    let origin = |(buffer, owner): (&json::Buffer, &Option<Owner>)| {
        let uri = buffer.uri.as_deref().unwrap_or_default();
        let source = match owner {
            None => BufferSource::GlbChunk { range: bin.clone() },
            Some(Owner::Nothing) => BufferSource::Unread,
            Some(_) => resolver.named_by(uri).map_or(BufferSource::DataUri, BufferSource::File),
        };
        BufferOrigin { length: buffer.byte_length.0, source }
    };
    root.buffers.iter().zip(owners).map(origin).collect()
}

/// The accessor of each skin's inverse bind matrices.
pub(super) fn skins(reader: &Reader) -> Vec<Option<usize>> {
    reader.root.skins.iter().map(|skin| skin.inverse_bind_matrices.map(|accessor| accessor.value())).collect()
}

/// The members of each node, in the order of the model.
pub(super) fn nodes(reader: &Reader, nodes: &Nodes) -> Vec<NodeMembers> {
    let members = |file: &u32| {
        let node = &reader.root.nodes[*file as usize];
        NodeMembers {
            matrix: node.matrix.is_some(),
            translation: node.translation.is_some(),
            rotation: node.rotation.is_some(),
            scale: node.scale.is_some(),
            weights: node.weights.is_some(),
            unnamed: node.name.as_ref().is_none_or(String::is_empty),
        }
    };
    nodes.skeleton.file_index.iter().map(members).collect()
}
