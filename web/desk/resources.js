// @ts-check
/** What the catalog is made of: every record of the back office, field by field. */

/** @typedef {import('/desk/form.js').Described} Described */
/** @typedef {{key: string, fields: Described[], open?: boolean, preview?: boolean}} Section */
/**
 * @typedef {object} Resource
 * @property {string} list the list of the catalog that shows it
 * @property {string} path where it is written
 * @property {boolean} [flat] whether a change goes to the path without the id
 * @property {any} fresh what a new one starts with
 * @property {Section[]} sections
 * @property {{key: string, value: (row: any) => any, kind?: 'price' | 'state' | 'bool' | 'day'}[]} columns
 */

/** @type {Described} */
const NAME = { k: 'name', t: 'text', req: true };
/** @type {Described} */
const ABOUT = { k: 'description', t: 'area', wide: true };
/** @type {Described} */
const ORDER = { k: 'displayOrder', t: 'int', hint: 'displayOrder' };
/** @type {Described} */
const ACTIVE = { k: 'active', t: 'bool', on: true };
/** @type {Described} */
const CHANNELS = { k: 'salesChannels', t: 'channels' };
/** @type {Described[]} */
const TAX = [{ k: 'taxRate', t: 'money', hint: 'taxRate' }, { k: 'taxName', t: 'text' }];
/** @type {Described} */
const IMAGES = { k: 'images', t: 'list', hint: 'images', fields: [{ k: 'id', t: 'text', label: 'imageId' }, { k: 'description', t: 'text', label: 'imageText' }, { k: 'primary', t: 'bool' }] };
const DISCOUNTS = ['amount', 'percent', 'fixedPrice'];

/** @type {Described[]} */
const PRICE = [
  { k: 'personType', t: 'one', from: 'types', as: 'ref', req: true },
  { k: 'price', t: 'money', req: true },
  { k: 'discountedPrice', t: 'money', hint: 'discountedPrice' },
  { k: 'primePrice', t: 'money', hint: 'primePrice' },
  ORDER, CHANNELS,
];
/** @type {Described} */
const PRICES = { k: 'prices', t: 'list', fields: PRICE };

/** @type {Described[]} */
const DISTANCE = [{ k: 'days', t: 'int' }, { k: 'hours', t: 'int' }, { k: 'minutes', t: 'int' }, { k: 'endOfDay', t: 'bool' }];
/** @type {Described[]} */
const OTHER_EVENT = [
  { k: 'eventTemplateId', t: 'one', from: 'events', req: true },
  { k: 'min', t: 'group', label: 'soonest', fields: DISTANCE }, { k: 'max', t: 'group', label: 'latest', fields: DISTANCE },
];

/** @type {Described} */
const SCHEDULES = { k: 'schedules', t: 'list', hint: 'schedules', fresh: { weekdays: [], hours: [], ranges: [] }, fields: [
  { k: 'name', t: 'text' },
  { k: 'weekdays', t: 'days', req: true },
  { k: 'hours', t: 'times', req: true },
  { k: 'ranges', t: 'list', hint: 'ranges', fields: [{ k: 'start', t: 'date', req: true, label: 'firstDay' }, { k: 'end', t: 'date', req: true, label: 'lastDay' }] },
  { k: 'repeatCycle', t: 'int', hint: 'repeatCycle' },
  { k: 'capacity', t: 'int', hint: 'ownCapacity' },
  { k: 'duration', t: 'length', hint: 'ownDuration' },
  { k: 'priceLists', t: 'many', as: 'ref', hint: 'ownPrices', label: 'ownPriceLists' },
  CHANNELS,
  { k: 'effectiveStartTime', t: 'when', hint: 'effective' }, { k: 'effectiveEndTime', t: 'when', hint: 'effective' },
  { k: 'description', t: 'text', wide: true },
  { k: 'type', t: 'text', label: 'ownKind' },
  { k: 'honorHolidays', t: 'bool' }, { k: 'honorOpenHours', t: 'bool' }, { k: 'blockFlexPays', t: 'bool' },
] };

/** @type {Section[]} */
const EVENT = [
  { key: 'basics', open: true, fields: [
    NAME,
    { k: 'description', t: 'area', req: true, wide: true },
    { k: 'shortDescription', t: 'area', hint: 'shortDescription', wide: true },
    { k: 'summary', t: 'text', wide: true },
    { k: 'capacity', t: 'int', req: true, hint: 'capacity' },
    { k: 'duration', t: 'length', req: true },
    { k: 'type', t: 'choice', of: ['standard', 'private'], label: 'eventType' },
    { k: 'admissionType', t: 'choice', of: ['standard', 'generalAdmission'] },
    ORDER,
  ] },
  { key: 'times', open: true, preview: true, fields: [
    { k: 'startTime', t: 'when', hint: 'startTime' }, { k: 'endTime', t: 'when', hint: 'endTime' },
    SCHEDULES,
  ] },
  { key: 'prices', open: true, fields: [
    { k: 'priceLists', t: 'list', hint: 'priceLists', fresh: { name: '', prices: [{}] }, fields: [
      { k: 'name', t: 'text', label: 'listName' }, { k: 'description', t: 'text' }, { k: 'startTime', t: 'when', label: 'validFrom' }, PRICES] },
    { k: 'rebookingFee', t: 'money', hint: 'rebookingFee' },
  ] },
  { key: 'members', fields: [
    { k: 'memberOnlyEvent', t: 'bool' }, { k: 'allMembersCanPurchase', t: 'bool' },
    { k: 'membership', t: 'group', label: 'memberPrices', fields: [
      { k: 'restrictions', t: 'group', fields: [{ k: 'categories', t: 'many', from: 'levels', hint: 'restrictions' }] },
      { k: 'discounts', t: 'list', label: 'memberDiscounts', fields: [
        { k: 'category', t: 'one', from: 'levels', as: 'ref', req: true, label: 'level' },
        { k: 'discount', t: 'one', from: 'discounts', as: 'ref', req: true },
        { k: 'maxTickets', t: 'int', hint: 'maxTickets' }] },
    ] },
  ] },
  { key: 'extras', fields: [
    { k: 'addOns', t: 'group', fields: [{ k: 'inventoryIds', t: 'many', from: 'inventory' }] },
    { k: 'orderForms', t: 'many', from: 'forms', as: 'ref' },
    { k: 'recommendations', t: 'group', fields: [{ k: 'recommendations', t: 'list', label: 'recommended', fields: OTHER_EVENT }] },
  ] },
  { key: 'tickets', fields: [
    { k: 'ticketDetails', t: 'group', fields: [
      { k: 'checkInWindow', t: 'group', fields: [{ k: 'minutesBefore', t: 'int' }, { k: 'minutesAfter', t: 'int' }, { k: 'blockScan', t: 'bool' }, { k: 'autoRebook', t: 'bool' }] },
      { k: 'reentry', t: 'choice', of: ['never', 'afterExit', 'always'] },
      { k: 'postStartPurchase', t: 'group', fields: [{ k: 'allowLateTicketPurchase', t: 'bool' }] },
      { k: 'purchaseAvailability', t: 'group', fields: [{ k: 'timeFrame', t: 'choice', of: ['when', 'before', 'after'], label: 'closes' }, { k: 'minutes', t: 'int' }] },
      { k: 'ticketDurationDays', t: 'int' },
      { k: 'ticketPrintLines', t: 'lines', hint: 'lines' },
      { k: 'doNotPrint', t: 'bool' }, { k: 'expireFromEventDate', t: 'bool' }, { k: 'hideEventDate', t: 'bool' },
    ] },
  ] },
  { key: 'mails', fields: [
    { k: 'emailConfirmationMessage', t: 'area', wide: true }, { k: 'emailCancellationMessage', t: 'area', wide: true },
    { k: 'emailNotify', t: 'list', hint: 'emailNotify', fields: [{ k: 'name', t: 'text', label: 'personName' }, { k: 'email', t: 'text', req: true, input: 'email' }] },
  ] },
  { key: 'looks', fields: [
    IMAGES, { k: 'colorCategory', t: 'text', hint: 'colorCategory' },
    { k: 'stars', t: 'int' }, { k: 'ratings', t: 'int' },
    { k: 'publishSoldQuantity', t: 'bool', on: true },
  ] },
  { key: 'books', fields: [
    { k: 'GLCode', t: 'text' }, { k: 'thirdPartyEvent', t: 'bool' }, { k: 'thirdPartyPercentage', t: 'money' },
    { k: 'customFields', t: 'list', fields: [{ k: 'name', t: 'text', req: true, label: 'fieldName' }, { k: 'value', t: 'text' }] },
    { k: 'resources', t: 'list', fields: [{ k: 'type', t: 'text', label: 'ownKind' }, { k: 'resourceTemplateId', t: 'text' }, { k: 'resourceId', t: 'text' }, { k: 'quantity', t: 'int' },
      { k: 'fields', t: 'list', label: 'resourceFields', fields: [{ k: 'name', t: 'text', label: 'fieldName' }, { k: 'value', t: 'text' }] }] },
    { k: 'ruleSets', t: 'group', fields: [{ k: 'associated', t: 'bool' }, { k: 'ruleSetIds', t: 'lines', hint: 'lines' }] },
    { k: 'entitlementConfiguration', t: 'group', fields: [{ k: 'id', t: 'text', label: 'ownId' }, { k: 'name', t: 'text', label: 'fieldName' }, { k: 'salesRuleSetId', t: 'text' },
      { k: 'entitlementConfig', t: 'json', hint: 'json' }, { k: 'salesRuleConfig', t: 'json', hint: 'json' }, { k: 'ticketRuleConfig', t: 'json', hint: 'json' }] },
    { k: 'prerequisites', t: 'group', hint: 'prerequisites', fields: [{ k: 'operation', t: 'choice', of: ['allOf', 'anyOf'] },
      { k: 'requires', t: 'list', fields: [{ k: 'name', t: 'text', label: 'fieldName' }, ...OTHER_EVENT] }] },
  ] },
];

/** @type {Described[]} */
const TERMS = [{ k: 'numberOfCardHolders', t: 'int' }, { k: 'canGift', t: 'bool' }, { k: 'startBeginningOfMonth', t: 'bool' }, { k: 'expireEndOfMonth', t: 'bool' }];
/** @type {Described} */
const BENEFITS = { k: 'benefits', t: 'list', fields: [{ k: 'id', t: 'text', req: true, label: 'ownId' }, { k: 'description', t: 'text', label: 'benefit' }] };
/** @type {Described[]} */
const OWN_SYSTEM = [{ k: 'id', t: 'text', label: 'ownId' }, { k: 'program', t: 'text' }, { k: 'category', t: 'text', label: 'ownCategory' }, { k: 'subcategory', t: 'text' }, { k: 'level', t: 'text', label: 'ownLevel' }];
/** @type {Described[]} */
const OWN_SYSTEMS = [{ k: 'service', t: 'group', hint: 'service', fields: OWN_SYSTEM }, { k: 'types', t: 'list', fields: OWN_SYSTEM }];

/** @type {Section[]} */
const LEVEL = [
  { key: 'basics', open: true, fields: [
    NAME, ABOUT, { k: 'shortDescription', t: 'text', wide: true, label: 'levelShort' },
    { k: 'membershipLevelGroup', t: 'choice', of: ['individualAndFamily', 'organization'] },
    CHANNELS, ...TAX,
    { k: 'rules', t: 'group', label: 'terms', fields: TERMS },
    BENEFITS, IMAGES,
  ] },
  { key: 'offerings', open: true, fields: [
    { k: 'offerings', t: 'list', fresh: { name: '', duration: 12, priceLists: [{ name: '', prices: [{}] }] }, fields: [
      NAME, { k: 'subtitle', t: 'text' }, ABOUT,
      { k: 'duration', t: 'int', req: true, label: 'months' },
      { k: 'priceLists', t: 'list', fields: [
        { k: 'name', t: 'text', label: 'listName' }, { k: 'description', t: 'text' },
        { k: 'startTime', t: 'when', label: 'validFrom' }, { k: 'endTime', t: 'when', label: 'validTo' }, PRICES] },
      CHANNELS,
      { k: 'rules', t: 'group', label: 'ownTerms', hint: 'ownTerms', fields: TERMS },
      BENEFITS,
      { k: 'actions', t: 'list', hint: 'actions', fields: [
        { k: 'action', t: 'choice', of: ['new', 'renew', 'upgrade', 'downGrade', 'cancel'], req: true },
        { k: 'salesChannels', t: 'channels', none: true },
        { k: 'ruleIds', t: 'lines', hint: 'lines' },
        { k: 'printMembershipCards', t: 'bool' }, { k: 'includeDigitalMemberCardsInConfirmationEmail', t: 'bool' },
        { k: 'confirmationMessage', t: 'area' },
        { k: 'confirmationEmailRestrictions', t: 'list', fields: [{ k: 'saleChannel', t: 'text' }, { k: 'canSendConfirmationEmail', t: 'bool' }] },
      ] },
      ...OWN_SYSTEMS,
    ] },
  ] },
  { key: 'mails', fields: [{ k: 'emailConfirmationMessage', t: 'area', wide: true }, { k: 'termsAndConditions', t: 'area', wide: true }] },
  { key: 'books', fields: [
    { k: 'auxiliary', t: 'bool' },
    { k: 'membershipLevelCollection', t: 'list', fields: [{ k: 'id', t: 'text', req: true, label: 'ownId' }, { k: 'name', t: 'text', label: 'fieldName' }] },
    ...OWN_SYSTEMS,
  ] },
];

/** @param {Described[]} fields @returns {Section[]} */
const whole = (fields) => [{ key: 'all', open: true, fields }];

/** @type {Record<string, Resource>} */
export const RESOURCES = {
  events: {
    list: 'events', path: '/v2/b2b/event/templates', sections: EVENT,
    fresh: { reviewState: 'Draft', duration: { hour: 1, minutes: 0 }, schedules: [{ weekdays: [], hours: [], ranges: [] }], priceLists: [{ name: '', prices: [{}] }] },
    columns: [{ key: 'state', value: (row) => row.reviewState, kind: 'state' }, { key: 'from', value: (row) => row.startTime, kind: 'day' }, { key: 'until', value: (row) => row.endTime, kind: 'day' },
      { key: 'prices', value: (row) => Math.min(...row.priceLists.flatMap((/** @type {any} */ list) => list.prices.map((/** @type {any} */ one) => one.discountedPrice ?? one.price))), kind: 'price' }],
  },
  types: {
    list: 'types', path: '/v2/b2b/persontypes', fresh: { active: true },
    sections: whole([NAME, ABOUT, { k: 'type', t: 'text', hint: 'personType', label: 'ownKind' }, ...TAX, ORDER, ACTIVE]),
    columns: [{ key: 'about', value: (row) => row.description }, { key: 'active', value: (row) => row.active, kind: 'bool' }, { key: 'order', value: (row) => row.displayOrder }],
  },
  coupons: {
    list: 'coupons', path: '/v2/b2b/coupons', fresh: { active: true, discountType: 'percent', appliesTo: ['event', 'membership'] },
    sections: whole([NAME, { k: 'code', t: 'text', req: true, hint: 'code' }, ABOUT,
      { k: 'discountId', t: 'one', from: 'discounts', hint: 'discountId' },
      { k: 'discountType', t: 'choice', of: DISCOUNTS, hint: 'discountType' }, { k: 'value', t: 'money', label: 'discountValue' },
      { k: 'appliesTo', t: 'many', of: ['event', 'membership'], hint: 'everything' },
      { k: 'eventTemplateIds', t: 'many', from: 'events', hint: 'everything' }, { k: 'personTypeIds', t: 'many', from: 'types', hint: 'everything' },
      { k: 'membershipCategoryIds', t: 'many', from: 'levels', hint: 'everything' }, CHANNELS,
      { k: 'effectiveStart', t: 'date' }, { k: 'effectiveEnd', t: 'date' }, { k: 'maxUses', t: 'int', hint: 'maxUses' }, ACTIVE]),
    columns: [{ key: 'code', value: (row) => row.code }, { key: 'active', value: (row) => row.active, kind: 'bool' }, { key: 'until', value: (row) => row.effectiveEnd, kind: 'day' }, { key: 'uses', value: (row) => row.maxUses }],
  },
  discounts: {
    list: 'discounts', path: '/v2/b2b/discounts', fresh: { values: [{ discountType: 'percent' }] },
    sections: whole([NAME, ABOUT, { k: 'code', t: 'text', hint: 'ownCode' },
      { k: 'values', t: 'list', fields: [{ k: 'personTypeId', t: 'one', from: 'types', req: true, label: 'personType' }, { k: 'discountType', t: 'choice', of: DISCOUNTS, req: true }, { k: 'value', t: 'money', req: true, label: 'discountValue' }] }]),
    columns: [{ key: 'about', value: (row) => row.description }, { key: 'code', value: (row) => row.code }],
  },
  inventory: {
    list: 'inventory', path: '/v2/b2b/inventory', fresh: { type: 'addOn', active: true },
    sections: whole([NAME, ABOUT, { k: 'type', t: 'choice', of: ['addOn', 'fixedDonation', 'donation', 'membershipCardReplacement'], req: true, label: 'inventoryType' },
      { k: 'price', t: 'money', hint: 'donationPrice', when: (row) => row.type !== 'donation' }, ...TAX.map((one) => ({ ...one, when: (/** @type {any} */ row) => !/onation$/.test(row.type ?? '') })),
      { k: 'stock', t: 'int', hint: 'stock' }, { k: 'sku', t: 'text' }, ORDER, ACTIVE, CHANNELS]),
    columns: [{ key: 'kind', value: (row) => row.type }, { key: 'price', value: (row) => row.price, kind: 'price' }, { key: 'stock', value: (row) => row.stock }, { key: 'active', value: (row) => row.active, kind: 'bool' }],
  },
  combos: {
    list: 'combos', path: '/v2/b2b/combos', fresh: { comboTemplateType: 'fixedPrice', active: true, parts: [{ quantity: 1 }, { quantity: 1 }], prices: [{}] },
    sections: whole([NAME, ABOUT, { k: 'parts', t: 'list', fresh: { quantity: 1 }, fields: [{ k: 'eventTemplateId', t: 'one', from: 'events', req: true }, { k: 'quantity', t: 'int', label: 'ticketsEach' }] },
      { k: 'comboTemplateType', t: 'choice', of: ['fixedPrice', 'discountCode'], req: true },
      { k: 'prices', t: 'list', when: (row) => row.comboTemplateType !== 'discountCode', fields: [{ k: 'personTypeId', t: 'one', from: 'types', req: true, label: 'personType' }, { k: 'price', t: 'money', req: true }] },
      { k: 'discountId', t: 'one', from: 'discounts', when: (row) => row.comboTemplateType === 'discountCode' }, ...TAX, ACTIVE]),
    columns: [{ key: 'about', value: (row) => row.description }, { key: 'active', value: (row) => row.active, kind: 'bool' }],
  },
  forms: {
    list: 'forms', path: '/v2/b2b/forms', fresh: { fields: [{ type: 'text' }] },
    sections: whole([NAME, ABOUT, { k: 'oncePerCart', t: 'bool' }, { k: 'required', t: 'bool', label: 'formRequired' },
      { k: 'fields', t: 'list', label: 'questions', fresh: { type: 'text' }, fields: [{ k: 'label', t: 'text', label: 'question' }, { k: 'name', t: 'text', req: true, label: 'fieldName', hint: 'fieldName' },
        { k: 'type', t: 'choice', of: ['text', 'number', 'choice', 'checkbox', 'date'], req: true, label: 'questionType' }, { k: 'required', t: 'bool', label: 'questionRequired' },
        { k: 'options', t: 'lines', hint: 'lines', when: (row) => row.type === 'choice' }] }]),
    columns: [{ key: 'about', value: (row) => row.description }, { key: 'questions', value: (row) => row.fields.length }, { key: 'required', value: (row) => row.required, kind: 'bool' }],
  },
  levels: {
    list: 'levels', path: '/v2/b2b/membership/levels', flat: true, sections: LEVEL,
    fresh: { state: 'draft', offerings: [{ name: '', duration: 12, priceLists: [{ name: '', prices: [{}] }] }] },
    columns: [{ key: 'state', value: (row) => row.state, kind: 'state' }, { key: 'about', value: (row) => row.shortDescription }, { key: 'offerings', value: (row) => row.offerings.length }],
  },
};

/** Rules of an event for members and for everybody. @type {Section[]} */
export const RULES = [{ key: 'all', open: true, fields: [
  { k: 'rules', t: 'list', hint: 'rules', label: 'entitlementRules', fresh: { ruleApplies: 'acrossAllItems', timeFrame: { period: 'day' } }, fields: [
    { k: 'id', t: 'text', req: true, label: 'ruleId', hint: 'ruleId' }, { k: 'limit', t: 'int', req: true },
    { k: 'ruleApplies', t: 'choice', of: ['acrossAllItems', 'forEachItem'], req: true },
    { k: 'timeFrame', t: 'group', fields: [{ k: 'period', t: 'choice', of: ['day', 'week', 'month', 'year', 'lifetime'], req: true }] },
    { k: 'levelIds', t: 'many', from: 'levels', hint: 'everything' }, { k: 'pricePointIds', t: 'many', from: 'types', hint: 'everything', label: 'personTypeIds' }] },
  { k: 'ticketLimits', t: 'group', hint: 'ticketLimits', fields: [
    { k: 'perOrder', t: 'int' },
    { k: 'perType', t: 'list', fields: [{ k: 'personTypeId', t: 'one', from: 'types', req: true, label: 'personType' }, { k: 'limit', t: 'int', req: true }] }] },
] }];

/** @type {Section[]} */
export const SETTINGS = [
  { key: 'venue', open: true, fields: [
    { k: 'name', t: 'text', req: true, label: 'venueName' },
    { k: 'languages', t: 'lines', hint: 'languages' },
    { k: 'terms', t: 'text', input: 'url', label: 'termsLink' }, { k: 'privacy', t: 'text', input: 'url' },
    { k: 'holdSeconds', t: 'int', hint: 'holdSeconds' },
    { k: 'descriptorPrefix', t: 'text', hint: 'descriptorPrefix' },
    { k: 'receiptNumbers', t: 'bool', when: (row) => 'receiptNumbers' in row },
  ] },
  { key: 'brand', open: true, fields: [
    { k: 'colours', t: 'list', fresh: { name: 'primary' }, fields: [{ k: 'name', t: 'text', req: true, label: 'colourName', hint: 'colourName' }, { k: 'value', t: 'colour', req: true, label: 'colourValue' }] },
    { k: 'logo', t: 'text', input: 'url', hint: 'logo' },
  ] },
  { key: 'origins', open: true, fields: [{ k: 'allowedOrigins', t: 'lines', hint: 'allowedOrigins' }] },
  { key: 'limits', fields: [{ k: 'limits', t: 'list', hint: 'limits', fields: [{ k: 'limit', t: 'text', req: true, label: 'limitName' }, { k: 'count', t: 'int', req: true }, { k: 'seconds', t: 'int', req: true }] }] },
];

/** @type {Described[]} */
export const PERSON = [
  { k: 'name', t: 'text', req: true, label: 'personName', hint: 'personName', complete: 'off' },
  { k: 'email', t: 'text', req: true, input: 'email', hint: 'staffEmail' },
  { k: 'roles', t: 'many', of: ['admin', 'boxOffice', 'door', 'reports'] },
  { k: 'active', t: 'bool', on: true, label: 'mayEnter' },
];

/** @type {Described[]} */
export const KEY = [
  { k: 'label', t: 'text', req: true, label: 'keyLabel' },
  { k: 'scopes', t: 'many', of: ['b2c', 'b2c-browser', 'b2b', 'door', 'counter'], req: true },
  { k: 'origins', t: 'lines', hint: 'keyOrigins', when: (row) => (row.scopes ?? []).includes('b2c-browser') },
];

/** @type {Described[]} */
const ADDRESS = [{ k: 'address1', t: 'text' }, { k: 'address2', t: 'text' }, { k: 'city', t: 'text' }, { k: 'state', t: 'text', label: 'region' }, { k: 'zipCode', t: 'text' }, { k: 'country', t: 'text' }];
/** Who an order is for and who paid it. @type {Section[]} */
export const CONTACT = [
  { key: 'contact', open: true, fields: [
    { k: 'contactFirstName', t: 'text', label: 'firstName' }, { k: 'contactLastName', t: 'text', label: 'lastName' },
    { k: 'email', t: 'text', input: 'email' }, { k: 'phoneNumber', t: 'text', input: 'tel' }, ...ADDRESS] },
  { key: 'payer', open: true, fields: [
    { k: 'billingFirstName', t: 'text', label: 'firstName' }, { k: 'billingLastName', t: 'text', label: 'lastName' },
    { k: 'billingEmail', t: 'text', input: 'email', label: 'email', hint: 'billingEmail' }, { k: 'billingPhoneNumber', t: 'text', input: 'tel', label: 'phoneNumber' },
    ...ADDRESS.map((one) => ({ ...one, k: `billing${one.k[0].toUpperCase()}${one.k.slice(1)}`, label: one.label ?? one.k }))] },
  { key: 'delivery', open: true, fields: [{ k: 'ticketDeliveryEmail', t: 'text', input: 'email', hint: 'ticketDeliveryEmail' }, { k: 'notes', t: 'area', wide: true }] },
];

/** The holder of a card. @type {Described[]} */
export const HOLDER = [
  { k: 'firstName', t: 'text', req: true }, { k: 'lastName', t: 'text', req: true }, { k: 'email', t: 'text', input: 'email' }, { k: 'phoneNumber', t: 'text', input: 'tel' },
  { k: 'streetAddress1', t: 'text', label: 'address1' }, { k: 'streetAddress2', t: 'text', label: 'address2' }, { k: 'city', t: 'text' }, { k: 'state', t: 'text', label: 'region' }, { k: 'zipCode', t: 'text' }, { k: 'country', t: 'text' },
];
