//! Text forms of settings that serde does not know by itself.

use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::REPAIRED;

/// Reads the ids of rules that can be repaired.
pub(super) fn rules<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<&'static str>, D::Error> {
    let known = |text: &String| {
        let rule = REPAIRED.iter().find(|rule| *rule == text);
        rule.copied().ok_or_else(|| D::Error::custom(format!("no rule that can be repaired has the id \"{text}\"")))
    };
    Vec::<String>::deserialize(deserializer)?.iter().map(known).collect()
}

/// Numbers of 64 bits that are read back to the bit: those that a reader of JSON would round are texts.
pub(super) mod exact {
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

    pub fn serialize<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        Exact(*number).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        Exact::deserialize(deserializer).map(|exact| exact.0)
    }
}

/// Joints and their weights.
pub(super) mod copied {
    use serde::{Deserialize, Deserializer, Serializer};
    use skinscope_model::NodeId;

    use super::exact::Exact;

    pub fn serialize<S: Serializer>(copied: &[(NodeId, f64)], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(copied.iter().map(|(joint, weight)| (*joint, Exact(*weight))))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(NodeId, f64)>, D::Error> {
        let copied = Vec::<(NodeId, Exact)>::deserialize(deserializer)?;
        Ok(copied.into_iter().map(|(joint, weight)| (joint, weight.0)).collect())
    }
}

/// A pose that is shared, or none.
pub(super) mod pose {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use skinscope_model::LocalPose;

    pub fn serialize<S: Serializer>(pose: &Option<Arc<LocalPose>>, serializer: S) -> Result<S::Ok, S::Error> {
        pose.as_deref().serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Arc<LocalPose>>, D::Error> {
        Ok(Option::<LocalPose>::deserialize(deserializer)?.map(Arc::new))
    }
}
