//! What proving costs: orders as checkouts leave them, with tickets, mail, sale, payment and customer.

use super::figures::peak_memory_mib;
use super::seed::{self, Shop};
use super::{BenchError, seed::Timeline};
