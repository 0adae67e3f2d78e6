/** A process that puts pushes into an outbox until it is killed, and prints those confirmed as stored. */
import { setTimeout as wait } from 'node:timers/promises'
import { supplierClient } from '../../client/src/clients.ts'
import { openOutbox } from '../src/outbox.ts'

const [file = '', url = '', apiKey = '', first = ''] = process.argv.slice(2)
const outbox = await openOutbox({ file, client: supplierClient({ url, apiKey }) })
process.stdout.write('open\n')
const adding = ['H1', 'H2', 'H3'].map(async (hotelId) => {
  for (let price = Number(first); ; price++) {
    const ari = [{ roomId: 'DBL', rateId: 'BAR', date: '2027-04-01', price }]
    const id = await outbox.add('pushAri', { hotelId, pricingModel: 'unit', ari })
    process.stdout.write(`${hotelId} ${id}\n`)
    await wait(1)
  }
})
await Promise.all(adding)
