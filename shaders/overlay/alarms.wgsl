/// Returns 1 for a vertex without any weight, 2 for one with more influences than the limit, 3 in rigid parts, and 0 for all
/// others.
fn overlay_alarms(source: Source, copy: u32, value: f32) -> f32 {
    let used = used_influences(source, copy);
    let number = select(select(0.0, 2.0, used > globals.influence_limit), 1.0, used == 0u);
    return select(number, 3.0, is_rigid());
}
