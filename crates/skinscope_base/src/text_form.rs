//! Text forms of values that serde does not know here: those of glam, and those that are shared. They are named by `#[serde(with = …)]`.

use std::sync::Arc;

use glam::{Quat, Vec2, Vec3};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value that is a list of numbers in a text.
pub trait Numbers: Copy {
    /// The list.
    type List: Serialize + DeserializeOwned;

    /// Returns the numbers of a value.
    fn list(self) -> Self::List;

    /// Returns the value of these numbers.
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

/// A value that is written as its numbers, for values that lie in lists.
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

/// A value that several may own, as the value.
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
