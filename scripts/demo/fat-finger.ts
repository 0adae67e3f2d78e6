import { supplierClient } from '../../packages/client/src/clients.ts'
import { brieflyShownFetch, found } from './client.ts'
import { hotelId } from './hotel.ts'
import { heading, plural, printStep } from './print.ts'
import type { DemoService } from './service.ts'

/** The guard holds a price with a zero too many: one night is corrected, the other was meant and is released. */
export async function fatFinger({ url, apiKey }: DemoService, monday: Temporal.PlainDate): Promise<void> {
  const supplier = supplierClient({ url, apiKey, fetch: brieflyShownFetch })
  const day = (days: number) => String(monday.add({ days }))
  heading('A fat-fingered price, held')
  printStep(
    'Prices that more than double are held. 1,490.00 is a slip on Monday, and meant on Tuesday: a wedding takes the house.',
  )
  await supplier.setGuard({ hotelId, rules: [{ kind: 'priceRise', percent: 100, action: 'hold' }] })
  const push = (days: number, amount: string, until = days) =>
    supplier.pushAri({
      hotelId,
      pricingModel: 'guest',
      ari: [
        {
          roomId: 'DBL',
          startDate: day(days),
          endDate: day(until),
          rates: [{ rateId: 'BAR', prices: [{ ageCategory: 'adult', guests: 2, amount }] }],
        },
      ],
    })
  const { results } = await push(14, '1490.00', 15)
  const [hold] = results[0]?.holds ?? []
  const [example] = hold?.examples ?? []
  found(
    `${plural(hold?.cells ?? 0, 'night')} held: ${example?.before} stays stored, not ${example?.after} (bound ${example?.bound})`,
  )
  await push(14, '149.00')
  const { cellsChanged } = await supplier.releaseHolds({ hotelId })
  found(`Monday was corrected by a push, which replaced its part; ${plural(cellsChanged, 'night')} released`)
  await supplier.setGuard({ hotelId, inherit: true })
  if (cellsChanged !== 1) throw new Error('one night was to be released')
}
