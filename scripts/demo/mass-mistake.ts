import { supplierClient } from '../../packages/client/src/clients.ts'
import { brieflyShownFetch, found } from './client.ts'
import { hotelId } from './hotel.ts'
import { heading, plural, printStep } from './print.ts'
import type { DemoService } from './service.ts'

/** A push of wrong prices is undone, except for the night that somebody has repaired meanwhile. */
export async function massMistake({ url, apiKey }: DemoService, monday: Temporal.PlainDate): Promise<void> {
  const supplier = supplierClient({ url, apiKey, fetch: brieflyShownFetch })
  const day = (days: number) => String(monday.add({ days }))
  heading('A mass mistake, undone')
  printStep(
    'A wrong import: half a year at 19.00 for two. Somebody repairs the first night by hand, then it is undone.',
  )
  const rates = (amount: string) => [
    { rateId: 'BAR', prices: [{ ageCategory: 'adult' as const, guests: 2, amount }] },
  ]
  const imported = await supplier.pushAri({
    hotelId,
    pricingModel: 'guest',
    ari: ['DBL', 'FAM'].map((roomId) => ({
      roomId,
      startDate: day(0),
      endDate: day(180),
      rates: rates('19.00'),
    })),
  })
  const ari = [{ roomId: 'DBL', date: day(0), rates: rates('149.00') }]
  await supplier.pushAri({ hotelId, pricingModel: 'guest', ari })
  const push = { hotelId, requestId: imported.requestId, onConflict: 'skip' } as const
  const { summary } = await supplier.undo({ ...push, dryRun: true })
  const undone = await supplier.undo(push)
  const [conflict] = undone.conflicts
  found(
    `${plural(undone.summary.cellsChanged, 'night')} as before, as the dry run said; ${plural(undone.summary.conflicts, 'night')} kept: ${conflict?.now} by ${conflict?.by} …${conflict?.requestId?.slice(-8)}`,
  )
  if (summary.cellsChanged !== undone.summary.cellsChanged) throw new Error('the dry run said something else')
}
