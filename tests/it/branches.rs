//! On a software device, no branch and no loop of a shader depends on uniforms alone. Otherwise Mesa's Vulkan driver
//! for the processor would compile the shader again for every draw and the values that uniforms have then, and keep
//! every version: memory grew by 40 MiB a second while a clip played under an overlay. The test needs no device.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeSet, HashMap};

use skinscope::deform::METHODS;
use skinscope::frame::{LOOKS, TONE_MAPS};
use skinscope::render::shader::{GRID, LAYERED, LOOK, Linked, Linking, PROGRAMS, PaletteIn, SURFACE};
use wgpu::naga::{
    AddressSpace, BinaryOperator, Block, EntryPoint, Expression, Function, Handle, Literal, LocalVariable, Module,
    Span, Statement, Type, TypeInner, UnaryOperator,
};

/// What a value hangs on, from nothing to whatever differs within a draw.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// On constants; its value where that is known.
    Fixed(Option<Literal>),
    /// On uniforms and constants.
    Uniform,
    /// On something else.
    Varying,
}

impl Kind {
    const UNKNOWN: Self = Self::Fixed(None);

    fn rank(self) -> u8 {
        match self {
            Self::Fixed(_) => 0,
            Self::Uniform => 1,
            Self::Varying => 2,
        }
    }

    /// What hangs on both.
    fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Fixed(a), Self::Fixed(b)) => Self::Fixed(a.filter(|_| a == b)),
            _ if self.rank() >= other.rank() => self,
            _ => other,
        }
    }

    fn is_true(self) -> Option<bool> {
        match self {
            Self::Fixed(Some(Literal::Bool(value))) => Some(value),
            _ => None,
        }
    }
}

/// A value: of a struct, each of its fields.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    One(Kind),
    Fields(Vec<Value>),
}

impl Value {
    fn kind(&self) -> Kind {
        match self {
            Self::One(kind) => *kind,
            Self::Fields(all) => all.iter().map(Self::kind).reduce(Kind::join).unwrap_or(Kind::UNKNOWN),
        }
    }

    fn field(&self, index: usize) -> Self {
        match self {
            Self::One(Kind::Fixed(_)) => Self::One(Kind::UNKNOWN),
            Self::One(kind) => Self::One(*kind),
            Self::Fields(all) => all[index].clone(),
        }
    }

    fn join(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Fields(a), Self::Fields(b)) => Self::Fields(a.iter().zip(b).map(|(a, b)| a.join(b)).collect()),
            (Self::Fields(a), Self::One(_)) => Self::Fields(a.iter().map(|a| a.join(other)).collect()),
            (Self::One(_), Self::Fields(_)) => other.join(self),
            (Self::One(a), Self::One(b)) => Self::One(a.join(*b)),
        }
    }

    /// Joins `value` into the part that `path` leads to.
    fn store(&mut self, path: &[Option<usize>], value: &Self) {
        match (&mut *self, path) {
            (Self::Fields(all), [Some(field), rest @ ..]) => all[*field].store(rest, value),
            (_, []) => *self = self.join(value),
            // A part of a vector or an array.
            _ => *self = self.join(&Self::One(Kind::UNKNOWN.join(value.kind()))),
        }
    }
}

/// Where a pointer begins.
enum Root {
    Local(Handle<LocalVariable>),
    Uniform,
    Elsewhere,
}

/// A program as a pipeline has it.
struct Reader<'a> {
    module: &'a Module,
    /// Overrides that are known.
    constants: &'a [(&'static str, Literal)],
    /// Conditions that hang on uniforms alone.
    found: Vec<Span>,
}

/// A function while it is read.
struct Call<'a> {
    function: &'a Function,
    arguments: Vec<Value>,
    locals: HashMap<Handle<LocalVariable>, Value>,
    results: HashMap<Handle<Expression>, Value>,
    returned: Option<Value>,
    /// It ends early where something varies.
    leaves: bool,
}

impl Reader<'_> {
    fn zero(&self, ty: Handle<Type>) -> Value {
        match &self.module.types[ty].inner {
            TypeInner::Struct { members, .. } => Value::Fields(members.iter().map(|m| self.zero(m.ty)).collect()),
            TypeInner::Scalar(scalar) => Value::One(Kind::Fixed(Literal::zero(*scalar))),
            _ => Value::One(Kind::UNKNOWN),
        }
    }

    fn global(&self, expression: Handle<Expression>) -> Value {
        match &self.module.global_expressions[expression] {
            Expression::Literal(literal) => Value::One(Kind::Fixed(Some(*literal))),
            Expression::Constant(c) => self.global(self.module.constants[*c].init),
            Expression::ZeroValue(ty) => self.zero(*ty),
            _ => Value::One(Kind::UNKNOWN),
        }
    }

    /// Reads a function that is called with `arguments`, and gives what it returns.
    fn call(&mut self, function: &Function, arguments: Vec<Value>, report: bool) -> Value {
        let local = |(handle, local): (_, &LocalVariable)| (handle, self.zero(local.ty));
        let locals = function.local_variables.iter().map(local).collect();
        let mut call = Call { function, arguments, locals, results: HashMap::new(), returned: None, leaves: false };
        for (handle, local) in function.local_variables.iter() {
            if let Some(init) = local.init {
                let value = self.value(&call, init);
                call.locals.insert(handle, value);
            }
        }
        loop {
            let before = (call.locals.clone(), call.results.clone());
            self.block(&mut call, &function.body, Kind::UNKNOWN, false);
            if before == (call.locals.clone(), call.results.clone()) {
                break;
            }
        }
        if report {
            self.block(&mut call, &function.body, Kind::UNKNOWN, true);
        }
        let value = call.returned.unwrap_or(Value::One(Kind::UNKNOWN));
        if call.leaves { value.join(&Value::One(Kind::Varying)) } else { value }
    }

    /// Root and path of a pointer; `None`: it is a value. With what the indices on the way hang on.
    fn pointer(&self, call: &Call<'_>, at: Handle<Expression>) -> Option<(Root, Vec<Option<usize>>, Kind)> {
        match &call.function.expressions[at] {
            Expression::LocalVariable(local) => Some((Root::Local(*local), Vec::new(), Kind::UNKNOWN)),
            Expression::GlobalVariable(global) => match self.module.global_variables[*global].space {
                AddressSpace::Uniform => Some((Root::Uniform, Vec::new(), Kind::UNKNOWN)),
                _ => Some((Root::Elsewhere, Vec::new(), Kind::UNKNOWN)),
            },
            Expression::FunctionArgument(n) => {
                let ty = call.function.arguments[*n as usize].ty;
                let is_pointer = matches!(self.module.types[ty].inner, TypeInner::Pointer { .. });
                is_pointer.then_some((Root::Elsewhere, Vec::new(), Kind::UNKNOWN))
            }
            Expression::AccessIndex { base, index } => self.pointer(call, *base).map(|(root, mut path, kind)| {
                path.push(Some(*index as usize));
                (root, path, kind)
            }),
            Expression::Access { base, index } => {
                let (root, mut path, kind) = self.pointer(call, *base)?;
                path.push(None);
                Some((root, path, kind.join(self.value(call, *index).kind())))
            }
            _ => None,
        }
    }

    fn value(&self, call: &Call<'_>, at: Handle<Expression>) -> Value {
        use Expression as E;
        let kind = |e: &Handle<Expression>| self.value(call, *e).kind();
        let all = |list: &[Handle<Expression>]| list.iter().map(kind).reduce(Kind::join).unwrap_or(Kind::UNKNOWN);
        // What is made of fixed values is fixed, but not one of them.
        let of = |list: &[Handle<Expression>]| Value::One(Kind::UNKNOWN.join(all(list)));
        match &call.function.expressions[at] {
            E::Literal(literal) => Value::One(Kind::Fixed(Some(*literal))),
            E::Constant(c) => self.global(self.module.constants[*c].init),
            E::Override(o) => {
                let name = self.module.overrides[*o].name.as_deref();
                let known = self.constants.iter().find(|(n, _)| Some(*n) == name);
                Value::One(Kind::Fixed(known.map(|(_, literal)| *literal)))
            }
            E::ZeroValue(ty) => self.zero(*ty),
            E::Compose { ty, components } => match self.module.types[*ty].inner {
                TypeInner::Struct { .. } => Value::Fields(components.iter().map(|c| self.value(call, *c)).collect()),
                _ => of(components),
            },
            E::AccessIndex { base, index } => self.value(call, *base).field(*index as usize),
            E::Access { base, index } => of(&[*base, *index]),
            E::Splat { value, .. } => of(&[*value]),
            E::Swizzle { vector, .. } => of(&[*vector]),
            E::FunctionArgument(n) => call.arguments[*n as usize].clone(),
            E::Load { pointer } => self.load(call, *pointer),
            E::Unary { op, expr } => Value::One(match (op, kind(expr)) {
                (UnaryOperator::LogicalNot, Kind::Fixed(Some(Literal::Bool(b)))) => {
                    Kind::Fixed(Some(Literal::Bool(!b)))
                }
                (_, kind) => Kind::UNKNOWN.join(kind),
            }),
            E::Binary { op, left, right } => Value::One(binary(*op, kind(left), kind(right))),
            E::Select { condition, accept, reject } => match kind(condition).is_true() {
                Some(true) => self.value(call, *accept),
                Some(false) => self.value(call, *reject),
                None => self.value(call, *accept).join(&self.value(call, *reject)).join(&of(&[*condition])),
            },
            E::Relational { argument, .. } => of(&[*argument]),
            E::Math { arg, arg1, arg2, arg3, .. } => {
                of(&[Some(*arg), *arg1, *arg2, *arg3].into_iter().flatten().collect::<Vec<_>>())
            }
            E::As { expr, .. } => of(&[*expr]),
            E::CallResult(_) => call.results.get(&at).cloned().unwrap_or(Value::One(Kind::UNKNOWN)),
            _ => Value::One(Kind::Varying),
        }
    }

    fn load(&self, call: &Call<'_>, pointer: Handle<Expression>) -> Value {
        let Some((root, path, indices)) = self.pointer(call, pointer) else { return Value::One(Kind::Varying) };
        match root {
            Root::Uniform => Value::One(Kind::Uniform.join(indices)),
            Root::Elsewhere => Value::One(Kind::Varying),
            Root::Local(local) => {
                let part = |value: Value, step: &Option<usize>| match step {
                    Some(field) => value.field(*field),
                    None => Value::One(Kind::UNKNOWN.join(value.kind()).join(indices)),
                };
                path.iter().fold(call.locals[&local].clone(), part)
            }
        }
    }

    /// Reads statements that run where `control` says. True where none after them runs.
    fn block(&mut self, call: &mut Call<'_>, block: &Block, control: Kind, report: bool) -> bool {
        block.iter().any(|statement| self.statement(call, statement, control, report))
    }

    fn branch(&mut self, call: &Call<'_>, on: Handle<Expression>, control: Kind, report: bool) -> (Kind, Kind) {
        let kind = self.value(call, on).kind();
        if report && kind == Kind::Uniform {
            self.found.push(call.function.expressions.get_span(on));
        }
        (kind, control.join(Kind::UNKNOWN.join(kind)))
    }

    fn statement(&mut self, call: &mut Call<'_>, statement: &Statement, control: Kind, report: bool) -> bool {
        match statement {
            Statement::Block(block) => return self.block(call, block, control, report),
            Statement::If { condition, accept, reject } => {
                let (kind, inside) = self.branch(call, *condition, control, report);
                let then = kind.is_true() != Some(false) && self.block(call, accept, inside, report);
                let other = kind.is_true() != Some(true) && self.block(call, reject, inside, report);
                return match kind.is_true() {
                    Some(true) => then,
                    Some(false) => other,
                    None => then && other,
                };
            }
            Statement::Switch { selector, cases } => {
                let (_, inside) = self.branch(call, *selector, control, report);
                for case in cases {
                    self.block(call, &case.body, inside, report);
                }
            }
            Statement::Loop { body, continuing, break_if } => {
                self.block(call, body, control, report);
                self.block(call, continuing, control, report);
                break_if.iter().for_each(|on| _ = self.branch(call, *on, control, report));
            }
            Statement::Break | Statement::Continue | Statement::Kill => return true,
            Statement::Return { value } => {
                let value = value.map_or(Value::One(Kind::UNKNOWN), |v| self.value(call, v));
                call.returned = Some(call.returned.as_ref().map_or(value.clone(), |r| r.join(&value)));
                call.leaves |= control == Kind::Varying;
                return true;
            }
            Statement::Store { pointer, value } => {
                let mut value = self.value(call, *value);
                if control.rank() > 0 {
                    value = value.join(&Value::One(control));
                }
                if let Some((Root::Local(local), path, indices)) = self.pointer(call, *pointer) {
                    let value = if indices == Kind::Varying { Value::One(indices) } else { value };
                    call.locals.entry(local).and_modify(|held| held.store(&path, &value));
                }
            }
            Statement::Call { function, arguments, result } => {
                for argument in arguments {
                    // Whatever is handed out to be written to.
                    if let Some((Root::Local(local), path, _)) = self.pointer(call, *argument) {
                        let varying = Value::One(Kind::Varying);
                        call.locals.entry(local).and_modify(|held| held.store(&path, &varying));
                    }
                }
                let arguments = arguments.iter().map(|a| self.value(call, *a)).collect();
                let value = self.call(&self.module.functions[*function], arguments, report);
                result.iter().for_each(|at| _ = call.results.insert(*at, value.clone()));
            }
            _ => {}
        }
        false
    }
}

/// As far as the shaders' constants are told apart.
fn binary(op: BinaryOperator, left: Kind, right: Kind) -> Kind {
    use BinaryOperator as B;
    use Literal as L;
    let (Kind::Fixed(a), Kind::Fixed(b)) = (left, right) else {
        // One side alone may decide.
        let decides = |value| left.is_true() == Some(value) || right.is_true() == Some(value);
        return match op {
            B::LogicalAnd if decides(false) => Kind::Fixed(Some(L::Bool(false))),
            B::LogicalOr if decides(true) => Kind::Fixed(Some(L::Bool(true))),
            _ => Kind::UNKNOWN.join(left).join(Kind::UNKNOWN.join(right)),
        };
    };
    Kind::Fixed(match (op, a, b) {
        (B::LogicalAnd, Some(L::Bool(false)), _) | (B::LogicalAnd, _, Some(L::Bool(false))) => Some(L::Bool(false)),
        (B::LogicalOr, Some(L::Bool(true)), _) | (B::LogicalOr, _, Some(L::Bool(true))) => Some(L::Bool(true)),
        (B::LogicalAnd | B::LogicalOr, Some(L::Bool(_)), Some(L::Bool(_))) => b,
        (B::Equal, Some(a), Some(b)) => Some(L::Bool(a == b)),
        (B::NotEqual, Some(a), Some(b)) => Some(L::Bool(a != b)),
        (B::And, Some(L::U32(a)), Some(L::U32(b))) => Some(L::U32(a & b)),
        (B::ShiftLeft, Some(L::U32(a)), Some(L::U32(b))) => Some(L::U32(a.wrapping_shl(b))),
        _ => None,
    })
}

/// Where branches of an entry point hang on uniforms alone.
fn found_in(
    linked: &Linked,
    module: &Module,
    entry: &EntryPoint,
    constants: &[(&'static str, Literal)],
) -> BTreeSet<String> {
    let mut reader = Reader { module, constants, found: Vec::new() };
    let arguments = entry.function.arguments.iter().map(|_| Value::One(Kind::Varying)).collect();
    reader.call(&entry.function, arguments, true);
    let place = |span: &Span| {
        let (file, line) = linked.locate(span.location(&linked.text).line_number as usize);
        format!("shaders/{file}:{line}")
    };
    reader.found.iter().map(place).collect()
}

/// Constants of pipelines: none known, and some sets that are.
fn sets() -> Vec<Vec<(&'static str, Literal)>> {
    let mut all = vec![Vec::new()];
    for mode in 0..3 {
        for on in [false, true] {
            let bits = |bits| Literal::U32(if on { bits } else { 0 });
            let switches = ["NORMALS", "TANGENTS", "MORPHS", "COLORS", "DIMS", "SIDES"].map(|n| (n, Literal::Bool(on)));
            let numbers = [
                ("MODE", Literal::U32(mode)),
                ("TEXTURES", bits(u32::MAX)),
                ("TRANSFORMS", bits(u32::MAX)),
                ("LAYERS", bits(if mode == 1 { 2 } else { 989 })),
                ("SHOWN_FLAGS", bits(u32::MAX)),
                ("SHOWN_OVERLAY", Literal::U32(mode)),
                ("SHOWN_SCALE", Literal::U32(mode)),
                ("SHOWN_LIGHTS", Literal::U32(mode + 1)),
            ];
            all.push(switches.into_iter().chain(numbers).collect());
        }
    }
    all
}

/// Of all programs, with every method.
fn found(by_processor: bool) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    let pairs = PROGRAMS.iter().flat_map(|p| METHODS.iter().map(move |m| (p, m)));
    let palettes = [PaletteIn::Storage, PaletteIn::Uniform(4096)];
    let usual = Linking { late_depth: by_processor, ..Linking::default() };
    let ways = pairs.flat_map(|(p, m)| palettes.map(|palette| (*p, *m, Linking { palette, ..usual })));
    let others = LOOKS.iter().filter(|look| look.wgsl.is_some()).count() as u8;
    let looks = (0..others).map(|look| (&LOOK, METHODS[0], Linking { look, ..usual }));
    let around = [&SURFACE, &LAYERED].map(|p| (p, METHODS[0], Linking { environment: true, ..usual }));
    let tones = (0..TONE_MAPS.len() as u8).map(|tone_map| (&LAYERED, METHODS[0], Linking { tone_map, ..usual }));
    let shadowed = [&SURFACE, &LAYERED, &GRID].map(|p| (p, METHODS[0], Linking { shadowed: true, ..usual }));
    for (program, method, with) in ways.chain(looks).chain(tones).chain(around).chain(shadowed) {
        let linked = program.link(method, with);
        let (module, _) = linked.check().unwrap();
        for entry in &module.entry_points {
            for mut constants in sets() {
                constants.push(("BY_PROCESSOR", Literal::Bool(by_processor)));
                out.extend(found_in(&linked, &module, entry, &constants));
            }
        }
    }
    out
}

#[test]
fn nothing_hangs_on_uniforms_alone_where_the_device_is_the_processor() {
    let on_a_card: Vec<String> = found(false).into_iter().collect();
    let in_files = |name: &str| on_a_card.iter().any(|place| place.contains(name));
    // What a graphics card may well do shows that this test can see.
    for file in
        ["mesh.wgsl", "dots.wgsl", "overlay.wgsl", "readout.wgsl", "deform.wgsl", "punctual.wgsl", "layers.wgsl"]
    {
        assert!(in_files(file), "{file}: {on_a_card:#?}");
    }
    let by_processor = found(true);
    assert!(
        by_processor.is_empty(),
        "these branches or loops hang on uniforms alone; a constant of the pipeline (SHOWN_FLAGS) or `apart` \
         (common/globals.wgsl) helps: {by_processor:#?}"
    );
}
