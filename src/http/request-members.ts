import Type from 'typebox'
import { knownMembers } from './known-members.ts'
import { problemsListedMax, Rejected, type Problem } from './rejected.ts'
import { envelopeMembers, type Route } from './route.ts'
import { isRecord } from './validate.ts'
import { warn, type Warnings } from './warnings.ts'

/** The treatment of unknown members in a request: warn about them, or reject the request. */
export const unknownFieldsChoices = ['warn', 'reject'] as const
export type UnknownFields = (typeof unknownFieldsChoices)[number]

type Sent = { body: unknown; query: unknown; unknownFields: UnknownFields; warnings: Warnings }

/**
 * Checks the members of a call before validation. Unknown ones become warnings of the call or, if the call
 * rejects them, the returned problems. Empty values that count as absent are dropped.
 */
export function membersReader(route: Route): (call: Sent) => Problem[] {
  const isSuppliers = route.access === 'supplier'
  // A route without a body knows no body members.
  const body = knownMembers(route.body ?? Type.Object({}), { ignored: isSuppliers ? envelopeMembers : [] })
  // An empty parameter may be a variable that was never set: it must not select everything.
  const query = knownMembers(route.query ?? Type.Object({}), { dropsEmpty: false })
  // Values in other requests may contain a card number or a password.
  const isValueShown = isSuppliers
  return (call) => {
    if (isRestrictive(route, call.body)) return [notRestrictable]
    if (body.isPlain(call.body) && query.isPlain(call.query)) return none
    const isRefused = route.refusesUnknown === true || call.unknownFields === 'reject'
    const refused = { listed: [], unlisted: 0 }
    const into = isRefused ? refused : call.warnings
    const options = { isRefused, isValueShown }
    query.read(call.query, (spell) => warn(into, () => parameterOf(spell(), body.whereKnown)), options)
    body.read(call.body, (spell) => warn(into, spell), options)
    return problemsOf(refused)
  }
}

const none: Problem[] = []

/** True for a list of hotels, for example, sent to a route that has nothing to choose from. */
function isRestrictive({ body, refusesUnknown }: Route, sent: unknown): boolean {
  return refusesUnknown === true && !body && sent !== undefined && !isRecord(sent)
}

const notRestrictable: Problem = {
  type: 'WRONG_TYPE',
  message: 'Request body must be an empty object, or left out',
  path: '',
  hint: 'It is done as a whole; nothing can be chosen',
}

/** If not all problems are listed, nothing else is checked. */
function problemsOf({ listed, unlisted }: { listed: Problem[]; unlisted: number }): Problem[] {
  const [first, ...rest] = listed
  if (first && unlisted > 0)
    throw new Rejected(400, [first, ...rest.slice(0, problemsListedMax)], { unlisted })
  return listed
}

function parameterOf(problem: Problem, whereKnown: (name: string) => string | undefined): Problem {
  const name = (problem.path ?? '').slice(1)
  const where = whereKnown(name)
  const hint = problem.hint ?? (where === undefined ? undefined : `Send it in ${where}`)
  return { ...problem, path: `?${name}`, ...(hint === undefined ? {} : { hint }) }
}
