//! Expressions of characters: named mixtures of morph targets, as VRM files have them.

use super::NodeId;

/// An expression, such as `happy` or the mouth shape `aa`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expression {
    /// The name, as VRM 1.0 has it.
    pub name: String,
    /// Whether it is all there above a weight of 0.5, and else not at all.
    pub is_binary: bool,
    /// The morph targets that it moves.
    pub binds: Vec<MorphBind>,
    /// What it does to expressions of other groups.
    pub overrides: Vec<(ExpressionGroup, Override)>,
}

/// A morph target that an expression moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MorphBind {
    /// The node that shows the mesh.
    pub node: NodeId,
    /// The index of the morph target.
    pub target: usize,
    /// The weight of the target where the expression has the weight 1.
    pub weight: f32,
}

/// A group of expressions that others may take back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpressionGroup {
    /// `blink`, `blinkLeft` and `blinkRight`.
    Blink,
    /// `lookUp`, `lookDown`, `lookLeft` and `lookRight`.
    LookAt,
    /// The mouth shapes `aa`, `ih`, `ou`, `ee` and `oh`.
    Mouth,
}

/// How an expression takes others back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Override {
    /// Wholly where it has any weight.
    Block,
    /// By as much as its own weight.
    Blend,
}

impl ExpressionGroup {
    /// Returns the group of an expression.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        match name {
            "blink" | "blinkLeft" | "blinkRight" => Some(Self::Blink),
            "lookUp" | "lookDown" | "lookLeft" | "lookRight" => Some(Self::LookAt),
            "aa" | "ih" | "ou" | "ee" | "oh" => Some(Self::Mouth),
            _ => None,
        }
    }
}

/// Returns the weights with which expressions are shown that are asked for with `wanted` ones, one for each: from 0 to 1,
/// binary ones 0 or 1, and less where others take them back.
#[must_use]
pub fn shown_weights(expressions: &[&Expression], wanted: &[f32]) -> Vec<f32> {
    let own = |(expression, weight): (&&Expression, &f32)| {
        let weight = weight.clamp(0.0, 1.0);
        if expression.is_binary { f32::from(u8::from(weight > 0.5)) } else { weight }
    };
    let own: Vec<f32> = expressions.iter().zip(wanted).map(own).collect();
    let taken_back = |group: ExpressionGroup, by: usize| {
        let of = expressions[by].overrides.iter().find(|(other, _)| *other == group);
        of.map_or(0.0, |(_, how)| match how {
            Override::Block => f32::from(u8::from(own[by] > 0.0)),
            Override::Blend => own[by],
        })
    };
    let left = |(expression, weight): (&&Expression, &f32)| {
        let Some(group) = ExpressionGroup::of(&expression.name) else { return *weight };
        let taken: f32 = (0..own.len()).map(|by| taken_back(group, by)).sum();
        let share = (1.0 - taken).max(0.0);
        if expression.is_binary && share < 1.0 { 0.0 } else { weight * share }
    };
    expressions.iter().zip(&own).map(left).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_expressions_are_all_or_nothing_and_some_take_others_back() {
        let plain = |name: &str| Expression { name: name.into(), ..Expression::default() };
        let wink = Expression { is_binary: true, ..plain("wink") };
        let happy = Expression {
            overrides: vec![(ExpressionGroup::Blink, Override::Block), (ExpressionGroup::Mouth, Override::Blend)],
            ..plain("happy")
        };
        let (aa, blink, sad) = (plain("aa"), plain("blink"), plain("sad"));
        let all = [&wink, &happy, &aa, &blink, &sad];
        assert_eq!(shown_weights(&all, &[0.4, 0.25, 1.0, 0.5, 2.0]), [0.0, 0.25, 0.75, 0.0, 1.0]);
        assert_eq!(shown_weights(&all, &[0.6, -1.0, 1.0, 0.5, 0.3]), [1.0, 0.0, 1.0, 0.5, 0.3]);
    }
}
