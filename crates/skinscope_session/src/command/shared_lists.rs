//! Text forms of lists of vectors, quaternions and numbers that commands share.

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

/// A place of three numbers of 64 bits, each of which is read back to the bit.
pub(crate) mod place {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use skinscope_weights::exact::Exact;

    pub fn serialize<S: Serializer>(place: &[f64; 3], serializer: S) -> Result<S::Ok, S::Error> {
        place.map(Exact).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[f64; 3], D::Error> {
        <[Exact; 3]>::deserialize(deserializer).map(|place| place.map(|exact| exact.0))
    }
}

/// A point of the picture, or none.
pub(crate) mod optional_point {
    use glam::Vec2;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use skinscope_base::text_form::Plain;

    pub fn serialize<S: Serializer>(point: &Option<Vec2>, serializer: S) -> Result<S::Ok, S::Error> {
        point.map(Plain).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec2>, D::Error> {
        Ok(Option::<Plain<Vec2>>::deserialize(deserializer)?.map(|plain| plain.0))
    }
}
