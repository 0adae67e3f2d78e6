import { supplierClient } from '../../packages/client/src/clients.ts'
import { reconcile } from '../../packages/client/src/reconcile.ts'
import { storedNights } from '../../packages/client/src/stored-nights.ts'
import { brieflyShownFetch, found } from './client.ts'
import { hotelId } from './hotel.ts'
import { heading, plural, printStep } from './print.ts'
import type { DemoService } from './service.ts'

/** A push that the platform never got is found by comparing hashes, and mended. */
export async function lostPush({ url, apiKey }: DemoService, monday: Temporal.PlainDate): Promise<void> {
  const supplier = supplierClient({ url, apiKey, fetch: brieflyShownFetch })
  const [from, to] = [String(monday), String(monday.add({ days: 13 }))]
  const lost = new Set([String(monday.add({ days: 1 })), String(monday.add({ days: 2 }))])
  heading('A push that never arrived')
  printStep(
    'In your system, Tuesday and Wednesday have a minimum stay of two nights; the push of it was lost. Hashes find them.',
  )
  const there = storedNights(await supplier.getAri({ hotelId, startDate: from, endDate: to }), 2)
  const nights = there.map((night) =>
    night.roomId === 'DBL' && night.rateId === 'BAR' && lost.has(night.date)
      ? { ...night, minLengthStay: 2 }
      : night,
  )
  const { differed, calls } = await reconcile(supplier, { hotelId, from, to, nights, minorDigits: 2 })
  found(`${plural(calls, 'comparison')} found ${plural(differed.length, 'night')}, and one push mended them`)
  if (differed.length !== lost.size) throw new Error('two nights were to differ')
}
