//! Levels the features of shared dependencies, so that every face chooses the same ones. Holds no code, and must never.
//!
//! Cargo chooses features for each build by what is built: `cargo build -p lodger-node` after `cargo build --workspace`
//! would compile tokio's, serde's and reqwest's neighbours a second time, because some other face asked for one more
//! feature of a crate that they share. The faces depend on this crate, and it asks for all of those features. Each
//! dependency here stands in every face's tree already; nothing is added but features.
//!
//! A test in `tests/tools` fails when a face chooses otherwise, and names what to add.
