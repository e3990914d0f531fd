//! The locations in the files of the numbers of a model, for code that writes changed numbers back.
//!
//! Nothing that draws or poses reads this. The model has every joint index, weight, matrix and key in the order in
//! which the file stores them, so that most locations are found by arithmetic:
//!
//! - Vertex `v` below [`super::Primitive::stored_vertices`] is element `v` of each of its accessors. The vertices after
//!   those are copies of the ones that [`super::Primitive::split_from`] names; the file does not have them.
//! - Slots `4 n` to `4 n + 3` of a vertex are the four components of `JOINTS_n` and `WEIGHTS_n`. No slot is left out,
//!   merged or moved, and there are as many sets as the file has.
//! - The model has the weights of the file, except those in [`super::Influences::not_finite`], and its joint indices,
//!   except those in [`super::Influences::out_of_range`]. Both lists have the values of the file.
//! - Inverse bind matrix `j` is element `j`. Its last row, and the matrices in [`super::Skin::not_finite`], are not in
//!   the model.
//! - Key `k` of a sampler is key [`SamplerOrigin::stored_key`] of its accessors. Rotations were normalised.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// The locations in the files of a model's numbers. Empty for a model that was not read from a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origins {
    /// The byte range of the JSON text in the opened file: all of a `.gltf`, the first chunk of a GLB.
    pub json: Range<u64>,
    /// The buffers, by their index in the file.
    pub buffers: Vec<BufferOrigin>,
    /// The buffer views, by their index in the file.
    pub views: Vec<ViewOrigin>,
    /// The accessors, by their index in the file.
    pub accessors: Vec<AccessorOrigin>,
    /// The locations of the primitives' influences: by mesh, then by primitive, as in the model (and in the file).
    pub primitives: Vec<Vec<PrimitiveOrigin>>,
    /// By skin: the accessor of its inverse bind matrices; `None` where the file stores none.
    pub skins: Vec<Option<usize>>,
    /// The members that each node of the model has in the file.
    pub nodes: Vec<NodeMembers>,
    /// The locations of the clips' keys.
    pub clips: Vec<ClipOrigin>,
}

/// A buffer of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferOrigin {
    /// Its `byteLength` in bytes; the file or chunk that contains it may be longer.
    pub length: u64,
    /// The storage of its bytes.
    pub source: BufferSource,
}

/// The storage of a buffer's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BufferSource {
    /// The binary chunk of the opened GLB.
    GlbChunk {
        /// The range of the chunk's bytes in the file, without its header of 8 bytes.
        range: Range<u64>,
    },
    /// A file of its own; byte 0 of the buffer is byte 0 of the file.
    File(PathBuf),
    /// A `data:` URI in the JSON text; byte 0 of the buffer is the first byte of what the URI decodes to.
    DataUri,
    /// No bytes were read: the buffer only states the length of the compressed views in it.
    Unread,
}

/// A buffer view of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewOrigin {
    /// Index of its buffer.
    pub buffer: usize,
    /// Its first byte, from the start of the buffer.
    pub offset: u64,
    /// Its length, bytes.
    pub length: u64,
    /// The stream that its bytes are decoded from; `None` where the view is not compressed.
    pub meshopt: Option<Box<MeshoptStream>>,
}

/// A compressed buffer view (`EXT_meshopt_compression`, `KHR_meshopt_compression`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeshoptStream {
    /// The name of the extension in the view.
    pub extension: &'static str,
    /// Index of the buffer that holds the stream.
    pub buffer: usize,
    /// The first byte of the stream, from the start of that buffer.
    pub offset: u64,
    /// The length of the stream, bytes.
    pub length: u64,
    /// The mode as the file names it, such as `ATTRIBUTES`.
    pub mode: &'static str,
    /// The filter as the file names it, such as `NONE`.
    pub filter: &'static str,
    /// The stride of the decoded elements, bytes.
    pub stride: usize,
    /// The number of decoded elements.
    pub count: usize,
}

/// The type of an accessor's components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum ComponentType {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl ComponentType {
    /// Returns the size of a component, bytes.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// Returns the short name of the type, such as `u8`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::I8 => "i8",
            Self::U8 => "u8",
            Self::I16 => "i16",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::F32 => "f32",
        }
    }
}

/// The type of an accessor's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of glTF 2.0")]
pub enum ElementType {
    Scalar,
    Vec2,
    Vec3,
    Vec4,
    Mat2,
    Mat3,
    Mat4,
}

impl ElementType {
    /// Returns the name in the file, such as `VEC3`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scalar => "SCALAR",
            Self::Vec2 => "VEC2",
            Self::Vec3 => "VEC3",
            Self::Vec4 => "VEC4",
            Self::Mat2 => "MAT2",
            Self::Mat3 => "MAT3",
            Self::Mat4 => "MAT4",
        }
    }

    /// Returns the size of an element, bytes; the columns of a matrix start at multiples of four bytes (glTF 2.0,
    /// 3.6.2.4).
    #[must_use]
    pub fn bytes(self, component: ComponentType) -> usize {
        let size = component.bytes();
        let column = |rows: usize| (rows * size).next_multiple_of(4);
        match self {
            Self::Scalar => size,
            Self::Vec2 => 2 * size,
            Self::Vec3 => 3 * size,
            Self::Vec4 => 4 * size,
            Self::Mat2 => 2 * column(2),
            Self::Mat3 => 3 * column(3),
            Self::Mat4 => 4 * column(4),
        }
    }
}

/// An accessor of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessorOrigin {
    /// The number of elements that the file states. An attribute that is decoded from a Draco stream has
    /// [`DracoStream::vertices`] elements.
    pub count: usize,
    /// The type of an element.
    pub element: ElementType,
    /// The type of a component.
    pub component: ComponentType,
    /// Whether integers represent numbers of 0…1 or −1…1 (glTF 2.0, 3.6.2.2).
    pub normalized: bool,
    /// The location of its elements; `None`: all are zero, or they are in a Draco stream.
    pub base: Option<ElementsOrigin>,
    /// The elements that replace those of the base.
    pub sparse: Option<Box<SparseOrigin>>,
}

/// A list of elements in a buffer view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElementsOrigin {
    /// Index of the view.
    pub view: usize,
    /// The first byte of element 0, from the start of the view (or of what it decodes to, where it is compressed).
    pub offset: u64,
    /// The distance from one element to the next, bytes.
    pub stride: usize,
}

/// The sparse elements of an accessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SparseOrigin {
    /// How many elements are replaced.
    pub count: usize,
    /// The list of the indices of replaced elements, of type `index_type`.
    pub indices: ElementsOrigin,
    /// The type of the indices.
    pub index_type: ComponentType,
    /// The list of the replacing elements, in the type of the accessor.
    pub values: ElementsOrigin,
}

/// The location of the bytes of one element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ByteLocation {
    /// The bytes are in a buffer as they are.
    Buffer {
        /// Index of the buffer.
        buffer: usize,
        /// The bytes, from the start of the buffer.
        range: Range<u64>,
    },
    /// The bytes are in a decoded view ([`ViewOrigin::meshopt`]).
    Decoded {
        /// Index of the view.
        view: usize,
        /// The bytes, from the start of the decoded view.
        range: Range<u64>,
    },
}

/// The location of a primitive's influences in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrimitiveOrigin {
    /// The `JOINTS_n` and `WEIGHTS_n` accessors, by `n`; empty where the primitive has no influences in the model.
    pub sets: Vec<SetOrigin>,
    /// The stream of `KHR_draco_mesh_compression`; `None` where the primitive has none.
    pub draco: Option<DracoStream>,
}

/// A `JOINTS_n` with its `WEIGHTS_n`, which are `/meshes/M/primitives/P/attributes/…` in the JSON text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetOrigin {
    /// The location of `JOINTS_n`.
    pub joints: AttributeOrigin,
    /// The location of `WEIGHTS_n`.
    pub weights: AttributeOrigin,
}

/// The location of a primitive's attribute in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttributeOrigin {
    /// Index of its accessor, which several primitives may share.
    pub accessor: usize,
    /// The id of the attribute in the primitive's Draco stream, where its elements were decoded from that instead of
    /// the base of the accessor. The accessor still states their type, and its sparse elements replace some of them.
    pub draco: Option<u32>,
}

/// A Draco stream of a primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DracoStream {
    /// Index of the buffer view that is the stream.
    pub view: usize,
    /// The number of vertices in the stream, which are in the order of the model; `None` where it could not be decoded,
    /// so that the uncompressed data of the accessors was read.
    pub vertices: Option<usize>,
}

/// The members that a node has in the file, `/nodes/N/…` with N from [`super::Skeleton::file_index`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of glTF 2.0")]
pub struct NodeMembers {
    /// The node has a `matrix`, which excludes translation, rotation and scale.
    pub matrix: bool,
    pub translation: bool,
    pub rotation: bool,
    pub scale: bool,
    /// The node has morph weights of its own; without them those of the mesh apply.
    pub weights: bool,
    /// The node has no name, or an empty one; import invented the name in [`super::Skeleton::names`].
    pub unnamed: bool,
}

impl NodeMembers {
    /// Returns the names of the members that the node has, except its own name.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let Self { matrix, translation, rotation, scale, weights, unnamed: _ } = self;
        let all = [
            (matrix, "matrix"),
            (translation, "translation"),
            (rotation, "rotation"),
            (scale, "scale"),
            (weights, "weights"),
        ];
        all.into_iter().filter_map(|(is_there, name)| is_there.then_some(name))
    }
}

/// The location of a clip's keys in the file. The clip has the index of its animation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClipOrigin {
    /// The locations of the samplers, by index in [`super::Clip::samplers`].
    pub samplers: Vec<SamplerOrigin>,
    /// For each of [`super::Clip::channels`]: the index of the channel in its animation.
    pub channels: Vec<usize>,
    /// For each of [`super::Clip::properties`]: the index of the channel in its animation.
    pub properties: Vec<usize>,
}

/// The location of a sampler's keys in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SamplerOrigin {
    /// The index of the sampler in its animation.
    pub sampler: usize,
    /// The accessor of the key times.
    pub input: usize,
    /// The accessor of the values: as many elements for each key as [`super::Values`] says.
    pub output: usize,
    /// The indices in the file of the keys that the model has, rising; `None`: the model has all of them. Where two
    /// keys have one time, the first has in the model the largest f32 time before it.
    pub kept: Option<Arc<[u32]>>,
}

impl SamplerOrigin {
    /// Returns the index in the file of key `key` of the model.
    #[must_use]
    pub fn stored_key(&self, key: usize) -> usize {
        self.kept.as_ref().and_then(|kept| kept.get(key)).map_or(key, |stored| *stored as usize)
    }
}

impl Origins {
    /// Returns the location of element `index` of an accessor, regardless of sparse elements; `None` where the file has
    /// no bytes for it.
    #[must_use]
    pub fn element(&self, accessor: usize, index: usize) -> Option<ByteLocation> {
        let AccessorOrigin { count, element, component, base, .. } = self.accessors.get(accessor)?;
        let size = element.bytes(*component);
        base.as_ref().filter(|_| index < *count).and_then(|base| self.location(base, size, index))
    }

    /// Returns the locations of entry `index` of an accessor's sparse elements: first that of the index, then that of
    /// the value; `None` where there are none.
    #[must_use]
    pub fn sparse_entry(&self, accessor: usize, index: usize) -> Option<(ByteLocation, ByteLocation)> {
        let AccessorOrigin { element, component, sparse, .. } = self.accessors.get(accessor)?;
        let sparse = sparse.as_ref().filter(|s| index < s.count)?;
        let which = self.location(&sparse.indices, sparse.index_type.bytes(), index)?;
        Some((which, self.location(&sparse.values, element.bytes(*component), index)?))
    }

    /// Returns the location of element `index` of a list whose elements have `size` bytes. It does not check the length
    /// of the list; `None` where the view does not exist.
    #[must_use]
    pub fn location(&self, list: &ElementsOrigin, size: usize, index: usize) -> Option<ByteLocation> {
        let view = self.views.get(list.view)?;
        let start = list.offset.checked_add((index as u64).checked_mul(list.stride as u64)?)?;
        let end = start.checked_add(size as u64)?;
        if view.meshopt.is_some() {
            return Some(ByteLocation::Decoded { view: list.view, range: start..end });
        }
        Some(ByteLocation::Buffer {
            buffer: view.buffer,
            range: view.offset.checked_add(start)?..view.offset.checked_add(end)?,
        })
    }
}
