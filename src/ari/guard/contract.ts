import Type, { type Static } from 'typebox'
import { code, integer, oneOf, route, success, text, type ConstraintError } from '../../http/route.ts'
import { ageCategories } from '../fields.ts'
import { historyFields } from '../history/history-contract.ts'
import { onExpiries, ruleActions, ruleKinds } from './rules/rules-contract.ts'

/** The rule that is named as the reason: one of the settings, or the learned bounds. */
export const reasons = [...ruleKinds, 'learned'] as const
export type Reason = (typeof reasons)[number]

export const guardLimits = {
  rulesMax: 20,
  percentMax: 5_000,
  expiryHours: { usual: 72, max: 720 },
  /** Open holds of one hotel; the oldest one beyond them is discarded. */
  openHoldsMax: 2_000,
  holdsPerRequestMax: 100,
  holdsPerPage: { usual: 50, max: 200 },
  examplesMax: 5,
  skippedListedMax: 100,
  /** Room-rates with their learned bounds in one answer. */
  learnedListedMax: 500,
}

export const guardErrors = {
  boundMissing: {
    type: 'GUARD_BOUND_MISSING',
    message: 'percent is required for priceDrop',
    hint: 'priceDrop and priceRise have percent, priceFloor and priceCeiling amount, inventoryJump units, massOpen and massClose nights',
  },
  boundMisplaced: {
    type: 'GUARD_BOUND_MISPLACED',
    message: 'units is not a bound of priceDrop',
    hint: 'Remove it, or send it with a rule of its own',
  },
  boundInvalid: {
    type: 'GUARD_BOUND_INVALID',
    message: 'percent of priceDrop must be from 1 to 99',
    hint: 'Send a bound that a push can cross',
  },
  massCloseWarns: {
    type: 'GUARD_ACTION_INVALID',
    message: 'massClose can only warn',
    hint: 'Closures are always applied at once: send the action warn',
  },
  inheritNeedsHotel: {
    type: 'GUARD_INHERIT_NEEDS_HOTEL',
    message: 'inherit needs hotelId: an account has nothing to inherit from',
    hint: 'Send hotelId, or an empty list of rules to switch the guard off',
  },
  inheritNotAlone: {
    type: 'GUARD_INHERIT_NOT_ALONE',
    message:
      'inherit and rules exclude each other: with inherit, the hotel follows the settings of the account',
    hint: 'Send "inherit": true with hotelId alone, or the settings without inherit',
  },
  holdNotFound: {
    type: 'HOLD_NOT_FOUND',
    message: 'Hold not found',
    hint: 'POST /push/guard/holds lists the open holds of your hotels',
  },
  holdNotOpen: {
    type: 'HOLD_NOT_OPEN',
    message: 'The hold is discarded',
    hint: 'Only open holds can be released or discarded; push the values again if they are right',
  },
} as const satisfies Record<string, ConstraintError>

export const guardRejected = {
  type: 'GUARD_REJECTED',
  message: '30 nights were not applied: priceDrop, for example from 110 to 11 (bound 77)',
  hint: 'The guard rejected them: correct the values, or change the rule with POST /push/guard',
} as const satisfies ConstraintError

export const guardWarning = {
  type: 'GUARD_WARNING',
  message: '30 nights: priceDrop, for example from 110 to 11 (bound 77)',
  hint: 'Applied as sent; check the values',
} as const satisfies ConstraintError

const rule = Type.Object({
  kind: oneOf(ruleKinds),
  percent: Type.Optional(
    integer({
      minimum: 1,
      maximum: guardLimits.percentMax,
      description: 'Of `priceDrop` and `priceRise`: a change by more than this, from the stored price',
    }),
  ),
  amount: Type.Optional(
    Type.Unsafe<number | string>({
      type: ['number', 'string'],
      decimal: 'any',
      description: 'Of `priceFloor` and `priceCeiling`: unit and adult prices below, or above, it',
      examples: [40, '39.90'],
    }),
  ),
  currency: Type.Optional(
    text({
      maxLength: 3,
      description:
        'Beside `amount`: only for hotels with this currency. Absent: for all, except hotels that have changed their currency since',
    }),
  ),
  units: Type.Optional(
    integer({
      minimum: 0,
      maximum: 99_999,
      description: 'Of `inventoryJump`: more than this many units above the stored inventory',
    }),
  ),
  nights: Type.Optional(
    integer({
      minimum: 0,
      maximum: 1_000_000,
      description:
        'Of `massOpen` and `massClose`: one push opens, or closes, more than this many nights of rooms and room-rates',
    }),
  ),
  action: oneOf(ruleActions, {
    description:
      '`warn`: applied with a warning. `hold`: kept aside until it is released. `reject`: not applied',
  }),
})
export type RuleBody = Static<typeof rule>

const expiryHours = integer({
  minimum: 1,
  maximum: guardLimits.expiryHours.max,
  description: `Time until a hold expires; ${guardLimits.expiryHours.usual} by default`,
})
export const onExpiry = oneOf(onExpiries, {
  description: 'What happens to the held values then: `discard` (default) or `apply`',
})
const learned = Type.Boolean({
  description:
    'true: prices far from those of the same room-rate and weekday are held. Needs 60 prices on future nights',
})

const learnedBound = Type.Object({
  roomId: Type.String(),
  rateId: Type.String(),
  guests: Type.Optional(Type.Integer()),
  ageCategory: Type.Optional(oneOf(ageCategories)),
  prices: Type.Integer({ description: 'Number of prices on future nights' }),
  weekdays: Type.Array(
    Type.Object({
      day: Type.String({ examples: ['MON'] }),
      lowest: Type.Number({ description: 'The lowest price that is not held' }),
      highest: Type.Number({ description: 'The highest price that is not held' }),
    }),
  ),
})

export type ShownBounds = Static<typeof learnedBound>

const settings = {
  rules: Type.Array(rule, { maxItems: guardLimits.rulesMax }),
  learned,
  expiryHours,
  onExpiry,
}
/** As they are sent; absent members have their defaults. */
export const sentSettings = {
  rules: Type.Optional(settings.rules),
  learned: Type.Optional(learned),
  expiryHours: Type.Optional(expiryHours),
  onExpiry: Type.Optional(onExpiry),
}
const settingsAnswer = Type.Object({
  ...success,
  source: oneOf(['hotel', 'account', 'none'] as const, {
    description: 'Whose settings apply: the hotel’s own, those of the account, or none: the guard is off',
  }),
  ...settings,
  bounds: Type.Optional(
    Type.Array(learnedBound, { description: 'With hotelId and `learned`: the bounds as learned from now' }),
  ),
})

export const exampleOfHold = Type.Object({
  roomId: Type.String(),
  rateId: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'null: a value of the room' }),
  date: Type.String({ examples: ['2027-04-15'] }),
  field: oneOf(historyFields),
  guests: Type.Optional(Type.Integer()),
  ageCategory: Type.Optional(oneOf(ageCategories)),
  before: Type.Unsafe<number | boolean | null>({ type: ['number', 'boolean', 'null'] }),
  after: Type.Unsafe<number | boolean | null>({ type: ['number', 'boolean', 'null'] }),
  bound: Type.Unsafe<number | null>({
    type: ['number', 'null'],
    description: 'The value up to which the rule allows it; null for what is held together with it',
  }),
})
export type HoldExample = Static<typeof exampleOfHold>

/** Of an item in the answer of a push. */
export const itemHold = Type.Object({
  holdId: Type.Optional(Type.String({ description: 'For POST /push/guard/release; absent in a dry run' })),
  rule: oneOf(reasons),
  cells: Type.Integer({ description: 'Nights of the room or room-rate' }),
  examples: Type.Optional(Type.Array(exampleOfHold, { maxItems: guardLimits.examplesMax })),
})
export type ItemHold = Static<typeof itemHold>

const exampleRules = {
  rules: [
    { kind: 'priceDrop', percent: 30, action: 'hold' },
    { kind: 'priceFloor', amount: 40, currency: 'USD', action: 'reject' },
    { kind: 'inventoryJump', units: 50, action: 'hold' },
    { kind: 'massClose', nights: 300, action: 'warn' },
  ],
} as const

export const guardRoutes = {
  getGuard: route({
    method: 'GET',
    path: '/push/guard',
    access: 'supplier',
    tag: 'Guard',
    summary: 'Read the guard against mistyped values',
    description:
      'The rules that apply to a hotel: its own, otherwise those of the account. Without `hotelId`, those of the account. `warnings` names the rules that are not applied because of a change of currency (`GUARD_RULE_LAPSED`).',
    query: Type.Object({ hotelId: Type.Optional(code({ description: 'A hotel' })) }),
    answer: settingsAnswer,
    errors: { 404: 'Unknown hotel' },
    examples: [
      {
        summary: 'The rules of the account',
        request: {},
        answer: { status: 200, body: { code: '200', message: 'Guard retrieved successfully' } },
      },
    ],
  }),
  setGuard: route({
    method: 'POST',
    path: '/push/guard',
    access: 'supplier',
    tag: 'Guard',
    summary: 'Set the guard against mistyped values',
    description: [
      'Replaces the rules of the account, or of one hotel, whose rules then replace those of the account. An empty list of rules, without `learned`, switches it off; `"inherit": true` lets a hotel follow the account again.',
      'The amount of a rule belongs to the currency in which it was made: a rule without `currency` is not applied to a hotel that changes its currency afterwards, until the rules are sent once more.',
      'Closures, fewer units and tighter restrictions are always applied at once: only a changed price, more units, openings and looser restrictions can be held.',
    ].join('\n\n'),
    body: Type.Object({
      hotelId: Type.Optional(code({ description: 'Absent: all hotels of the account without own rules' })),
      ...sentSettings,
      inherit: Type.Optional(
        Type.Boolean({
          description: 'true, with hotelId and nothing else: remove the rules of the hotel',
        }),
      ),
    }),
    answer: settingsAnswer,
    errors: { 404: 'Unknown hotel' },
    examples: [
      {
        summary: 'Hold prices that fall by more than 30 %, and 50 units more at once',
        request: exampleRules,
        answer: { status: 200, body: { code: '200', message: 'Guard saved successfully' } },
      },
    ],
  }),
}
