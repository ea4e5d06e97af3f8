// @ts-check
/** What people are told in more than one place. */
import { t } from '/shared/intl.js';

/** What a price contains of tax, in words. @param {{rate: string, name: string}} of */
export const taxWords = ({ rate, name }) => (name ? t('summary.tax', { name, rate: Number(rate) }) : t('summary.taxBare', { rate: Number(rate) }));
