//! Persons of a tenant's staff, as the operator adds and removes them.

use crate::program::{complaint, printed};

#[test]
fn the_operator_adds_and_removes_anybody_the_only_admin_too() {
    let data = tempfile::tempdir().unwrap();
    let path = data.path();
    printed(&["tenant", "create", "7", "--name", "Pier", "--zone", "America/Chicago"], path);
    let dana = ["--tenant", "7", "--email", "dana@example.test"];
    let add = [&["staff", "add"][..], &dana, &["--name", "Dana Okafor"]].concat();
    assert_eq!(printed(&add, path), "Dana Okafor was added to the staff of tenant 7");
    assert!(printed(&["staff", "list", "--tenant", "7"], path).contains("dana@example.test"));
    let remove = [&["staff", "remove"][..], &dana].concat();
    assert_eq!(printed(&remove, path), "Dana Okafor was removed from the staff of tenant 7");
    assert!(!printed(&["staff", "list", "--tenant", "7"], path).contains("dana@example.test"));
    assert!(complaint(&remove, path).contains("nobody of the staff of tenant 7 has this address"));
    // Her address is free again.
    printed(&add, path);
}
