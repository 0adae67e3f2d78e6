import Type, { type TSchema } from 'typebox'
import { problemsListedMax, Rejected, type Problem, reportedValue } from '../rejected.ts'
import { envelopeMembers, refusesUnknownMembers, type Route } from '../route.ts'
import { isRecord } from '../validation/validate.ts'
import { warn, type Warnings } from './warnings.ts'
import { pointerPart, readableKey } from '../validation/json.ts'
import { nearestName, plainName } from '../validation/spelling.ts'

/** The treatment of unknown members in a request: warn about them, or reject the request. */
export const unknownFieldsChoices = ['warn', 'reject'] as const
export type UnknownFields = (typeof unknownFieldsChoices)[number]

type Sent = { body: unknown; query: unknown; unknownFields: UnknownFields; warnings: Warnings }

/** `isAsSent`: nothing was dropped, and nothing was unknown. */
type MembersRead = { unknown: Problem[]; isAsSent: boolean }

/**
 * Checks the members of a call before validation. Unknown ones become warnings of the call or, if the call
 * rejects them, the returned problems. Empty values that count as absent are dropped.
 */
export function membersReader(route: Route): (call: Sent) => MembersRead {
  const isSuppliers = route.access === 'supplier'
  // A route without a body knows no body members.
  const body = knownMembers(route.body ?? Type.Object({}), { ignored: isSuppliers ? envelopeMembers : [] })
  // An empty parameter may be a variable that was never set: it must not select everything.
  const query = knownMembers(route.query ?? Type.Object({}), { dropsEmpty: false })
  // Values in other requests may contain a card number or a password.
  const repeatsValue = isSuppliers
  // Commands and the audit log get bodies of the console whole: a member that isn't validated must not be among them.
  const dropsUnknown = route.isConsole === true
  const alwaysRefuses = refusesUnknownMembers(route)
  return (call) => {
    if (isRestrictive(route, call.body)) return { unknown: [notRestrictable], isAsSent: true }
    if (body.isPlain(call.body) && query.isPlain(call.query)) return nothingAmiss
    const isRefused = alwaysRefuses || call.unknownFields === 'reject'
    const refused = { listed: [], unlisted: 0 }
    const into = isRefused ? refused : call.warnings
    const options = { isRefused, repeatsValue, dropsUnknown }
    query.read(call.query, (describe) => warn(into, () => parameterOf(describe(), body.whereKnown)), options)
    body.read(call.body, (describe) => warn(into, describe), options)
    return { unknown: problemsOf(refused), isAsSent: false }
  }
}

const nothingAmiss: MembersRead = { unknown: [], isAsSent: true }

/** True for a list of hotels, for example, sent to a route that has nothing to choose from. */
function isRestrictive(route: Route, sent: unknown): boolean {
  return sent !== undefined && !route.body && !isRecord(sent) && refusesUnknownMembers(route)
}

const notRestrictable: Problem = {
  type: 'WRONG_TYPE',
  message: 'Request body must be an empty object, or left out',
  path: '',
  hint: 'It applies to everything; nothing can be selected',
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

/**
 * The known members of a request, read once from its shape, for the single walk over every request before
 * validation. A place whose shape has no members or elements may hold anything and isn't searched.
 */
type KnownMembers = {
  /** Whether nothing must be reported or dropped. True for almost every request, so it allocates nothing. */
  isPlain: (value: unknown) => boolean
  /**
   * Reports every unknown member at any level, and drops empty values that count as absent. `repeatsValue`:
   * whether reports may repeat the value; `dropsUnknown`: whether unknown members are dropped too.
   */
  read: (value: unknown, report: Report, options: ReadOptions) => void
  /** The place where a name is known, in words; undefined if there is none. */
  whereKnown: (name: string) => string | undefined
}

type ReadOptions = { isRefused: boolean; repeatsValue: boolean; dropsUnknown: boolean }

/** `spell` is costly: it is called only for listed problems. */
type Report = (describe: () => Problem) => void

type ShapeNode = {
  members: ReadonlyMap<string, Member> | undefined
  element: ShapeNode | undefined
  /** No part of its value is ever repeated. */
  isSecret: boolean
}

type Member = {
  node: ShapeNode | undefined
  /** Some systems send `""` (or `[]`, for lists that allow it) for an absent value. */
  isEmptyAbsent: boolean
  /** Known only to be silently ignored: never suggested as the intended name. */
  isIgnored: boolean
  /** Names for it that are common elsewhere in the trade. */
  alsoCalled: readonly string[]
}

function knownMembers(
  shape: TSchema,
  { ignored = [], dropsEmpty = true }: { ignored?: readonly string[]; dropsEmpty?: boolean } = {},
): KnownMembers {
  const whole = ignoring(nodeOf(shape), ignored)
  const root = whole && (dropsEmpty ? whole : keepingEmpty(whole))
  return {
    isPlain: (value) => root === undefined || isPlain(root, value),
    read: (value, report, options) => {
      if (root) read(root, value, [], { report, ...options, whereKnown: (name) => whereIn(root, name, '') })
    },
    whereKnown: (name) => root && whereIn(root, name, ''),
  }
}

const ignoredMember: Member = { node: undefined, isEmptyAbsent: false, isIgnored: true, alsoCalled: [] }

/** The same place with names that are ignored at its top or in each of its elements. */
function ignoring(node: ShapeNode | undefined, names: readonly string[]): ShapeNode | undefined {
  if (!node || names.length === 0) return node
  const { members, element, isSecret } = node
  const more = names.map((name) => [name, ignoredMember] as const)
  return {
    members: members && new Map([...members, ...more]),
    element: element?.members ? { ...element, members: new Map([...element.members, ...more]) } : element,
    isSecret,
  }
}

/** Only for a place without nested levels. */
function keepingEmpty(node: ShapeNode): ShapeNode {
  const members = [...(node.members ?? [])].map(
    ([name, member]) => [name, { ...member, isEmptyAbsent: false }] as const,
  )
  return { ...node, members: new Map(members) }
}

function nodeOf(shape: unknown, isWithinSecret = false): ShapeNode | undefined {
  if (!isRecord(shape)) return undefined
  const isSecret = isWithinSecret || shape['secret'] === true
  const { properties, items, anyOf, ignored } = shape
  const choices = Array.isArray(anyOf) ? anyOf.map((choice) => nodeOf(choice, isSecret)) : []
  const element = nodeOf(items, isSecret) ?? choices.find((choice) => choice?.element)?.element
  const members = new Map(choices.flatMap((choice) => [...(choice?.members ?? [])]))
  const required: readonly unknown[] = Array.isArray(shape['required']) ? shape['required'] : []
  for (const [name, member] of Object.entries(isRecord(properties) ? properties : {}))
    members.set(name, memberOf(member, required.includes(name), isSecret))
  for (const name of Array.isArray(ignored) ? ignored : []) members.set(String(name), ignoredMember)
  const hasMembers = isRecord(properties) || members.size > 0
  return hasMembers || element ? { members: hasMembers ? members : undefined, element, isSecret } : undefined
}

function memberOf(shape: unknown, isRequired: boolean, isSecret: boolean): Member {
  const { type, alsoCalled, emptyIsAbsent, printable, enum: choices } = isRecord(shape) ? shape : {}
  // A code or a choice narrows the request: treating it as absent would widen it.
  const isPlainText = type === 'string' && printable !== 'code' && choices === undefined
  return {
    node: nodeOf(shape, isSecret),
    isEmptyAbsent: (!isRequired && isPlainText) || emptyIsAbsent === true,
    isIgnored: false,
    alsoCalled: Array.isArray(alsoCalled) ? alsoCalled.map(String) : [],
  }
}

function isPlain({ members, element }: ShapeNode, value: unknown): boolean {
  if (Array.isArray(value)) {
    if (element) for (const one of value) if (typeof one === 'object' && !isPlain(element, one)) return false
    return true
  }
  if (members === undefined || !isRecord(value)) return true
  for (const name in value) {
    const member = members.get(name)
    if (member === undefined) return false
    const memberValue = value[name]
    if (typeof memberValue === 'object') {
      if (member.isEmptyAbsent && Array.isArray(memberValue) && memberValue.length === 0) return false
      if (member.node && !isPlain(member.node, memberValue)) return false
    } else if (memberValue === '' && member.isEmptyAbsent) return false
  }
  return true
}

type Reading = ReadOptions & {
  report: Report
  whereKnown: (name: string) => string | undefined
}

/** `trail` leads to the value. It is borrowed: on return it is the same again. */
function read(node: ShapeNode, value: unknown, trail: string[], reading: Reading): void {
  if (Array.isArray(value)) {
    const { element } = node
    if (!element) return
    for (const [index, one] of value.entries()) {
      if (typeof one !== 'object') continue
      trail.push(String(index))
      read(element, one, trail, reading)
      trail.pop()
    }
    return
  }
  const { members } = node
  if (members === undefined || !isRecord(value)) return
  // There may be very many unknown names, so this allocates nothing for them.
  for (const name in value) {
    const member = members.get(name)
    const memberValue = value[name]
    if (member === undefined) {
      reading.report(() => unknownMember({ node, value, name, trail }, reading))
      if (reading.dropsUnknown) Reflect.deleteProperty(value, name)
    } else if (member.isEmptyAbsent && isEmpty(memberValue)) Reflect.deleteProperty(value, name)
    else if (member.node && typeof memberValue === 'object') {
      trail.push(pointerPart(name))
      read(member.node, memberValue, trail, reading)
      trail.pop()
    }
  }
}

function isEmpty(value: unknown): boolean {
  return value === '' || (Array.isArray(value) && value.length === 0)
}

type UnknownMember = {
  node: ShapeNode
  value: Record<string, unknown>
  name: string
  trail: readonly string[]
}

function unknownMember(
  { node, value, name, trail }: UnknownMember,
  { isRefused, repeatsValue, whereKnown }: Reading,
): Problem {
  const hint = hintFor(name, node.members ?? new Map(), value) ?? hintElsewhere(whereKnown(name))
  return {
    type: 'UNKNOWN_FIELD',
    message: `${readableKey(name)} is not known${isRefused ? '' : ' and was ignored'}`,
    path: ['', ...trail, pointerPart(name)].join('/'),
    ...(repeatsValue && !node.isSecret ? { value: reportedValue(value[name]) } : {}),
    ...(hint === undefined ? {} : { hint }),
  }
}

/** The nearest known name, preferably one that wasn't sent. */
function hintFor(
  name: string,
  members: ReadonlyMap<string, Member>,
  sent: Record<string, unknown>,
): string | undefined {
  const plain = plainName(name)
  const others = [...members].filter(([, { isIgnored }]) => !isIgnored)
  const byTrade = others.find(([, { alsoCalled }]) => alsoCalled.some((one) => plainName(one) === plain))
  const names = others.map(([one]) => one)
  const candidate =
    byTrade?.[0] ??
    nearestName(
      name,
      names.filter((one) => !Object.hasOwn(sent, one)),
    ) ??
    nearestName(name, names)
  return candidate === undefined ? undefined : `Did you mean ${candidate}?`
}

function hintElsewhere(where: string | undefined): string | undefined {
  return where === undefined ? undefined : `It is known in ${where}, not here`
}

/** The first place where the name is known, in words like `ari[].rates[]`. */
function whereIn({ members, element }: ShapeNode, name: string, at: string): string | undefined {
  if (members?.get(name)?.isIgnored === false) return at === '' ? 'the body' : at
  if (element) {
    const found = whereIn(element, name, `${at}[]`)
    if (found !== undefined) return found
  }
  for (const [one, { node }] of members ?? []) {
    const found = node && whereIn(node, name, at === '' ? one : `${at}.${one}`)
    if (found !== undefined) return found
  }
  return undefined
}
