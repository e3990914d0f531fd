//! Numbers of 64 bits as texts that are read back to the bit: those that a reader of JSON would round are texts.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A number of 64 bits.
#[derive(Clone, Copy, Debug)]
pub struct Exact(pub f64);

#[derive(Deserialize)]
#[serde(untagged)]
enum Form {
    Number(f64),
    Text(String),
}

impl Serialize for Exact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = self.0.to_string();
        let read = serde_json::from_str::<f64>(&text).ok();
        if read.map(f64::to_bits) == Some(self.0.to_bits()) {
            serializer.serialize_f64(self.0)
        } else {
            serializer.serialize_str(&text)
        }
    }
}

impl<'de> Deserialize<'de> for Exact {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Form::deserialize(deserializer)? {
            Form::Number(number) => Ok(Self(number)),
            Form::Text(text) => text.parse().map(Self).map_err(D::Error::custom),
        }
    }
}

/// Writes a number.
///
/// # Errors
/// Those of the serializer.
pub fn serialize<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    Exact(*number).serialize(serializer)
}

/// Reads a number.
///
/// # Errors
/// What is there is no number.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Exact::deserialize(deserializer).map(|exact| exact.0)
}
