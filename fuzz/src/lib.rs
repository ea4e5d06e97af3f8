//! The functions that the fuzz targets call. The files of an operator are read by a module of the program `boxoffice`,
//! which is more than a fuzzer has to build: that one module is a part of this crate, under the program's name.

extern crate self as boxoffice;

mod entries;

#[expect(dead_code, reason = "the program writes documents as well")]
#[path = "../../cli/src"]
mod program {
    pub mod document;
}

pub use entries::*;
pub use program::document;
