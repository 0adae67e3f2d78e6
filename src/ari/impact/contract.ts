import Type, { type Static } from 'typebox'
import { oneOf, text, type ConstraintError } from '../../http/route.ts'

/** What a push means for the sale: the shapes of `impact` in the answer to a push of ARI. */

export const impactLimits = {
  worstListedMax: 10,
  /** Of each kind. */
  examplesMax: 5,
  arrivalDays: 90,
  stayNightsMax: 7,
  /** Adults in the only room of each tested stay. */
  parties: [1, 2],
}

export const planErrors = {
  otherBody: {
    type: 'PLAN_OTHER_BODY',
    message: 'planId belongs to another push',
    hint: 'Send the body of the dry run, with planId and without dryRun; or omit planId',
  },
  stale: {
    type: 'PLAN_STALE',
    message: 'The hotel is at revision 9, and the plan was made at revision 8',
    hint: 'Repeat the dry run, look at its impact, and push with its planId',
  },
} as const satisfies Readonly<Record<string, ConstraintError>>

/** Members of a push of ARI. */
export const impactMembers = {
  impact: Type.Optional(
    Type.Boolean({
      description:
        'true: the answer says what the push changes for the sale (`impact`): prices, units, restrictions, stays that can be booked',
    }),
  ),
  planId: Type.Optional(
    text({
      maxLength: 64,
      description:
        'From the `impact` of a dry run of the same body: applied only while the hotel is at its `baseRevision`, otherwise 409 `PLAN_STALE`',
    }),
  ),
}

const impactFlags = ['pricesHalved', 'pricesDoubled', 'unitsZeroed', 'nightsUnsellable'] as const
export type ImpactFlag = (typeof impactFlags)[number]

const count = (description?: string) =>
  Type.Integer({ minimum: 0, ...(description === undefined ? {} : { description }) })

const percentOrNull = (description: string) =>
  Type.Unsafe<number | null>({ type: ['number', 'null'], description })

const moved = (which: string) =>
  Type.Object(
    {
      cells: count('Prices: one for each night and number of guests'),
      medianPct: percentOrNull('Median of the change in percent; null if there is none'),
      maxPct: percentOrNull('The largest change in percent; null if there is none'),
    },
    { description: `Prices that ${which}, by how much of the former price` },
  )

const example = Type.Object({ roomId: Type.String(), rateId: Type.String(), date: Type.String() })

const stayCounts = {
  lost: count('Could be booked before the push, and not after it'),
  gained: count('Can be booked after the push, and not before it'),
}

export const impact = Type.Object(
  {
    baseRevision: Type.Integer({ description: 'The revision that the push was compared with' }),
    planId: Type.String({
      description: 'Sent with the same body, it is applied only while the hotel is at `baseRevision`',
    }),
    nights: Type.Object({
      touched: count('Nights of rooms and room-rates that the push names, each counted once'),
      changed: count('Those that have another value after the push'),
    }),
    price: Type.Object({
      up: moved('rise'),
      down: moved('fall'),
      worst: Type.Array(
        Type.Object({
          ...example.properties,
          bucket: Type.String({
            description:
              '`u` the price of the unit, `a2` of two adults, `c1` of one child, `i1` of an infant',
          }),
          before: Type.Number(),
          after: Type.Number(),
          pct: Type.Number({ description: 'Negative where the price falls' }),
        }),
        { maxItems: impactLimits.worstListedMax, description: 'The largest changes, the largest first' },
      ),
    }),
    inventory: Type.Object(
      {
        before: count('Sum of the units before the push; without a number of units, 0'),
        after: count('Sum of the units after it'),
        zeroed: count('Nights that had units, and have none after the push'),
      },
      { description: 'Of the nights of rooms and room-rates whose units change' },
    ),
    restrictions: Type.Object(
      { tighter: count(), looser: count() },
      { description: 'Values of restrictions and closures, by night' },
    ),
    sellable: Type.Object(
      {
        newlyUnsellable: count(),
        newlySellable: count(),
        examples: Type.Object({
          newlyUnsellable: Type.Array(example, { maxItems: impactLimits.examplesMax }),
          newlySellable: Type.Array(example, { maxItems: impactLimits.examplesMax }),
        }),
      },
      {
        description:
          'Nights of room-rates from today on that are open and have units and a price for adults, also those of other rates that share the units of the room',
      },
    ),
    stays: Type.Object(
      {
        tested: count(),
        of: Type.Optional(
          Type.Integer({
            description:
              'Only if not every stay was tested: how many there are. `lost` and `gained` then count the tested ones only',
          }),
        ),
        ...stayCounts,
        party: Type.Array(Type.Object({ adults: Type.Integer(), tested: count(), ...stayCounts })),
      },
      {
        description:
          'Stays that arrive in the next 90 days, for 1 to 7 nights and for one and for two adults, at the room-rates that the push concerns: whether they can be booked, before and after, by the rules of offers',
      },
    ),
    flags: Type.Array(oneOf(impactFlags), {
      description:
        'What to look at: `pricesHalved` and `pricesDoubled` if one price at least is, `unitsZeroed`, and `nightsUnsellable` if more nights become unsellable than sellable',
    }),
    guard: Type.Object({
      wouldHold: count('Nights of rooms and room-rates with a value that the guard holds'),
    }),
  },
  { description: 'With `impact`: what the push changes for the sale' },
)
export type Impact = Static<typeof impact>
