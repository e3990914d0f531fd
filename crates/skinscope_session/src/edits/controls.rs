//! Controls of one's own: sliders and driven joints. They are part of the edits of the pose, so that each change of them can be undone.

use std::sync::{Arc, Weak};

use skinscope_anim::pose::controls::{Channel, Controls, DriveScratch, Preset, PresetLines, Program, Slider, renamed};
use skinscope_model::{LocalPose, Model};

use crate::pose::pose_sources::PoseSources;
use crate::{Edits, History, Playback, Pose, PoseSource, View};

/// Commands about sliders and controls, given by their indices.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum ControlCommand {
    /// Move a slider to this value. Those of one drag end with [`crate::EditCommand::EndEdit`].
    SetSlider(usize, f32),
    /// Give a slider its least, greatest and default value. Those of one drag end with [`crate::EditCommand::EndEdit`].
    SetRange(usize, [f32; 3]),
    /// Add a slider from 0 to 1.
    AddSlider,
    /// Give a slider another name, in all controls too. One that it shares with another slider gets a number.
    RenameSlider(usize, String),
    /// Take a slider out. Controls that name it stay, and do not act.
    RemoveSlider(usize),
    /// Give all sliders their default values.
    ResetSliders,
    /// Add the lines of a purpose for the selected joint.
    AddPreset(Preset),
    /// Add a control `TARGET = VALUE`.
    AddDriver(String),
    /// Replace the text of a control. What is typed at a stretch ends with [`crate::EditCommand::EndEdit`].
    SetDriver(usize, String),
    /// Take a control out.
    RemoveDriver(usize),
}

/// The program of the controls, and what it was made of.
#[derive(Clone, Debug, Default)]
pub(crate) struct CachedProgram {
    model: Weak<Model>,
    controls: Arc<Controls>,
    program: Arc<Program>,
}

/// What drives a pose.
#[derive(Clone, Debug)]
pub(crate) struct Driving {
    program: Arc<Program>,
    controls: Arc<Controls>,
}

impl Driving {
    /// Writes what controls say at a moment (seconds of the timeline) over `pose`.
    pub fn drive(&self, model: &Model, time_secs: f32, scratch: &mut DriveScratch, pose: &mut LocalPose) {
        self.program.drive(model, &self.controls.sliders, time_secs, scratch, pose);
    }

    /// Returns whether a control says how much there is of a morph target, by the index of its weight.
    pub(crate) fn drives_morph(&self, index: usize) -> bool {
        self.program.driver_of(Channel::Morph(index)).is_some()
    }
}

/// Carries out a command of its family, which has made `changed` of the edits of the pose; `None`: it changes nothing.
pub(crate) fn apply(changed: Option<Edits>, command: &ControlCommand, edits: &mut Arc<Edits>, history: &mut History) {
    let Some(changed) = changed else { return };
    match command {
        ControlCommand::SetSlider(..) | ControlCommand::SetRange(..) | ControlCommand::SetDriver(..) => {
            history.drag_edits(edits, changed);
        }
        _ => history.change_edits(edits, changed),
    }
}

impl Pose {
    /// Returns what drives the pose; `None` where nothing does.
    pub(crate) fn driving(&self, playback: &Playback, edits: &Edits) -> Option<Driving> {
        let drives = !self.program.program.is_idle() && playback.source != PoseSource::Bind;
        let of = || Driving { program: Arc::clone(&self.program.program), controls: Arc::clone(&edits.controls) };
        drives.then(of)
    }

    /// Makes the program of the controls, unless neither they nor the model have changed.
    pub(crate) fn update_program(&mut self, from: PoseSources<'_>) {
        let controls = &from.edits.controls;
        if controls.drivers.is_empty() {
            if self.program.program.line_count() > 0 {
                self.program = CachedProgram::default();
            }
            return;
        }
        let model = from.shown;
        let cached = &self.program;
        let is_of_model = std::ptr::eq(cached.model.as_ptr(), Arc::as_ptr(model));
        if is_of_model && Arc::ptr_eq(&cached.controls, controls) {
            return;
        }
        let names = |controls: &Controls| controls.sliders.len();
        let same_names = || {
            let pairs = cached.controls.sliders.iter().zip(&controls.sliders);
            names(&cached.controls) == names(controls) && pairs.into_iter().all(|(a, b)| a.name == b.name)
        };
        let is_same = is_of_model && cached.controls.drivers == controls.drivers && same_names();
        let program = if is_same { Arc::clone(&cached.program) } else { Arc::new(Program::build(model, controls)) };
        self.program = CachedProgram { model: Arc::downgrade(model), controls: Arc::clone(controls), program };
    }

    /// Returns what was found in the controls as of the last [`crate::Session::update_pose`]: what they drive, and what is wrong with them.
    #[must_use]
    pub fn control_program(&self) -> &Program {
        &self.program.program
    }

    /// Returns the pose as of the last [`crate::Session::update_pose`] before controls act: what edits change.
    #[must_use]
    pub fn undriven(&self) -> &LocalPose {
        if self.is_driven { &self.below } else { &self.local }
    }

    /// Returns the pose that becomes a key. It is the one that is shown, but for numbers of which controls read how they are posed:
    /// these stay as they are posed, so that controls make the same of the key again.
    pub(crate) fn pose_to_key(&self) -> LocalPose {
        let mut pose = self.local.clone();
        if self.is_driven {
            self.program.program.put_back(&self.below, &mut pose);
        }
        pose
    }

    /// Returns the number that a control comes to as of the last [`crate::Session::update_pose`], by its index; `None` where it does not act.
    #[must_use]
    pub fn control_value(&self, driver: usize) -> Option<f64> {
        self.over.drive.value(driver)
    }
}

/// What sliders and controls make of the pose that is shown.
#[derive(Clone, Copy, Debug)]
pub struct ControlState<'a> {
    pub(crate) model: Option<&'a Arc<Model>>,
    pub(crate) view: &'a View,
    pub(crate) playback: &'a Playback,
    pub(crate) edits: &'a Arc<Edits>,
    pub(crate) pose: &'a Pose,
}

impl ControlState<'_> {
    /// Returns what a command makes of the edits of the pose; `None` where it changes nothing.
    pub(crate) fn changed(self, command: &ControlCommand) -> Option<Edits> {
        self.model?;
        let mut controls = Controls::clone(&self.edits.controls);
        if let ControlCommand::AddPreset(preset) = command {
            let PresetLines { sliders, lines } = self.preset(*preset).ok()?;
            controls.sliders.extend(sliders);
            Arc::make_mut(&mut controls.drivers).extend(lines);
        }
        let is_other = change(&mut controls, command) && controls != *self.edits.controls;
        is_other.then(|| Edits { controls: Arc::new(controls), ..Edits::clone(self.edits) })
    }

    /// Returns a line for each control that is wrong, as of the last [`crate::Session::update_pose`].
    #[must_use]
    pub fn control_faults(self) -> Vec<String> {
        let drivers = self.edits.controls.drivers.iter().enumerate();
        let lines = drivers.filter_map(|(i, text)| {
            let fault = self.pose.control_program().fault(i)?;
            Some(format!("Line {} of the controls, column {}: {}.", i + 1, fault.column(text), fault.what))
        });
        lines.collect()
    }

    /// Returns the value of a slider that is shown: the one that a control gives it, else the one that was set.
    #[must_use]
    pub fn slider_value(self, slider: usize) -> f32 {
        let driven = self.pose.control_program().driver_of(Channel::Slider(slider));
        let value = driven.and_then(|line| self.pose.over.drive.value(line));
        let set = || self.edits.controls.sliders.get(slider).map_or(0.0, |slider| slider.within(slider.value.into()));
        value.unwrap_or_else(set) as f32
    }

    /// Returns the lines of a purpose for the selected joint.
    ///
    /// # Errors
    /// No joint is selected, or it has none of the joints that the lines name; the message says which.
    pub fn preset(self, preset: Preset) -> Result<PresetLines, &'static str> {
        let (model, node) = self.model.zip(self.view.selected).ok_or("Select a joint first")?;
        if !model.is_joint(node) {
            return Err("Select a joint first");
        }
        preset.lines(model, &self.edits.controls, node, self.playback.source == PoseSource::Clip)
    }
}

/// Carries out a command; returns false where there is nothing of which it is about.
fn change(controls: &mut Controls, command: &ControlCommand) -> bool {
    let Controls { sliders, drivers } = controls;
    match command {
        ControlCommand::SetSlider(at, value) => {
            let Some(slider) = sliders.get_mut(*at).filter(|_| value.is_finite()) else { return false };
            slider.value = slider.within((*value).into()) as f32;
        }
        ControlCommand::SetRange(at, [least, most, default]) => {
            let is_range = least.is_finite() && most.is_finite() && default.is_finite();
            let Some(slider) = sliders.get_mut(*at).filter(|_| is_range) else { return false };
            (slider.least, slider.most) = (*least, most.max(*least));
            slider.default = slider.within((*default).into()) as f32;
            slider.value = slider.within(slider.value.into()) as f32;
        }
        ControlCommand::AddSlider => {
            let name = controls.free_name("Slider");
            controls.sliders.push(Slider::named(&name));
        }
        ControlCommand::RenameSlider(at, name) => {
            let name = name.trim();
            let Some(before) = sliders.get(*at).map(|slider| slider.name.clone()) else { return false };
            if name.is_empty() || name == before {
                return false;
            }
            // A name that has both kinds of quotes cannot be written.
            let name = if name.contains('\'') { name.replace('"', "") } else { name.to_owned() };
            sliders[*at].name.clear();
            let name = controls.free_name(&name);
            let renamed = controls.drivers.iter().map(|text| renamed(text, &before, &name));
            controls.drivers = Arc::new(renamed.collect());
            controls.sliders[*at].name = name;
        }
        ControlCommand::RemoveSlider(at) => {
            if *at >= sliders.len() {
                return false;
            }
            sliders.remove(*at);
        }
        ControlCommand::ResetSliders => *controls = controls.reset(),
        ControlCommand::AddDriver(text) => Arc::make_mut(drivers).push(text.clone()),
        ControlCommand::SetDriver(at, text) => {
            let Some(driver) = Arc::make_mut(drivers).get_mut(*at) else { return false };
            driver.clone_from(text);
        }
        ControlCommand::RemoveDriver(at) => {
            if *at >= drivers.len() {
                return false;
            }
            Arc::make_mut(drivers).remove(*at);
        }
        ControlCommand::AddPreset(_) => {}
    }
    true
}
