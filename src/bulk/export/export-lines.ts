import { monthOf } from '../../base/calendar.ts'
import { blocksByRow, rangeNightsMax } from '../../ari/blocks/block-range.ts'
import type { Catalogs } from '../../ari/catalog/catalog.ts'
import { selectHotelPast } from '../../ari/history/changes-back.ts'
import { itemsOf, runsOf, type Run } from '../../ari/read/read-back.ts'
import { namesOf } from '../../ari/catalog/row-names.ts'
import { todayIn } from '../../hotels/hotel-clock.ts'
import { selectHotelOverviews } from '../../hotels/overviews.ts'
import { selectOptionalHotel } from '../../hotels/store.ts'
import type { Needs, Queryable } from '../../postgres/postgres.ts'
import { guestsMaxOf } from '../../products/store.ts'
import { selectOptionalProducts } from '../../products/stored-products.ts'
import { anyNo, selectTaxes } from '../../taxes/store.ts'
import type { BulkKind } from '../contract.ts'
import { csvLine } from './export-csv.ts'
import type { HotelToExport } from './export-store.ts'
import { failures } from '../limits.ts'
import { DataFault } from '../jobs/data-fault.ts'
import type { JobRow } from '../jobs/store.ts'

export type ExportNeeds = Needs & { catalogs: Pick<Catalogs, 'current'> }

type ToExport = {
  needs: ExportNeeds
  /** In one snapshot, from which everything about the hotel is read. */
  connection: Queryable
  job: JobRow
  hotel: HotelToExport
  /** Of CSV. */
  columns: readonly string[]
}

/** The lines of a hotel, each with its end and the revision. None if the hotel was removed meanwhile. */
export const linesByKind: Readonly<Record<BulkKind, (wanted: ToExport) => AsyncGenerator<string>>> = {
  async *hotels({ connection, job, hotel: { code } }) {
    for (const overview of await selectHotelOverviews(connection, job, [code])) {
      const { name, currency, isAvailable, minChildAge, maxChildAge, pushed, revision } = overview
      const members = { hotelName: name, currency, isAvailable, minChildAge, maxChildAge, ...pushed }
      yield line({ hotelId: code, revision, ...members })
    }
  },
  async *products({ connection, job: { supplierId }, hotel: { code } }) {
    const every = { roomIds: undefined, rateIds: undefined }
    const stored = await selectOptionalProducts(
      connection,
      { supplierId, hotelCode: code },
      every,
      productsMax,
    )
    if (!stored) return
    const head = headOf(code, stored)
    for (const products of inGroups(stored.products)) yield line({ ...head, products })
  },
  async *taxes({ connection, job: { supplierId }, hotel: { code } }) {
    const hotel = await selectOptionalHotel(connection, supplierId, code)
    if (!hotel) return
    const head = headOf(code, hotel)
    const scopes = await selectTaxes(connection, hotel.id)
    const ofProducts = []
    for (const { roomNo, rateNo, roomId, rateId, taxes } of scopes) {
      if (roomNo === anyNo && rateNo === anyNo) yield line({ ...head, taxes })
      else ofProducts.push({ roomId, rateId, taxes })
    }
    for (const products of inGroups(ofProducts)) yield line({ ...head, products })
  },
  ari: ariLines,
}

async function* ariLines({ needs, connection, job, hotel, columns }: ToExport): AsyncGenerator<string> {
  const catalog = await needs.catalogs.current(connection, {
    supplierId: job.supplierId,
    hotelCode: hotel.code,
  })
  if (!catalog) return
  const { revision, currencyRevision } = await selectHotelPast(connection, catalog.hotelId)
  const from = todayIn(catalog, needs.clock.now())
  const to = from + rangeNightsMax - 1
  const names = namesOf(catalog)
  const options = {
    from,
    to,
    currencyRevision,
    marksFormerInfants: true,
    guestsMaxOf: (roomNo: number, rateNo: number) => {
      const product = catalog.productOf(roomNo, rateNo)
      return product && guestsMaxOf(product)
    },
  }
  const head = headOf(hotel.code, { currency: catalog.currency, revision })
  const written = (runs: readonly Run[]): string[] => {
    if (job.format === 'ndjson') return [line({ ...head, ...itemsOf(runs, names) })]
    return runs
      .flatMap((run) => itemsOf([run], names).ari)
      .map((item) => {
        const text = csvLine({ ...head, item }, columns)
        if (text === undefined) throw new DataFault(failures.columnMissing)
        return text
      })
  }
  let waiting: Run[] = []
  for await (const blocks of blocksByRow(connection, catalog.hotelId, {
    fromMonth: monthOf(from),
    toMonth: monthOf(to),
  })) {
    const { runs } = await runsOf(blocks, options)
    for (const run of runs) {
      if (waiting.length > 0 && isTooMuch([...waiting, run])) {
        yield* written(waiting)
        waiting = []
      }
      waiting.push(run)
    }
  }
  if (waiting.length > 0) yield* written(waiting)
}

/** With codes of 64 letters of four bytes, and all prices of a room-rate, still less than the 64 KB that a load takes. */
const runsPerLineMax = 40
const valuesPerLineMax = 400
/** A push of a load may have 200,000 by default, and less by a key's own limits. */
const nightsPerLineMax = 10_000

function isTooMuch(runs: readonly Run[]): boolean {
  return (
    runs.length > runsPerLineMax ||
    runs.reduce((sum, { fieldValues }) => sum + fieldValues.length, 0) > valuesPerLineMax ||
    runs.reduce((sum, { from, to }) => sum + to - from + 1, 0) > nightsPerLineMax
  )
}

/** More than a hotel can have. */
const productsMax = 1_000_000
const groupBytesMax = 48 * 1024

/** Elements that follow each other, as many as a line may have. */
function* inGroups<Element>(elements: readonly Element[]): Generator<Element[]> {
  let group: Element[] = []
  let bytes = 0
  for (const element of elements) {
    const length = Buffer.byteLength(JSON.stringify(element))
    if (group.length > 0 && (bytes + length > groupBytesMax || group.length === elementsPerLineMax)) {
      yield group
      group = []
      bytes = 0
    }
    group.push(element)
    bytes += length
  }
  if (group.length > 0) yield group
}

/** The currency is asserted: a load of the file is refused once the hotel has another one. */
function headOf(hotelId: string, { currency, revision }: { currency: string; revision: number }) {
  return { hotelId, currency, revision }
}

/** Fewer than one push may have. */
const elementsPerLineMax = 100

function line(push: object): string {
  return `${JSON.stringify(push)}\n`
}
