//! What every example owes: words, sliders that make sense, letters that are explained and shown, and formulas whose printed numbers
//! are right at every position of the sliders.

use glam::Vec3;
use skinscope_deform as deform;
use skinscope_inspect as inspect;

use super::*;

/// Evaluates a formula as it is printed with numbers. It knows nothing of expressions.
fn evaluate(printed: &Printed) -> Result<Value, String> {
    let mut items = Vec::new();
    flatten(printed, &mut items);
    let mut reader = Reader { items, at: 0 };
    let value = reader.sum()?;
    if reader.at < reader.items.len() { Err(format!("left over: {:?}", reader.items[reader.at])) } else { Ok(value) }
}

fn flatten<'a>(printed: &'a Printed, out: &mut Vec<&'a Printed>) {
    match printed {
        Printed::Row(parts) => parts.iter().for_each(|part| flatten(part, out)),
        other => out.push(other),
    }
}

struct Reader<'a> {
    items: Vec<&'a Printed>,
    at: usize,
}

impl<'a> Reader<'a> {
    /// The operator that stands next.
    fn sign(&self) -> &'a str {
        match self.items.get(self.at) {
            Some(Printed::Text { text, ink: Ink::Plain, .. }) => text.trim_matches(' '),
            _ => "",
        }
    }

    fn sum(&mut self) -> Result<Value, String> {
        let mut sign = 1.0;
        if self.sign() == "−" {
            (self.at, sign) = (self.at + 1, -1.0);
        }
        let mut out = self.product()?.scaled(sign);
        loop {
            let sign = match self.sign() {
                "+" => 1.0,
                "−" => -1.0,
                _ => return Ok(out),
            };
            self.at += 1;
            out = out.plus(&self.product()?.scaled(sign)).ok_or("a sum of different sizes")?;
        }
    }

    fn product(&mut self) -> Result<Value, String> {
        let mut out = self.factor()?;
        while self.at < self.items.len() && !matches!(self.sign(), "+" | "−" | ",") {
            if matches!(self.sign(), "·" | "\u{2009}") {
                self.at += 1;
            }
            out = out.times(&self.factor()?).ok_or("a product of sizes that do not fit")?;
        }
        Ok(out)
    }

    fn factor(&mut self) -> Result<Value, String> {
        let item = *self.items.get(self.at).ok_or("the end")?;
        self.at += 1;
        match item {
            Printed::Text { text, .. } => match number(text) {
                Some(number) => Ok(number.into()),
                None => self.call(text),
            },
            Printed::Fraction(above, below) => {
                let below = evaluate(below)?.number().ok_or("a fraction over a matrix")?;
                Ok(evaluate(above)?.scaled(1.0 / below))
            }
            Printed::Script { base, above: Some(above), below: None } => {
                let above = above.line();
                if let Printed::Text { text, .. } = &**base
                    && number(text).is_none()
                {
                    let value = self.call(text)?.number().ok_or("a function of a matrix")?;
                    return if above == "2" { Ok((value * value).into()) } else { Err(above) };
                }
                let value = evaluate(base)?;
                match above.as_str() {
                    "2" => value.number().map(|n| (n * n).into()).ok_or("the square of a matrix".into()),
                    "3" => value.number().map(|n| (n * n * n).into()).ok_or("the third power of a matrix".into()),
                    "−1" => value.inverse().ok_or("no inverse".into()),
                    "T" => Ok(value.transposed()),
                    "−T" => value.inverse().map(|m| m.transposed()).ok_or("no inverse".into()),
                    other => Err(format!("to the power {other}")),
                }
            }
            Printed::Root(part) => Ok(evaluate(part)?.number().ok_or("the root of a matrix")?.max(0.0).sqrt().into()),
            Printed::Fenced(Fence::Round, part) => evaluate(part),
            Printed::Fenced(Fence::Bars, part) => Ok(evaluate(part)?.length().into()),
            Printed::Matrix(rows) => {
                let cell = |cell: &Printed| evaluate(cell)?.number().ok_or("a matrix in a matrix".to_owned());
                let rows = rows.iter().map(|row| row.iter().map(cell).collect());
                Value::of_rows(&rows.collect::<Result<Vec<Vec<f64>>, _>>()?).ok_or("uneven rows".into())
            }
            other => Err(format!("not to be evaluated: {other:?}")),
        }
    }

    /// A function of what stands next between parentheses.
    fn call(&mut self, name: &str) -> Result<Value, String> {
        let Some(Printed::Fenced(Fence::Round, inside)) = self.items.get(self.at) else { return Err(name.into()) };
        self.at += 1;
        let mut items = Vec::new();
        flatten(inside, &mut items);
        let is_comma = |item: &&Printed| matches!(item, Printed::Text { text, .. } if text == ", ");
        let arguments = items.split(is_comma).map(|part| {
            let mut reader = Reader { items: part.to_vec(), at: 0 };
            reader.sum()?.number().ok_or_else(|| "a function of a matrix".to_owned())
        });
        let value = match (name, &arguments.collect::<Result<Vec<f64>, _>>()?[..]) {
            ("cos", [x]) => x.cos(),
            ("sin", [x]) => x.sin(),
            ("arccos", [x]) => x.clamp(-1.0, 1.0).acos(),
            ("atan2", [y, x]) => y.atan2(*x),
            ("exp", [x]) => x.exp(),
            ("round", [x]) => x.round(),
            ("max", [a, b]) => a.max(*b),
            ("min", [a, b]) => a.min(*b),
            _ => return Err(format!("the function {name}")),
        };
        Ok(value.into())
    }
}

/// A number as it is printed: with a real minus sign, degrees as such.
fn number(text: &str) -> Option<f64> {
    let plain = text.replace('−', "-");
    match plain.strip_suffix('°') {
        Some(degrees) => degrees.parse().ok().map(f64::to_radians),
        None => plain.parse().ok(),
    }
}

/// Positions of the sliders: all corners of their ranges, and each slider over its whole range.
fn positions(example: &'static Example) -> Vec<Settings> {
    let first = Settings::of(example);
    let mut out = vec![first];
    // Of those that are dragged in the picture there are too many for all corners.
    let on_page = || example.sliders.iter().filter(|slider| !slider.in_picture);
    for corner in 0..1_u32 << on_page().count() {
        let mut settings = first;
        for (i, slider) in on_page().enumerate() {
            settings.set(slider.id, slider.range[(corner >> i & 1) as usize]);
        }
        out.push(settings);
    }
    for slider in example.sliders {
        for i in 0..=12 {
            let mut settings = first;
            settings.set(slider.id, slider.range[0] + (slider.range[1] - slider.range[0]) * i as f32 / 12.0);
            out.push(settings);
        }
    }
    out
}

/// Everything that is wrong with an example.
fn faults(example: &'static Example) -> Vec<String> {
    let mut out = Vec::new();
    let mut ensure = |holds: bool, what: &dyn Fn() -> String| {
        if !holds && out.len() < 20 {
            out.push(format!("{}: {}", example.id, what()));
        }
    };
    let is_name = |id: &str| !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let is_sentence = |text: &str| text.len() > 8 && text.ends_with(['.', ':', '?']) && text.trim() == text;
    ensure(is_name(example.id) && example.title.len() > 3, &|| "it has no name".into());
    ensure(is_sentence(example.question) && example.question.ends_with('?'), &|| "it asks nothing".into());
    sliders(example, &mut ensure);
    if example.sliders.iter().any(|s| s.range[0] >= s.range[1] || s.fitted(s.default) != Some(s.default)) {
        return out;
    }
    page(example, &is_sentence, &mut ensure);
    let look = &example.look;
    ensure(deform::method(look.method).is_some(), &|| format!("there is no method {}", look.method));
    ensure(look.compare.is_none_or(|id| deform::method(id).is_some()), &|| format!("no method {:?}", look.compare));
    ensure(look.overlay.is_none_or(|id| inspect::overlay(id).is_some()), &|| format!("no overlay {:?}", look.overlay));
    ensure((0..3).all(|i| look.stage[0][i] < look.stage[1][i]), &|| "its stage is empty".into());
    let first = Moment::new(Settings::of(example));
    let names = &first.model().skeleton.names;
    ensure(look.selected.is_none_or(|name| names.iter().any(|n| n == name)), &|| format!("no {:?}", look.selected));
    let follows = |id: &str| example.sliders.iter().any(|s| s.id == id && s.unit == Unit::Metres);
    ensure(look.follows.is_none_or(follows), &|| format!("it follows no slider {:?}", look.follows));
    handles(example, &mut ensure);
    for settings in positions(example) {
        moment(&first.at(settings), &mut ensure);
    }
    out
}

/// Each handle goes where it is dragged, and a slider without a rail is one of a handle.
fn handles(example: &'static Example, ensure: &mut Ensure) {
    let first = Settings::of(example);
    let mut moved = Vec::new();
    for handle in example.handles {
        // A rim follows the pointer across it alone.
        let follows = |by: Vec3| {
            let (to, mut settings) = ((handle.at)(&first) + by, first);
            (handle.drag)(&first, to).into_iter().for_each(|(id, value)| _ = settings.set(id, value));
            settings != first && (handle.at)(&settings).distance(to) < 0.8 * by.length()
        };
        let ways = [[0.05, 0.03, 0.0], [0.03, -0.05, 0.0]].map(Vec3::from);
        ensure(ways.into_iter().any(follows), &|| format!("the handle {} stays behind", handle.name));
        moved.extend((handle.drag)(&first, Vec3::ZERO).into_iter().map(|(id, _)| id));
    }
    let found = example.sliders.iter().filter(|slider| slider.in_picture).all(|slider| moved.contains(&slider.id));
    ensure(found, &|| "no handle moves one of its sliders".into());
}

type Ensure<'a> = dyn FnMut(bool, &dyn Fn() -> String) + 'a;

fn sliders(example: &'static Example, ensure: &mut Ensure) {
    let on_page = example.sliders.iter().filter(|slider| !slider.in_picture).count();
    ensure((1..=MOST_SLIDERS).contains(&on_page), &|| "it has no slider, or too many".into());
    for (i, slider) in example.sliders.iter().enumerate() {
        let id = slider.id;
        ensure(example.sliders[..i].iter().all(|other| other.id != id), &|| format!("two sliders {id}"));
        ensure(slider.label.len() > 3 && slider.help.len() > 8, &|| format!("the slider {id} is not explained"));
        let [least, most] = slider.range;
        ensure(least.is_finite() && most.is_finite() && least < most, &|| format!("the slider {id} has no range"));
        ensure(slider.fitted(slider.default) == Some(slider.default), &|| {
            format!("the slider {id} cannot have its first value")
        });
        ensure((0.0..=most - least).contains(&slider.step), &|| format!("the slider {id} has no steps"));
        ensure(slider.fitted(most) == Some(most), &|| format!("the slider {id} does not reach its end"));
        let named = slider.choices.len();
        ensure(named == 0 || slider.count() == Some(named), &|| format!("the slider {id} names not all of its values"));
        // On a rail nobody finds the other one of two values.
        ensure(named > 0 || slider.count() != Some(2), &|| format!("the slider {id} of two values is no switch"));
        ensure(!slider.is_share || slider.range == [0.0, 1.0], &|| format!("the slider {id} is no share"));
    }
}

fn page(example: &'static Example, is_sentence: &dyn Fn(&str) -> bool, ensure: &mut Ensure) {
    let Page { blocks, try_this, what_to_see, sources } = &example.page;
    let count = |is: fn(&&Block) -> bool| blocks.iter().filter(is).count();
    ensure(count(|b| matches!(b, Block::Text(_))) > 0, &|| "its page has no text".into());
    ensure(count(|b| matches!(b, Block::Formula(_))) > 0, &|| "its page has no formula".into());
    ensure((2..=3).contains(&try_this.len()), &|| "two or three steps are to be tried".into());
    ensure(!what_to_see.is_empty() && !sources.is_empty(), &|| "it does not say what is seen, or its source".into());
    let texts = blocks.iter().filter_map(|b| if let Block::Text(text) = b { Some(text) } else { None });
    for text in texts.chain(*try_this).chain(*what_to_see) {
        ensure(is_sentence(text), &|| format!("no sentence: {text}"));
    }
    ensure(sources.iter().all(|s| s.text.len() > 8 && s.section.len() > 3), &|| "a source is not named".into());
    let mut used = Vec::new();
    for block in *blocks {
        if let Block::Formula(formula) = block {
            formula.terms.iter().for_each(|term| term.symbols(&mut |id| used.push(id)));
        }
        if let Block::Chart(chart) = block {
            ensure(example.sliders.iter().any(|s| s.id == chart.slider), &|| format!("no slider {}", chart.slider));
            ensure(chart.range[0] < chart.range[1], &|| format!("the chart {} has no range", chart.title));
        }
    }
    for (i, symbol) in example.symbols.iter().enumerate() {
        let id = symbol.id;
        ensure(example.symbols[..i].iter().all(|other| other.id != id), &|| format!("two symbols {id}"));
        ensure(!symbol.letter.is_empty() && symbol.words.len() > 8, &|| format!("{id} is not explained"));
        ensure(used.contains(&id), &|| format!("no formula uses {id}"));
    }
}

/// Where the sliders stand.
fn slider_values(moment: &Moment) -> String {
    let of = |slider: &Slider| format!("{} = {}", slider.id, moment.settings().get(slider.id));
    moment.example().sliders.iter().map(of).collect::<Vec<_>>().join(", ")
}

/// What must hold at every position of the sliders.
fn moment(moment: &Moment, ensure: &mut Ensure) {
    let at = || slider_values(moment);
    let whole: Vec<f32> = moment.local().transforms.iter().flat_map(|t| t.to_affine().to_cols_array()).collect();
    ensure(whole.iter().all(|n| n.is_finite()), &|| format!("the pose is not finite at {}", at()));
    let stage = moment.settings().stage();
    let near = |p: &Vec3| p.is_finite() && p.distance(stage.center()) < stage.diagonal();
    for symbol in moment.example().symbols {
        let value = symbol.value(moment);
        ensure(value.is_finite(), &|| format!("{} is not finite at {}", symbol.id, at()));
        let marks = symbol.marks(moment);
        ensure(!marks.is_empty(), &|| format!("{} is not shown in the picture", symbol.id));
        ensure(marks.iter().all(|m| !m.points.is_empty() && m.points.iter().all(near)), &|| {
            format!("{} is shown far away at {}", symbol.id, at())
        });
    }
    ensure((moment.example().marks)(moment).iter().flat_map(|m| &m.points).all(near), &|| {
        format!("a mark is far away at {}", at())
    });
    for block in moment.example().page.blocks {
        match block {
            Block::Text(_) => {}
            Block::Formula(formula) => check_formula(formula, moment, ensure),
            Block::Chart(chart) => {
                // It is the same wherever the sliders are; that costs most at one position.
                if *moment.settings() != Settings::of(moment.example()) {
                    continue;
                }
                let range = moment.example().sliders.iter().find(|s| s.id == chart.slider).map(|s| s.range);
                let [least, most] = range.unwrap_or_default().map(f64::from);
                for curve in chart.all_curves(moment) {
                    let inside = |[x, y]: &[f64; 2]| {
                        (least..=most).contains(x) && (chart.range[0] - 1e-3..=chart.range[1]).contains(y)
                    };
                    ensure(curve.points.iter().all(inside), &|| format!("the curve {} leaves its chart", curve.name));
                    let ends = curve.points.first().zip(curve.points.last());
                    ensure(ends.is_some_and(|(a, b)| a[0] < b[0]), &|| {
                        format!("the curve {} has no length", curve.name)
                    });
                }
            }
        }
    }
}

fn check_formula(formula: &Formula, moment: &Moment, ensure: &mut Ensure) {
    let at = || slider_values(moment);
    let name =
        || formula.terms.iter().map(|t| typeset(t, Form::Letters, moment).line()).collect::<Vec<_>>().join(" = ");
    ensure(formula.terms.len() > 1, &|| format!("{} is no equation", name()));
    let values: Result<Vec<Value>, _> = formula.terms.iter().map(|term| term.value(moment)).collect();
    let values = match values {
        Ok(values) => values,
        Err(error) => return ensure(false, &|| format!("{}: {error}", name())),
    };
    let Some(last) = values.last() else { return };
    ensure(last.is_finite(), &|| format!("{} is not finite at {}", name(), at()));
    for value in &values {
        let apart = value.distance(last);
        ensure(apart.is_some_and(|d| d <= formula.tolerance), &|| {
            format!("{} is off by {apart:?} at {}", name(), at())
        });
    }
    // With many decimals, each printed line is worth the value, however it is read.
    let lines = formula_lines(formula, moment, 9);
    for line in &lines[formula.terms.len()..] {
        match evaluate(line) {
            Ok(value) => {
                let apart = value.distance(last);
                ensure(apart.is_some_and(|d| d < 1e-6), &|| format!("{} is off by {apart:?} at {}", line.line(), at()));
            }
            Err(error) => ensure(false, &|| format!("{} cannot be evaluated: {error}", line.line())),
        }
    }
    // With the usual ones, the last line is the value, rounded.
    if let Some(Ok(value)) = formula_lines(formula, moment, 0).last().map(evaluate) {
        ensure(value.distance(last).is_some_and(|d| d < 0.06), &|| format!("{} is printed wrong at {}", name(), at()));
    }
}

#[test]
fn every_example_is_whole_and_its_printed_numbers_are_right() {
    let found: Vec<String> = examples().flat_map(faults).collect();
    assert!(found.is_empty(), "{found:#?}");
    let all: Vec<&Example> = examples().collect();
    for (i, example) in all.iter().enumerate() {
        assert!(all[..i].iter().all(|other| other.id != example.id && other.title != example.title));
    }
}

/// An example with something broken: the named field of the first one is replaced.
macro_rules! broken {
    ($($field:ident: $value:expr),* $(,)?) => {{
        static BROKEN: Example = Example { $($field: $value,)* ..base() };
        faults(&BROKEN)
    }};
}

const THETA: Expr = Expr::Of("theta");

/// A small example without a fault.
const fn base() -> Example {
    Example {
        id: "broken",
        title: "Broken",
        question: "What is wrong with it?",
        sliders: &[ANGLE],
        symbols: &[SYMBOL],
        page: PAGE,
        look: Look::PLAIN,
        model: |_| skinscope_model::test_shapes::tube(skinscope_model::test_shapes::Tube::default()),
        pose: |_, _, _| {},
        marks: |_| Vec::new(),
        handles: &[],
        file: None,
        controls: &[],
    }
}

const ANGLE: Slider = Slider {
    id: "theta",
    label: "Angle, θ",
    help: "An angle of no use",
    unit: Unit::Degrees,
    range: [0.0, 90.0],
    default: 30.0,
    ..Slider::PLAIN
};

const SYMBOL: Symbol = Symbol {
    id: "theta",
    letter: "θ",
    unit: Unit::Degrees,
    words: "an angle of no use",
    value: |moment| Value::from(moment.slider("theta").to_radians()),
    marks: |_| {
        vec![Mark { points: vec![Vec3::ZERO], width: 1.0, ink: MarkInk::Accent, label: String::new(), leads: false }]
    },
    ..Symbol::PLAIN
};

const PAGE: Page = Page {
    blocks: &[Block::Text("A text of a page."), Block::Formula(TWICE)],
    try_this: &["Look at it.", "Look away."],
    what_to_see: &["There is nothing."],
    sources: &[Citation { text: "A text of our own", section: "here" }],
};

/// θ = 2 (θ/2).
const TWICE: Formula = Formula {
    terms: &[THETA, Expr::Product(&[Expr::Number(2.0), Expr::Over(&THETA, &Expr::Number(2.0))])],
    ..Formula::PLAIN
};

/// A formula that is right at 30° alone.
const WRONG: Formula = Formula { terms: &[Expr::Call(Function::Sin, &[THETA]), Expr::Number(0.5)], ..Formula::PLAIN };

const UNKNOWN: Formula = Formula { terms: &[THETA, Expr::Of("phi")], ..Formula::PLAIN };

/// The arccosine of more than one, at all angles but 0.
const NOT_FINITE: Formula = Formula {
    terms: &[
        Expr::Call(Function::Acos, &[Expr::Sum(&[Expr::Number(1.0), THETA])]),
        Expr::Call(Function::Acos, &[Expr::Sum(&[Expr::Number(1.0), THETA])]),
    ],
    ..Formula::PLAIN
};

#[test]
fn what_is_broken_is_found() {
    let says = |found: Vec<String>, what: &str| {
        assert!(found.iter().any(|line| line.contains(what)), "\"{what}\" is not among {found:#?}");
    };
    assert_eq!(broken!(), Vec::<String>::new());
    says(broken!(question: "No question."), "asks nothing");
    // Formulas.
    says(
        broken!(page: Page { blocks: &[Block::Text("A text of a page."), Block::Formula(WRONG)], ..PAGE }),
        "is off by",
    );
    says(
        broken!(page: Page { blocks: &[Block::Text("A text of a page."), Block::Formula(UNKNOWN)], ..PAGE }),
        "\"phi\"",
    );
    says(
        broken!(page: Page { blocks: &[Block::Text("A text of a page."), Block::Formula(NOT_FINITE)], ..PAGE }),
        "not finite",
    );
    // Sliders.
    says(broken!(sliders: &[Slider { range: [90.0, 0.0], ..ANGLE }]), "has no range");
    says(broken!(sliders: &[Slider { range: [40.0, 90.0], ..ANGLE }]), "cannot have its first value");
    says(broken!(sliders: &[Slider { step: 20.0, ..ANGLE }]), "cannot have its first value");
    says(broken!(sliders: &[]), "has no slider");
    says(broken!(sliders: &[Slider { step: 90.0, default: 0.0, ..ANGLE }]), "is no switch");
    says(broken!(sliders: &[Slider { step: 30.0, choices: &["none", "all"], ..ANGLE }]), "names not all");
    says(broken!(sliders: &[Slider { is_share: true, ..ANGLE }]), "is no share");
    // Pages.
    says(broken!(page: Page { blocks: &[], ..PAGE }), "has no text");
    says(broken!(page: Page { try_this: &[], ..PAGE }), "to be tried");
    says(broken!(page: Page { what_to_see: &[], ..PAGE }), "what is seen");
    says(broken!(page: Page { sources: &[], ..PAGE }), "source");
    // Symbols.
    says(broken!(symbols: &[Symbol { marks: |_| Vec::new(), ..SYMBOL }]), "not shown");
    says(broken!(symbols: &[Symbol { words: "", ..SYMBOL }]), "not explained");
    says(broken!(symbols: &[Symbol { value: |_| Value::from(f64::NAN), ..SYMBOL }]), "not finite");
    // The look.
    says(broken!(look: Look { overlay: Some("no-such"), ..Look::PLAIN }), "no overlay");
    says(broken!(look: Look { selected: Some("nobody"), ..Look::PLAIN }), "nobody");
}

#[test]
fn printed_numbers_are_read_as_people_read_them() {
    let text = |t: &str| Printed::plain(t);
    let half = Printed::Fraction(Box::new(text("90°")), Box::new(text("2")));
    let cos = Printed::row([text("cos"), Printed::Fenced(Fence::Round, Box::new(half))]);
    assert!((evaluate(&cos).unwrap().number().unwrap() - 0.5_f64.sqrt()).abs() < 1e-12);
    let sum = Printed::row([text("−0.5"), text(" + "), text("2"), text(" · "), text("3"), text(" − "), text("1")]);
    assert_eq!(evaluate(&sum).unwrap().number(), Some(4.5));
    assert!(evaluate(&Printed::row([text("1"), text(" + ")])).is_err());
}
