//! A cart as what was asked for, to be priced again.

use super::{Cart, CartLine, DonationKind};
use crate::cart_request::{
    CartTerms, Gift, LineRequest, Wanted, WantedAddOn, WantedCombo, WantedDonation, WantedTicket,
    WantedTreatment,
};

impl Cart {
    /// What applies to the cart as a whole.
    #[must_use]
    pub fn terms(&self) -> CartTerms {
        CartTerms {
            membership_ids: self.membership_ids.clone(),
            single_membership: None,
            membership_category: self.membership_category.clone(),
            refused: self.refused_claims.clone(),
            coupon_codes: self.coupon_codes.clone(),
            reservation: self.reservation,
            verify_entitlements: self.verify_entitlements,
            customer: self.customer,
        }
    }

    /// The lines as requests, to price them again.
    #[must_use]
    pub fn requests(&self) -> Vec<LineRequest> {
        self.lines.iter().map(LineRequest::from).collect()
    }
}

impl From<&CartLine> for LineRequest {
    fn from(line: &CartLine) -> Self {
        let wanted = match line {
            CartLine::Ticket(line) => Wanted::Ticket(WantedTicket {
                instance: line.instance,
                ticket_type: line.ticket_type.clone(),
                quantity: line.quantity,
                treatment: if line.is_retail {
                    WantedTreatment::FullPrice
                } else if line.coupon_codes.is_empty() {
                    WantedTreatment::Best
                } else {
                    WantedTreatment::Coupons(line.coupon_codes.clone())
                },
                ignore_entitlements: line.ignore_entitlements,
            }),
            CartLine::AddOn(line) => Wanted::AddOn(WantedAddOn {
                inventory: line.inventory,
                instance: line.instance,
                quantity: line.quantity,
            }),
            CartLine::Donation(line) => Wanted::Donation(Box::new(WantedDonation {
                inventory: line.inventory,
                gift: match line.kind {
                    DonationKind::FixedDonation => Gift::Fixed,
                    DonationKind::Donation => Gift::Chosen(line.price.unit),
                },
                detail: line.detail.clone(),
            })),
            CartLine::Combo(line) => Wanted::Combo(Box::new(WantedCombo {
                combo: line.combo.clone(),
                ticket_type: line.ticket_type.clone(),
                quantity: line.quantity,
                parts: line.parts.iter().map(|part| part.instance).collect(),
            })),
            CartLine::Membership(line) => Wanted::Membership(Box::new(line.wanted.clone())),
        };
        Self { id: line.id().clone(), wanted }
    }
}
