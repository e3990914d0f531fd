//! What drives the corrective shapes of a file, as its extras keep it.
//!
//! Programs that play glTF do not read it: they play the keys of the weights, which stand in the clips. It is kept so that shapes can be told
//! from other morph targets, and be driven in any pose again.

use glam::Quat;
use serde::{Deserialize, Serialize};
use skinscope_model::{InstanceId, Model, NodeId};

use super::driver::Driver;

/// The version of the form.
const SCHEMA: u32 = 1;

#[derive(Serialize, Deserialize)]
struct ShapesForm {
    schema: u32,
    drivers: Vec<DriverForm>,
}

#[derive(Serialize, Deserialize)]
struct DriverForm {
    /// The node that shows the mesh, by its index in the file.
    node: u32,
    joints: Vec<JointForm>,
    shapes: Vec<ShapeForm>,
    /// The rotations of the joints in the poses of other shapes, in which there is none of these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    others: Vec<Vec<[f32; 4]>>,
}

#[derive(Serialize, Deserialize)]
struct JointForm {
    /// By its index in the file.
    node: u32,
    name: String,
    /// Its rotation at rest: x, y, z, w.
    rest: [f32; 4],
}

#[derive(Serialize, Deserialize)]
struct ShapeForm {
    /// The index of the morph target.
    target: usize,
    name: String,
    /// The rotation of each joint in the pose of the shape.
    rotations: Vec<[f32; 4]>,
}

/// A driver of shapes of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct DrivenShapes {
    /// The instance that shows the mesh of the shapes.
    pub instance: InstanceId,
    /// What says how much of each shape there is.
    pub driver: Driver,
    /// The index of the morph target of each shape, and its name.
    pub targets: Vec<(usize, String)>,
}

/// Why what a file keeps cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeptShapesError {
    /// It is no such text, or of another version.
    Form,
    /// It names what the model does not have: a node, a joint or a morph target of this name.
    Unknown(String),
    /// It does not tell the poses of the shapes apart.
    Driver(String),
}

impl std::fmt::Display for KeptShapesError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Form => write!(f, "what drives the shapes of the file cannot be read"),
            Self::Unknown(what) => write!(f, "what drives the shapes of the file does not fit the model: {what}"),
            Self::Driver(why) => write!(f, "what drives the shapes of the file makes no sense: {why}"),
        }
    }
}

impl std::error::Error for KeptShapesError {}

/// Returns the text that a file is to keep of some drivers of a model.
#[must_use]
pub fn kept_text(model: &Model, all: &[DrivenShapes]) -> Option<String> {
    let file = |node: NodeId| model.skeleton.file_index[node.index()];
    let driver = |shapes: &DrivenShapes| {
        let (rest, examples) = shapes.driver.rotations();
        let joints = shapes.driver.joints().iter().zip(rest);
        let joint = |(joint, rest): (&NodeId, &Quat)| JointForm {
            node: file(*joint),
            name: model.skeleton.names[joint.index()].clone(),
            rest: rest.to_array(),
        };
        let shape = |((target, name), rotations): (&(usize, String), &Vec<Quat>)| ShapeForm {
            target: *target,
            name: name.clone(),
            rotations: rotations.iter().map(Quat::to_array).collect(),
        };
        DriverForm {
            node: file(model.instances[shapes.instance.index()].node),
            joints: joints.map(joint).collect(),
            shapes: shapes.targets.iter().zip(examples).map(shape).collect(),
            others: shapes.driver.others().iter().map(|of| of.iter().map(Quat::to_array).collect()).collect(),
        }
    };
    serde_json::to_string(&ShapesForm { schema: SCHEMA, drivers: all.iter().map(driver).collect() }).ok()
}

/// Returns what drives the shapes of a model's file; none where it keeps nothing of that.
///
/// # Errors
/// It is not in its form, or does not fit the model.
pub fn kept_shapes(model: &Model) -> Result<Vec<DrivenShapes>, KeptShapesError> {
    drivers_of(model)?.into_iter().map(|driver| driver.of(model)).collect()
}

/// Returns those drivers of shapes of a model's file that fit the model; none where what the file keeps is not in its form.
#[must_use]
pub fn fitting_shapes(model: &Model) -> Vec<DrivenShapes> {
    let all = drivers_of(model).unwrap_or_default();
    all.into_iter().filter_map(|driver| driver.of(model).ok()).collect()
}

fn drivers_of(model: &Model) -> Result<Vec<DriverForm>, KeptShapesError> {
    let Some(text) = model.source.kept_shapes.as_deref() else { return Ok(Vec::new()) };
    let form: ShapesForm = serde_json::from_str(text).map_err(|_| KeptShapesError::Form)?;
    if form.schema == SCHEMA { Ok(form.drivers) } else { Err(KeptShapesError::Form) }
}

impl DriverForm {
    fn of(self, model: &Model) -> Result<DrivenShapes, KeptShapesError> {
        let unknown = KeptShapesError::Unknown;
        let find = |file: u32| model.skeleton.file_index.iter().position(|index| *index == file);
        let shows = |node: usize| model.instances.iter().position(|instance| instance.node.index() == node);
        let instance = find(self.node).and_then(shows);
        let instance = instance.ok_or_else(|| unknown(format!("node {} shows no mesh", self.node)))?;
        let names = &model.meshes[model.instances[instance].mesh.index()].morph_names;
        let mut joints = Vec::new();
        for joint in &self.joints {
            let node = find(joint.node).filter(|node| model.skeleton.names[*node] == joint.name);
            let node = node.ok_or_else(|| unknown(format!("node {} is no joint “{}”", joint.node, joint.name)))?;
            joints.push(NodeId::from_index(node));
        }
        if let Some(shape) = self.shapes.iter().find(|shape| names.get(shape.target) != Some(&shape.name)) {
            let (target, name) = (shape.target, &shape.name);
            return Err(unknown(format!("morph target {target} is not called “{name}”")));
        }
        let rest = self.joints.iter().map(|joint| Quat::from_array(joint.rest)).collect();
        let rotations = |shape: &ShapeForm| shape.rotations.iter().copied().map(Quat::from_array).collect();
        let examples = self.shapes.iter().map(rotations).collect();
        let driver = Driver::new(joints, rest, examples).map_err(|why| KeptShapesError::Driver(why.to_string()))?;
        let other = |rotations: &Vec<[f32; 4]>| rotations.iter().copied().map(Quat::from_array).collect();
        let driver = driver.without(self.others.iter().map(other));
        let targets = self.shapes.into_iter().map(|shape| (shape.target, shape.name)).collect();
        Ok(DrivenShapes { instance: InstanceId::from_index(instance), driver, targets })
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use skinscope_anim::pose::rotate;
    use skinscope_model::test_shapes::obstacle_course;

    use super::*;

    fn shapes(model: &Model) -> DrivenShapes {
        let rest = &model.skeleton.rest;
        let mut pose = rest.clone();
        rotate(&mut pose, NodeId(4), Vec3::new(70.0, 0.1, 33.0));
        let driver = Driver::of_poses(vec![NodeId(4), NodeId(5)], rest, &[&pose]).unwrap();
        let driver = driver.without([vec![Quat::from_rotation_z(1.0), Quat::from_rotation_x(-0.3)]]);
        DrivenShapes { instance: InstanceId::from_index(0), driver, targets: vec![(1, "lean".to_owned())] }
    }

    fn with_text(model: &Model, text: &str) -> Model {
        let mut parts = (**model).clone();
        parts.source.kept_shapes = Some(text.into());
        Model::build(parts).unwrap()
    }

    #[test]
    fn drivers_are_read_again_as_they_were_written() {
        let model = obstacle_course();
        assert_eq!(kept_shapes(&model), Ok(Vec::new()));
        let all = vec![shapes(&model)];
        let text = kept_text(&model, &all).unwrap();
        assert_eq!(kept_shapes(&with_text(&model, &text)), Ok(all));
    }

    #[test]
    fn drivers_that_fit_are_kept_beside_one_that_does_not() {
        let model = obstacle_course();
        let both = [shapes(&model), shapes(&model)];
        let text = kept_text(&model, &both).unwrap().replacen("\"lean\"", "\"smile\"", 1);
        let unfit = with_text(&model, &text);
        assert!(kept_shapes(&unfit).is_err());
        assert_eq!(fitting_shapes(&unfit), both[1..]);
        assert_eq!(fitting_shapes(&with_text(&model, "{}")), []);
    }

    #[test]
    fn what_does_not_fit_the_model_is_refused() {
        let model = obstacle_course();
        let text = kept_text(&model, &[shapes(&model)]).unwrap();
        let refused = |from: &str, to: &str| {
            let changed = text.replace(from, to);
            assert_ne!(changed, text, "{from}");
            kept_shapes(&with_text(&model, &changed)).unwrap_err().to_string()
        };
        assert!(refused("\"schema\":1", "\"schema\":2").contains("cannot be read"));
        assert!(refused("\"lean\"", "\"smile\"").contains("“smile”"));
        assert!(refused("\"joint 1\"", "\"joint 7\"").contains("“joint 7”"));
        assert!(refused("\"node\":1,", "\"node\":77,").contains("shows no mesh"));
        assert!(kept_shapes(&with_text(&model, "{}")) == Err(KeptShapesError::Form));
    }
}
