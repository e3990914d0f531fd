//! Tests of JSON that is spelt in ways which strict readers refuse and glTF 2.0 (2.7) allows.

use super::*;

fn read(text: &str) -> Result<Import, ImportError> {
    import_bytes(text.as_bytes(), "test", &Options::default(), &Progress::silent())
}

#[test]
fn integers_may_be_written_as_decimals() {
    let text = r#"{"asset": {"version": "2.0"}, "scene": 0.0, "scenes": [{"nodes": [2e0]}],
        "nodes": [{"name": "a"}, {"name": "b", "children": [0.0]}, {"name": "c", "children": [10e-1]}]}"#;
    let import = read(text).unwrap();
    assert_eq!((&import.model.skeleton.names[..], import.warnings), (&["c", "b", "a"].map(str::to_owned)[..], vec![]));
    // A zero with a sign is the integer 0.
    for zero in ["-0", "-0.0", "-0e5"] {
        let text = format!(
            r#"{{"asset": {{"version": "2.0"}}, "scene": {zero}, "scenes": [{{"nodes": [{zero}]}}], "nodes": [{{}}]}}"#
        );
        assert_eq!(read(&text).unwrap().model.default_scene, 0, "{zero}");
    }
    // Extensions are read by other code.
    let text = r#"{"asset": {"version": "2.0"}, "nodes": [{"name": "a"}, {"name": "b"}], "extensionsUsed": ["VRM"],
        "extensions": {"VRM": {"humanoid": {"humanBones": [{"bone": "hips", "node": 1.0}, {"bone": "jaw", "node": -1.0}]}}}}"#;
    let model = read(text).unwrap().model;
    assert_eq!(model.humanoid.iter().map(|(node, name)| (node.0, name.as_str())).collect::<Vec<_>>(), [(1, "hips")]);
}

#[test]
fn a_fraction_is_no_integer_and_its_location_is_named() {
    let text = r#"{"asset": {"version": "2.0"}, "nodes": [{}, {"children": [0.5]}]}"#;
    let said = read(text).unwrap_err().to_string();
    assert!(
        said.starts_with("JSON, nodes[1].children[0]: expected a glTF 2.0 document, found ") && said.contains("0.5"),
        "{said}"
    );
    // The number is quoted as the file has it, not as floats hold it.
    for number in ["1.0000000000000000000000001", "1e-400"] {
        let text = format!(r#"{{"asset": {{"version": "2.0"}}, "nodes": [{{}}, {{"children": [{number}]}}]}}"#);
        let said = read(&text).unwrap_err().to_string();
        assert!(said.contains(&format!("the number `{number}`")), "{said}");
    }
    // The location is right where another integer had to be written in a plainer way before it.
    let text = r#"{"scene": 0.0, "asset": {"version": "2.0"}, "nodes": [{"mesh": 0.0, "mesh": 1.5}]}"#;
    let said = read(text).unwrap_err().to_string();
    assert!(said.starts_with("JSON, nodes[0].mesh: "), "{said}");
}

#[test]
fn of_a_key_given_twice_the_last_counts_and_a_warning_names_it() {
    let text = r#"{"asset": {"version": "2.0"}, "scene": 0, "scene": 1, "scenes": [{"nodes": [0]}, {"name": "x", "nodes": [1], "n\u0061me": "y"}],
        "nodes": [{"name": "a"}, {"name": "b"}]}"#;
    let import = read(text).unwrap();
    let model = &import.model;
    assert_eq!((model.default_scene, model.scenes[1].name.as_str()), (1, "y"));
    let warnings: Vec<String> = import.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "JSON: has the key \"scene\" more than once; the last counts",
            "scenes[1]: has the key \"name\" more than once; the last counts"
        ]
    );
    // Text that is no JSON is refused as ever.
    let said = read(r#"{"asset": {"version": "2.0"}, "scene": }"#).unwrap_err().to_string();
    assert!(said.starts_with("JSON, line 1, column "), "{said}");
}

#[test]
fn keys_given_twice_where_the_reader_takes_any_key_are_warned_of_too() {
    let warnings = |text: &str| -> Vec<String> {
        read(text)
            .unwrap()
            .warnings
            .iter()
            .map(ToString::to_string)
            .filter(|text| text.contains("more than once"))
            .collect()
    };
    let of = |attributes: &str, target: &str, extras: &str| {
        format!(
            r#"{{"asset": {{"version": "2.0"}}, "accessors": [{{"componentType": 5126, "count": 3, "type": "VEC3"}}],
            "meshes": [{{"primitives": [{{"attributes": {{{attributes}}}, "targets": [{{{target}}}]}}]}}],
            "nodes": [{{"mesh": 0, "extras": {{{extras}}}}}]}}"#
        )
    };
    let once = r#""POSITION": 0"#;
    assert_eq!(
        warnings(&of(once, once, r#""a": "\"b\":", "b": ["b", {"b": 1}, {"b": 2}], "c": {"a": {}, "b": {}}"#)),
        [""; 0]
    );
    for (attributes, target, extras, location, key) in [
        (r#""POSITION": 7, "POSITION": 0"#, once, "", "meshes[0].primitives[0].attributes", "POSITION"),
        (
            once,
            r#""POSITION": 7, "NORMAL": 0, "\u0050OSITION": 0"#,
            "",
            "meshes[0].primitives[0].targets[0]",
            "POSITION",
        ),
        (once, once, r#""a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"c":2"#, "nodes[0].extras", "c"),
        (once, once, r#""a": [{"x": {}, "x": {}}]"#, "nodes[0].extras.a[0]", "x"),
    ] {
        let said = format!("{location}: has the key \"{key}\" more than once; the last counts");
        assert_eq!(warnings(&of(attributes, target, extras)), [said]);
    }
}

#[test]
fn a_node_whose_mesh_follows_a_skin_flattens_nothing_of_it() {
    let flat = |node: &str, more: &str| {
        let text = format!(
            r#"{{"asset": {{"version": "2.0"}}, "nodes": [{{"scale": [0, 1, 1] {node}}}, {{}}],
            "skins": [{{"joints": [1]}}] {more}}}"#
        );
        let import = read(&text).unwrap();
        import.warnings.iter().map(ToString::to_string).find(|text| text.contains("a scale of zero")).unwrap()
    };
    let mesh = r#", "meshes": [{"primitives": [{"attributes": {}}]}]"#;
    assert_eq!(flat("", ""), "node 0: has a scale of zero; what hangs on it is flat");
    assert_eq!(
        flat(r#", "mesh": 0, "skin": 0"#, mesh),
        "node 0: has a scale of zero; its mesh follows a skin and not the node, so that nothing is flat"
    );
    assert_eq!(
        flat(r#", "mesh": 0, "skin": 0, "children": [1]"#, mesh),
        "node 0: has a scale of zero; its mesh follows a skin and not the node, but the nodes below it are flat"
    );
}

#[test]
fn half_of_a_surrogate_pair_in_a_name_is_read_as_no_character_with_a_warning() {
    let text = r#"{"asset": {"version": "2.0"}, "nodes": [{"name": "Arm\ud83d"}, {"name": "\ude00 \ud83d\ude00"}, {"name": "a", "name": "b"}],
        "scenes": [{}], "extras": {"\ud83d": 1}}"#;
    let import = read(text).unwrap();
    assert_eq!(import.model.skeleton.names, ["Arm\u{fffd}", "\u{fffd} \u{1f600}", "b"].map(str::to_owned));
    let warnings: Vec<String> = import.warnings.iter().map(ToString::to_string).collect();
    let said = "has half of a surrogate pair, which is no character; read as U+FFFD";
    for location in ["nodes[0].name", "nodes[1].name", "extras"] {
        assert!(warnings.contains(&format!("{location}: {said}")), "{location}: {warnings:?}");
    }
    // The key that comes twice and the empty scene are said too.
    assert_eq!(warnings.len(), 5, "{warnings:?}");
    // What is wrong beside it is still an error, and so is an escape of something else.
    assert!(read(r#"{"asset": {"version": "2.0"}, "nodes": [{"name": "\ud83d"}, ]}"#).is_err());
    assert!(read(r#"{"asset": {"version": "2.0"}, "nodes": [{"name": "\ud8"}]}"#).is_err());
}
