import Type, { type Static } from 'typebox'
import { oneOf } from '../http/route.ts'
import { ageCategories } from './fields.ts'
import { pushedRestrictions } from './restrictions.ts'

/** Readings that one answer lists; `moreReadings` counts the others. */
export const readingsMax = 500
/** Dates that a reading lists. */
export const datesReadMax = 5

/**
 * Where a value applies: to stays that arrive, to stays that include the night, to the night itself, to stays
 * that depart.
 */
export const scopes = ['arrival', 'through', 'night', 'departure'] as const
export type Scope = (typeof scopes)[number]

export const readingFields = ['inventory', ...pushedRestrictions, 'price', 'otherPrices'] as const

export const reading = Type.Object(
  {
    text: Type.String({ description: 'What the field of the item means, in one English sentence' }),
    roomId: Type.String(),
    rateId: Type.Optional(Type.String({ description: 'Absent for what the room and all its rates share' })),
    field: oneOf(readingFields, {
      description:
        '`price` with `guests` and `ageCategory` is a price for guests, without them one for the unit; `otherPrices`: the prices that the item does not name, which it clears',
    }),
    guests: Type.Optional(Type.Integer()),
    ageCategory: Type.Optional(oneOf(ageCategories)),
    value: Type.Unsafe<number | boolean | null>({
      type: ['number', 'boolean', 'null'],
      description: 'The value that is set; null (a switch: false) if it is cleared',
    }),
    scope: oneOf(scopes, {
      description:
        '`arrival`: stays that arrive on the dates. `through`: stays that include one of them. `night`: the nights themselves. `departure`: stays that depart on the dates',
    }),
    nights: Type.Integer({ description: 'Number of dates' }),
    dates: Type.Array(Type.String({ format: 'date' }), {
      description: `The first dates, at most ${datesReadMax}`,
    }),
  },
  { description: 'What one field of an item means' },
)
export type Reading = Static<typeof reading>
