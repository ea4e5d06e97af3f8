// @ts-check
/** What a verdict says: one line why, from what the service or the list answered. */
import { dateOnly, dayAndTime, dayKey, time, t } from '/shared/intl.js';
import { now, settings } from '/door/state.js';

/** A time, with its day where that is not today. @param {string | number} at */
export const when = (at) => (dayKey(at) === dayKey(now()) ? time(at) : dayAndTime(at));

/** @param {{firstName?: string, lastName?: string} | undefined} who */
export const nameOf = (who) => [who?.firstName, who?.lastName].filter(Boolean).join(' ');

/** Where somebody was let in before. @param {{terminalId?: string} | undefined} previous */
function where(previous) {
  if (!previous?.terminalId) return '';
  return previous.terminalId === settings.peek().terminalId ? t('at.here') : t('at.door', { door: previous.terminalId });
}

/** When and where. @param {{at?: string, terminalId?: string} | undefined} previous */
export const before = (previous) => [previous?.at ? when(previous.at) : '', where(previous)].filter(Boolean).join(', ');

/** The line below the title. @param {import('/door/admit.js').Verdict} of */
export function why(of) {
  const { result, key } = of;
  const visit = [result.eventName, result.eventDate ? when(result.eventDate) : ''].filter(Boolean).join(', ');
  switch (key) {
    case 'admitted':
    case 'left': return [result.ticketTypeName, result.card && `${result.card.levelName}`, result.card?.cardName ?? nameOf(result)].filter(Boolean).join(' · ');
    case 'alreadyAdmitted': return before(result.previous) || t('why.alreadyAdmitted');
    case 'wrongEvent':
    case 'wrongTime':
    case 'exchanged': return visit ? t(`why.${key}`, { visit }) : t(`why.${key}.bare`);
    case 'tooEarly':
    case 'tooLate':
    case 'expired':
    case 'cancelled': return visit || t(`why.${key}`);
    case 'membershipLapsed': return result.card?.membershipExpirationDate ? t('why.membershipLapsed', { date: dateOnly(result.card.membershipExpirationDate) }) : '';
    case 'blocked': return result.blockedReason ?? t('why.blocked');
    default: return t(`why.${key}`);
  }
}

/** What else the steward should know. @param {import('/door/admit.js').Verdict} of @returns {string[]} */
export function remarks(of) {
  const { result } = of;
  const lines = [];
  if (result.together) lines.push(t('remark.together', { n: result.together.admitted, of: result.together.of }));
  for (const warning of result.warnings ?? []) {
    lines.push(warning === 'alreadyAdmitted' ? t('remark.visit', { n: result.card?.visitsToday ?? 2 }) : t(`remark.${warning}`));
  }
  for (const one of result.attention ?? []) if (one !== 'orderNumber') lines.push(t(`remark.${one}`));
  if (['notListed', 'noAnswer'].includes(of.key) && result.previous) lines.push(t('remark.before', { where: before(result.previous) }));
  if (of.again) lines.push([of.code ?? (result.orderNumber && t('find.order', { number: result.orderNumber })), when(of.again)].filter(Boolean).join(' · '));
  if (result.rebookedFrom) lines.push(t('remark.rebooked'));
  return lines;
}

/** "2 of 3", where an order has several. @param {any} result */
export const share = (result) => (result.quantity > 1 ? t('share', { n: result.checkInQuantity ?? 0, of: result.quantity }) : '');
