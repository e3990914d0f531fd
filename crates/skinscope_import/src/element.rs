//! Elements of accessors: their types, sizes and formats.

use gltf::json::accessor::{ComponentType, Type};
use skinscope_model as model;

/// Converts a component type to that of the model.
pub(super) const fn component_of(component: ComponentType) -> model::ComponentType {
    match component {
        ComponentType::I8 => model::ComponentType::I8,
        ComponentType::U8 => model::ComponentType::U8,
        ComponentType::I16 => model::ComponentType::I16,
        ComponentType::U16 => model::ComponentType::U16,
        ComponentType::U32 => model::ComponentType::U32,
        ComponentType::F32 => model::ComponentType::F32,
    }
}

/// Converts an element type to that of the model.
pub(super) const fn element_of(kind: Type) -> model::ElementType {
    match kind {
        Type::Scalar => model::ElementType::Scalar,
        Type::Vec2 => model::ElementType::Vec2,
        Type::Vec3 => model::ElementType::Vec3,
        Type::Vec4 => model::ElementType::Vec4,
        Type::Mat2 => model::ElementType::Mat2,
        Type::Mat3 => model::ElementType::Mat3,
        Type::Mat4 => model::ElementType::Mat4,
    }
}

/// Returns the bytes of an element.
pub(super) fn element_size(kind: Type, component: ComponentType) -> usize {
    element_of(kind).bytes(component_of(component))
}

/// Returns how many bytes an element needs where no other follows: the last column of a matrix needs no padding then.
pub(super) fn last_size(kind: Type, component: ComponentType) -> usize {
    let rows = match kind {
        Type::Mat2 => 2,
        Type::Mat3 => 3,
        _ => return element_size(kind, component),
    };
    let column = rows * component_of(component).bytes();
    element_size(kind, component) - (column.next_multiple_of(4) - column)
}

/// Returns what people call a component type.
pub(super) fn format_name(component: ComponentType, normalized: bool) -> String {
    format!("{}{}", if normalized { "normalized " } else { "" }, component_of(component).name())
}

/// A component type that an attribute may have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Format {
    pub component: ComponentType,
    /// Whether integers must be normalised; `None`: either way.
    pub normalized: Option<bool>,
}

/// Shorthands for lists of [`Format`].
pub(super) mod format {
    use super::{ComponentType, Format};

    const fn of(component: ComponentType, normalized: Option<bool>) -> Format {
        Format { component, normalized }
    }
    pub const F32: Format = of(ComponentType::F32, None);
    pub const U8: Format = of(ComponentType::U8, Some(false));
    pub const U16: Format = of(ComponentType::U16, Some(false));
    pub const U32: Format = of(ComponentType::U32, Some(false));
    pub(crate) const U8_UNIT: Format = of(ComponentType::U8, Some(true));
    pub(crate) const U16_UNIT: Format = of(ComponentType::U16, Some(true));
    pub(crate) const I8_UNIT: Format = of(ComponentType::I8, Some(true));
    pub(crate) const I16_UNIT: Format = of(ComponentType::I16, Some(true));
    pub(crate) const I8_ANY: Format = of(ComponentType::I8, None);
    pub(crate) const I16_ANY: Format = of(ComponentType::I16, None);
    pub(crate) const U8_ANY: Format = of(ComponentType::U8, None);
    pub(crate) const U16_ANY: Format = of(ComponentType::U16, None);
}
