import Type, { type TSchema } from 'typebox'

/** What an offer has of the supplier’s own answers. */

const instant = (description: string) => Type.String({ description, examples: ['2027-04-13T10:00:00.000Z'] })

/** `total`: the shape of a stay's total. */
export const liveOfOffer = <Total extends TSchema>(total: Total) =>
  Type.Union(
    [
      Type.Object({
        outcome: Type.Literal('price_changed', {
          description: 'The supplier answered a price check of the same rooms with another price',
        }),
        total,
        at: instant('When it answered'),
      }),
      Type.Object({
        outcome: Type.Literal('circuit_open', {
          description:
            'The supplier’s URL is not called for a while, because it failed repeatedly, and its account takes no booking without an answer',
        }),
        until: instant('Until when, at least'),
      }),
    ],
    {
      description:
        'What the supplier said when it was asked a moment ago; absent: nothing else than the offer. A price check and a booking ask it again',
    },
  )
