//! Which keys sealed the secrets of a database, so that no other is taken for them.

use crate::{Action, Consistency, Expression, Key, Store, StoreError, Table, encode};
use serde::{Deserialize, Serialize};

/// The marks of the keys that may have sealed something in these tables, oldest first. A mark tells keys apart and
/// nothing of them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct KeyMarks {
    /// One for each key.
    pub marks: Vec<String>,
}

impl Key {
    /// Whose secrets these are: no tenant's item.
    fn key_marks() -> Self {
        Self { table: Table::Catalog, pk: "KEY-MARKS".to_owned(), sk: "KEY-MARKS".to_owned() }
    }
}

impl Store {
    /// The marks that were noted; none in tables of before there were any.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn load_key_marks(&self) -> Result<Option<KeyMarks>, StoreError> {
        self.get(&Key::key_marks(), Consistency::Strong).await
    }

    /// Notes the marks of all keys from now on.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub async fn note_key_marks(&self, marks: &KeyMarks) -> Result<(), StoreError> {
        let key = Key::key_marks();
        let put = Action::Put(encode(&key, marks)?, Expression::new());
        // It has no condition that could fail.
        self.write(&key, put).await.map(|_| ())
    }
}
