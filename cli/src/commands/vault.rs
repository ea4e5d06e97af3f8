//! The vault of this machine.

use super::print;
use crate::database::{DatabaseArgs, rotate_key_file};
use crate::failure::Failure;
use clap::Subcommand;

/// What to do with the vault.
#[derive(Debug, Subcommand)]
pub(crate) enum VaultCommand {
    /// Add a new key, which seals from the next start on; what older ones sealed stays readable
    Rotate,
}

pub(crate) fn run(args: &DatabaseArgs, command: &VaultCommand) -> Result<(), Failure> {
    match command {
        VaultCommand::Rotate => {
            if args.aws || args.vault_key.is_some() {
                return Err(Failure::new("the key of KMS is rotated by KMS; this is for the key file"));
            }
            rotate_key_file(&args.data)?;
            print("the vault has a new key; start the service again")
        }
    }
}
