//! Numbers of 32 bits as session files hold them.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A number of 32 bits that is finite. It is written with enough digits to be read back to the bit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Number(pub f32);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // JSON has no other numbers.
        let value = if self.0.is_finite() { self.0 } else { 0.0 };
        let short = serde_json::from_str::<f64>(&format!("{value:?}")).map(|wide| (wide as f32).to_bits());
        if short.ok() == Some(value.to_bits()) {
            serializer.serialize_f32(value)
        } else {
            serializer.serialize_f64(value.into())
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = f64::deserialize(deserializer)? as f32;
        if value.is_finite() {
            Ok(Self(value))
        } else {
            Err(D::Error::custom("expected a number that 32 bits can hold"))
        }
    }
}

/// Returns the numbers of a list.
pub(crate) fn numbers<const N: usize>(values: [f32; N]) -> [Number; N] {
    values.map(Number)
}

/// Returns the values of a list of numbers.
pub(crate) fn values<const N: usize>(numbers: [Number; N]) -> [f32; N] {
    numbers.map(|number| number.0)
}
