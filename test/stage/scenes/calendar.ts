import type { Calendar } from '../../../src/console-api/calendar/contract.ts'
import { createToken } from '../../../src/keys/manage.ts'
import type { Reply, TestClient, TestGateway } from '../harness.ts'
import { expectOk } from '../story.ts'

/** Reads and changes a hotel's calendar as an operator's program does. */

export type OperatorCall = ((method: 'GET' | 'POST', path: string, body?: object) => Promise<Reply>) & {
  /** The id used in the logs. */
  id: string
}

export async function operatorOf(gateway: TestGateway): Promise<OperatorCall> {
  const { token, tokenId } = await createToken(gateway.db, 'sandbox', {
    role: 'operator',
    name: 'ops',
    expiresAtMs: null,
  })
  const call = async (method: 'GET' | 'POST', path: string, body?: object): Promise<Reply> => {
    const response = await fetch(`${gateway.url}/console/api${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: JSON.parse(text), headers: response.headers, text }
  }
  return Object.assign(call, { id: `token ${tokenId}` })
}

export async function calendarOf(
  operator: OperatorCall,
  hotel: number,
  from: string,
  to: string,
  more = '',
): Promise<Calendar> {
  const { text } = expectOk(await operator('GET', `/hotels/${hotel}/calendar?from=${from}&to=${to}${more}`))
  return JSON.parse(text)
}

export async function pushUnits(supplier: TestClient, inventory: number): Promise<Reply> {
  const item = { roomId: 'DBL', startDate: '2027-04-20', endDate: '2027-04-25', inventory }
  return supplier.post('/push/ari', { hotelId: 'H1', ari: [item] })
}
