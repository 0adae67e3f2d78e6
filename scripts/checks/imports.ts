/**
 * Checks the permitted imports in src/, web/ and packages/: the rules of ARCHITECTURE.md, as a program.
 */
import { posix } from 'node:path'
import { projectFiles, textOf } from '../project-files.ts'

/** A room may import only from lines below its own; rooms on one line never import each other. */
const order: readonly (readonly string[])[] = [
  ['bin'],
  ['cli'],
  ['doctor'],
  ['backup'],
  ['start'],
  // src/app.ts, which composes the features.
  ['src'],
  ['handlers'],
  ['processes'],
  ['settings'],
  ['openapi'],
  ['guides'],
  // src/contract.ts, the table of all routes.
  ['contract'],
  // The supplier's side, which knows only the service's contract.
  ['simulate'],
  ['console-api'],
  ['certification'],
  ['sandbox'],
  ['alerts'],
  ['deliveries'],
  ['bookings'],
  ['cards'],
  ['price-check'],
  ['changes'],
  ['offers'],
  ['bulk'],
  ['ari', 'taxes'],
  ['products'],
  ['webhooks'],
  ['hotels'],
  ['push-log'],
  // What the service noticed: every feature before it may raise a finding.
  ['findings'],
  ['operators'],
  ['keys'],
  ['reference'],
  ['outbound'],
  ['http'],
  ['postgres'],
  ['base'],
  // PostgreSQL under our own supervisor: a package in all but name, independent of the rest.
  ['embedded-postgres'],
]
/**
 * The rooms inside a feature: each may import only what stands after it, contracts aside. The files directly in the
 * feature's folder are its vocabulary, used by all of its rooms: of these, they import contracts only, or what stands
 * after the `.` that names their place.
 */
const innerOrder: Readonly<Record<string, readonly string[]>> = {
  ari: [
    'holds',
    'push',
    'commit',
    'impact',
    'guard',
    'judge',
    'digest',
    'read',
    'history',
    'catalog',
    'guard/rules',
    'blocks',
  ],
  deliveries: ['on-request', 'worker', 'send', 'queue'],
  alerts: ['watch', 'messages', 'channels', 'resync'],
  bulk: ['worker', 'load', 'export', 'csv', 'jobs'],
  bookings: ['search', 'book', 'from-hotel', 'idempotency', 'sale', 'owed', 'price', 'outbox'],
  http: ['server', 'calls', 'validation'],
  'push-log': ['read', 'keep', 'bodies'],
  operators: ['sign-in', 'accounts', 'sessions'],
  offers: ['search', 'explain', 'live', 'price', 'terms', 'stays'],
  postgres: ['schema', 'watch', '.', 'connections'],
}
/** The rooms that may mount endpoints. */
const composers: readonly string[] = ['bin', 'cli', 'src', 'handlers', 'processes']
const rankByRoom = new Map(order.flatMap((rooms, rank) => rooms.map((room) => [room, rank])))

const namelessRooms = ['utils', 'helpers', 'common', 'services', 'repositories', 'dto', 'misc', 'shared']
/** Packages that describe shapes and need no server. */
const packagesOfContracts = ['typebox']
/** Modules that contracts are built from, and that the console reads too. */
const tablesOfContracts = ['src/http/route.ts', 'src/ari/restrictions.ts']

export type Source = { path: string; text: string }
/** `isType`: the import is erased when the program runs. */
type Import = { name: string; target: string | undefined; isType: boolean }

/** The violations of the rules, one line each. */
export function importProblems(sources: readonly Source[]): string[] {
  const sourceByPath = new Map(sources.map((source) => [source.path, source]))
  const importsByPath = new Map(sources.map(({ path, text }) => [path, importsOf(path, text)]))
  const found = sources.filter(isProduct).flatMap((source) => {
    const imports = importsByPath.get(source.path) ?? []
    return [
      ...fileProblems(source),
      ...imports.flatMap((imported) => directionProblems(source, imported, sourceByPath)),
    ]
  })
  const impure = sources
    .filter(({ path }) => isContract(path))
    .flatMap(({ path }) => contractProblems(path, importsByPath))
  const beyondContracts = sources.filter(isWeb).flatMap((source) => webProblems(source, importsByPath))
  const beyondClient = sources.flatMap(({ path, text }) => packageProblems(path, text))
  return [
    ...new Set([...found, ...impure, ...beyondContracts, ...beyondClient, ...cycles(importsByPath)]),
  ].sort()
}

function isProduct({ path }: Source): boolean {
  return path.startsWith('src/') && !path.endsWith('.test.ts')
}

function isContract(path: string): boolean {
  return path.startsWith('src/') && /(?:\/|-)contract\.ts$/.test(path)
}

/** An endpoint is a file that mounts a route. */
function isEndpoint({ path, text }: Source): boolean {
  return (
    path.startsWith('src/') &&
    /^import \{[^}]*\bon(?:[A-Z]\w*)?\b[^}]*\} from '[^']*http\/calls\/mount\.ts'/m.test(text)
  )
}

function roomOf(path: string): string {
  if (path === 'src/contract.ts') return 'contract'
  const [, room, file] = path.split('/')
  return file === undefined ? 'src' : (room ?? 'src')
}

const fromClause =
  /^(?:import|export) (?:type )?(?:[\w$]+(?:, )?)?(?:\*(?: as [\w$]+)?|\{[^}]*\})? ?(?:from )?'([^']+)'/gm
const callClause = /\bimport\('([^']+)'\)/g

function importsOf(path: string, text: string): Import[] {
  return [...text.matchAll(fromClause), ...text.matchAll(callClause)].map(([clause, name = '']) => ({
    name,
    isType: /^(?:import|export) type /.test(clause),
    target: name.startsWith('.') ? posix.join(posix.dirname(path), name) : undefined,
  }))
}

function fileProblems({ path, text }: Source): string[] {
  const problems: string[] = []
  const parts = path.split('/')
  if (parts.at(-1) === 'index.ts') problems.push(`${path}: a file is named after what a reader seeks`)
  const nameless = parts.find((part) => namelessRooms.includes(part))
  if (nameless !== undefined) problems.push(`${path}: "${nameless}" doesn't say who lives there`)
  if (!rankByRoom.has(roomOf(path)))
    problems.push(`${path}: room "${roomOf(path)}" has no place in the order of scripts/checks/imports.ts`)
  if (/^export (?:type )?(?:\*|\{[^}]*\}) from /m.test(text)) problems.push(`${path}: re-exports`)
  if (/\bprocess\.env\b/.test(text) && path !== 'src/settings/config.ts')
    problems.push(`${path}: reads process.env, which only src/settings/config.ts does`)
  return problems
}

function directionProblems(
  { path }: Source,
  { target, name }: Import,
  sourceByPath: ReadonlyMap<string, Source>,
): string[] {
  if (target === undefined) return []
  const imported = sourceByPath.get(target)
  if (!target.startsWith('src/')) return [`${path}: imports ${name}, which is not part of the product`]
  if (!imported || !isProduct(imported)) return [`${path}: imports ${name}, which is not there or a test`]
  const [from, to] = [roomOf(path), roomOf(target)]
  if (from === to) return innerProblems(path, target, name)
  const problems: string[] = []
  const [fromRank = -1, toRank = -1] = [rankByRoom.get(from), rankByRoom.get(to)]
  if (fromRank > toRank) problems.push(`${path}: ${from} may not look at ${to} (${name})`)
  if (fromRank === toRank) problems.push(`${path}: ${from} and ${to} never meet (${name})`)
  if (isEndpoint(imported) && !composers.includes(from))
    problems.push(`${path}: imports the endpoint ${target} of another feature`)
  return problems
}

function innerProblems(path: string, target: string, name: string): string[] {
  const rooms = innerOrder[roomOf(path)]
  if (!rooms || isContract(target)) return []
  const [from, to] = [innerRoomOf(path), innerRoomOf(target)]
  const [fromRank, toRank] = [innerRankOf(from, rooms), innerRankOf(to, rooms)]
  if (fromRank < 0) return [`${path}: "${from}" has no place in the order inside ${roomOf(path)}`]
  return fromRank > toRank
    ? [`${path}: ${from === '.' ? 'the vocabulary' : from} may not look at ${to} (${name})`]
    : []
}

function innerRankOf(room: string, rooms: readonly string[]): number {
  return room === '.' && !rooms.includes('.') ? rooms.length : rooms.indexOf(room)
}

/** The folders below the feature's own; `.` for the files directly in it. */
function innerRoomOf(path: string): string {
  return path.split('/').slice(2, -1).join('/') || '.'
}

/**
 * The client and the documentation import contracts, so a contract must not reach any module that needs a
 * server.
 */
function contractProblems(contract: string, importsByPath: ReadonlyMap<string, readonly Import[]>): string[] {
  const reached = [contract]
  const problems: string[] = []
  // The list grows while it is walked, by every file once.
  for (const path of reached) {
    for (const { name, target } of importsByPath.get(path) ?? []) {
      const via = path === contract ? '' : ` (by way of ${path})`
      if (target === undefined && !packagesOfContracts.includes(name.split('/')[0] ?? ''))
        problems.push(`${contract}: needs ${name}${via}; contracts carry no server code`)
      if (target !== undefined && !reached.includes(target)) reached.push(target)
    }
  }
  return problems
}

function isWeb({ path }: Source): boolean {
  return path.startsWith('web/src/')
}

/**
 * The web application runs in a browser: it may import the service's contracts as types, and as values only
 * if the contract needs no package for them.
 */
function webProblems(
  { path, text }: Source,
  importsByPath: ReadonlyMap<string, readonly Import[]>,
): string[] {
  return importsOf(path, text).flatMap(({ name, target, isType }) => {
    if (target === undefined || target.startsWith('web/src/')) return []
    if (!isContract(target) && !tablesOfContracts.includes(target))
      return [`${path}: imports ${name}, but the console may look at contracts only`]
    if (isType || !needsPackage(target, importsByPath)) return []
    return [`${path}: imports ${name} otherwise than as types, and with it a package of the service`]
  })
}

function needsPackage(first: string, importsByPath: ReadonlyMap<string, readonly Import[]>): boolean {
  const reached = [first]
  // The list grows while it is walked, by every file once.
  for (const path of reached) {
    for (const { target, isType } of importsByPath.get(path) ?? []) {
      if (isType) continue
      if (target === undefined) return true
      if (!reached.includes(target)) reached.push(target)
    }
  }
  return false
}

/**
 * A package may import only its own modules. The outbox uses a file, and needs Node for it; the client needs
 * no Node.
 */
function packageProblems(path: string, text: string): string[] {
  const [, folder] = /^(packages\/[^/]+\/src\/)/.exec(path) ?? []
  if (folder === undefined) return []
  return importsOf(path, text).flatMap(({ name, target }) => {
    const mayUseNode = name.startsWith('node:') && folder === 'packages/outbox/src/'
    const isOwn = target === undefined ? mayUseNode : target.startsWith(folder)
    return isOwn ? [] : [`${path}: imports ${name}, which is not part of its package`]
  })
}

function cycles(importsByPath: ReadonlyMap<string, readonly Import[]>): string[] {
  const found: string[] = []
  const done = new Set<string>()
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path))
      found.push(`${[...trail.slice(trail.indexOf(path)), path].join(' → ')}: a cycle`)
    if (done.has(path)) return
    done.add(path)
    for (const { target } of importsByPath.get(path) ?? [])
      if (target !== undefined) visit(target, [...trail, path])
  }
  for (const path of importsByPath.keys()) visit(path, [])
  return found
}

if (import.meta.main) {
  const paths = projectFiles().filter((path) => /\.tsx?$|^src\/.*\.json$/.test(path))
  const problems = importProblems(paths.map((path) => ({ path, text: textOf(path) })))
  process.stdout.write(problems.map((problem) => `${problem}\n`).join(''))
  if (problems.length > 0) process.exitCode = 1
}
