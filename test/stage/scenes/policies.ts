import type { TestGateway, TestSupplier } from '../harness.ts'
import { expectOk, product } from '../story.ts'
import { offersStage, push, type Fields, type OffersStage } from './offers.ts'

/** Sells DBL with BAR on pushed policies: two adults for 100.00 a night, three nights from 20 April. */

export const policyStay = { checkin: '2027-04-20', checkout: '2027-04-23' }

/** A penalty is its instant and amount, and whether it is for a no-show; `null`: unknown, undefined: no policy. */
export type Terms = { cancellation: string; freeUntil: string | null; penalties: string[] | null | undefined }

export type PoliciesStage = OffersStage & {
  selling: (cancelPolicies: Fields[] | undefined, taxes?: Fields[]) => Promise<TestSupplier>
  termsOf: (supplier: TestSupplier, more?: Fields) => Promise<Terms>
}

export async function policiesStage(gateway: TestGateway): Promise<PoliciesStage> {
  const stage = await offersStage(gateway)
  const { storySupplier, find } = stage
  return {
    ...stage,
    selling: async (cancelPolicies, taxes = []) => {
      const supplier = await storySupplier()
      await pushPolicies(supplier, cancelPolicies)
      if (taxes.length > 0) expectOk(await supplier.post('/push/taxes', { hotelId: 'H1', taxes }))
      const prices = [{ ageCategory: 'adult', guests: 2, amount: 100 }]
      const dates = { startDate: '2027-04-01', endDate: '2027-05-31' }
      await push(supplier, [{ roomId: 'DBL', ...dates, inventory: 5, rates: [{ rateId: 'BAR', prices }] }])
      return supplier
    },
    termsOf: async (supplier, more = {}) => {
      const { offers } = await find(supplier, { ...policyStay, ...more })
      const [{ cancellation, freeUntil, cancelPolicy }] = Object(offers)
      const penalties: { from: string | null; amount: string; noShow?: boolean }[] | null | undefined =
        cancelPolicy === null ? undefined : cancelPolicy.penalties
      return {
        cancellation,
        freeUntil,
        penalties:
          penalties &&
          penalties.map(
            ({ from, amount, noShow: isNoShow }) =>
              `${from ?? 'booking'} ${amount}${isNoShow ? ' no-show' : ''}`,
          ),
      }
    },
  }
}

/** The warnings of the push, by type, with the path. */
export async function pushPolicies(
  supplier: TestSupplier,
  cancelPolicies: Fields[] | undefined,
  more: Fields = {},
): Promise<string[]> {
  const products = [product('DBL', 'BAR', { ...more, ...(cancelPolicies ? { cancelPolicies } : {}) })]
  const { body } = expectOk(await supplier.post('/push/products', { hotelId: 'H1', products }))
  const warnings: { type: string; path: string }[] = Object(body)['warnings']
  return warnings.filter(({ type }) => type !== 'POLICIES_CLEARED').map(({ type, path }) => `${type} ${path}`)
}

export const byDeadline = (days: number, penaltyCharge: Fields, deadline = '18:00') => ({
  cancelDeadline: { offsetTimeUnit: 'D', offsetTimeValue: days, deadline },
  penaltyCharge,
})
export const nights = (count: number) => ({ chargeBase: 'NightBase', nights: count })
export const percent = (value: number) => ({ chargeBase: 'FullStay', percent: value })
export const flat = (amount: number) => ({ chargeBase: 'FullStay', amount })
export const noShow = (penaltyCharge: Fields) => ({ noShow: true, penaltyCharge })
