//! Meshes for tests: shapes that are made here, and the files of the corpus, which stands outside the repository: `SKINSCOPE_CORPUS`, else
//! `../shared/corpus` beside it. Without it the tests that need it say so and end.
