//! Checked accessors: type, component type, stride, offset, count and range are checked before any element is read.

use std::collections::BTreeMap;

use bytemuck::Pod;
use gltf::json::accessor::{ComponentType, Type};
use gltf::json::validation::Checked;
use gltf::json::{self, Root};
use skinscope_base::math::largest_magnitude;
use skinscope_base::memory::prefer_large_pages;
use skinscope_base::words::counted;
use skinscope_model::{self as model, AccessorOrigin, ElementsOrigin, SparseOrigin};

use super::bytes::Bytes;
use super::element::{Format, component_of, element_of, element_size, format_name, last_size};
use super::error::Warnings;
use super::limits::Budget;
use super::view_bytes::View;
use super::{ImportError, Limits};

/// All buffer views of a file and the accessors into them, checked.
#[derive(Debug)]
pub(super) struct Store<'a> {
    views: &'a [View<'a>],
    accessors: Vec<Result<Accessor<'a>, Unusable>>,
    decoded: &'a Budget,
    /// The bytes that accessors without data in the file may still take.
    zeros: Budget,
}

/// Why an accessor cannot be read, which is an error where something needs it.
#[derive(Clone, Debug)]
pub(super) struct Unusable {
    /// The location in the file.
    pub location: String,
    /// What glTF 2.0 demands there.
    pub expected: String,
    /// What the file has.
    pub found: String,
}

impl Unusable {
    fn error(&self) -> ImportError {
        ImportError::invalid(&self.location, &self.expected, &self.found)
    }
}

/// An accessor whose bytes are known to exist: a list of elements of one type in a buffer.
#[derive(Clone, Debug)]
pub(super) struct Accessor<'a> {
    pub count: usize,
    pub component: ComponentType,
    pub kind: Type,
    pub normalized: bool,
    /// The stored elements; `None`: all are zero.
    base: Option<Strided<'a>>,
    sparse: Option<Sparse<'a>>,
}

/// Elements `stride` bytes apart; the last one ends inside `bytes`.
#[derive(Clone, Copy, Debug)]
struct Strided<'a> {
    bytes: Bytes<'a>,
    stride: usize,
    /// The location of the elements in the file; `None` for bytes that exist only in memory.
    origin: Option<ElementsOrigin>,
}

/// Elements that replace those of the base.
#[derive(Clone, Debug)]
struct Sparse<'a> {
    indices: Vec<u32>,
    values: Strided<'a>,
    origin: Option<SparseOrigin>,
}

/// The origin of an accessor that cannot be read.
fn no_origin() -> AccessorOrigin {
    AccessorOrigin {
        count: 0,
        element: model::ElementType::Scalar,
        component: model::ComponentType::U8,
        normalized: false,
        base: None,
        sparse: None,
    }
}

impl<'a> Store<'a> {
    /// Checks every accessor of `root` against the bytes that are there; those of `unknown` types are left out with a warning.
    pub(super) fn new(
        (root, unknown): (&Root, &BTreeMap<usize, Unusable>),
        views: &'a [View<'a>],
        limits: &Limits,
        decoded: &'a Budget,
        warnings: &Warnings,
    ) -> Result<Self, ImportError> {
        let zeros = Budget::new("the length of all zeros that have no bytes in the file", limits.zero_bytes);
        let mut store = Self { views, accessors: Vec::new(), decoded, zeros };
        for (i, accessor) in root.accessors.iter().enumerate() {
            let unusable = unknown.get(&i).cloned().or_else(|| store.without_data(i, accessor));
            if let Some(Unusable { location, expected, found }) = unknown.get(&i) {
                warnings.add(location, format!("has {found} and not {expected}; it was left out"));
            }
            let checked = match unusable {
                Some(unusable) => Err(unusable),
                None => Ok(store.check_accessor(i, accessor, root, warnings)?),
            };
            store.accessors.push(checked);
        }
        Ok(store)
    }

    /// The accessor with a file index.
    pub(super) fn accessor(
        &self,
        index: json::Index<json::Accessor>,
        location: &dyn Fn() -> String,
    ) -> Result<&Accessor<'a>, ImportError> {
        match self.accessors.get(index.value()) {
            Some(accessor) => accessor.as_ref().map_err(Unusable::error),
            None => {
                let (expected, found) =
                    (format!("an accessor below {}", self.accessors.len()), format!("accessor {}", index.value()));
                Err(ImportError::invalid(location(), expected, found))
            }
        }
    }

    /// Returns the buffer of a view where that has neither a URI nor data.
    pub(super) fn missing(&self, view: json::Index<json::buffer::View>) -> Option<usize> {
        match self.views.get(view.value()) {
            Some(View::Missing(buffer)) => Some(*buffer),
            _ => None,
        }
    }

    /// Returns why an accessor cannot be read whose buffer has no data; `None` where its buffers have.
    fn without_data(&self, index: usize, accessor: &json::Accessor) -> Option<Unusable> {
        let of_sparse = accessor.sparse.iter().flat_map(|s| [s.indices.buffer_view, s.values.buffer_view]);
        let buffer = accessor.buffer_view.into_iter().chain(of_sparse).find_map(|view| self.missing(view))?;
        let (location, expected) = (format!("accessor {index}"), format!("data in buffer {buffer}"));
        Some(Unusable { location, expected, found: "a buffer with neither a URI nor data".to_owned() })
    }

    /// The bytes of a buffer view; none where its buffer has no data ([`Store::missing`]).
    pub(super) fn view(
        &self,
        index: json::Index<json::buffer::View>,
        location: &dyn Fn() -> String,
    ) -> Result<Bytes<'a>, ImportError> {
        self.views.get(index.value()).map(View::bytes).ok_or_else(|| {
            let have = self.views.len();
            ImportError::invalid(location(), format!("a buffer view below {have}"), format!("view {}", index.value()))
        })
    }

    /// The location of each accessor in the file.
    pub(super) fn origins(&self) -> Vec<AccessorOrigin> {
        self.accessors.iter().map(|accessor| accessor.as_ref().map_or_else(|_| no_origin(), Accessor::origin)).collect()
    }

    /// Returns the list of `count` elements that starts at byte `offset` of a view.
    fn strided(
        &self,
        view: (json::Index<json::buffer::View>, u64),
        count: u64,
        (size, last, stride): (usize, usize, Option<usize>),
        location: &dyn Fn() -> String,
    ) -> Result<Strided<'a>, ImportError> {
        let bytes = self.view(view.0, location)?;
        let stride = stride.unwrap_or(size);
        if stride < size {
            return Err(ImportError::invalid(location(), format!("a stride of at least {size}"), stride.to_string()));
        }
        let needed = match count {
            0 => Some(0),
            n => (n - 1).checked_mul(stride as u64).and_then(|b| b.checked_add(last as u64)),
        };
        let found = needed.and_then(|needed| bytes.part(view.1, needed));
        let origin = Some(ElementsOrigin { view: view.0.value(), offset: view.1, stride });
        found.map(|bytes| Strided { bytes, stride, origin }).ok_or_else(|| {
            let wanted = needed.and_then(|n| n.checked_add(view.1));
            let wanted = wanted.map_or("more bytes".into(), |n| counted(n, "byte", "bytes"));
            let elements = counted(count, "element", "elements");
            let expected = format!("{wanted} for its {elements} in buffer view {}", view.0.value());
            ImportError::invalid(location(), expected, counted(bytes.len(), "byte", "bytes"))
        })
    }

    fn check_accessor(
        &self,
        index: usize,
        accessor: &json::Accessor,
        root: &Root,
        warnings: &Warnings,
    ) -> Result<Accessor<'a>, ImportError> {
        let location = || format!("accessor {index}");
        let (Checked::Valid(kind), Checked::Valid(component)) = (accessor.type_, accessor.component_type) else {
            let expected = "type SCALAR, VEC2…4 or MAT2…4 and a component type of glTF 2.0";
            return Err(ImportError::invalid(location(), expected, "another"));
        };
        let component = component.0;
        let (size, last) = (element_size(kind, component), last_size(kind, component));
        let count = accessor.count.0;
        if count == 0 {
            warnings.add(location(), "has no elements");
        }
        let offset = accessor.byte_offset.map_or(0, |o| o.0);
        let base = match accessor.buffer_view {
            None => None,
            Some(view) => {
                let described = root.buffer_views.get(view.value());
                let stride = described.and_then(|v| v.byte_stride).map(|s| s.0);
                let start = described.and_then(|v| v.byte_offset).map_or(0, |o| o.0).wrapping_add(offset);
                if !start.is_multiple_of(component_of(component).bytes() as u64) {
                    warnings.add(location(), format!("its bytes start at {start}, not aligned to its components"));
                }
                Some(self.strided((view, offset), count, (size, last, stride), &location)?)
            }
        };
        let sparse =
            accessor.sparse.as_ref().map(|s| self.check_sparse(index, s, count, (size, last), warnings)).transpose()?;
        let count = usize::try_from(count)
            .map_err(|_| ImportError::invalid(location(), "a count that fits memory", count.to_string()))?;
        Ok(Accessor { count, component, kind, normalized: accessor.normalized, base, sparse })
    }

    fn check_sparse(
        &self,
        index: usize,
        sparse: &json::accessor::sparse::Sparse,
        count: u64,
        (size, last): (usize, usize),
        warnings: &Warnings,
    ) -> Result<Sparse<'a>, ImportError> {
        let location = || format!("accessor {index}, sparse indices");
        let Checked::Valid(component) = sparse.indices.component_type else {
            return Err(ImportError::invalid(location(), "u8, u16 or u32", "another component type"));
        };
        let component = component.0;
        let width = component_of(component).bytes();
        let replaced = sparse.count.0;
        let from = (sparse.indices.buffer_view, sparse.indices.byte_offset.0);
        let raw = self.strided(from, replaced, (width, width, None), &location)?;
        self.decoded.charge(&location, replaced, 4)?;
        let bytes = raw.bytes.read()?;
        let indices: Vec<u32> = match component {
            ComponentType::U8 => bytes.iter().map(|b| u32::from(*b)).collect(),
            ComponentType::U16 => bytes.as_chunks().0.iter().map(|b| u32::from(u16::from_le_bytes(*b))).collect(),
            _ => bytes.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect(),
        };
        if let Some(outside) = indices.iter().find(|i| u64::from(**i) >= count) {
            return Err(ImportError::invalid(location(), format!("indices below {count}"), outside.to_string()));
        }
        if indices.windows(2).any(|w| w[0] >= w[1]) {
            warnings.add(location(), "do not rise strictly; later values win");
        }
        let values_location = || format!("accessor {index}, sparse values");
        let from = (sparse.values.buffer_view, sparse.values.byte_offset.0);
        let values = self.strided(from, replaced, (size, last, None), &values_location)?;
        let origin = raw.origin.zip(values.origin).map(|(at, values)| SparseOrigin {
            count: indices.len(),
            indices: at,
            index_type: component_of(component),
            values,
        });
        Ok(Sparse { indices, values, origin })
    }

    /// Reads elements of `N` components as floats into `T`, which must be `N` floats: normalised integers become
    /// 0…1 or −1…1, others their value. The caller has checked the type.
    pub(super) fn floats<T: Pod, const N: usize>(
        &self,
        accessor: &Accessor,
        location: &dyn Fn() -> String,
    ) -> Result<Vec<T>, ImportError> {
        self.floats_with_largest::<T, N>(accessor, location).map(|(list, _)| list)
    }

    /// Does the same as [`Self::floats`], and returns the largest magnitude of all of them too; it is infinite or NaN where one of them
    /// is not finite.
    pub(super) fn floats_with_largest<T: Pod, const N: usize>(
        &self,
        accessor: &Accessor,
        location: &dyn Fn() -> String,
    ) -> Result<(Vec<T>, f32), ImportError> {
        self.charge::<T>(accessor, location)?;
        if accessor.component == ComponentType::F32 && accessor.is_in_memory_form::<T>(N * 4) {
            let mut largest = 0;
            let mut look =
                |piece: &[T]| largest = largest_magnitude(bytemuck::cast_slice(piece)).to_bits().max(largest);
            let list = accessor.list_as_stored(&mut look)?;
            return Ok((list, f32::from_bits(largest)));
        }
        let list = self.converted::<T, N>(accessor)?;
        let largest = largest_magnitude(bytemuck::cast_slice(&list));
        Ok((list, largest))
    }

    fn converted<T: Pod, const N: usize>(&self, accessor: &Accessor) -> Result<Vec<T>, ImportError> {
        let divisor = |max: f32| if accessor.normalized { max } else { 1.0 };
        let (n8, n16) = (divisor(127.0), divisor(32767.0));
        let (p8, p16) = (divisor(255.0), divisor(65535.0));
        let floor = if accessor.normalized { -1.0 } else { f32::NEG_INFINITY };
        match accessor.component {
            ComponentType::F32 => accessor.list::<T, f32, N, 4>(f32::from_le_bytes),
            ComponentType::U8 => accessor.list::<T, f32, N, 1>(|[b]| f32::from(b) / p8),
            ComponentType::U16 => accessor.list::<T, f32, N, 2>(|b| f32::from(u16::from_le_bytes(b)) / p16),
            ComponentType::I8 => accessor.list::<T, f32, N, 1>(|b| (f32::from(i8::from_le_bytes(b)) / n8).max(floor)),
            ComponentType::I16 => {
                accessor.list::<T, f32, N, 2>(|b| (f32::from(i16::from_le_bytes(b)) / n16).max(floor))
            }
            ComponentType::U32 => accessor.list::<T, f32, N, 4>(|b| u32::from_le_bytes(b) as f32),
        }
    }

    /// Reads unsigned integers of any width into `T`, which must be `N` times u32.
    pub(super) fn integers<T: Pod, const N: usize>(
        &self,
        accessor: &Accessor,
        location: &dyn Fn() -> String,
    ) -> Result<Vec<T>, ImportError> {
        self.charge::<T>(accessor, location)?;
        match accessor.component {
            ComponentType::U8 => accessor.list::<T, u32, N, 1>(|[b]| u32::from(b)),
            ComponentType::U16 => accessor.list::<T, u32, N, 2>(|b| u32::from(u16::from_le_bytes(b))),
            ComponentType::U32 if accessor.is_in_memory_form::<T>(N * 4) => accessor.list_as_stored(|_| ()),
            ComponentType::U32 => accessor.list::<T, u32, N, 4>(u32::from_le_bytes),
            other => Err(ImportError::invalid(location(), "unsigned integers", component_of(other).name())),
        }
    }

    /// Reads unsigned integers of 8 or 16 bits into `T`, which must be `N` times u16.
    pub(super) fn shorts<T: Pod, const N: usize>(
        &self,
        accessor: &Accessor,
        location: &dyn Fn() -> String,
    ) -> Result<Vec<T>, ImportError> {
        self.charge::<T>(accessor, location)?;
        match accessor.component {
            ComponentType::U8 => accessor.list::<T, u16, N, 1>(|[b]| u16::from(b)),
            ComponentType::U16 if accessor.is_in_memory_form::<T>(N * 2) => accessor.list_as_stored(|_| ()),
            ComponentType::U16 => accessor.list::<T, u16, N, 2>(u16::from_le_bytes),
            other => Err(ImportError::invalid(location(), "u8 or u16", component_of(other).name())),
        }
    }

    /// Charges the memory of a list of `T` to the budget.
    fn charge<T>(&self, a: &Accessor, location: &dyn Fn() -> String) -> Result<(), ImportError> {
        if a.base.is_none() {
            self.zeros.charge(location, a.count as u64, size_of::<T>())?;
        }
        self.decoded.charge(location, a.count as u64, size_of::<T>())
    }
}

impl Accessor<'_> {
    /// Returns false where the file has no bytes for it: it is all zeros, or an extension would fill it.
    pub(super) fn is_stored(&self) -> bool {
        self.base.is_some() || self.sparse.is_some()
    }

    fn origin(&self) -> AccessorOrigin {
        AccessorOrigin {
            count: self.count,
            element: element_of(self.kind),
            component: component_of(self.component),
            normalized: self.normalized,
            base: self.base.and_then(|base| base.origin),
            sparse: self.sparse.as_ref().and_then(|sparse| sparse.origin).map(Box::new),
        }
    }

    /// Returns the same accessor with other bytes below its sparse elements: `count` elements, one after the other.
    pub(super) fn with_base<'b>(
        &'b self,
        bytes: Bytes<'b>,
        count: usize,
        location: &dyn Fn() -> String,
    ) -> Result<Accessor<'b>, ImportError> {
        let last = self.sparse.iter().flat_map(|s| &s.indices).max();
        if let Some(last) = last.filter(|last| **last as usize >= count) {
            return Err(ImportError::invalid(location(), format!("sparse indices below {count}"), last.to_string()));
        }
        let stride = element_size(self.kind, self.component);
        Ok(Accessor { count, base: Some(Strided { bytes, stride, origin: None }), ..self.clone() })
    }

    /// Returns whether elements of `size` bytes lie one after the other as they do in a list of `T`, so that their bytes need only be
    /// copied. Nothing replaces any of them.
    fn is_in_memory_form<T>(&self, size: usize) -> bool {
        let is_dense = self.base.is_some_and(|base| base.stride == size);
        cfg!(target_endian = "little") && size_of::<T>() == size && is_dense && self.sparse.is_none()
    }

    /// Reads all elements of an accessor that is in the form of `T`; `each` gets them piece by piece.
    fn list_as_stored<T: Pod>(&self, each: impl FnMut(&[T])) -> Result<Vec<T>, ImportError> {
        let mut out = Vec::with_capacity(self.count);
        prefer_large_pages(&mut out);
        if let Some(Strided { bytes, .. }) = self.base {
            bytes.append_to(&mut out, each)?;
        }
        out.resize(self.count, T::zeroed());
        Ok(out)
    }

    /// Reads all elements, `N` components of `W` bytes each, through `convert`. `T` is `N` times `C`.
    fn list<T: Pod, C: Pod, const N: usize, const W: usize>(
        &self,
        convert: impl Fn([u8; W]) -> C,
    ) -> Result<Vec<T>, ImportError> {
        let element = |slot: &mut [C], bytes: &[u8]| {
            for (value, part) in slot.iter_mut().zip(bytes.as_chunks::<W>().0) {
                *value = convert(*part);
            }
        };
        let mut out = Vec::with_capacity(self.count);
        prefer_large_pages(&mut out);
        if let Some(Strided { bytes, stride, .. }) = self.base {
            // The list is converted piece by piece: each of its pages is touched once, while it is in the cache.
            bytes.pieces(stride, |piece| {
                let start = out.len();
                // The last element may end before a full stride does.
                out.resize(start + piece.len().div_ceil(stride), T::zeroed());
                let flat = bytemuck::cast_slice_mut(&mut out[start..]);
                if stride == N * W {
                    element(flat, piece);
                } else {
                    flat.chunks_exact_mut(N).zip(piece.chunks(stride)).for_each(|(slot, bytes)| element(slot, bytes));
                }
            })?;
        }
        out.resize(self.count, T::zeroed());
        if let Some(sparse) = &self.sparse {
            let flat: &mut [C] = bytemuck::cast_slice_mut(&mut out);
            for (at, bytes) in sparse.indices.iter().zip(sparse.values.bytes.read()?.chunks_exact(N * W)) {
                element(&mut flat[*at as usize * N..][..N], bytes);
            }
        }
        Ok(out)
    }

    /// Returns an error unless type and component are among those allowed; `normalized` says what integers must be.
    pub(super) fn expect(
        &self,
        kinds: &[Type],
        formats: &[Format],
        location: &dyn Fn() -> String,
    ) -> Result<(), ImportError> {
        let fits =
            formats.iter().any(|f| f.component == self.component && f.normalized.is_none_or(|n| n == self.normalized));
        if kinds.contains(&self.kind) && fits {
            return Ok(());
        }
        let kinds: Vec<_> = kinds.iter().map(|k| element_of(*k).name()).collect();
        let formats: Vec<_> = formats.iter().map(|f| format_name(f.component, f.normalized == Some(true))).collect();
        let expected = format!("{} of {}", kinds.join(" or "), formats.join(", "));
        let found = format!("{} of {}", element_of(self.kind).name(), format_name(self.component, self.normalized));
        Err(ImportError::invalid(location(), expected, found))
    }
}
