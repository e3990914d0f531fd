//! Warnings about weights, once an operation has repaired what they say.

use std::fs;

use crate::fix::made::{Doc, F32, Layout, pairs};
use crate::fix::{fix, folder, said};

#[test]
fn a_warning_about_weights_that_were_repaired_says_so() {
    let folder = folder("warnings");
    let mut weights = pairs(F32, 1, false, 71);
    weights.numbers.iter_mut().for_each(|weight| *weight *= 0.5);
    fs::write(folder.join("a.glb"), Doc::new(&weights, Layout::Plain).glb()).unwrap();
    let lines = |arguments: &[&str]| -> Vec<String> {
        let out = fix(&folder, &[&["a.glb", "-o", "b.glb"], arguments].concat());
        assert!(out.status.success(), "{}", said(&out));
        said(&out).lines().filter(|line| line.contains("do not sum to one")).map(str::to_owned).collect()
    };
    let kept = lines(&["--inverse-binds"]);
    assert!(kept.len() == 1 && kept[0].contains("warning: mesh 0, primitive 0"), "{kept:?}");
    let repaired = lines(&["--normalise"]);
    assert!(repaired.iter().all(|line| line.contains("repaired: mesh 0, primitive 0")), "{repaired:?}");
    assert_eq!(repaired.len(), 1);
}
