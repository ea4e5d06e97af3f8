//! Onboarding of merchants (spec §2.19 to §2.21, §4.10; contract §11).

mod input;
mod output;

pub use input::OnboardingInput;
pub use output::{ErrorInfo, OnboardingOutput, OnboardingView, ValidationOutput};

#[cfg(test)]
mod tests;
