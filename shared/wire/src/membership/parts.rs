//! What levels and offerings both have.

use crate::readers::{NAME_CHARS, check_unlike, count, flag, line, name, own_word, text, word};
use crate::sales_channel::{SalesChannelInput, SalesChannelOutput, sales_channels};
use crate::{Checker, Field, List, incoming};
use domain::Channel;
use domain::membership::{
    Benefit, LevelCollection, MailRestriction, MembershipRules, OfferingAction, OfferingActionKind,
    ServiceReference, every_channel,
};
use serde::Serialize;
use utoipa::ToSchema;

/// Flags of terms (spec §2.14 `rules`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RulesOutput {
    /// Cards that come with a membership.
    pub number_of_card_holders: u32,
    /// It can be bought for someone else.
    pub can_gift: bool,
    /// The term begins on the first of the month.
    pub start_beginning_of_month: bool,
    /// The term ends on the last of the month.
    pub expire_end_of_month: bool,
}

impl From<MembershipRules> for RulesOutput {
    fn from(rules: MembershipRules) -> Self {
        let MembershipRules { card_holders, can_gift, start_beginning_of_month, expire_end_of_month } = rules;
        Self { number_of_card_holders: card_holders, can_gift, start_beginning_of_month, expire_end_of_month }
    }
}

/// Something members get (spec §2.14, §2.15 `benefits`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct BenefitOutput {
    /// One of an offering overrides the level's with the same id.
    pub id: String,
    /// Shown to visitors.
    pub description: String,
}

impl From<&Benefit> for BenefitOutput {
    fn from(benefit: &Benefit) -> Self {
        let Benefit { id, description } = benefit;
        Self { id: id.clone(), description: description.clone() }
    }
}

/// What a level or offering is in the venue's own system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ServiceOutput {
    /// Its id there.
    pub id: String,
    /// Its program there.
    pub program: Option<String>,
    /// Its category there.
    pub category: Option<String>,
    /// Its subcategory there.
    pub subcategory: Option<String>,
    /// Its level there.
    pub level: Option<String>,
}

impl From<&ServiceReference> for ServiceOutput {
    fn from(service: &ServiceReference) -> Self {
        let ServiceReference { id, program, category, subcategory, level } = service;
        Self {
            id: id.clone(),
            program: program.clone(),
            category: category.clone(),
            subcategory: subcategory.clone(),
            level: level.clone(),
        }
    }
}

/// A collection that a level is in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct LevelCollectionOutput {
    /// What lists of levels name it by.
    pub id: String,
    /// For the back office.
    pub name: String,
}

impl From<&LevelCollection> for LevelCollectionOutput {
    fn from(collection: &LevelCollection) -> Self {
        let LevelCollection { id, name } = collection;
        Self { id: id.clone(), name: name.clone() }
    }
}

/// Whether sales of a channel are confirmed by mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MailRestrictionOutput {
    /// Where it is sold.
    pub sale_channel: &'static str,
    /// Whether a mail may go out.
    pub can_send_confirmation_email: bool,
}

impl From<&MailRestriction> for MailRestrictionOutput {
    fn from(restriction: &MailRestriction) -> Self {
        let MailRestriction { channel, can_send } = restriction;
        Self { sale_channel: channel.as_str(), can_send_confirmation_email: *can_send }
    }
}

/// An action an offering allows, where, and what comes with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OfferingActionOutput {
    /// `new`, `renew`, `upgrade`, `downGrade` or `cancel`.
    pub action: &'static str,
    /// Rules kept elsewhere.
    pub rule_ids: Vec<String>,
    /// Where it is allowed; empty means nowhere.
    pub sales_channels: Vec<SalesChannelOutput>,
    /// Where mails may go out; a channel that is not named may send.
    pub confirmation_email_restrictions: Vec<MailRestrictionOutput>,
    /// Cards are printed.
    pub print_membership_cards: bool,
    /// The confirmation mail carries digital cards.
    pub include_digital_member_cards_in_confirmation_email: bool,
    /// Shown when it is done.
    pub confirmation_message: String,
}

impl From<&OfferingAction> for OfferingActionOutput {
    fn from(found: &OfferingAction) -> Self {
        let OfferingAction {
            action,
            sales_channels,
            nowhere: _,
            rule_ids,
            mail_restrictions,
            print_cards,
            digital_cards_in_mail,
            confirmation_message,
        } = found;
        Self {
            action: action.as_str(),
            rule_ids: rule_ids.clone(),
            sales_channels: sales_channels.iter().map(Into::into).collect(),
            confirmation_email_restrictions: mail_restrictions.iter().map(Into::into).collect(),
            print_membership_cards: *print_cards,
            include_digital_member_cards_in_confirmation_email: *digital_cards_in_mail,
            confirmation_message: confirmation_message.clone(),
        }
    }
}

incoming! {
    /// Flags of terms.
    pub struct RulesInput {
        number_of_card_holders: i64,
        can_gift: bool,
        start_beginning_of_month: bool,
        is_start_date_beg_of_month: bool,
        expire_end_of_month: bool,
        is_expiry_date_end_of_month: bool,
    }
    /// Something members get.
    pub struct BenefitInput {
        #[schema(required = true)]
        id: String,
        description: String,
    }
    /// What a level or offering is in the venue's own system.
    pub struct ServiceInput {
        #[schema(required = true)]
        id: String,
        program: String,
        category: String,
        subcategory: String,
        level: String,
    }
    /// A collection that a level is in.
    pub struct LevelCollectionInput {
        #[schema(required = true)]
        id: String,
        name: String,
    }
    /// Whether sales of a channel are confirmed by mail.
    pub struct MailRestrictionInput {
        #[schema(required = true)]
        sale_channel: String,
        can_send_confirmation_email: bool,
    }
    /// An action, where it is allowed, and what comes with it.
    pub struct OfferingActionInput {
        #[schema(required = true)]
        action: String,
        rule_ids: Vec<String>,
        sales_channels: Vec<SalesChannelInput>,
        sale_channel: Vec<SalesChannelInput>,
        confirmation_email_restrictions: Vec<MailRestrictionInput>,
        print_membership_cards: bool,
        include_digital_member_cards_in_confirmation_email: bool,
        confirmation_message: String,
    }
}

/// Cards of one membership.
const MAX_CARDS: u32 = 50;

pub(super) fn read_rules(checker: &mut Checker, input: RulesInput) -> MembershipRules {
    let start_names = ["startBeginningOfMonth", "isStartDateBegOfMonth"];
    let start = [input.start_beginning_of_month, input.is_start_date_beg_of_month];
    let start = checker.either(start_names, start);
    let expiry_names = ["expireEndOfMonth", "isExpiryDateEndOfMonth"];
    let expiry = [input.expire_end_of_month, input.is_expiry_date_end_of_month];
    let expiry = checker.either(expiry_names, expiry);
    MembershipRules {
        card_holders: count(checker, "numberOfCardHolders", input.number_of_card_holders, 1..=MAX_CARDS)
            .unwrap_or(1),
        can_gift: flag(checker, "canGift", input.can_gift),
        start_beginning_of_month: flag(checker, "startBeginningOfMonth", start),
        expire_end_of_month: flag(checker, "expireEndOfMonth", expiry),
    }
}

pub(super) fn read_benefits(checker: &mut Checker, field: Field<List<BenefitInput>>) -> Vec<Benefit> {
    let found = checker.each("benefits", field, |checker, input| Benefit {
        id: name(checker, "id", input.id),
        description: text(checker, "description", input.description),
    });
    check_unlike(checker, "benefits", found.iter().map(|benefit| &benefit.id));
    found
}

pub(super) fn read_service(checker: &mut Checker, input: ServiceInput) -> ServiceReference {
    ServiceReference {
        id: name(checker, "id", input.id),
        program: checker.optional_text("program", input.program, NAME_CHARS),
        category: checker.optional_text("category", input.category, NAME_CHARS),
        subcategory: checker.optional_text("subcategory", input.subcategory, NAME_CHARS),
        level: checker.optional_text("level", input.level, NAME_CHARS),
    }
}

pub(super) fn read_collection(checker: &mut Checker, input: LevelCollectionInput) -> LevelCollection {
    LevelCollection { id: name(checker, "id", input.id), name: line(checker, "name", input.name) }
}

fn read_restriction(checker: &mut Checker, input: MailRestrictionInput) -> Option<MailRestriction> {
    checker.require("saleChannel", &input.sale_channel);
    let parse = |text: &str| Channel::parse(text).ok();
    let channel = word(checker, "saleChannel", input.sale_channel, parse, Channel::NAMES);
    let sent = checker.optional("canSendConfirmationEmail", input.can_send_confirmation_email);
    channel.map(|channel| MailRestriction { channel, can_send: sent.unwrap_or(true) })
}

/// What an offering allows. Without a list it allows every action on every channel (contract §R); an empty list
/// allows nothing.
pub(super) fn read_actions(
    checker: &mut Checker,
    field: Field<List<OfferingActionInput>>,
) -> Vec<OfferingAction> {
    match field {
        Field::Absent | Field::Null => OfferingAction::everything(),
        sent @ (Field::Value(_) | Field::Wrong) => {
            checker.each("actions", sent, read_action).into_iter().flatten().collect()
        }
    }
}

fn read_action(checker: &mut Checker, input: OfferingActionInput) -> Option<OfferingAction> {
    checker.require("action", &input.action);
    let expected = "new, renew, upgrade, downGrade, cancel";
    let action = word(checker, "action", input.action, OfferingActionKind::parse, expected);
    let restrictions = checker.each(
        "confirmationEmailRestrictions",
        input.confirmation_email_restrictions,
        read_restriction,
    );
    let sent = checker.either(["salesChannels", "saleChannel"], [input.sales_channels, input.sale_channel]);
    let everywhere = !sent.is_sent();
    let switches = sales_channels(checker, sent, Field::Absent);
    let found = OfferingAction {
        nowhere: switches.is_empty() && !everywhere,
        sales_channels: if everywhere { every_channel() } else { switches },
        rule_ids: checker.each("ruleIds", input.rule_ids, own_word),
        mail_restrictions: restrictions.into_iter().flatten().collect(),
        print_cards: flag(checker, "printMembershipCards", input.print_membership_cards),
        digital_cards_in_mail: flag(
            checker,
            "includeDigitalMemberCardsInConfirmationEmail",
            input.include_digital_member_cards_in_confirmation_email,
        ),
        confirmation_message: text(checker, "confirmationMessage", input.confirmation_message),
        action: action?,
    };
    Some(found)
}
