import { counted } from '../base/counted.ts'
import { numberArray, type Queryable } from '../postgres/postgres.ts'

/**
 * How many amounts of a hotel are of currencies that it no longer has; `rules` are those of the guard with the currency that
 * it had until now.
 */
export type FormerAmounts = {
  /** The one that it had until now first. */
  currencies: string[]
  hasPrices: boolean
  taxes: number
  penalties: number
  fees: number
  rules: number
}

/** Whether a rule of the guard without a currency was made in one that the hotel no longer has. */
export const isLapsed = (guard: string, hotel: string): string =>
  `coalesce(${guard}.changed_at <= ${hotel}.currency_changed_at, false)`

/**
 * Of hotels whose currency has just changed from `currency`. A trigger has noted their fixed taxes, flat penalties
 * and flat fees (0075_former_currency.sql). `sinceMs`: when the currency before had come.
 */
export async function selectFormerAmounts(
  connection: Queryable,
  moved: readonly { id: number; currency: string; sinceMs: number | null }[],
): Promise<Map<number, FormerAmounts>> {
  if (moved.length === 0) return new Map()
  const inPolicies = (path: string): string =>
    `from room_rate, jsonb_path_query(cancel_policies, '${path}.formerCurrency') as former where hotel_id = moved.id`
  const [penalties, fees] = [inPolicies('$[*].cancelPenalties[*].penaltyCharge'), inPolicies('$[*].fees[*]')]
  const { rows } = await connection.query<FormerAmounts & { id: number }>(
    `select id, exists (select from room_rate where hotel_id = moved.id and pricing_model is not null) as "hasPrices",
       (select count(former_currency)::int from tax where hotel_id = moved.id) as taxes,
       (select count(*)::int ${penalties}) as penalties, (select count(*)::int ${fees}) as fees,
       array[moved.currency] || array(select distinct currency from (
         select former_currency::text from tax where hotel_id = moved.id
         union all select former #>> '{}' ${penalties}
         union all select former #>> '{}' ${fees}
       ) as marked (currency) where currency <> moved.currency order by currency) as currencies,
       (${rulesLapsed}) as rules
     from unnest($1::int[], $2::text[], $3::float8[]) as moved (id, currency, since_ms)`,
    [
      moved.map(({ id }) => id),
      moved.map(({ currency }) => currency),
      numberArray(moved.map(({ sinceMs }) => sinceMs)),
    ],
  )
  return new Map(rows.map(({ id, ...amounts }) => [id, amounts]))
}

/** Of the rules that applied to a hotel until now: those that name the currency, or none and were made in it. */
const rulesLapsed = `
  select count(*)::int from (
    select settings, moved.since_ms is null or guard.changed_at > instant(moved.since_ms) as is_current
    from guard where supplier_id = (select supplier_id from hotel where hotel.id = moved.id)
      and (hotel_id is null or hotel_id = moved.id)
    order by hotel_id nulls last limit 1
  ) as own, jsonb_path_query(own.settings, '$.rules[*] ? (exists (@.amount))') as rule
  where case when rule ? 'currency' then rule ->> 'currency' = moved.currency else is_current end`

/** `prices, 1 fixed tax, 2 flat penalties in EUR`; undefined if there are none. */
export function formerAmountsText(amounts: FormerAmounts): string | undefined {
  const { currencies, hasPrices, taxes, penalties, fees } = amounts
  const parts = [
    ...(hasPrices ? ['prices'] : []),
    ...(taxes > 0 ? [counted(taxes, 'fixed tax', 'fixed taxes')] : []),
    ...(penalties > 0 ? [counted(penalties, 'flat penalty', 'flat penalties')] : []),
    ...(fees > 0 ? [counted(fees, 'fee')] : []),
  ]
  return parts.length > 0 ? `${parts.join(', ')} in ${currencies.join(' and ')}` : undefined
}

/**
 * Whether the hotel of a row has amounts of a former currency besides prices: marked ones, or, of a hotel that has changed
 * its currency, perhaps such that have no mark but more decimals than the present one.
 */
export const formerAmountsExist = `(currency_revision > 0
  or exists (select from tax where hotel_id = hotel.id and former_currency is not null)
  or exists (select from room_rate where hotel_id = hotel.id
    and cancel_policies @? '$[*].** ? (exists (@.formerCurrency))'))`

/** Which steps of the go-live checklist have amounts of a former currency. */
export type FormerSteps = { hasFormerTax: boolean; hasFormerTerms: boolean; hasFormerPrices: boolean }

/**
 * The columns of FormerSteps, of the row of a hotel. Taxes of past nights are no longer needed. Prices are of a
 * former currency if none was pushed since it changed.
 */
export const formerSteps = `
  exists (select from tax where hotel_id = hotel.id and former_currency is not null
    and (end_date is null or end_date >= current_date - 1)) as "hasFormerTax",
  exists (select from room_rate where hotel_id = hotel.id and is_available
    and cancel_policies @? '$[*].** ? (exists (@.formerCurrency))') as "hasFormerTerms",
  coalesce(ari_at < currency_changed_at, false) as "hasFormerPrices"`

type StepOfFormer = { status: 'missing'; reason: 'FORMER_CURRENCY' }

/** The step, or that it is missing because of amounts of a former currency. */
export function unlessFormer<Step extends { status: string }>(
  step: Step,
  isFormer: boolean,
): Step | StepOfFormer {
  return isFormer ? { status: 'missing', reason: 'FORMER_CURRENCY' } : step
}
