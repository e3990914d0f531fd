//! What is said of shapes that were made.

use std::collections::BTreeSet;

use skinscope_base::words::counted;
use skinscope_model::NodeId;
use skinscope_solve::ShapeDriver;

use super::{Reshaped, Shape};

/// A shape that no clip brings in by more than this is told.
const HARDLY: f64 = 0.01;

impl Reshaped {
    /// Returns which shapes were made, with how many vertices they move and which joints bring them in, and then what was done, a line for each thing.
    pub(super) fn told(&self, shapes: &[Shape], drivers: &[ShapeDriver]) -> Vec<String> {
        let names = &self.model.skeleton.names;
        let joints: BTreeSet<NodeId> = drivers.iter().flat_map(|of| of.driver.joints().iter().copied()).collect();
        let joints: Vec<&str> = joints.iter().map(|joint| names[joint.index()].as_str()).collect();
        let made = match self.names.get(..shapes.len()) {
            Some([name]) => format!("the shape {name}"),
            Some(names) => format!("{} shapes, {}", names.len(), names.join(", ")),
            None => "shapes".to_owned(),
        };
        let vertices = counted(shapes.iter().map(Shape::moved).sum::<usize>(), "vertex", "vertices");
        let first = format!("Made {made}: {vertices}, brought in by {}", joints.join(", "));
        std::iter::once(first).chain(self.lines(shapes, drivers)).collect()
    }

    /// Returns the largest weight of a new shape in any clip.
    #[must_use]
    pub fn most(&self, shape: usize) -> f64 {
        self.clips.iter().filter_map(|clip| clip.most.get(shape)).copied().fold(0.0, f64::max)
    }

    /// Returns what was done, a line for each thing.
    #[must_use]
    pub fn lines(&self, shapes: &[Shape], drivers: &[ShapeDriver]) -> Vec<String> {
        let names = &self.model.skeleton.names;
        let mut out = Vec::new();
        for of in drivers {
            let own: Vec<&str> = of.shapes.iter().map(|at| self.names[*at].as_str()).collect();
            let joints: Vec<&str> = of.driver.joints().iter().map(|joint| names[joint.index()].as_str()).collect();
            out.push(format!("{}: brought in by {}", own.join(", "), joints.join(", ")));
        }
        for (at, shape) in shapes.iter().enumerate() {
            let name = &self.names[at];
            let vertices = counted(shape.moved(), "vertex", "vertices");
            let [before, after] = [shape.largest(|part| part.before), shape.largest(|part| part.back.left)];
            out.push(format!(
                "{name}: {vertices}, at most {:.3} → {:.6} mm from the sculpt",
                1e3 * before,
                1e3 * after
            ));
            if shape.flat() > 0 {
                let stay = counted(shape.flat(), "vertex stays", "vertices stay");
                out.push(format!("{name}: {stay} as skinning has them: the skin is folded flat there in this pose"));
            }
            if self.most(at) < HARDLY {
                let has_none = self.model.clips.is_empty();
                let clips = if has_none { "the file has no clip" } else { "no clip comes near its pose" };
                out.push(format!("{name}: {clips}, so that programs that read no drivers never show it"));
            }
        }
        for of in &self.clips {
            let (name, keys) = (&self.model.clips[of.clip].name, counted(of.keys, "key", "keys"));
            out.push(format!("clip {name}: {keys} of weights, at most {:.3} mm off between them", 1e3 * of.error));
        }
        out
    }
}
