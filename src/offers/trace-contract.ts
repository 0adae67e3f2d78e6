import Type from 'typebox'
import { oneOf } from '../http/route.ts'
import { taxTypes } from '../taxes/contract.ts'

/** The calculation of a price, for requests with a trace. */
const exact = (description: string) =>
  Type.String({ description: `${description}. Exact: a decimal, or a fraction like 1000/11` })

export const trace = Type.Array(
  Type.Object({
    persons: Type.Integer({ description: 'Adults and children, who pay taxes per person' }),
    nights: Type.Array(
      Type.Object({
        date: Type.String(),
        price: exact('As pushed'),
        includedAmounts: exact('Fixed amounts that the price includes'),
        divisor: exact('1 plus the included rates'),
        net: exact('(price − includedAmounts) / divisor'),
        taxes: Type.Array(
          Type.Object({
            type: oneOf(taxTypes),
            rate: exact('The share of the net'),
            constant: exact('The part that does not depend on the net'),
            amount: exact('net · rate + constant'),
          }),
        ),
      }),
    ),
    taxes: Type.Array(
      Type.Object({
        type: oneOf(taxTypes),
        exact: exact('The sum of the nights, before rounding'),
        amount: Type.String({ description: 'Rounded once, half up', examples: ['110.00'] }),
      }),
    ),
    fees: Type.Array(
      Type.Object({
        name: Type.String(),
        exact: exact('Before rounding: a percentage of the amount charged for the room, or the flat amounts'),
        amount: Type.String({ description: 'Rounded half up', examples: ['5.00'] }),
      }),
    ),
  }),
  { description: 'With `trace`: how the price of each room is calculated, step by step' },
)
