//! The service as it is deployed: its functions, its template, its sources, and its behaviour under a simulated world.

mod answers;
mod functions;
mod fuzz;
mod lambda_runtime;
mod modules;
mod simulation;
mod template;
mod tidy;
