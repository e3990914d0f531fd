//! Broken variants of good and bad files are refused in one line, or open and can be posed and drawn.
//! None panics, uses more than a gibibyte at once, or takes longer than five seconds.
//!
//! The fuzz targets under `fuzz/` use the same seeds, mutations and checks. A mutant is identified by its number alone:
//! `SKINSCOPE_MUTANT=4711 cargo test --test memory mutants` runs that one and keeps it as a file.

#![expect(clippy::unwrap_used, reason = "a test's helpers may stop the test")]

mod document;
mod mutate;
mod payload;
mod random;
mod seeds;
mod survive;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::{Seek, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use mutate::{Seed, mutate};
use random::Random;
use survive::{Outcome, survive};

use crate::common;
use crate::counting::{self, alone};

/// How many are tried in the daily tier, and in the full one.
const DAILY: u64 = 3000;
const FULL: u64 = 60_000;

/// In use at once in the whole process, while two or more mutants are under way.
const MOST_BYTES: usize = 1 << 30;

/// For one mutant. A guard against endless work, not a measurement.
const LONGEST: Duration = Duration::from_secs(5);

/// Seeds beyond this come up once in [`RARE`] times only.
const SMALL: usize = 100_000;
const RARE: usize = 50;

/// The files that mutants descend from, and what is compressed in them.
struct Stock {
    seeds: Vec<Seed>,
    payloads: Vec<Vec<u8>>,
}

impl Stock {
    fn new() -> Self {
        let seeds = seeds::all(common::corpus().as_deref());
        let payloads = seeds.iter().filter_map(|s| s.document.as_ref()).flat_map(payload::payloads);
        let payloads = payloads.filter(|p| p.len() <= SMALL).chain(seeds::pictures()).collect();
        Self { seeds, payloads }
    }
}

/// The mutant with a number: always the same one, as long as the seeds are.
fn mutant(number: u64, Stock { seeds, payloads }: &Stock) -> (String, Vec<u8>) {
    let mut random = Random::new(number);
    if number % 6 == 5 {
        let mut bytes = payloads[random.below(payloads.len())].clone();
        mutate::edit_payload(&mut random, &mut bytes);
        return (format!("a payload of kind {}", bytes[0]), payload::wrap(&bytes).glb());
    }
    let mut choose = |only_good: bool| loop {
        let at = random.below(seeds.len());
        let fits = seeds[at].opens || !only_good;
        if fits && (seeds[at].bytes.len() <= SMALL || random.once_in(RARE)) {
            break at;
        }
    };
    // What is broken already rarely comes far.
    let (of, other) = (choose(!number.is_multiple_of(4)), choose(number.is_multiple_of(2)));
    (seeds[of].name.clone(), mutate(&mut random, &seeds[of], &seeds[other]))
}

/// Where what failed is kept.
fn kept(number: u64) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("mutant_{number}.glb"))
}

/// What each worker is doing: the mutant's number plus one, and when it began, in milliseconds since the start.
#[derive(Default)]
struct Turn {
    number: AtomicU64,
    since: AtomicU64,
}

/// Ends the process when a mutant takes too long: a thread cannot be stopped from outside.
fn watch(turns: &[Turn], start: Instant, done: &AtomicBool) {
    while !done.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(50));
        for turn in turns {
            let number = turn.number.load(Ordering::Acquire);
            let since = Duration::from_millis(turn.since.load(Ordering::Acquire));
            if number > 0 && start.elapsed().saturating_sub(since) > LONGEST {
                eprintln!("mutant {} takes longer than {LONGEST:?}; SKINSCOPE_MUTANT runs it alone", number - 1);
                std::process::exit(101);
            }
        }
    }
}

/// Where code of others panicked behind a guard, and the last mutant that made it: each is worth a case of its own.
static GUARDED: Mutex<BTreeMap<String, u64>> = Mutex::new(BTreeMap::new());

thread_local! {
    static NUMBER: Cell<u64> = const { Cell::new(0) };
}

/// Panics are told once for each place, not with a trace for each mutant.
fn note_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        GUARDED.lock().unwrap().insert(place, NUMBER.get());
    }));
}

#[derive(Default)]
struct Tally {
    opened: AtomicUsize,
    refused: AtomicUsize,
    next: AtomicU64,
    failed: Mutex<Vec<String>>,
}

fn work(turn: &Turn, start: Instant, stock: &Stock, tally: &Tally, count: u64) {
    // Outlives an abort (a stack overflow, memory that is not there), which no handler in the process would.
    let name = std::thread::current().name().unwrap_or("worker").to_owned();
    let note = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("last_mutant_of_{name}"));
    let mut note = std::fs::File::create(note).unwrap();
    loop {
        let number = tally.next.fetch_add(1, Ordering::Relaxed);
        if number >= count {
            break;
        }
        NUMBER.set(number);
        note.rewind().and_then(|()| writeln!(note, "{number:08}")).unwrap();
        let (of, bytes) = mutant(number, stock);
        turn.since.store(start.elapsed().as_millis() as u64, Ordering::Release);
        turn.number.store(number + 1, Ordering::Release);
        let result = catch_unwind(AssertUnwindSafe(|| survive(&bytes)));
        turn.number.store(0, Ordering::Release);
        let peak = counting::peak();
        match result {
            Ok(_) if peak > MOST_BYTES => {
                counting::restart();
                tally.failed.lock().unwrap().push(format!("{number} of {of}: {} MiB in use", peak >> 20));
            }
            Ok(Outcome::Opened) => _ = tally.opened.fetch_add(1, Ordering::Relaxed),
            Ok(Outcome::Refused) => _ = tally.refused.fetch_add(1, Ordering::Relaxed),
            Err(panic) => {
                let said = panic.downcast_ref::<String>().map(String::as_str);
                let said = said.or(panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
                std::fs::write(kept(number), &bytes).unwrap();
                tally.failed.lock().unwrap().push(format!("{number} of {of}: {said}"));
            }
        }
    }
}

#[test]
fn mutants_are_refused_in_one_line_or_can_be_posed_and_drawn() {
    let _alone = alone();
    try_mutants(DAILY);
}

#[test]
#[ignore = "full: opens sixty thousand files"]
fn sixty_thousand_mutants_are_refused_in_one_line_or_can_be_posed_and_drawn() {
    let _alone = alone();
    try_mutants(FULL);
}

fn try_mutants(count: u64) {
    counting::restart();
    let stock = Stock::new();
    if let Ok(number) = std::env::var("SKINSCOPE_MUTANT") {
        let number = number.parse().unwrap();
        let (of, bytes) = mutant(number, &stock);
        std::fs::write(kept(number), &bytes).unwrap();
        eprintln!("mutant {number} of {of}, kept as {}", kept(number).display());
        eprintln!("{:?}, {} MiB in use at most", survive(&bytes), counting::peak() >> 20);
        return;
    }
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    let turns: Vec<Turn> = (0..workers).map(|_| Turn::default()).collect();
    note_panics();
    let (tally, done, start) = (Tally::default(), AtomicBool::new(false), Instant::now());
    std::thread::scope(|scope| {
        scope.spawn(|| watch(&turns, start, &done));
        std::thread::scope(|workers| {
            for (i, turn) in turns.iter().enumerate() {
                let worker = std::thread::Builder::new().name(format!("mutants_{i}"));
                worker.spawn_scoped(workers, || work(turn, start, &stock, &tally, count)).unwrap();
            }
        });
        done.store(true, Ordering::Relaxed);
    });
    let _the_runners_own = std::panic::take_hook();
    let (opened, refused) = (tally.opened.into_inner(), tally.refused.into_inner());
    let failed = tally.failed.into_inner().unwrap();
    eprintln!(
        "{} seeds, {} payloads: {opened} mutants opened, {refused} were refused, {} failed; {} MiB in use at most",
        stock.seeds.len(),
        stock.payloads.len(),
        failed.len(),
        counting::peak() >> 20
    );
    for (place, number) in GUARDED.lock().unwrap().iter() {
        eprintln!("a panic at {place}, by mutant {number}");
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    // Both ends are reached, or the mutations test nothing.
    let least = count as usize / 15;
    assert!(opened > least && refused > least, "{opened} opened, {refused} refused");
}

#[test]
fn what_the_mutations_start_from_opens_without_a_warning() {
    let _alone = alone();
    let options = skinscope::import::Options::default();
    let progress = skinscope::import::Progress::silent();
    for bytes in [seeds::whole().glb(), seeds::whole().gltf()] {
        let import = skinscope::import::import_bytes(&bytes, "whole", &options, &progress).unwrap();
        assert_eq!(import.warnings, []);
        assert_eq!(survive(&bytes), Outcome::Opened);
    }
}

#[test]
fn payloads_of_every_kind_open_in_the_documents_that_are_made_for_them() {
    let _alone = alone();
    let mut open = std::collections::BTreeSet::new();
    for payload in Stock::new().payloads {
        let glb = payload::wrap(&payload).glb();
        let options = skinscope::import::Options::default();
        let progress = skinscope::import::Progress::silent();
        let opened = skinscope::import::import_bytes(&glb, "payload", &options, &progress);
        if opened.is_ok_and(|i| !i.warnings.iter().any(|w| w.to_string().contains("left out"))) {
            open.insert((payload[0], if payload[0] == 1 { 0 } else { payload[if payload[0] == 0 { 3 } else { 1 }] }));
        }
    }
    let missing = |kinds: &[(u8, u8)]| kinds.iter().copied().filter(|k| !open.contains(k)).collect::<Vec<_>>();
    // Two modes of meshopt and the four kinds of images are in `tests/fixtures`.
    let here = missing(&[(0, 0), (0, 1), (2, 0), (2, 1), (2, 2), (2, 3)]);
    assert!(here.is_empty(), "{here:?} of {open:?}");
    // The Draco streams there have attributes that the document does not; those of the corpus fit.
    let there = missing(&[(1, 0)]);
    assert!(there.is_empty() || common::corpus().is_none(), "{there:?} of {open:?}");
}

/// Seeds for the fuzz targets, where they look for them.
#[test]
#[ignore = "full: writes the seeds of fuzzing into fuzz/corpus"]
fn write_fuzz_seeds() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
    let write = |target: &str, name: String, bytes: &[u8]| {
        let folder = root.join(target);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(name), bytes).unwrap();
    };
    let stock = Stock::new();
    for seed in stock.seeds.iter().filter(|s| s.bytes.len() <= SMALL) {
        write("import_glb", seed.name.clone(), &seed.document.as_ref().map_or(seed.bytes.clone(), |d| d.glb()));
        if let Some(document) = &seed.document {
            let parts = [document.root.to_string().as_bytes(), &[0], &document.bin].concat();
            write("import_gltf", seed.name.clone(), &parts);
        }
    }
    for (i, payload) in stock.payloads.iter().enumerate() {
        write("compressed", format!("payload_{i}"), payload);
    }
    let counts = [stock.seeds.len(), stock.payloads.len()];
    assert!(counts.iter().all(|count| *count > 10), "{counts:?} seeds and payloads");
}
