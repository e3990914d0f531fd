/// 1: no weight at all; 2: more influences than the limit; 0: neither.
fn overlay_alarms(source: Source, copy: u32, value: f32) -> f32 {
    let used = used_influences(source, copy);
    return select(select(0.0, 2.0, used > globals.influence_limit), 1.0, used == 0u);
}
