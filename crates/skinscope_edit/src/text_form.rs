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

/// Joints and their weights.
pub(super) mod copied {
    use serde::{Deserialize, Deserializer, Serializer};
    use skinscope_model::NodeId;

    use skinscope_weights::exact::Exact;

    pub fn serialize<S: Serializer>(copied: &[(NodeId, f64)], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(copied.iter().map(|(joint, weight)| (*joint, Exact(*weight))))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(NodeId, f64)>, D::Error> {
        let copied = Vec::<(NodeId, Exact)>::deserialize(deserializer)?;
        Ok(copied.into_iter().map(|(joint, weight)| (joint, weight.0)).collect())
    }
}

/// Numbers by the ids of their parameters.
pub(super) mod values {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serializer};

    use skinscope_weights::exact::Exact;

    pub fn serialize<S: Serializer>(values: &BTreeMap<String, f64>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(values.iter().map(|(id, value)| (id, Exact(*value))))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, f64>, D::Error> {
        let values = BTreeMap::<String, Exact>::deserialize(deserializer)?;
        Ok(values.into_iter().map(|(id, value)| (id, value.0)).collect())
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

/// Poses that are shared.
pub(super) mod poses {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serializer};
    use skinscope_model::LocalPose;

    pub fn serialize<S: Serializer>(poses: &[Arc<LocalPose>], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(poses.iter().map(|pose| &**pose))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Arc<LocalPose>>, D::Error> {
        Ok(Vec::<LocalPose>::deserialize(deserializer)?.into_iter().map(Arc::new).collect())
    }
}
