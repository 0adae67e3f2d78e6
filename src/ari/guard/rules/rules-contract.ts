/** The kinds of rules, each with the member that has its bound. */
export const boundOfKind = {
  priceDrop: 'percent',
  priceRise: 'percent',
  priceFloor: 'amount',
  priceCeiling: 'amount',
  inventoryJump: 'units',
  massOpen: 'nights',
  massClose: 'nights',
} as const
export type RuleKind = keyof typeof boundOfKind
export const ruleKinds = [
  'priceDrop',
  'priceRise',
  'priceFloor',
  'priceCeiling',
  'inventoryJump',
  'massOpen',
  'massClose',
] as const satisfies readonly RuleKind[]
export const ruleActions = ['warn', 'hold', 'reject'] as const
export type RuleAction = (typeof ruleActions)[number]

export const onExpiries = ['discard', 'apply'] as const
