import type { Receiver } from '../../test/stage/servers/receiver.ts'
import { expect, openClient, type Client } from './client.ts'
import { openStage, startPeer, type Peer, type Stage } from './stage.ts'
import { plentyPush, type Workload } from './workload.ts'
import type { TestAddress } from '../../test/stage/postgres.ts'

/** Bookable hotels of a supplier whose receiver is on this machine. */
export type BookingStage = { stage: Stage; peer: Peer; platform: Client; close: () => Promise<void> }

export const bookingWorkload: Workload = { hotels: 100, roomsPerHotel: 2, ratesPerRoom: 2 }
export const bookableNights = 60

export async function openBookingStage(
  server: TestAddress,
  kind: 'availability' | 'pushbook',
  receiver: Receiver,
): Promise<BookingStage> {
  const stage = await openStage(server, bookingWorkload)
  const peer = await startPeer('ours', stage)
  const supplier = openClient(peer.url, { 'x-api-key': stage.apiKey })
  for (let hotel = 0; hotel < bookingWorkload.hotels; hotel++) {
    expect(await supplier.post('/push/ari', plentyPush(`H${hotel}`, bookingWorkload, bookableNights)), 200)
  }
  const webhook = `http://127.0.0.1:${receiver.port}/${kind}`
  expect(await supplier.post(`/push/webhook/${kind}`, JSON.stringify({ webhook })), 200)
  supplier.close()
  const platform = openClient(peer.url, { authorization: `Bearer ${stage.token}` })
  return {
    stage,
    peer,
    platform,
    close: async () => {
      platform.close()
      await peer.stop()
      await stage.drop()
    },
  }
}
