import type { OutboundRules } from '../src/outbound/vet-url.ts'
import { goodCertificate, testAuthority } from './data/certificates.ts'
import { httpAnswer, startReceiver, type Behaviour, type Receiver } from './receiver.ts'

/**
 * The server behind https://pms.example.com and https://supplier.example, whatever those names resolve to.
 * Price checks are answered with the prices that the examples of the API reference push: 125.00 a night
 * including 10 % VAT.
 */
export type ExampleSupplier = Receiver & { outbound: Required<Pick<OutboundRules, 'authorities' | 'reach'>> }

export async function startExampleSupplier(behave: Behaviour = asPushed): Promise<ExampleSupplier> {
  const receiver = await startReceiver(behave, { certificate: goodCertificate })
  const { port } = receiver
  return {
    ...receiver,
    outbound: {
      authorities: [testAuthority],
      reach: ({ host }) => ({ host, port, addresses: ['127.0.0.1'] }),
    },
  }
}

const asPushed: Behaviour = (socket, { body }) => {
  const { roomId, rateId, checkin, checkout } = JSON.parse(body.toString())
  const nights = (Date.parse(checkout) - Date.parse(checkin)) / 86_400_000
  if (roomId === undefined) return void socket.write(httpAnswer(200, '{}'))
  const roomRate = {
    roomId,
    rateId,
    currency: 'USD',
    inventory: 5,
    amountBeforeTax: Array.from({ length: nights }, (_, night) => (night === 0 ? '113.63' : '113.64')),
    amountAfterTax: Array.from({ length: nights }, () => '125.00'),
  }
  socket.write(httpAnswer(200, JSON.stringify({ roomRate })))
}
