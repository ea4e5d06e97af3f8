//! Stripe, through its HTTP API (decision records 0073 to 0075). The payment of an order is a payment intent,
//! and the verbs of the trait are its creation, confirmation, cancellation and refunds.
//!
//! No library of Stripe's whole API: the thirteen requests made here are a few fields each, and every such
//! library brings hundreds of types or a second TLS stack into each function.

mod answer;
mod api;
mod decline;
mod event;
mod refund;
mod statement;
mod token;

pub use event::{EventFault, FoundDispute, FoundFailure};

use super::{CardProcessor, Clock, PaymentRequest, ProcessorError, RefundRequest};
use crate::cache::Cache;
use crate::vault::Vault;
use answer::{Created, Found, Intent, IntentStatus};
use api::{Account, Api, ApiFault, Ask, Refusal, network};
use async_trait::async_trait;
use aws_smithy_runtime_api::client::http::{HttpConnector, SharedHttpConnector};
use decline::{authentication_needed, cancelled_before, decline_of, token_unusable};
use domain::card::Card;
use domain::card_token::{PaymentToken, SentCard, TokenAnswer};
use domain::payment::{Confirmation, Decline, FinalStatus, PaymentStatus, RefundAnswer};
use domain::stripe::{StripeAccount, StripeKey, StripeSettings, stripe_key_context};
use domain::stripe_event::WebhookSecret;
use domain::time::plus_secs;
use domain::{Mid, OrderId, PaymentReference, TenantId, Timestamp};
use std::fmt;
use std::sync::{Arc, OnceLock};
use token::TokenKind;
use zeroize::Zeroizing;

/// After this many seconds the intent of an order is looked for before one is created. Stripe forgets
/// idempotency keys after 24 hours at the earliest, and finds an intent by its metadata after an hour at the
/// latest (decision record 0074).
const LOOK_FIRST_SECS: i64 = 12 * 3_600;

/// What every idempotency key begins with, so that keys of other programs on the same account are others.
const KEY_START: &str = "boxoffice";

/// The way to Stripe that all tenants share. Cheap to clone.
#[derive(Clone)]
pub struct Stripe {
    /// Made when it is first needed: most functions never charge, and reading the roots takes a while.
    connector: Arc<OnceLock<SharedHttpConnector>>,
    vault: Arc<dyn Vault>,
    clock: Clock,
    keys: Arc<Cache<(TenantId, String), StripeKey>>,
    secrets: Arc<Cache<(TenantId, String), WebhookSecret>>,
}

impl Stripe {
    /// Stripe over the network, with keys that the vault opens.
    #[must_use]
    pub fn new(vault: Arc<dyn Vault>, clock: Clock) -> Self {
        Self { connector: Arc::default(), vault, clock, keys: Arc::default(), secrets: Arc::default() }
    }

    /// Stripe over another connector than the network.
    #[must_use]
    pub fn over(self, connector: impl HttpConnector + 'static) -> Self {
        let connector = Arc::new(OnceLock::from(SharedHttpConnector::new(connector)));
        Self { connector, ..self }
    }

    /// The processor of a tenant with these settings.
    #[must_use]
    pub fn account_of(&self, tenant: TenantId, settings: &StripeSettings) -> StripeProcessor {
        StripeProcessor { stripe: self.clone(), tenant, settings: settings.clone() }
    }
}

impl fmt::Debug for Stripe {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Stripe")
    }
}

/// Charges cards on a tenant's account at Stripe and on those connected to it.
#[derive(Debug, Clone)]
pub struct StripeProcessor {
    stripe: Stripe,
    tenant: TenantId,
    settings: StripeSettings,
}

impl StripeProcessor {
    /// Whether messages of its webhooks can be told from others'.
    #[must_use]
    pub fn takes_events(&self) -> bool {
        !self.settings.webhook_secrets.is_empty()
    }

    /// The API as the account sees it; none is the account of the key.
    async fn api(&self, account: Option<StripeAccount>) -> Result<Api, ProcessorError> {
        let Self { stripe, tenant, settings } = self;
        let (vault, tenant, sealed) = (Arc::clone(&stripe.vault), *tenant, settings.sealed_key.clone());
        let key = (tenant, sealed.clone());
        let load = async move {
            let context = stripe_key_context(tenant);
            let text = opened_text(&*vault, tenant, &context, &sealed, "the key for Stripe").await;
            text.and_then(|text| StripeKey::parse(&text).ok()).ok_or(ProcessorError::Unreachable)
        };
        let key = stripe.keys.get(key, load).await?;
        let connector = stripe.connector.get_or_init(network).clone();
        let address = settings.address.clone();
        Ok(Api::new(connector, Account { address, key, connected: account }))
    }

    /// The intent that a reference names, and the API on the account it was made on.
    async fn intent(&self, reference: &PaymentReference) -> Result<OpenIntent, ProcessorError> {
        let (account, id) = read_reference(reference).ok_or(ProcessorError::UnknownPayment)?;
        Ok(OpenIntent { api: self.api(account).await?, id, question: Question::Declines })
    }
}

/// A text of a tenant's settings that the vault opens; none where it does not, which the log says of this name.
async fn opened_text(
    vault: &dyn Vault,
    tenant: TenantId,
    context: &str,
    sealed: &str,
    name: &str,
) -> Option<Zeroizing<String>> {
    let sealed = hex::decode(sealed).ok()?;
    match vault.open(context, &sealed).await {
        Ok(opened) => std::str::from_utf8(&opened).ok().map(|text| Zeroizing::new(text.to_owned())),
        Err(fault) => {
            let error: &dyn std::error::Error = &fault;
            tracing::error!(tenant = tenant.get(), error, "{name} cannot be opened");
            None
        }
    }
}

/// What becomes of a question of the issuer to the buyer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Question {
    /// There is no page to show it in: the card counts as declined.
    Declines,
    /// It is passed on to the page that made the token.
    IsPassedOn,
}

/// The payment of an order at Stripe.
struct OpenIntent {
    api: Api,
    id: String,
    question: Question,
}

#[async_trait]
impl CardProcessor for StripeProcessor {
    async fn look_up(&self, token: &PaymentToken, mid: &Mid) -> Result<TokenAnswer, ProcessorError> {
        let Some(kind) = TokenKind::of(token) else { return Ok(TokenAnswer::Unknown) };
        let api = self.api(self.settings.accounts.get(mid).cloned()).await?;
        token::look_up(&api, kind, token).await
    }

    async fn open(&self, payment: &PaymentRequest) -> Result<PaymentReference, ProcessorError> {
        let account = self.settings.accounts.get(&payment.mid).cloned();
        let api = self.api(account.clone()).await?;
        let id = match find_old(&api, payment, (self.stripe.clock)()).await? {
            Some(found) => found,
            None => create(&api, payment).await?,
        };
        write_reference(account.as_ref(), &id).ok_or(ProcessorError::AnswerLost)
    }

    async fn confirm(
        &self,
        reference: &PaymentReference,
        card: &SentCard,
    ) -> Result<Confirmation, ProcessorError> {
        let mut intent = self.intent(reference).await?;
        let token = match card {
            SentCard::Token(token) => token,
            SentCard::Number(card) => {
                return match intent.api.send::<Created>(card_request(card)).await {
                    Ok(method) => intent.confirm_method(&method.id).await,
                    Err(ApiFault::Unanswered(fault)) => Err(fault),
                    Err(ApiFault::Refused(refusal)) => intent.card_refused(&refusal).await,
                };
            }
        };
        intent.question = Question::IsPassedOn;
        match TokenKind::of(token) {
            Some(TokenKind::Method) => intent.confirm_method(token.expose()).await,
            Some(TokenKind::Confirmation) => intent.confirm(Some(token)).await,
            None => intent.decline(token_unusable()).await,
        }
    }

    async fn status(&self, reference: &PaymentReference) -> Result<PaymentStatus, ProcessorError> {
        let found = self.intent(reference).await?.look().await?;
        let told = found.last_payment_error.as_ref().map(decline_of);
        match found.status {
            IntentStatus::Succeeded => Ok(PaymentStatus::Succeeded),
            IntentStatus::Canceled => Ok(PaymentStatus::Cancelled),
            IntentStatus::RequiresAction => {
                found.buyer_action().map(PaymentStatus::AsksBuyer).ok_or(ProcessorError::AnswerLost)
            }
            IntentStatus::RequiresPaymentMethod if !found.never_had_a_card() => {
                Ok(PaymentStatus::Refused(told.unwrap_or_else(cancelled_before)))
            }
            IntentStatus::RequiresPaymentMethod
            | IntentStatus::RequiresConfirmation
            | IntentStatus::RequiresCapture
            | IntentStatus::Processing
            | IntentStatus::Other => Ok(PaymentStatus::Open),
        }
    }

    async fn cancel_or_status(&self, reference: &PaymentReference) -> Result<FinalStatus, ProcessorError> {
        let intent = self.intent(reference).await?;
        let found = intent.cancel().await?;
        match found.status {
            IntentStatus::Succeeded => Ok(FinalStatus::Succeeded),
            IntentStatus::Canceled => Ok(FinalStatus::Cancelled),
            IntentStatus::RequiresPaymentMethod
            | IntentStatus::RequiresConfirmation
            | IntentStatus::RequiresAction
            | IntentStatus::RequiresCapture
            | IntentStatus::Processing
            | IntentStatus::Other => Err(ProcessorError::AnswerLost),
        }
    }

    async fn refund(&self, refund: &RefundRequest) -> Result<RefundAnswer, ProcessorError> {
        self.intent(&refund.reference).await?.refund_payment(refund).await
    }

    fn can_have_written(&self, reference: &PaymentReference) -> bool {
        read_reference(reference).is_some()
    }
}

/// The intent of an order that was secured so long ago that its idempotency key may be forgotten.
async fn find_old(
    api: &Api,
    payment: &PaymentRequest,
    now: Timestamp,
) -> Result<Option<String>, ProcessorError> {
    if now < plus_secs(payment.secured_at, LOOK_FIRST_SECS) {
        return Ok(None);
    }
    let PaymentRequest { tenant, order, .. } = payment;
    let query = format!("metadata['order']:'{order}' AND metadata['tenant']:'{tenant}'");
    let ask = Ask::get("/v1/payment_intents/search").field("query", query).field("limit", "1");
    let found: Found<Created> = api.send(ask).await.map_err(unasked)?;
    Ok(found.data.into_iter().next().map(|intent| intent.id))
}

async fn create(api: &Api, payment: &PaymentRequest) -> Result<String, ProcessorError> {
    let PaymentRequest { tenant, order, amount, currency, mid: _, descriptor, secured_at: _ } = payment;
    let mut ask = Ask::post("/v1/payment_intents")
        .field("amount", amount.cents().to_string())
        .field("currency", currency.code().to_ascii_lowercase())
        .field("payment_method_types[]", "card")
        .field("metadata[order]", order.as_str())
        .field("metadata[tenant]", tenant.to_string())
        .idempotent(open_key(*tenant, order));
    if let Some(suffix) = statement::suffix(descriptor) {
        ask = ask.field("statement_descriptor_suffix", suffix);
    }
    Ok(api.send::<Created>(ask).await.map_err(unasked)?.id)
}

fn open_key(tenant: TenantId, order: &OrderId) -> String {
    format!("{KEY_START}-{tenant}-{order}")
}

/// The one request that holds a card. It moves no money, so it needs no idempotency key: what a lost answer
/// leaves behind is a card that nothing refers to.
fn card_request(card: &Card) -> Ask {
    let Card { number, expiry, cvc, zip, holder_name } = card;
    let mut ask = Ask::post("/v1/payment_methods")
        .field("type", "card")
        .field("card[number]", number.expose())
        .field("card[exp_month]", expiry.month().to_string())
        .field("card[exp_year]", expiry.year().to_string())
        .field("card[cvc]", cvc.expose());
    if let Some(name) = holder_name {
        ask = ask.field("billing_details[name]", name.as_str());
    }
    if let Some(zip) = zip {
        ask = ask.field("billing_details[address][postal_code]", zip.as_str());
    }
    ask
}

impl OpenIntent {
    fn path(&self) -> String {
        format!("/v1/payment_intents/{}", self.id)
    }

    async fn look(&self) -> Result<Intent, ProcessorError> {
        self.api.send(Ask::get(self.path())).await.map_err(unasked)
    }

    async fn attach(&self, method: &str) -> Result<Intent, ApiFault> {
        self.api.send(Ask::post(self.path()).field("payment_method", method)).await
    }

    /// The card is put on the intent before the confirmation, which then says the same however often it is sent. What
    /// the intent answers also shows whether it was decided before.
    async fn confirm_method(&self, method: &str) -> Result<Confirmation, ProcessorError> {
        match self.attach(method).await {
            Ok(found) if found.awaits_its_first_card() => self.confirm(None).await,
            Ok(found) => self.decided(found).await,
            Err(ApiFault::Unanswered(fault)) => Err(fault),
            Err(ApiFault::Refused(refusal)) => self.refused(&refusal).await,
        }
    }

    /// Without an address to come back to, Stripe's library in the page shows what the issuer asks. A confirmation token
    /// comes with the confirmation itself: what it stands for is put on the intent by that.
    async fn confirm(&self, token: Option<&PaymentToken>) -> Result<Confirmation, ProcessorError> {
        let mut ask = Ask::post(format!("{}/confirm", self.path()))
            .idempotent(format!("{KEY_START}-confirm-{}", self.id));
        if let Some(token) = token {
            ask = ask.field("confirmation_token", token.expose());
        }
        match self.api.send::<Intent>(ask).await {
            Ok(found) => self.decided(found).await,
            Err(ApiFault::Unanswered(fault)) => Err(fault),
            Err(ApiFault::Refused(refusal)) => self.refused(&refusal).await,
        }
    }

    /// Cancels the intent, or finds out why not. Without an idempotency key: each try has to look at how the
    /// intent stands now.
    async fn cancel(&self) -> Result<Intent, ProcessorError> {
        match self.api.send(Ask::post(format!("{}/cancel", self.path()))).await {
            Ok(found) => Ok(found),
            Err(ApiFault::Unanswered(fault)) => Err(fault),
            Err(ApiFault::Refused(_)) => self.look().await,
        }
    }

    /// What an intent that was sent a card, now or earlier, says about it.
    async fn decided(&self, found: Intent) -> Result<Confirmation, ProcessorError> {
        let told = found.last_payment_error.as_ref().map(decline_of);
        match found.status {
            IntentStatus::Succeeded => Ok(Confirmation::Captured),
            IntentStatus::Canceled => Ok(Confirmation::Declined(told.unwrap_or_else(cancelled_before))),
            IntentStatus::RequiresAction => match (self.question, found.buyer_action()) {
                (Question::IsPassedOn, Some(action)) => Ok(Confirmation::AsksBuyer(action)),
                (Question::IsPassedOn, None) | (Question::Declines, _) => {
                    self.decline(authentication_needed()).await
                }
            },
            IntentStatus::RequiresPaymentMethod
            | IntentStatus::RequiresConfirmation
            | IntentStatus::RequiresCapture => self.decline(told.unwrap_or_else(cancelled_before)).await,
            IntentStatus::Processing | IntentStatus::Other => Err(ProcessorError::AnswerLost),
        }
    }

    /// A card that Stripe does not take, or a request that it does not understand: that is our fault, and the
    /// caller is not told that the card is to blame.
    async fn card_refused(&self, refusal: &Refusal) -> Result<Confirmation, ProcessorError> {
        if refusal.error.is_about_the_card() {
            return self.decline(decline_of(&refusal.error)).await;
        }
        refusal.log();
        Err(ProcessorError::Unreachable)
    }

    /// A refusal of the intent: of the card, or because it is decided already.
    async fn refused(&self, refusal: &Refusal) -> Result<Confirmation, ProcessorError> {
        if refusal.error.is_about_the_card() {
            return self.decline(decline_of(&refusal.error)).await;
        }
        let found = self.look().await?;
        if found.awaits_its_first_card() {
            refusal.log();
            return Err(ProcessorError::Unreachable);
        }
        if found.never_had_a_card() {
            refusal.log();
            return self.decline(token_unusable()).await;
        }
        self.decided(found).await
    }

    /// An intent takes another card after a decline; the payment of an order does not, so it is cancelled. Nobody
    /// else can confirm it, so that the decline stands even if the cancellation is not answered.
    async fn decline(&self, decline: Decline) -> Result<Confirmation, ProcessorError> {
        match self.cancel().await {
            Ok(found) if found.status == IntentStatus::Succeeded => Ok(Confirmation::Captured),
            Ok(_) => Ok(Confirmation::Declined(decline)),
            Err(fault) => {
                tracing::warn!(intent = self.id, %fault, "a declined payment was not cancelled");
                Ok(Confirmation::Declined(decline))
            }
        }
    }
}

/// The fault of a request that moves no money and that Stripe has no reason to refuse.
fn unasked(fault: ApiFault) -> ProcessorError {
    match fault {
        ApiFault::Unanswered(fault) => fault,
        ApiFault::Refused(refusal) if refusal.is_about_something_unknown() => ProcessorError::UnknownPayment,
        ApiFault::Refused(refusal) => {
            refusal.log();
            ProcessorError::Unreachable
        }
    }
}

/// What stands between a connected account and an intent in a reference; neither id has it.
const SEPARATOR: char = '-';

/// A reference names the account too, so that a payment stays where it was made when the settings change.
fn write_reference(account: Option<&StripeAccount>, intent: &str) -> Option<PaymentReference> {
    let text = match account {
        Some(account) => format!("{account}{SEPARATOR}{intent}"),
        None => intent.to_owned(),
    };
    PaymentReference::parse(&text).ok().filter(|reference| read_reference(reference).is_some())
}

fn read_reference(reference: &PaymentReference) -> Option<(Option<StripeAccount>, String)> {
    let (account, intent) = match reference.as_str().split_once(SEPARATOR) {
        Some((account, intent)) => (Some(StripeAccount::parse(account).ok()?), intent),
        None => (None, reference.as_str()),
    };
    let is_intent = intent.starts_with("pi_") && !intent.contains(SEPARATOR);
    is_intent.then(|| (account, intent.to_owned()))
}

#[cfg(test)]
mod tests;
