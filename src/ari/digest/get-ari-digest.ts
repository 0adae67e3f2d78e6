import { hash } from 'node:crypto'
import { firstDay, formatMonth, formatNight, parseNight, type DayNumber } from '../../base/calendar.ts'
import { todayIn } from '../../hotels/hotel-clock.ts'
import { hotelNotFound } from '../../hotels/hotel-rules.ts'
import { answer, besideShape, onEveryProblem, type Judge, type Mounted } from '../../http/calls/mount.ts'
import { Rejected, rejectIfAny, type Problem } from '../../http/rejected.ts'
import type { BodyOf } from '../../http/route.ts'
import { wellFormedPart } from '../../http/validation/validate.ts'
import type { HotelOfSupplier } from '../../products/hotel-catalogs.ts'
import { readTransaction } from '../../postgres/transaction.ts'
import { namesOf, numbersOf } from '../catalog/row-names.ts'
import { isCatalogOf, type CatalogNeeds, type HotelCatalog } from '../catalog/catalog.ts'
import {
  compareDigests,
  knownWithin,
  monthsWithin,
  namesAt,
  only,
  positionOf,
  type DigestEntry,
} from './compare-digests.ts'
import { withCauses } from './digest-causes.ts'
import {
  digestErrors,
  digestNightsMax,
  digestAlgorithm,
  digestGroups,
  digestRoutes,
  type DigestLevel,
  type KnownEntry,
} from './digest-contract.ts'
import { digestOfParts, productKey, type ByGroup } from './digest.ts'
import {
  DigestCache,
  readDigests,
  selectVersions,
  type DigestVersions,
  type MonthDigest,
  type NamedProduct,
  type ProductDigest,
} from './digest-read.ts'

type Body = BodyOf<typeof digestRoutes.getAriDigest>

/** POST /push/getAriDigest: hashes of the stored ARI, or how they differ from the caller's. */
export const getAriDigest = (needs: CatalogNeeds): Mounted => {
  const cache = new DigestCache()
  needs.db.epoch.onChange(() => cache.clear())
  return onEveryProblem(digestRoutes.getAriDigest, judge, async ({ body, caller, read: after }) => {
    const hotel = { supplierId: caller.supplierId, hotelCode: body.hotelId }
    const { hotelId, versions, products, from } =
      (await cachedDigests(needs, cache, hotel, body)) ?? (await readHotel(needs, cache, hotel, body))
    const named = onlyWithin(body.within, products)
    const groups = body.groups ?? digestGroups
    const effectiveFrom = formatNight(from)
    const known = body.known && knownWithin(body.known, body, { from: effectiveFrom, to: body.to })
    // Without another side, the hotel's own hashes are all there is.
    const compared =
      body.level === 'hotel' && !known
        ? {}
        : compareDigests(entriesOf(body.level, named), known, { groups, after })
    return answer(200, {
      code: '200',
      message: 'ARI digest computed',
      hotelId: body.hotelId,
      revision: versions.revision,
      algorithm: digestAlgorithm,
      effectiveFrom,
      hotel: only(groups, hotelDigest(named)),
      ...compared,
      ...(compared.nextCursor ? { nextCursor: writeCursor(body, compared.nextCursor) } : {}),
      ...(body.level === 'day' && compared.differs
        ? { differs: await withCauses(needs.db, hotelId, named, compared.differs) }
        : {}),
    })
  })
}

type Read = {
  hotelId: number
  versions: DigestVersions
  /** In the order of their keys. */
  products: readonly NamedProduct[]
  /** The first night that counts. */
  from: DayNumber
}

/** What an earlier request has computed, if nothing has changed since; never the lines of days. */
async function cachedDigests(
  { db, catalogs, clock }: CatalogNeeds,
  cache: DigestCache,
  hotel: HotelOfSupplier,
  body: Body,
): Promise<Read | undefined> {
  if (body.level === 'day') return undefined
  const catalog = await catalogs.of(hotel)
  const versions = catalog && (await selectVersions(db, catalog.hotelId))
  if (!versions || !isCatalogOf(catalog, versions)) return undefined
  const range = rangeOf(body, catalog, clock.now())
  const all = cache.get(catalog.hotelId, versions, range)
  if (!all) return undefined
  const { roomNos, rateNos } = requestedNumbers(body, catalog)
  const products = all.filter(
    ({ roomNo, rateNo }) => (!roomNos || roomNos.includes(roomNo)) && (!rateNos || rateNos.includes(rateNo)),
  )
  return { hotelId: catalog.hotelId, versions, products, from: range.from }
}

/** Reads the hotel in one snapshot; caches the digests of a whole one. */
function readHotel(
  { db, catalogs, clock }: CatalogNeeds,
  cache: DigestCache,
  hotel: HotelOfSupplier,
  body: Body,
): Promise<Read> {
  return readTransaction(db, async (connection) => {
    await connection.query('set transaction isolation level repeatable read read only')
    const catalog = await catalogs.current(connection, hotel)
    const versions = catalog && (await selectVersions(connection, catalog.hotelId))
    if (!versions) throw new Rejected(404, hotelNotFound(body.hotelId))
    const range = { ...rangeOf(body, catalog, clock.now()), ...requestedNumbers(body, catalog) }
    const withLines = body.level === 'day'
    const digests = await readDigests(connection, catalog, versions, range, { withLines })
    if (!digests) throw tooMuch()
    const products = nameProducts(catalog, digests)
    const { from, to } = range
    if (!withLines && !range.roomNos && !range.rateNos)
      cache.keep(catalog.hotelId, { versions, from, to, products })
    return { hotelId: catalog.hotelId, versions, products, from }
  })
}

function rangeOf(body: Body, catalog: HotelCatalog, nowMs: number): { from: DayNumber; to: DayNumber } {
  const from = Math.max(parseNight(body.from) ?? 0, todayIn(catalog, nowMs))
  return { from, to: parseNight(body.to) ?? 0 }
}

function requestedNumbers(body: Body, catalog: HotelCatalog) {
  const { roomNos, rateNos, problems } = numbersOf(body, catalog)
  rejectIfAny(problems, 404)
  // The room's own values belong to any requested rate.
  return { roomNos, rateNos: rateNos && [0, ...rateNos] }
}

function onlyWithin(within: Body['within'], products: readonly NamedProduct[]): readonly NamedProduct[] {
  const requested = monthsWithin(within)
  if (!requested) return products
  return products.flatMap((product) => {
    const months = product.months.filter(({ month }) =>
      requested.has(positionOf({ ...product, month: formatMonth(month) })),
    )
    return months.length === 0 ? [] : [{ ...product, months, digest: digestOfMonths(months) }]
  })
}

function nameProducts(catalog: HotelCatalog, products: readonly ProductDigest[]): NamedProduct[] {
  const { roomCode, rateCode } = namesOf(catalog)
  const named = products.map((product): NamedProduct => {
    const roomId = roomCode(product.roomNo)
    const rateId = product.rateNo === 0 ? undefined : rateCode(product.rateNo)
    const key = productKey(roomId, rateId)
    return {
      ...product,
      roomId,
      ...(rateId === undefined ? {} : { rateId }),
      key,
      digest: digestOfMonths(product.months),
    }
  })
  const bytes = new Map(named.map(({ key }) => [key, Buffer.from(key)]))
  const bytesOf = ({ key }: NamedProduct): Buffer => bytes.get(key) ?? Buffer.of()
  return named.sort((left, right) => Buffer.compare(bytesOf(left), bytesOf(right)))
}

function entriesOf(level: DigestLevel, products: readonly NamedProduct[]): DigestEntry[] {
  if (level === 'hotel') return [{ values: hotelDigest(products) }]
  return products.flatMap(({ roomId, rateId, months, digest }): DigestEntry[] => {
    const named = { roomId, ...(rateId === undefined ? {} : { rateId }) }
    if (level === 'product') return [{ ...named, values: digest }]
    if (level === 'month')
      return months.map(({ month, digest: values }) => ({ ...named, month: formatMonth(month), values }))
    return months.flatMap(({ month, lines = [] }) =>
      lines.flatMap((values, night) =>
        values ? [{ ...named, date: formatNight(firstDay(month) + night), values }] : [],
      ),
    )
  })
}

function hotelDigest(products: readonly NamedProduct[]): ByGroup {
  return digestOfParts(products.map(({ key, digest }) => [key, digest]))
}

function digestOfMonths(months: readonly MonthDigest[]): ByGroup {
  return digestOfParts(months.map(({ month, digest }) => [formatMonth(month), digest]))
}

function tooMuch(): Rejected {
  return new Rejected(400, { ...digestErrors.tooLarge, path: '/roomIds' })
}

/** Returns the position behind which the page begins. */
const judge: Judge<Buffer | undefined, 'supplier'> = (sent, shapeProblems) => {
  const body = (wellFormedPart(sent, shapeProblems) ?? {}) as Partial<Body>
  const problems = [
    ...rangeProblems(body),
    ...(body.level ? knownProblems(body.level, body.known ?? []) : []),
  ]
  const after = body.cursor === undefined ? undefined : readCursor(body, body.cursor)
  if (body.cursor !== undefined && !after) problems.push(cursorProblem(body.cursor))
  rejectIfAny(besideShape(shapeProblems, problems))
  return after
}

function rangeProblems({ from, to }: Partial<Body>): Problem[] {
  const [first, last] = [parseNight(from ?? ''), parseNight(to ?? '')]
  if (first === undefined || last === undefined) return []
  if (first > last) return [{ ...digestErrors.datesReversed, path: '/from', value: from }]
  return last - first < digestNightsMax ? [] : [{ ...digestErrors.rangeTooLong, path: '/to', value: to }]
}

const namesOfAllLevels = ['roomId', 'rateId', 'month', 'date'] as const

/** Each entry must have exactly the members that name an entry of the level, and no other entry's. */
function knownProblems(level: DigestLevel, known: readonly (KnownEntry | undefined)[]): Problem[] {
  const problems: Problem[] = []
  const positions = new Set<string>()
  for (const [index, entry] of known.entries()) {
    if (!entry) continue
    const path = `/known/${index}`
    for (const name of namesOfAllLevels) {
      const belongs = namesAt[level].includes(name)
      if (entry[name] !== undefined && !belongs)
        problems.push({
          ...digestErrors.notAtThisLevel,
          message: `${name} does not belong to an entry of level ${level}`,
          path: `${path}/${name}`,
          value: entry[name],
          hint: `At level ${level} an entry is named by ${namesAt[level].join(', ') || 'nothing: there is one'}`,
        })
      if (entry[name] === undefined && belongs && name !== 'rateId')
        problems.push({ type: 'REQUIRED', message: `${name} is required`, path: `${path}/${name}` })
    }
    const position = positionOf(entry)
    if (positions.has(position)) problems.push({ ...digestErrors.duplicate, path })
    positions.add(position)
  }
  return problems
}

/** A page of another hotel, range or level begins elsewhere: its cursor would skip differences unnoticed. */
function writeCursor(body: Partial<Body>, position: string): string {
  return `${listOf(body)}${position}`
}

/** The position behind which the page begins. */
function readCursor(body: Partial<Body>, text: string): Buffer | undefined {
  const list = listOf(body)
  const position = Buffer.from(text.slice(list.length), 'base64url')
  return position.includes(0) && text === writeCursor(body, position.toString('base64url'))
    ? position
    : undefined
}

function listOf({ hotelId, from, to, level, groups }: Partial<Body>): string {
  return hash('sha256', JSON.stringify([hotelId, from, to, level, groups])).slice(0, 12)
}

function cursorProblem(value: string): Problem {
  return { ...digestErrors.cursor, path: '/cursor', value }
}
