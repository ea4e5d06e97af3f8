//! Persons of a tenant's staff. The first one is added here; she adds the others.

use super::{address, columns, joined, known_tenant, print, tenant_id};
use crate::database::{DatabaseArgs, open_existing};
use crate::failure::Failure;
use adapters::IdSource;
use clap::{Args, Subcommand};
use domain::operator::{MAX_OPERATOR_CHARS, Operator};
use domain::staff::{MAX_STAFF, StaffMember, StaffRole};
use domain::{StaffId, TenantId};
use store::Store;
use store::authored::ChangeRefusal;

/// What to do with the staff.
#[derive(Debug, Subcommand)]
pub(crate) enum StaffCommand {
    /// Add a person, who signs in by a link that she asks for on the tenant's page for staff
    Add(NewPerson),
    /// Remove a person, also the only admin, and end all her sessions
    Remove {
        /// Id of the tenant
        #[arg(long, value_parser = tenant_id)]
        tenant: TenantId,
        /// The address that the staff has of her
        #[arg(long, value_name = "ADDRESS", value_parser = address)]
        email: String,
    },
    /// List a tenant's staff
    List {
        /// Id of the tenant
        #[arg(long, value_parser = tenant_id)]
        tenant: TenantId,
    },
}

/// A person to add.
#[derive(Debug, Args)]
pub(crate) struct NewPerson {
    /// Id of the tenant
    #[arg(long, value_parser = tenant_id)]
    tenant: TenantId,
    /// Where links to sign in by go
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    email: String,
    /// What histories show
    #[arg(long, value_parser = name)]
    name: String,
    /// admin, boxOffice, door or reports; may be repeated (admin unless given)
    #[arg(long = "role", value_parser = role)]
    roles: Vec<StaffRole>,
}

fn name(text: &str) -> Result<String, String> {
    let read = Operator::parse(text).map(|name| name.as_str().to_owned());
    read.map_err(|_| format!("a name is one line of 1 to {MAX_OPERATOR_CHARS} characters"))
}

fn role(name: &str) -> Result<StaffRole, &'static str> {
    StaffRole::parse(name).ok_or("a role is admin, boxOffice, door or reports")
}

pub(crate) async fn run(args: &DatabaseArgs, command: StaffCommand) -> Result<(), Failure> {
    let store = open_existing(args).await?.store;
    match command {
        StaffCommand::Add(person) => add(&store, person).await,
        StaffCommand::Remove { tenant, email } => remove(&store, tenant, &email).await,
        StaffCommand::List { tenant } => {
            known_tenant(&store, tenant).await?;
            let mut staff = store.load_staff(tenant).await?;
            staff.sort_by(|one, other| one.name.cmp(&other.name).then_with(|| one.id.cmp(&other.id)));
            let rows: Vec<_> = staff.iter().map(row).collect();
            print(&columns(["ID", "NAME", "EMAIL", "ROLES", "STATE"], &rows))
        }
    }
}

async fn add(store: &Store, person: NewPerson) -> Result<(), Failure> {
    let NewPerson { tenant, email, name, roles } = person;
    let settings = known_tenant(store, tenant).await?;
    if store.load_staff(tenant).await?.len() >= MAX_STAFF {
        return Err(Failure::new(format!("tenant {tenant} has {MAX_STAFF} persons already")));
    }
    let ids = IdSource::default();
    let no_id = |fault: adapters::AdapterFault| Failure::because("there is no id", &fault);
    let roles = if roles.is_empty() { vec![StaffRole::Admin] } else { roles };
    let person = StaffMember {
        id: StaffId::from_bytes(ids.bytes().map_err(no_id)?),
        email,
        name,
        roles: roles.into_iter().collect(),
        active: true,
        generation: 0,
    };
    let attempt = ids.attempt_token().map_err(no_id)?;
    match store.change_authored(tenant, &attempt, None, Some(&person)).await? {
        Ok(()) => {}
        Err(ChangeRefusal::Taken) => {
            return Err(Failure::new(format!("a person of tenant {tenant} has this address already")));
        }
        Err(ChangeRefusal::Changed) => return Err(Failure::new("the person was not added; try again")),
    }
    if settings.staff_site.is_none() {
        eprintln!("No mails with links are sent until `tenant set {tenant} --staff-site` names a page.");
    }
    print(&format!("{} was added to the staff of tenant {tenant}", person.name))
}

/// Whoever runs the installation may remove the only admin as well: she can add another one here.
async fn remove(store: &Store, tenant: TenantId, email: &str) -> Result<(), Failure> {
    known_tenant(store, tenant).await?;
    let nobody = || Failure::new(format!("nobody of the staff of tenant {tenant} has this address"));
    let person = store.find_staff(tenant, email).await?.ok_or_else(nobody)?;
    let attempt = IdSource::default().attempt_token();
    let attempt = attempt.map_err(|fault| Failure::because("there is no id", &fault))?;
    match store.change_authored(tenant, &attempt, Some(&person), None).await? {
        Ok(()) => print(&format!("{} was removed from the staff of tenant {tenant}", person.value.name)),
        Err(ChangeRefusal::Changed | ChangeRefusal::Taken) => {
            Err(Failure::new("the person was not removed; try again"))
        }
    }
}

fn row(person: &StaffMember) -> [String; 5] {
    let StaffMember { id, email, name, roles, active, generation: _ } = person;
    [
        id.to_string(),
        name.clone(),
        email.clone(),
        joined(roles.iter().map(|role| role.name())),
        if *active { "active" } else { "not active" }.to_owned(),
    ]
}
