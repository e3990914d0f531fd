//! Computes controls and writes their values into a pose.

use glam::DVec3;
use skinscope_model::{LocalPose, Model};

use super::Slider;
use super::build::{Driver, Program, Source};
use super::parse::{Function, Step};
use super::reading::{Channel, angles, bend, place, turn, twist};

/// Memory that [`Program::drive`] reuses from call to call, and the values that it computed last.
#[derive(Clone, Debug, Default)]
pub struct DriveScratch {
    /// The values before any control acts.
    below: Vec<f64>,
    /// For each line: its value, and whether it acts.
    values: Vec<(f64, bool)>,
    /// The angles of each driven joint, degrees.
    angles: Vec<DVec3>,
    stack: Vec<f64>,
}

impl DriveScratch {
    /// Returns the value of the control of a line, in the unit of its target; `None` where it does not act.
    #[must_use]
    pub fn value(&self, line: usize) -> Option<f64> {
        self.values.get(line).filter(|(_, acts)| *acts).map(|(value, _)| *value)
    }

    /// Removes all values, as if no control acted.
    pub fn forget(&mut self) {
        self.values.clear();
    }
}

impl Program {
    /// Computes all controls at a time (seconds of the timeline) and writes their values over `pose`. It allocates
    /// nothing after the first call.
    pub fn drive(
        &self,
        model: &Model,
        sliders: &[Slider],
        time_secs: f32,
        scratch: &mut DriveScratch,
        pose: &mut LocalPose,
    ) {
        let DriveScratch { below, values, angles: turns, stack } = scratch;
        below.clear();
        below.extend(self.below.iter().map(|channel| channel.read(model, pose, sliders)));
        turns.clear();
        turns.extend(self.joints.iter().map(|node| angles(model, pose, *node)));
        values.clear();
        values.resize(self.lines, (0.0, false));
        for driver in &self.drivers {
            let number = |source: &Source| match *source {
                Source::Below(slot) => below[slot],
                Source::Driven(line) => values[line].0,
                Source::Bend(node) => bend(model, pose, node),
                Source::Twist(node, axis) => twist(model, pose, node, axis),
                Source::Place(node, axis) => place(model, pose, node, axis),
                Source::Time => f64::from(time_secs),
            };
            let value = compute(driver, &number, stack);
            let value = match driver.channel {
                Channel::Slider(slider) if value.is_finite() => sliders.get(slider).map_or(value, |s| s.within(value)),
                _ => value,
            };
            let acts = (value as f32).is_finite() && self.write(driver, value, (model, pose), turns);
            values[driver.line] = (if acts { value } else { below[driver.below] }, acts);
        }
    }

    /// Writes the number of a control; returns false where 32 bits cannot hold it.
    fn write(&self, driver: &Driver, value: f64, to: (&Model, &mut LocalPose), turns: &mut [DVec3]) -> bool {
        let (model, pose) = to;
        match driver.channel {
            Channel::Slider(_) => true,
            Channel::Angle(node, axis) => {
                let joint = self.joints.iter().position(|joint| *joint == node);
                let Some(angles) = joint.and_then(|joint| turns.get_mut(joint)) else { return false };
                angles[axis] = value;
                turn(model, pose, node, *angles);
                true
            }
            channel => channel.write(model, pose, value),
        }
    }
}

/// Computes the steps of a control. `number` gives what it reads.
fn compute(driver: &Driver, number: &dyn Fn(&Source) -> f64, stack: &mut Vec<f64>) -> f64 {
    stack.clear();
    for step in &driver.steps {
        let value = match *step {
            Step::Number(value) => value,
            Step::Read(read) => driver.sources.get(read).map_or(f64::NAN, number),
            Step::Negate => -pop(stack),
            Step::Add | Step::Subtract | Step::Multiply | Step::Divide => {
                let (b, a) = (pop(stack), pop(stack));
                match step {
                    Step::Add => a + b,
                    Step::Subtract => a - b,
                    Step::Multiply => a * b,
                    _ => a / b,
                }
            }
            Step::Call(function, count) => {
                let from = stack.len().saturating_sub(count);
                let value = call(function, &stack[from..]);
                stack.truncate(from);
                value
            }
        };
        stack.push(value);
    }
    pop(stack)
}

fn pop(stack: &mut Vec<f64>) -> f64 {
    stack.pop().unwrap_or(f64::NAN)
}

fn call(function: Function, values: &[f64]) -> f64 {
    // What is no number stays none, which `min` and `max` of numbers would hide.
    if values.iter().any(|value| value.is_nan()) {
        return f64::NAN;
    }
    match (function, values) {
        (Function::Clamp, [x]) => x.clamp(0.0, 1.0),
        (Function::Clamp, [x, least, most]) => x.max(*least).min(*most),
        (Function::Min, all) => all.iter().copied().fold(f64::INFINITY, f64::min),
        (Function::Max, all) => all.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        (Function::Abs, [x]) => x.abs(),
        (Function::Sqrt, [x]) => x.sqrt(),
        (Function::Sin, [x]) => x.to_radians().sin(),
        (Function::Cos, [x]) => x.to_radians().cos(),
        (Function::Smooth, [x, from, to]) => {
            let share =
                if from == to { f64::from(u8::from(x >= from)) } else { ((x - from) / (to - from)).clamp(0.0, 1.0) };
            share * share * (3.0 - 2.0 * share)
        }
        (Function::Mix, [a, b, share]) => a + (b - a) * share,
        _ => f64::NAN,
    }
}
