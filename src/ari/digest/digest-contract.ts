import Type, { type Static } from 'typebox'
import { code, date, oneOf, route, success } from '../../http/route.ts'
import { hotelId } from '../../hotels/contract.ts'

export const digestAlgorithm = 'ari-digest-1'

/** Hashed apart, because bookings change inventory and nothing else. */
export const digestGroups = ['inv', 'res', 'pri'] as const
export type DigestGroup = (typeof digestGroups)[number]

const digestLevels = ['hotel', 'product', 'month', 'day'] as const
export type DigestLevel = (typeof digestLevels)[number]

/** Entries of `known`. A year of 100 room-rates has 1,200 months; days are compared only where months differ. */
const knownMax = 50_000
/** Entries of an answer. */
export const digestEntriesMax = 5_000

/** Room-rates of `within`: the answer names the months that differ, which are mostly few. */
const withinMax = 5_000

/** The most nights stored, and a few more. */
export const digestNightsMax = 800
/** Months of rooms and room-rates: as many as two years of 1,600 room-rates have; a hotel with more is compared in parts. */
export const digestBlocksMax = 40_000

/** What is wrong beyond the shape. Some messages name the member of the request instead of that of the example. */
export const digestErrors = {
  datesReversed: {
    type: 'DATES_REVERSED',
    message: 'from must not be after to',
    hint: 'Send the first night as from and the last as to',
  },
  rangeTooLong: {
    type: 'RANGE_TOO_LONG',
    message: `from to to must span at most ${digestNightsMax} nights`,
    hint: 'Compare the range in parts',
  },
  tooLarge: {
    type: 'READ_TOO_LARGE',
    message: `More than ${digestBlocksMax} months of rooms and rates are requested`,
    hint: 'Compare fewer roomIds or rateIds, or a shorter range, and the rest with more requests',
  },
  notAtThisLevel: {
    type: 'NOT_AT_THIS_LEVEL',
    message: 'month does not belong to an entry of level product',
    hint: 'At level product an entry is named by roomId, rateId',
  },
  duplicate: {
    type: 'DUPLICATE_KNOWN',
    message: 'Two entries of known have the same name',
    hint: 'Send each room, room-rate, month or day once, with all of its groups',
  },
  cursor: {
    type: 'INVALID_CURSOR',
    message: 'cursor is not valid',
    hint: 'Send the nextCursor of the previous page unchanged, or omit cursor for the first page',
  },
  month: {
    type: 'INVALID_MONTH',
    message: 'month must be a month',
    hint: 'Send it as YYYY-MM, such as 2027-04',
  },
} as const

const month = Type.String({
  pattern: '^2[01]\\d\\d-(0[1-9]|1[0-2])$',
  maxLength: 7,
  description: '`YYYY-MM`',
  errors: { '*': digestErrors.month },
})

/** A restriction added later makes a line longer than the nine of today. */
const digestText = (what: string) => Type.Optional(Type.String({ maxLength: 4_000, description: what }))
const byGroup = {
  inv: digestText('Inventory'),
  res: digestText('Closures and other restrictions'),
  pri: digestText('Prices'),
}
const byGroupText =
  'A group without anything set is absent (or an empty text). At level `day` the texts are the lines themselves, without date, as in `guest|a1=9000,a2=11000`; otherwise hashes'

const knownEntry = Type.Object({
  roomId: Type.Optional(code({ description: 'Absent at level `hotel`' })),
  rateId: Type.Optional(code({ description: "Absent for the room's own values" })),
  month: Type.Optional(month),
  date: Type.Optional(date({ description: 'At level `day`' })),
  ...byGroup,
})
export type KnownEntry = Static<typeof knownEntry>

const digests = Type.Object(byGroup, { description: byGroupText })
const entryOf = {
  roomId: Type.Optional(Type.String()),
  rateId: Type.Optional(Type.String({ description: "Absent for the room's own values" })),
  month: Type.Optional(Type.String({ description: '`YYYY-MM`, at level `month`' })),
  date: Type.Optional(Type.String({ format: 'date', description: 'At level `day`' })),
}
const entries = (description: string) =>
  Type.Array(Type.Object({ ...entryOf, ...byGroup }), { description: `${description}. ${byGroupText}` })

export const digestRoutes = {
  getAriDigest: route({
    method: 'POST',
    path: '/push/getAriDigest',
    access: 'supplier',
    tag: 'ARI',
    summary: 'Compare the stored ARI by hashes',
    description: [
      'Hashes of the stored ARI, for comparing it with your own without reading all of it: of the hotel, of each room and room-rate,',
      'of each of their months, or the lines of each of their days. Send your own as `known`, and only the differences come back.',
      'Equal hashes mean that `getAri` would answer what you have. Three groups are hashed apart, because bookings move inventory:',
      '`inv`, `res` and `pri`. The guide “Finding differences” states the lines that are hashed, with vectors and complete programs.',
      'Past nights are left out: compute your side from `effectiveFrom` on. Stop-sells of operators are not part of it.',
    ].join('\n'),
    refusesUnknown: true,
    body: Type.Object({
      hotelId,
      from: date({ description: 'First night; nights before today in the hotel are left out' }),
      to: date({ description: `Last night, included; at most ${digestNightsMax} nights` }),
      level: oneOf(digestLevels, { description: 'What is compared' }),
      groups: Type.Optional(
        Type.Array(oneOf(digestGroups), { minItems: 1, maxItems: 3, description: 'Only these groups' }),
      ),
      roomIds: Type.Optional(
        Type.Array(code(), { minItems: 1, maxItems: 500, description: 'Only these rooms' }),
      ),
      rateIds: Type.Optional(
        Type.Array(code(), {
          minItems: 1,
          maxItems: 500,
          description: "Only these rates, and the rooms' own values",
        }),
      ),
      within: Type.Optional(
        Type.Array(
          Type.Object({
            roomId: code(),
            rateId: Type.Optional(code({ description: "Absent for the room's own values" })),
            month,
          }),
          {
            minItems: 1,
            maxItems: withinMax,
            description:
              'Only these months of these rooms and room-rates, such as those that differed at level `month`; everything else of the range is left out on both sides',
          },
        ),
      ),
      known: Type.Optional(
        Type.Array(knownEntry, {
          maxItems: knownMax,
          description:
            'Your side of the level, as complete as the request: whatever is not in it counts as not set on your side',
        }),
      ),
      cursor: Type.Optional(
        Type.String({ maxLength: 1_000, description: 'nextCursor of the previous page' }),
      ),
    }),
    answer: Type.Object({
      ...success,
      hotelId: Type.String(),
      revision: Type.Integer({
        description: 'The revision that the digests describe; another page may have a later one',
      }),
      algorithm: oneOf([digestAlgorithm]),
      effectiveFrom: Type.String({ format: 'date', description: 'First night that counts, on both sides' }),
      hotel: Type.Object(byGroup, {
        description: 'Hashes of everything requested together. A group without anything set is absent',
      }),
      digests: Type.Optional(entries('Without `known`: each entry of the level; absent at level `hotel`')),
      differs: Type.Optional(
        Type.Array(
          Type.Object({
            ...entryOf,
            groups: Type.Array(oneOf(digestGroups), { description: 'The groups that differ' }),
            theirs: digests,
            ours: digests,
            cause: Type.Optional(
              oneOf(['bookings'], {
                description:
                  'At level `day`, where only `inv` differs: a booking was the last to change it, which your side may not have yet',
              }),
            ),
          }),
          { description: 'With `known`: what both sides have, but differently; `theirs` is as you sent it' },
        ),
      ),
      onlyHere: Type.Optional(entries('With `known`: what only the platform has')),
      onlyThere: Type.Optional(entries('With `known`: what only you have')),
      nextCursor: Type.Optional(
        Type.Union([Type.String(), Type.Null()], {
          description: `With the same body, reads on behind ${digestEntriesMax.toLocaleString('en')} entries; null at the end`,
        }),
      ),
    }),
    errors: { 404: 'Unknown hotel, room or rate' },
    examples: [
      {
        summary: 'One hash a group for the whole hotel',
        request: { hotelId: 'H1', from: '2027-04-15', to: '2028-04-14', level: 'hotel' },
        answer: { status: 200, body: { code: '200', message: 'ARI digest computed' } },
      },
      {
        summary: 'The months that differ from yours',
        request: {
          hotelId: 'H1',
          from: '2027-04-15',
          to: '2027-06-30',
          level: 'month',
          groups: ['pri'],
          known: [
            { roomId: 'DBL', rateId: 'BAR', month: '2027-04', pri: '0123456789abcdef0123456789abcdef' },
          ],
        },
        answer: { status: 200, body: { code: '200', message: 'ARI digest computed' } },
      },
    ],
  }),
}
