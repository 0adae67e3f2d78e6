/** The request and the answer; with the answer's schema, Fastify serializes faster than JSON.stringify. */

export type OffersBody = {
  hotels: { platformHotelId: string }[]
  checkin: string
  checkout: string
  rooms: { adults: number; childAges?: number[] }[]
}

const text = { type: 'string' }
const flag = { type: 'boolean' }
const whole = { type: 'integer' }
const night = { type: 'string', format: 'date' }
const object = (properties: Record<string, object>) => ({ type: 'object', properties })
const list = (items: object) => ({ type: 'array', items })

const hotel = { ...object({ platformHotelId: text }), required: ['platformHotelId'] }
const room = {
  ...object({
    adults: { type: 'integer', minimum: 1, maximum: 99 },
    childAges: list({ type: 'integer', minimum: 0, maximum: 99 }),
  }),
  required: ['adults'],
}

export const offersBody = {
  ...object({
    hotels: { ...list(hotel), minItems: 1, maxItems: 200 },
    checkin: night,
    checkout: night,
    rooms: { ...list(room), minItems: 1, maxItems: 20 },
  }),
  required: ['hotels', 'checkin', 'checkout', 'rooms'],
}

const offer = object({
  roomId: text,
  platformRoomId: text,
  roomName: text,
  rateId: text,
  platformRateId: text,
  rateName: text,
  mealPlan: { type: 'string', nullable: true },
  unitsLeft: whole,
  rooms: list(object({ nights: list(object({ date: text, amount: text })) })),
  taxes: list(object({ type: text, included: flag, payNow: flag, amount: text })),
  total: object({ beforeTax: text, tax: text, afterTax: text, dueAtProperty: text }),
  cancelPolicy: { type: 'null' },
})

export const offersAnswer = object({
  code: text,
  message: text,
  hotels: list(
    object({ platformHotelId: text, supplier: text, hotelId: text, currency: text, offers: list(offer) }),
  ),
  notFound: list(object({ platformHotelId: text })),
})
