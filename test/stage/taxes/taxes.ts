import assert from 'node:assert/strict'
import type { TestSupplier } from '../harness.ts'

export const vat = {
  type: 'VAT',
  valueType: '%',
  value: 10,
  appliedOn: 'net',
  appliedPer: 'per_room_per_night',
  included: true,
  payNow: true,
}
export const cityTax = {
  type: 'CITY_TAX',
  valueType: 'fixed',
  value: 2.5,
  appliedOn: 'net+vat',
  appliedPer: 'per_person_per_night',
  included: false,
  payNow: false,
  startDate: '2027-04-01',
  endDate: '2027-10-31',
}

/** Hotel H1 with rooms DBL and SGL and rates BAR and NRF; SGL is not sold at NRF. */
export async function pushHotelWithProducts(supplier: TestSupplier, currency = 'USD'): Promise<TestSupplier> {
  await pushHotel(supplier, currency)
  const product = (roomId: string, rateId: string) => ({
    roomId,
    roomType: 'Double',
    rateId,
    roomName: roomId,
    rateName: rateId,
    isAvailable: true,
    occupancy: { maxOccupancy: 2 },
  })
  const products = [product('DBL', 'BAR'), product('DBL', 'NRF'), product('SGL', 'BAR')]
  assert.equal((await supplier.post('/push/products', { hotelId: 'H1', products })).status, 200)
  return supplier
}

export async function pushHotel(supplier: TestSupplier, currency: string): Promise<void> {
  const hotel = {
    hotelId: 'H1',
    hotelName: 'Hôtel de la Gare',
    currency,
    isAvailable: true,
    minChildAge: 3,
    maxChildAge: 12,
    timezone: 'Europe/Paris',
  }
  assert.equal((await supplier.post('/push/hotels', [hotel])).status, 200)
}

/** What getTaxes answers for H1. */
export async function heldTaxes(supplier: TestSupplier): Promise<Record<string, unknown>> {
  const { status, body } = await supplier.post('/push/getTaxes', { hotelId: 'H1' })
  assert.equal(status, 200)
  return body
}

export async function pushPropertyTax(supplier: TestSupplier, tax: object) {
  return supplier.post('/push/taxes', { hotelId: 'H1', taxes: [tax] })
}
