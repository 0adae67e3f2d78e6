import type { Queryable } from '../postgres/postgres.ts'
import type { Tax } from './contract.ts'
import { exactDecimal } from './decimals.ts'
import { formerCurrencyOf } from './former-taxes.ts'
import { roomRateKey } from '../products/store.ts'

/** The number for "any" room or rate in a scope; (any, any) is the property. */
export const anyNo = 0

export type TaxScope = { roomNo: number; rateNo: number }
export type ScopedTaxes = TaxScope & { taxes: readonly Tax[] }
/** With the supplier's codes, for reading back; a code is absent if the scope covers any. */
export type NamedScopedTaxes = ScopedTaxes & { roomId: string | undefined; rateId: string | undefined }

type TaxRow = TaxScope & { roomId: string | null; rateId: string | null } & Omit<
    Tax,
    'value' | 'startDate' | 'endDate' | 'formerCurrency'
  > & {
    value: string
    startDate: string | null
    endDate: string | null
    formerCurrency: string | null
  }

/** All taxes of a hotel by scope, property first; a scope without taxes isn't listed. */
export async function selectTaxes(db: Queryable, hotelId: number): Promise<NamedScopedTaxes[]> {
  const { rows } = await db.query<TaxRow>(
    `select t.room_no as "roomNo", t.rate_no as "rateNo", room.code as "roomId", rate.code as "rateId",
       t.type, t.value_type as "valueType", t.value, t.applied_on as "appliedOn", t.applied_per as "appliedPer",
       t.included, t.pay_now as "payNow", t.start_date as "startDate", t.end_date as "endDate",
       t.former_currency as "formerCurrency"
     from tax t left join room using (hotel_id, room_no) left join rate using (hotel_id, rate_no)
     where t.hotel_id = $1 order by t.room_no, t.rate_no, t.position`,
    [hotelId],
  )
  const scopes: (NamedScopedTaxes & { taxes: Tax[] })[] = []
  for (const row of rows) {
    const { roomNo, rateNo, roomId, rateId, value, startDate, endDate, formerCurrency, ...members } = row
    const last = scopes.at(-1)
    // Accepted values have at most 15 digits, so the number's shortest form is the stored decimal.
    const tax: Tax = { ...members, value: Number(value) }
    if (startDate !== null && endDate !== null) Object.assign(tax, { startDate, endDate })
    if (formerCurrency !== null) tax.formerCurrency = formerCurrency
    if (last && last.roomNo === roomNo && last.rateNo === rateNo) last.taxes.push(tax)
    else
      scopes.push({ roomNo, rateNo, roomId: roomId ?? undefined, rateId: rateId ?? undefined, taxes: [tax] })
  }
  return scopes
}

/** Replaces the taxes of each scope. The hotel's row must be locked. */
export async function replaceTaxes(
  connection: Queryable,
  hotelId: number,
  scopes: readonly ScopedTaxes[],
): Promise<void> {
  await connection.query(
    `delete from tax using unnest($2::smallint[], $3::smallint[]) as scope (room_no, rate_no)
     where tax.hotel_id = $1 and tax.room_no = scope.room_no and tax.rate_no = scope.rate_no`,
    [hotelId, scopes.map(({ roomNo }) => roomNo), scopes.map(({ rateNo }) => rateNo)],
  )
  const rows = scopes.flatMap(({ roomNo, rateNo, taxes }) =>
    taxes.map((tax, position) => ({ ...tax, roomNo, rateNo, position })),
  )
  const column = <Value>(read: (row: (typeof rows)[number]) => Value): Value[] => rows.map(read)
  await connection.query(
    `insert into tax (hotel_id, room_no, rate_no, position, type, value_type, value, applied_on, applied_per, included,
       pay_now, start_date, end_date, former_currency)
     select $1, * from unnest($2::smallint[], $3::smallint[], $4::smallint[], $5::text[], $6::text[], $7::numeric[],
       $8::text[], $9::text[], $10::boolean[], $11::boolean[], $12::date[], $13::date[], $14::text[])`,
    [
      hotelId,
      column(({ roomNo }) => roomNo),
      column(({ rateNo }) => rateNo),
      column(({ position }) => position),
      column(({ type }) => type),
      column(({ valueType }) => valueType),
      column(({ value }) => exactDecimal(value)),
      column(({ appliedOn }) => appliedOn),
      column(({ appliedPer }) => appliedPer),
      column(({ included }) => included),
      column(({ payNow }) => payNow),
      column(({ startDate }) => startDate ?? null),
      column(({ endDate }) => endDate ?? null),
      column((tax) => formerCurrencyOf(tax) ?? null),
    ],
  )
}

/** One entry as it appears in `taxesColumn`. */
export type StoredTax = TaxScope &
  Omit<Tax, 'startDate' | 'endDate' | 'formerCurrency'> & {
    startDate: string | null
    endDate: string | null
    formerCurrency: string | null
  }

/** All taxes of a hotel as one JSON value, for queries that read the hotel's row; `hotelId` is SQL. */
export function taxesColumn(hotelId: string): string {
  return `(select coalesce(json_agg(json_build_object('roomNo', room_no, 'rateNo', rate_no, 'type', type,
      'valueType', value_type, 'value', value::text, 'appliedOn', applied_on, 'appliedPer', applied_per,
      'included', included, 'payNow', pay_now, 'startDate', start_date, 'endDate', end_date,
      'formerCurrency', former_currency)
      order by room_no, rate_no, position), '[]')
    from tax where hotel_id = ${hotelId})`
}

export function scopesOf(rows: readonly StoredTax[]): ScopedTaxes[] {
  const byScope = Map.groupBy(rows, ({ roomNo, rateNo }) => roomRateKey(roomNo, rateNo))
  return [...byScope.values()].flatMap((ofScope) => {
    const [first] = ofScope
    if (!first) return []
    const taxes = ofScope.map(
      ({ roomNo: _roomNo, rateNo: _rateNo, startDate, endDate, formerCurrency, ...tax }) => ({
        ...tax,
        ...(startDate === null || endDate === null ? {} : { startDate, endDate }),
        ...(formerCurrency === null ? {} : { formerCurrency }),
      }),
    )
    return [{ roomNo: first.roomNo, rateNo: first.rateNo, taxes }]
  })
}
