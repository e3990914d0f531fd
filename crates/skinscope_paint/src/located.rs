//! Reads objects of JSON, and says of what is wrong where it stands.

use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use skinscope_anim::pose::FileError;

/// The reason why a file of strokes cannot be carried out on a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StrokesError {
    /// The file cannot be read, or is no JSON; the message says why.
    #[error("{0}")]
    Unreadable(String),
    /// Something in the file is not what can stand there.
    #[error("{location}: {reason}")]
    Content {
        /// The number of the stroke and the key, such as `strokes[0].radius`.
        location: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A file with a pose cannot be read.
    #[error("{}: {error}", .file.display())]
    Pose {
        /// The file.
        file: PathBuf,
        /// The reason.
        error: FileError,
    },
}

/// Makes the error that what stands at a location is wrong.
pub(super) fn wrong(location: impl Into<String>, reason: impl ToString) -> StrokesError {
    StrokesError::Content { location: location.into(), reason: reason.to_string() }
}

/// Reads an object all of whose keys may be left out. The error names the key that is wrong.
pub(super) fn object<T: DeserializeOwned>(value: &Value, location: &str) -> Result<T, StrokesError> {
    let Value::Object(members) = value else {
        return Err(wrong(location, format!("expected an object, found {}", kind(value))));
    };
    let whole = match T::deserialize(value) {
        Ok(read) => return Ok(read),
        Err(why) => why,
    };
    // Each key alone is wrong or right.
    for (key, member) in members {
        let alone: Map<String, Value> = std::iter::once((key.clone(), member.clone())).collect();
        if let Err(why) = T::deserialize(&Value::Object(alone)) {
            return Err(wrong(format!("{location}.{key}"), why));
        }
    }
    Err(wrong(location, whole))
}

/// Describes the kind of a value in a few words.
pub(super) fn kind(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(value) => value.to_string(),
        Value::String(_) => "a text".to_owned(),
        Value::Array(list) => format!("a list of {}", list.len()),
        Value::Object(_) => "an object".to_owned(),
    }
}
