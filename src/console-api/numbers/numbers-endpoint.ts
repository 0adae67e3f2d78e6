import {
  dayMs,
  firstDay,
  formatMonth,
  formatNight,
  monthOf,
  parseNight,
  type MonthNumber,
} from '../../base/calendar.ts'
import { answer, onEveryProblem, type Mounted } from '../../http/calls/mount.ts'
import { judgeQuery, type Query } from '../../http/calls/query.ts'
import type { Problem } from '../../http/rejected.ts'
import type { Needs } from '../../postgres/postgres.ts'
import { invalid, readNumber } from '../list-query.ts'
import { numbersRoutes, numbersRowsMax, type NumbersRow } from './contract.ts'
import { selectNumbers, type StoredNumbers } from './store.ts'

/** GET /numbers: reservations of a month, counted by supplier and currency. */
export const getNumbers = ({ db, clock }: Needs): Mounted =>
  onEveryProblem(numbersRoutes.getNumbers, judge, async ({ read }) => {
    const { by, supplierId } = read
    const month = read.month ?? monthOf(Math.floor(clock.now() / dayMs)) - 1
    const { rows, firstMonth } = await selectNumbers(db, {
      by,
      supplierId,
      from: formatNight(firstDay(month)),
      until: formatNight(firstDay(month + 1)),
      limit: numbersRowsMax + 1,
    })
    return answer(200, {
      numbers: {
        month: formatMonth(month),
        by,
        rows: rows.slice(0, numbersRowsMax).map(withValue),
        hasMore: rows.length > numbersRowsMax,
        firstMonth,
      },
    })
  })

const judge = judgeQuery((query, problems) => ({
  month: readMonth(query, problems),
  by: query['by'] === 'arrival' ? ('arrival' as const) : ('booked' as const),
  supplierId: readNumber('supplierId', query, problems),
}))

function readMonth({ month }: Query, problems: Problem[]): MonthNumber | undefined {
  if (month === undefined) return undefined
  const day = parseNight(`${month}-01`)
  if (day !== undefined) return monthOf(day)
  problems.push(invalid('month', month, 'must be a month in the form YYYY-MM'))
  return undefined
}

function withValue({ afterTaxMinor, minorDigits, ...row }: StoredNumbers['rows'][number]): NumbersRow {
  if (minorDigits === 0) return { ...row, afterTax: afterTaxMinor }
  const digits = afterTaxMinor.padStart(minorDigits + 1, '0')
  return { ...row, afterTax: `${digits.slice(0, -minorDigits)}.${digits.slice(-minorDigits)}` }
}
