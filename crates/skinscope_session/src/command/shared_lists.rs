//! Text forms of lists of vectors and quaternions that commands share.

/// Nodes, each with the quaternion x, y, z, w that it gets.
pub(crate) mod turns {
    use std::sync::Arc;

    use glam::Quat;
    use serde::{Deserialize, Deserializer, Serializer};
    use skinscope_base::text_form::Plain;
    use skinscope_model::NodeId;

    pub fn serialize<S: Serializer>(turns: &Arc<[(NodeId, Quat)]>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(turns.iter().map(|(node, turn)| (*node, Plain(*turn))))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<[(NodeId, Quat)]>, D::Error> {
        let turns = Vec::<(NodeId, Plain<Quat>)>::deserialize(deserializer)?;
        Ok(turns.into_iter().map(|(node, turn)| (node, turn.0)).collect())
    }
}

/// Points of the picture.
pub(crate) mod points {
    use std::sync::Arc;

    use glam::Vec2;
    use serde::{Deserialize, Deserializer, Serializer};
    use skinscope_base::text_form::Plain;

    pub fn serialize<S: Serializer>(points: &Arc<Vec<Vec2>>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(points.iter().map(|point| Plain(*point)))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<Vec<Vec2>>, D::Error> {
        let points = Vec::<Plain<Vec2>>::deserialize(deserializer)?;
        Ok(Arc::new(points.into_iter().map(|point| point.0).collect()))
    }
}
