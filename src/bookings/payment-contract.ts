import Type from 'typebox'
import { pricesAres } from '../keys/price-contract.ts'
import { amount } from '../offers/stay-contract.ts'
import { oneOf } from '../http/route.ts'
import { paymentTypes } from './callback-contract.ts'

/** How a reservation is paid, and what the hotel gets of it, in answers to the platform. */

export const paymentAnswer = Type.Object({
  type: oneOf(paymentTypes),
  card: Type.Optional(
    Type.Object({
      type: Type.String(),
      number: Type.String({ description: 'Masked', examples: ['411111******1111'] }),
      isVirtual: Type.Boolean({ description: 'true: with the four members below' }),
      validFrom: Type.Optional(Type.String({ description: 'First day on which it can be charged' })),
      validTo: Type.Optional(Type.String({ description: 'Last day on which it can be charged' })),
      amount: Type.Optional(amount('What it can be charged with')),
      currency: Type.Optional(Type.String({ description: 'Of its amount' })),
    }),
  ),
})

const money = Type.String({ examples: ['30.00'] })
const before = 'null: booked before contracts were stored'

/** By the contract of the account, as it was when the reservation was made. */
export const payableMembers = {
  pricesAre: Type.Unsafe<(typeof pricesAres)[number] | null>({
    type: ['string', 'null'],
    enum: [...pricesAres, null],
    description: `sell: what the supplier pushes is what guests pay, and the platform keeps a commission; net: it is what the hotel gets. As agreed at the time of booking; ${before}`,
  }),
  commissionPercent: Type.Union([Type.String(), Type.Null()], {
    description: `As agreed at the time of booking; ${before}`,
    examples: ['12.5'],
  }),
  commission: Type.Union([money, Type.Null()], {
    description: `\`commissionPercent\` of \`total.beforeTax\`, half up; 0 of net prices; of a cancelled reservation, of what its penalty has without taxes. ${before}, or the terms of no room are known`,
  }),
  amountPayable: Type.Union([money, Type.Null()], {
    description: `What the platform owes the hotel: \`total.afterTax\`, or the penalty, less the commission. 0 with Hotel Collect, where the hotel owes the commission. ${before}, or the terms of no room are known`,
  }),
}
