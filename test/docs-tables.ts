import assert from 'node:assert/strict'

/**
 * The tables of docs/prices.md: each row gives the price of a stay, or the rule that forbids it, and is
 * checked against the service.
 */

export type Stay = { rateId: string; checkin: string; checkout: string; adults: number; childAges: number[] }
/** The service's answer about a stay: the price of its first night, or the rules that forbid it. */
export type Verdict = { price: string } | { rules: string[] }

type Row = ReadonlyMap<string, string>

/** Every row of every table, keyed by the column headings; code without its backticks. */
export function tableRows(markdown: string): Row[] {
  const rows: Row[] = []
  let heads: string[] | undefined
  for (const line of markdown.split('\n')) {
    if (!line.startsWith('|')) {
      heads = undefined
      continue
    }
    const cells = line
      .slice(1, line.lastIndexOf('|'))
      .split('|')
      .map((cell) => cell.trim().replaceAll('`', ''))
    if (heads === undefined) heads = cells
    else if (!/^[-:| ]+$/.test(line))
      rows.push(new Map(heads.map((head, index) => [head, cells[index] ?? ''])))
  }
  return rows
}

const exampleNight = { checkin: '2027-04-01', checkout: '2027-04-02' }
const notSold = 'not sold'

export async function askRows(markdown: string, ask: (stay: Stay) => Promise<Verdict>): Promise<number> {
  let asked = 0
  for (const row of tableRows(markdown)) {
    const rateId = row.get('Rate')
    if (rateId === undefined) continue
    asked++
    const said = `the row ${[...row.values()].join(' | ')}`
    if (row.has('The night')) {
      const ages = row.get('Ages of children') ?? ''
      const party = {
        adults: Number(row.get('Adults')),
        childAges: ages === '' ? [] : ages.split(', ').map(Number),
      }
      const verdict = await ask({ rateId, ...exampleNight, ...party })
      assert.equal('price' in verdict ? verdict.price : notSold, row.get('The night'), said)
    } else {
      const stay = { checkin: row.get('Arrival') ?? '', checkout: row.get('Departure') ?? '' }
      const verdict = await ask({ rateId, ...stay, adults: 2, childAges: [] })
      assert.equal('price' in verdict ? 'yes' : 'no', row.get('Booked?'), said)
      const rule = row.get('Rule that forbids it')
      assert.deepEqual('rules' in verdict ? verdict.rules : [], rule === '' ? [] : [rule], said)
    }
  }
  return asked
}
