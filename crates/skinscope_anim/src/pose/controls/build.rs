//! Compiles the controls of a model: finds what they name, and orders them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use skinscope_model::{LocalPose, Model, NodeId, Skeleton};

use super::super::{Keys, NameError, find_node, target_key};
use super::order::order;
use super::parse::{Fault, Line, Named, Quantity, Step, parse};
use super::reading::{AXES, Channel};
use super::{Controls, MOST_CONTROLS};

/// The origin of a number that a control reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Source {
    /// The pose before controls act, by the index in [`Program::below`].
    Below(usize),
    /// Another control, by its line.
    Driven(usize),
    Bend(NodeId),
    Twist(NodeId, usize),
    Place(NodeId, usize),
    Time,
}

/// A control that acts.
#[derive(Clone, Debug)]
pub(super) struct Driver {
    pub line: usize,
    pub channel: Channel,
    /// The index of its own number in [`Program::below`].
    pub below: usize,
    pub sources: Vec<Source>,
    pub steps: Vec<Step>,
}

/// The compiled controls of a model, which every frame computes. They depend on the texts and on the model, but not on
/// the values of sliders.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The controls that act, each after those that it reads.
    pub(super) drivers: Vec<Driver>,
    /// The numbers that are read before any control acts.
    pub(super) below: Vec<Channel>,
    /// The joints with at least one driven angle.
    pub(super) joints: Vec<NodeId>,
    /// The number of lines.
    pub(super) lines: usize,
    faults: Vec<Option<Fault>>,
    /// The line that drives each channel.
    acting: BTreeMap<Channel, usize>,
    /// The channels whose values before controls act are read.
    posed: BTreeSet<Channel>,
}

/// A number that a control reads, before it is known which controls act.
#[derive(Clone, Copy, Debug)]
enum Wanted {
    Posed(Channel),
    Now(Channel),
    Bend(NodeId),
    Twist(NodeId, usize),
    Place(NodeId, usize),
    Time,
}

/// A control whose names were found.
struct Found {
    line: Line,
    channel: Channel,
    wanted: Vec<Wanted>,
}

/// Finds what controls name.
struct Names<'a> {
    model: &'a Model,
    nodes: HashMap<&'a str, NodeId>,
    sliders: HashMap<&'a str, usize>,
}

impl Program {
    /// Compiles controls for a model. A control that cannot be parsed, names something that does not exist, drives a
    /// channel that another one drives already, or is part of a cycle, has a fault and does not act; the others do.
    #[must_use]
    pub fn build(model: &Model, controls: &Controls) -> Self {
        let parsed: Vec<Result<Line, Fault>> = controls.drivers.iter().map(|text| parse(text)).collect();
        let lines = parsed.iter().flatten();
        let named = lines.flat_map(|line| std::iter::once(&line.target).chain(&line.reads));
        let nodes: BTreeSet<&str> =
            named.filter(|n| n.quantity != Quantity::Slider).map(|named| named.name.as_str()).collect();
        let keys = if nodes.is_empty() { None } else { Some(Keys::of(model)) };
        let found = keys.map(|keys| keys.matches(nodes.iter().copied())).unwrap_or_default();
        let sliders = controls.sliders.iter().enumerate().rev().map(|(i, slider)| (slider.name.as_str(), i)).collect();
        let names = Names { model, nodes: found, sliders };
        let mut faults: Vec<Option<Fault>> = Vec::with_capacity(parsed.len());
        let mut resolved: Vec<Option<Found>> = Vec::with_capacity(parsed.len());
        let mut acting: BTreeMap<Channel, usize> = BTreeMap::new();
        for (i, line) in parsed.iter().enumerate() {
            let found = line.as_ref().map_err(Clone::clone).and_then(|line| names.line(line));
            let found = found.and_then(|found| match acting.get(&found.channel) {
                _ if i >= MOST_CONTROLS => {
                    Err(Fault::new(0..0, format!("A model has {MOST_CONTROLS} controls at most")))
                }
                Some(first) => {
                    let what = format!("Line {} drives this already", first + 1);
                    Err(Fault::new(found.line.target.at.clone(), what))
                }
                None => Ok(found),
            });
            if let Ok(found) = &found {
                acting.insert(found.channel, i);
            }
            faults.push(found.as_ref().err().cloned());
            resolved.push(found.ok());
        }
        let needs: Vec<Vec<usize>> =
            resolved.iter().map(|found| found.as_ref().map_or_else(Vec::new, |f| needs(model, f, &acting))).collect();
        let order = order(&needs);
        for (i, cycle) in order.cycles.iter().enumerate() {
            if let Some((cycle, found)) = cycle.as_ref().zip(resolved[i].as_ref()) {
                let label = |line: &usize| resolved[*line].as_ref().map_or_else(String::new, |f| label(&f.line.target));
                let named: Vec<String> = cycle.iter().map(label).collect();
                let what = format!("This is a cycle, of which nothing acts: {}", named.join(" → "));
                faults[i] = Some(Fault::new(found.line.target.at.clone(), what));
                acting.remove(&found.channel);
            }
        }
        let lines = parsed.len();
        let mut out = Self { lines, faults, acting, ..Self::default() };
        for i in order.acting {
            if let Some(found) = resolved[i].take() {
                out.add(i, found);
            }
        }
        out
    }

    fn add(&mut self, line: usize, found: Found) {
        let below = self.read_below(found.channel);
        if let Channel::Angle(node, _) = found.channel
            && !self.joints.contains(&node)
        {
            self.joints.push(node);
        }
        let mut sources = Vec::with_capacity(found.wanted.len());
        for wanted in found.wanted {
            sources.push(match wanted {
                Wanted::Posed(channel) => {
                    self.posed.insert(channel);
                    Source::Below(self.read_below(channel))
                }
                Wanted::Now(channel) => match self.acting.get(&channel) {
                    Some(line) => Source::Driven(*line),
                    None => Source::Below(self.read_below(channel)),
                },
                Wanted::Bend(node) => Source::Bend(node),
                Wanted::Twist(node, axis) => Source::Twist(node, axis),
                Wanted::Place(node, axis) => Source::Place(node, axis),
                Wanted::Time => Source::Time,
            });
        }
        self.drivers.push(Driver { line, channel: found.channel, below, sources, steps: found.line.steps });
    }

    fn read_below(&mut self, channel: Channel) -> usize {
        let known = self.below.iter().position(|other| *other == channel);
        known.unwrap_or_else(|| {
            self.below.push(channel);
            self.below.len() - 1
        })
    }

    /// Returns the number of controls, those that do not act included.
    #[must_use]
    pub fn line_count(&self) -> usize {
        self.lines
    }

    /// Returns whether no control acts.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.drivers.is_empty()
    }

    /// Returns why the control of a line does not act; `None` where it acts.
    #[must_use]
    pub fn fault(&self, line: usize) -> Option<&Fault> {
        self.faults.get(line)?.as_ref()
    }

    /// Returns the line of the control that drives a channel; `None` where none does.
    #[must_use]
    pub fn driver_of(&self, channel: Channel) -> Option<usize> {
        self.acting.get(&channel).copied()
    }

    /// Returns whether some control reads the value of a channel before controls act, so that posing it has an effect.
    #[must_use]
    pub fn reads_posed(&self, channel: Channel) -> bool {
        self.posed.contains(&channel)
    }

    /// Restores in a pose to which controls were applied the values of the pose before, where controls read these.
    /// Controls that are applied again then give the same pose.
    pub fn put_back(&self, before: &LocalPose, pose: &mut LocalPose) {
        self.posed.iter().for_each(|channel| channel.copy(before, pose));
    }
}

impl Names<'_> {
    fn line(&self, line: &Line) -> Result<Found, Fault> {
        let channel = self.channel(&line.target)?;
        let wanted = line.reads.iter().map(|named| self.wanted(named)).collect::<Result<_, _>>()?;
        Ok(Found { line: line.clone(), channel, wanted })
    }

    fn node(&self, named: &Named) -> Result<NodeId, Fault> {
        // Controls go from model to model like poses, so that a name without its prefix will do.
        if let Some(node) = self.nodes.get(named.name.as_str()) {
            return Ok(*node);
        }
        find_node(self.model, &named.name).map_err(|error| {
            let name = super::quoted(&named.name);
            let what = match &error {
                NameError::Unknown { .. } => format!("The model has no joint {name}; {}", error.advice()),
                NameError::Several { .. } => format!("Several nodes are called {name}; {}", error.advice()),
            };
            Fault::new(named.name_at.clone(), what)
        })
    }

    fn channel(&self, named: &Named) -> Result<Channel, Fault> {
        Ok(match named.quantity {
            Quantity::Slider => {
                let found = self.sliders.get(named.name.as_str());
                let none =
                    || Fault::new(named.name_at.clone(), format!("There is no slider {}", super::quoted(&named.name)));
                Channel::Slider(*found.ok_or_else(none)?)
            }
            Quantity::Morph => Channel::Morph(self.morph(named)?),
            Quantity::Translation => Channel::Translation(self.node(named)?, named.axis),
            Quantity::Scale => Channel::Scale(self.node(named)?, named.axis),
            Quantity::Angle => Channel::Angle(self.node(named)?, named.axis),
            Quantity::Bend | Quantity::Twist | Quantity::Place | Quantity::Time => {
                return Err(Fault::new(named.at.clone(), "This cannot be driven"));
            }
        })
    }

    fn morph(&self, named: &Named) -> Result<usize, Fault> {
        let node = self.node(named)?;
        let of_node = self.model.instances.iter().filter(|instance| instance.node == node);
        for instance in of_node {
            let names = &self.model.meshes[instance.mesh.index()].morph_names;
            let keyed = (0..names.len()).find(|t| target_key(self.model, instance, *t) == named.target);
            if let Some(target) = keyed.or_else(|| names.iter().position(|name| *name == named.target)) {
                return Ok(instance.morph_offset + target);
            }
        }
        let [node, target] = [&named.name, &named.target].map(|name| super::quoted(name));
        Err(Fault::new(named.target_at.clone(), format!("The mesh of {node} has no morph target {target}")))
    }

    fn wanted(&self, named: &Named) -> Result<Wanted, Fault> {
        Ok(match named.quantity {
            Quantity::Bend => Wanted::Bend(self.node(named)?),
            Quantity::Twist => Wanted::Twist(self.node(named)?, named.axis),
            Quantity::Place => Wanted::Place(self.node(named)?, named.axis),
            Quantity::Time => Wanted::Time,
            _ if named.is_posed => Wanted::Posed(self.channel(named)?),
            _ => Wanted::Now(self.channel(named)?),
        })
    }
}

/// Returns the lines whose numbers a control reads.
fn needs(model: &Model, found: &Found, acting: &BTreeMap<Channel, usize>) -> Vec<usize> {
    let mut out = Vec::new();
    let mut add = |channel: Channel| out.extend(acting.get(&channel));
    for wanted in &found.wanted {
        match *wanted {
            Wanted::Posed(_) | Wanted::Time => {}
            Wanted::Now(channel) => add(channel),
            Wanted::Bend(node) | Wanted::Twist(node, _) => (0..3).for_each(|axis| add(Channel::Angle(node, axis))),
            Wanted::Place(node, _) => {
                (0..3).for_each(|axis| add(Channel::Translation(node, axis)));
                for above in above(&model.skeleton, node) {
                    for axis in 0..3 {
                        add(Channel::Angle(above, axis));
                        add(Channel::Translation(above, axis));
                        add(Channel::Scale(above, axis));
                    }
                }
            }
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}

fn above(skeleton: &Skeleton, node: NodeId) -> impl Iterator<Item = NodeId> {
    std::iter::successors(skeleton.parents[node.index()], |node| skeleton.parents[node.index()])
}

/// Returns a target in words: `LowerArm.L angle x`, or the name of a slider.
fn label(named: &Named) -> String {
    let Named { quantity, name, target, axis, .. } = named;
    match quantity {
        Quantity::Slider => name.clone(),
        Quantity::Morph => format!("{name} {} {target}", quantity.word()),
        _ => format!("{name} {} {}", quantity.word(), AXES[*axis]),
    }
}
