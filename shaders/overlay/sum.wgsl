/// How far the sum of the weights is from one, with its sign: 0 up to an error of 0.01 %, then a quarter for each power
/// of ten, and ±1 from 100 % on.
fn overlay_sum(source: Source, copy: u32, value: f32) -> f32 {
    let count = influence_count(source);
    var sum = 0.0;
    for (var i = 0u; i < count; i++) {
        sum += influence(source, copy, i).weight;
    }
    let error = sum - 1.0;
    let powers = log2(max(abs(error), 1e-9)) * 0.30103 + 4.0;
    return sign(error) * clamp(0.25 * powers, 0.0, 1.0);
}
