//! Serde forms of types of other crates: vectors and quaternions of glam, and `Arc`. Fields name them by `#[serde(with
//! = …)]`.

use std::sync::Arc;

use glam::{Quat, Vec2, Vec3};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value that is serialized as the list of its numbers.
pub trait Numbers: Copy {
    /// The type of the list, such as `[f32; 3]`.
    type List: Serialize + DeserializeOwned;

    /// Returns the numbers of the value, in the order of its components.
    fn list(self) -> Self::List;

    /// Makes a value of its numbers.
    fn of(list: Self::List) -> Self;
}

macro_rules! numbers {
    ($($value:ident $count:literal),*) => {$(
        impl Numbers for $value {
            type List = [f32; $count];

            fn list(self) -> Self::List {
                self.to_array()
            }

            fn of(list: Self::List) -> Self {
                Self::from_array(list)
            }
        }
    )*};
}

// A quaternion is x, y, z, w.
numbers!(Vec2 2, Vec3 3, Quat 4);

/// A value that is serialized as the list of its numbers, for values in lists, where no field can name a form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plain<V>(pub V);

impl<V: Numbers> Serialize for Plain<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.list().serialize(serializer)
    }
}

impl<'de, V: Numbers> Deserialize<'de> for Plain<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        V::List::deserialize(deserializer).map(|list| Self(V::of(list)))
    }
}

/// Vectors and quaternions, as lists of their numbers.
pub mod vector {
    use super::{Deserialize, Deserializer, Numbers, Plain, Serialize, Serializer};

    /// Writes the value.
    ///
    /// # Errors
    /// What is written to takes no more.
    pub fn serialize<V: Numbers, S: Serializer>(value: &V, serializer: S) -> Result<S::Ok, S::Error> {
        Plain(*value).serialize(serializer)
    }

    /// Reads the value.
    ///
    /// # Errors
    /// The text has something else at this position.
    pub fn deserialize<'de, V: Numbers, D: Deserializer<'de>>(deserializer: D) -> Result<V, D::Error> {
        Plain::deserialize(deserializer).map(|plain| plain.0)
    }
}

/// The form of an `Arc` that is the form of the value within it.
pub mod shared {
    use super::{Arc, Deserialize, Deserializer, Serialize, Serializer};

    /// Writes the value.
    ///
    /// # Errors
    /// What is written to takes no more.
    pub fn serialize<T: Serialize, S: Serializer>(value: &Arc<T>, serializer: S) -> Result<S::Ok, S::Error> {
        T::serialize(value, serializer)
    }

    /// Reads the value; nobody else owns it yet.
    ///
    /// # Errors
    /// The text has something else at this position.
    pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<T>, D::Error> {
        T::deserialize(deserializer).map(Arc::new)
    }
}
