import { callbackShapes, type CheckedShape, type Delivery, type PriceCheckRequest } from './api.ts'

/** The bodies of the calls to your URLs. Unknown members are kept and ignored. */

export class CallbackBodyError extends Error {
  override readonly name = 'CallbackBodyError'
}

/** The purpose of the call: one server may take all kinds at one URL. */
export type Callback =
  | { kind: 'ping' }
  | { kind: 'priceCheck'; request: PriceCheckRequest }
  | { kind: 'delivery'; delivery: Delivery }

export function readPriceCheck(body: Uint8Array | string): PriceCheckRequest {
  return checkedPriceCheck(parsed(body))
}

export function readDelivery(body: Uint8Array | string): Delivery {
  return checkedDelivery(parsed(body))
}

export function readCallback(body: Uint8Array | string): Callback {
  const value = parsed(body)
  if (isRecord(value) && value['type'] === 'ping') return { kind: 'ping' }
  if (isRecord(value) && 'reservations' in value)
    return { kind: 'delivery', delivery: checkedDelivery(value) }
  return { kind: 'priceCheck', request: checkedPriceCheck(value) }
}

function checkedPriceCheck(value: unknown): PriceCheckRequest {
  check(value, callbackShapes.priceCheck, '')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The boundary: its shape was just checked.
  return value as PriceCheckRequest
}

function checkedDelivery(value: unknown): Delivery {
  check(value, callbackShapes.delivery, '')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The boundary: its shape was just checked.
  return value as Delivery
}

function parsed(body: Uint8Array | string): unknown {
  try {
    return JSON.parse(
      typeof body === 'string' ? body : new TextDecoder('utf-8', { fatal: true }).decode(body),
    )
  } catch (cause) {
    throw new CallbackBodyError('The body is not JSON', { cause })
  }
}

function check(
  value: unknown,
  { type, enum: words, required, properties, items }: CheckedShape,
  path: string,
): void {
  if (!isOf(type, value))
    throw new CallbackBodyError(`${path === '' ? 'The body' : path} is not of type ${type}`)
  if (words && !words.some((word) => word === value)) {
    throw new CallbackBodyError(`${path} is none of ${words.join(', ')}`)
  }
  if (items && Array.isArray(value)) {
    for (const [index, element] of value.entries()) check(element, items, `${path}/${index}`)
  }
  if (!properties || !isRecord(value)) return
  for (const [name, shape] of Object.entries(properties)) {
    const member = value[name]
    if (member !== undefined) check(member, shape, `${path}/${name}`)
    else if (required?.includes(name) === true) throw new CallbackBodyError(`${path}/${name} is missing`)
  }
}

function isOf(type: string, value: unknown): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isRecord(value)
  if (type === 'integer') return Number.isInteger(value)
  return typeof value === type
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
