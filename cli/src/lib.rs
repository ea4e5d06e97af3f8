//! The command line: `serve`, `import` and the demo venues.

pub mod import;
