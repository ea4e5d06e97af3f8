// @ts-check
/**
 * Stripe's own fields and its question to the buyer. Loaded only where the service says that the venue charges through
 * Stripe. What the page's policy needs for it, in addition: `script-src https://js.stripe.com https://*.js.stripe.com`,
 * `frame-src https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com`, `connect-src https://api.stripe.com`.
 */
import { languageNow } from '/shared/intl.js';

const LIBRARY = 'https://js.stripe.com/v3/';

/** @type {any} */
let stripe = null;
/** @type {any} */
let elements = null;

/** @param {import('/shop/payment.js').How} how */
async function library(how) {
  if (stripe) return;
  if (!(/** @type {any} */ (window).Stripe)) {
    await new Promise((done, failed) => {
      const script = document.createElement('script');
      script.src = LIBRARY;
      script.onload = done;
      script.onerror = () => {
        script.remove();
        failed(new Error(LIBRARY));
      };
      document.head.append(script);
    });
  }
  const options = { locale: languageNow(), ...(how.connectedAccount ? { stripeAccount: how.connectedAccount } : {}) };
  stripe = /** @type {any} */ (window).Stripe(how.publishableKey, options);
}

/** @param {HTMLElement} place @param {import('/shop/payment.js').How} how @param {number} total in cents */
export async function mount(place, how, total) {
  await library(how);
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  elements = stripe.elements({
    mode: 'payment', amount: total, currency: (how.currency ?? 'USD').toLowerCase(),
    paymentMethodTypes: ['card'], paymentMethodCreation: 'manual', appearance: { theme: dark ? 'night' : 'stripe' },
  });
  elements.create('payment').mount(place);
}

/** The total has changed. @param {number} total in cents */
export const amount = (total) => elements?.update({ amount: total });

/** A token of what was typed in, or what is wrong with it, in Stripe's words. @returns {Promise<{token?: string, fault?: string}>} */
export async function token() {
  if (!elements) return {};
  const checked = await elements.submit();
  if (checked.error) return { fault: checked.error.message };
  const { confirmationToken, error } = await stripe.createConfirmationToken({ elements });
  return error ? { fault: error.message } : { token: confirmationToken.id };
}

/** Shows what the bank asks, until it is answered or put away. @param {import('/shop/payment.js').How} how @param {string} clientSecret */
export async function ask(how, clientSecret) {
  await library(how);
  await stripe.handleNextAction({ clientSecret });
}
