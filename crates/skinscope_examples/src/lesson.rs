//! An example that is shown: its sliders now, the symbol that is pointed at, and its curves.

use std::sync::{Arc, OnceLock};

use skinscope_model::{LocalPose, Model};

use super::{Block, Chart, Curve, Example, Mark, Moment, Settings, Symbol};

/// What to open: an example, with its sliders at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// The positions of its sliders.
    pub settings: Settings,
    /// The symbol that is pointed at, by its id.
    pub symbol: Option<&'static str>,
}

impl Start {
    /// Opens an example as it is at first.
    #[must_use]
    pub fn of(example: &'static Example) -> Self {
        Self { settings: Settings::of(example), symbol: None }
    }

    /// Opens a newer version of the page, with sliders and symbol as they are, as far as that has them. Sliders that stand where the page
    /// put them go where the newer version puts them.
    #[must_use]
    pub fn for_page(&self, example: &'static Example) -> Self {
        let mut settings = Settings::of(example);
        for slider in self.settings.example().sliders {
            let value = self.settings.get(slider.id);
            if value != slider.default {
                settings.set(slider.id, value);
            }
        }
        Self { settings, symbol: self.symbol }
    }
}

/// An example that is shown.
#[derive(Clone, Debug)]
pub struct Lesson {
    moment: Arc<Moment>,
    shown: Option<&'static str>,
    /// The curves of each chart of the page, once they were asked for, with the settings that they are of.
    curves: Arc<Vec<OnceLock<Vec<Curve>>>>,
}

impl Lesson {
    /// Makes the rig and poses it.
    #[must_use]
    pub fn new(start: Start) -> Self {
        Self::of(Moment::new(start.settings), start.symbol)
    }

    /// Poses a model that is already there, which the page is about.
    #[must_use]
    pub fn of_model(start: Start, model: Arc<Model>) -> Self {
        Self::of(Moment::of_model(start.settings, model), start.symbol)
    }

    fn of(moment: Moment, symbol: Option<&str>) -> Self {
        let moment = Arc::new(moment);
        let curves = Arc::new(no_curves(moment.example()));
        let mut out = Self { moment, shown: None, curves };
        out.point_at(symbol);
        out
    }

    /// Returns the example.
    #[must_use]
    pub fn example(&self) -> &'static Example {
        self.moment.example()
    }

    /// Returns the example at its sliders' positions.
    #[must_use]
    pub fn moment(&self) -> &Moment {
        &self.moment
    }

    /// Returns the settings and the symbol that open the example as it is now.
    #[must_use]
    pub fn start(&self) -> Start {
        Start { settings: *self.moment.settings(), symbol: self.shown }
    }

    /// Changes a local pose of the rig as the sliders say.
    pub fn pose(&self, model: &Model, local: &mut LocalPose) {
        self.moment.settings().pose(model, local);
    }

    /// Moves a slider, by its id, to the nearest value that it can have; returns whether that changed anything.
    pub fn set(&mut self, slider: &str, value: f32) -> bool {
        let mut settings = *self.moment.settings();
        if !settings.set(slider, value) {
            return false;
        }
        self.go_to(settings);
        true
    }

    /// Returns the same with its sliders and the symbol that is pointed at as `start` says.
    #[must_use]
    pub fn moved(&self, start: Start) -> Self {
        let mut out = self.clone();
        out.go_to(start.settings);
        out.point_at(start.symbol);
        out
    }

    /// Puts all sliders back to where they were at first.
    pub fn reset(&mut self) {
        self.go_to(Settings::of(self.example()));
    }

    fn go_to(&mut self, settings: Settings) {
        let now = *self.moment.settings();
        self.moment = Arc::new(self.moment.at(settings));
        let mut curves = no_curves(self.example());
        for ((curves, before), chart) in curves.iter_mut().zip(self.curves.iter()).zip(charts(self.example())) {
            // Curves over a slider are the same wherever it stands.
            if !settings.differs_beside(chart.slider, &now) {
                before.clone_into(curves);
            }
        }
        self.curves = Arc::new(curves);
    }

    /// Returns the symbol that is pointed at.
    #[must_use]
    pub fn shown(&self) -> Option<&'static Symbol> {
        self.moment.symbol(self.shown?)
    }

    /// Points at a symbol, by its id, or at none.
    pub fn point_at(&mut self, symbol: Option<&str>) {
        self.shown = symbol.and_then(|id| self.moment.symbol(id)).map(|symbol| symbol.id);
    }

    /// Returns what is drawn over the picture, the symbol that is pointed at last.
    #[must_use]
    pub fn marks(&self) -> Vec<Mark> {
        let mut out = (self.example().marks)(&self.moment);
        if let Some(symbol) = self.shown() {
            out.extend(symbol.marks(&self.moment));
        }
        out
    }

    /// Returns the curves of a chart of the page.
    #[must_use]
    pub fn curves(&self, chart: &Chart) -> &[Curve] {
        let at = charts(self.example()).position(|other| std::ptr::eq(other, chart));
        at.map_or(&[], |at| self.curves[at].get_or_init(|| chart.all_curves(&self.moment)))
    }
}

/// Returns the charts of the page of an example.
fn charts(example: &'static Example) -> impl Iterator<Item = &'static Chart> {
    example.page.blocks.iter().filter_map(|block| if let Block::Chart(chart) = block { Some(chart) } else { None })
}

fn no_curves(example: &'static Example) -> Vec<OnceLock<Vec<Curve>>> {
    charts(example).map(|_| OnceLock::new()).collect()
}
