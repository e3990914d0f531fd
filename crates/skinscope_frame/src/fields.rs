//! Copies and compares frames, field by field.

use std::sync::Arc;

use skinscope_deform::{Method, Surface};

use super::{Compared, Frame};

/// Implements copying and comparison for all fields of [`Frame`], each of which is listed once; a missing field, or a
/// name that is none, does not compile. After `by` is the function that compares two values of a field, where `==` does
/// not.
macro_rules! fields {
    ($($field:ident $(by $is_same:expr)?),* $(,)?) => {
        impl Clone for Frame {
            fn clone(&self) -> Self {
                let mut out = Self::default();
                out.clone_from(self);
                out
            }

            /// Copies into the memory of this frame, since a frame is copied for every picture.
            fn clone_from(&mut self, from: &Self) {
                let Self { $($field),* } = from;
                $(self.$field.clone_from($field);)*
            }
        }

        impl Frame {
            /// Returns whether two frames make the same picture. Models, surfaces, marks and inspections count as the
            /// same only where they share memory.
            #[must_use]
            pub fn is_same_picture(&self, other: &Self) -> bool {
                let Self { $($field),* } = other;
                $(same!(self.$field, $field $(, $is_same)?))&&*
            }
        }
    };
}

macro_rules! same {
    ($a:expr, $b:expr) => {
        $a == *$b
    };
    ($a:expr, $b:expr, $is_same:expr) => {
        $is_same(&$a, $b)
    };
}

fields!(
    model by is_one,
    camera,
    method by is_one_method,
    parameters,
    needs_processor,
    deformer,
    surfaces by are_one,
    palettes,
    morph_weights,
    members,
    draws,
    variant,
    changes,
    lights,
    studio,
    environment by is_one,
    bones,
    lines,
    marked by Arc::ptr_eq,
    values by is_one,
    display,
    ghosts by are_alike,
    beside by are_alike,
    compared by is_compared_alike,
);

/// Returns whether both are the same in memory, or there is neither.
pub(super) fn is_one<T>(a: &Option<Arc<T>>, b: &Option<Arc<T>>) -> bool {
    a.as_ref().map(Arc::as_ptr) == b.as_ref().map(Arc::as_ptr)
}

fn is_one_method(a: &&'static Method, b: &&'static Method) -> bool {
    std::ptr::eq(*a, *b)
}

fn are_one(a: &[Arc<Surface>], b: &[Arc<Surface>]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| Arc::ptr_eq(a, b))
}

fn are_alike(a: &[Frame], b: &[Frame]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_same_picture(b))
}

fn is_compared_alike(a: &Option<Box<Compared>>, b: &Option<Box<Compared>>) -> bool {
    match (a.as_deref(), b.as_deref()) {
        (Some(a), Some(b)) => {
            let Compared { frame, layout } = b;
            a.frame.is_same_picture(frame) && a.layout == *layout
        }
        (a, b) => a.is_none() && b.is_none(),
    }
}
