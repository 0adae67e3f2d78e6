import { bookingRefusals, type BookingRefusal } from './api.ts'
import { isGatewayError } from './gateway-error.ts'

/**
 * Why a booking, a change or a cancellation was refused, with the details of the answer: a union by `type`. Undefined for
 * every other error, and for a refusal that this version of the client doesn't know: `errors` of the error has it.
 */
export function refusalOf(error: unknown): BookingRefusal | undefined {
  if (!isGatewayError(error) || error.status !== 409) return undefined
  const { body, errors } = error
  for (const problem of errors) {
    const members = isKnown(problem.type) ? bookingRefusals[problem.type] : undefined
    if (!members?.always.every((name) => name in body)) continue
    const details = [...members.always, ...members.sometimes].filter((name) => name in body)
    const refusal = {
      type: problem.type,
      problem,
      ...Object.fromEntries(details.map((name) => [name, body[name]])),
    }
    // The boundary: the members and their types are generated from one contract.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- See above.
    return refusal as BookingRefusal
  }
  return undefined
}

function isKnown(type: string): type is BookingRefusal['type'] {
  return Object.hasOwn(bookingRefusals, type)
}
