import assert from 'node:assert/strict'
import { test } from 'node:test'
import { figuresOf, load } from '../../../test/stage/scenes/bulk.ts'
import { gatewayForTests, type Reply } from '../../../test/stage/harness.ts'
import { expectOk, product, storyHotel } from '../../../test/stage/story.ts'
import { cellsOf, readCell, writtenCell } from './csv.ts'

/** First loads of CSV, with what spreadsheets make of it. */

const gateway = await gatewayForTests()
gateway.app.startBulk()

const itemsOf = (reply: Reply): unknown[] => Object(expectOk(reply).body['ari'])

const oddRoom = '=DBL, "sea"'
async function shop(name: string) {
  const supplier = await gateway.supplier(name)
  expectOk(await supplier.post('/push/hotels', [storyHotel(), storyHotel({ hotelId: 'H2' })]))
  for (const hotelId of ['H1', 'H2'])
    expectOk(
      await supplier.post('/push/products', {
        hotelId,
        products: [product('DBL', 'BAR'), product(oddRoom, 'BAR')],
      }),
    )
  return supplier
}

test('cells are read as they were written', () => {
  const plain = ['', 'a', '=1+1', "'=1", "''@x", '-5', '+5', '-a', 'a,b', 'a;b', 'say "x"', '@', "'", "' =1"]
  const behindBlanks = [
    ' =1',
    '   +1',
    '\u00A0-a',
    '\u3000@x',
    " '=1",
    '\uFEFF=1',
    '\u200B＝1',
    ' -5',
    ' a',
    ' ',
  ]
  for (const value of [...plain, ...behindBlanks]) {
    const cells = cellsOf(`x,${writtenCell(value)},y`, ',')
    assert.deepEqual([value, cells?.map(readCell)], [value, ['x', value, 'y']])
    assert.ok(!/^"?[\s\u200B]*[=+@＝]/.test(writtenCell(value)), value)
    assert.ok(!/^"?[\s\u200B]+-/.test(writtenCell(value)), value)
  }
  const inside = [
    'R;=HYPERLINK(1);z',
    'R\t=1',
    'R;"=1+1"',
    'R;;-5',
    "R;'=1",
    'R,@x',
    'R;＝1',
    'R; =1',
    'R,\u00A0 +1; -1',
    'R\t \t@x',
    "R; '=1",
    'a; b-c=d',
    ';',
  ]
  for (const value of inside) {
    const cells = cellsOf(`x,${writtenCell(value)},y`, ',')
    assert.deepEqual([value, cells?.map(readCell)], [value, ['x', value, 'y']])
    for (const separator of [',', ';', '\t'])
      for (const cell of writtenCell(value).split(separator))
        assert.ok(!/^["\s]*[=+\-@＝]/.test(cell), `${value}: ${cell}`)
  }
  assert.equal(cellsOf('a,"b', ','), undefined)
  assert.equal(cellsOf('a,b"c', ','), undefined)
  assert.equal(cellsOf('a,"b"c', ','), undefined)
})

test('CSV sets what its cells say, leaves what is empty and clears what is null', async () => {
  const supplier = await shop('Sheets')
  const lines = [
    '\uFEFFhotelId,roomId,rateId,startDate,endDate,daysOfWeek,inventory,rateInventory,closed,minLengthStay,a1,a2,c1',
    'H1,DBL,,2027-04-01,2027-04-30,,6,,,,,,',
    'H1,DBL,BAR,2027-04-01,2027-04-30,,,4,,2,90,110.50,15',
    'H1,DBL,BAR,2027-04-02,2027-04-02,,,,TRUE,null,,null,',
    `H1,"'=DBL, ""sea""",BAR,2027-04-01,2027-04-03,FRI SAT,2,,,,,80,`,
    'H2,DBL,,2027-04-01,2027-04-01,,1,,,,,,',
  ]
  const job = await load(supplier, { kind: 'ari', format: 'csv' }, lines.join('\r\n'))
  assert.deepEqual(figuresOf(job), {
    state: 'done',
    lines: 6,
    applied: 5,
    unchanged: 0,
    partial: 0,
    refused: 0,
    hotels: 2,
  })
  const read = await supplier.post('/push/getAri', {
    hotelId: 'H1',
    startDate: '2027-04-01',
    endDate: '2027-04-03',
  })
  const adult = (guests: number, amount: number) => ({ ageCategory: 'adult', guests, amount })
  const child = { ageCategory: 'child', guests: 1, amount: 15 }
  const usual = {
    rateId: 'BAR',
    inventory: 4,
    minLengthStay: 2,
    prices: [adult(1, 90), adult(2, 110.5), child],
  }
  const items = itemsOf(read)
  const ofDouble = items.filter((item) => Object(item).roomId === 'DBL' && Object(item).rates)
  assert.deepEqual(
    ofDouble.map((item) => [Object(item).startDate, Object(item).endDate, Object(item).rates[0]]),
    [
      ['2027-04-01', '2027-04-01', usual],
      [
        '2027-04-02',
        '2027-04-02',
        { rateId: 'BAR', inventory: 4, closed: true, prices: [adult(1, 90), child] },
      ],
      ['2027-04-03', '2027-04-03', usual],
    ],
  )
  assert.equal(items.filter((item) => Object(item).roomId === oddRoom).length > 0, true)
})

test('an errors file has no formulas, whatever the lines had, and can be sent again', async () => {
  const supplier = await shop('Formulas')
  for (const [separator, quoted, price] of [
    [',', '"R;=HYPERLINK(1);z"', '101'],
    [';', '"R,=HYPERLINK(1),z"', '102'],
  ] as const) {
    const row = (...cells: string[]) => cells.join(separator)
    const data = [
      row('"hotelId"', 'roomId', 'rateId', 'startDate', 'endDate', 'price'),
      row('H1', '"=DBL, ""sea"""', 'BAR', '2027-04-02', '2027-04-02', '=1+1'),
      row('H1', quoted, 'BAR', '2027-04-01', '2027-04-01', '100'),
      row('H1', '"=DBL', 'BAR', '2027-04-02', '2027-04-02', '@x'),
      row(' =HYPERLINK(1)', 'DBL', '\u00A0+BAR', '2027-04-02', '2027-04-02', ' -1+2'),
    ].join('\n')
    const job = await load(supplier, { kind: 'ari', format: 'csv' }, data)
    assert.deepEqual([job.state, job['refused']], ['done', 4])
    const { text } = expectOk(await supplier.get(`/push/bulk/${job.jobId}/errors`))
    for (const other of [',', ';', '\t'])
      for (const cell of text.split('\n').flatMap((line) => line.split(other)))
        assert.ok(!/^["\s]*[=+@＝]|^["\s]+-/.test(cell), cell)
    const mended = text.replace("'=1+1", price).split('\n').slice(0, 3).join('\n')
    const again = await load(supplier, { kind: 'ari', format: 'csv' }, mended)
    assert.deepEqual([again.state, again['applied'], again['refused']], ['done', 1, 1])
  }
})

test('a header whose names a spreadsheet has quoted gets no second column of reasons', async () => {
  const supplier = await shop('Quoting')
  const header = '"refused","hotelId","roomId","rateId","startDate","endDate","price"'
  const job = await load(
    supplier,
    { kind: 'ari', format: 'csv' },
    `${header}\n"INVALID_AMOUNT: no, no","H1","DBL","BAR","2027-04-02","2027-04-02","x"`,
  )
  assert.deepEqual([job.state, job['refused']], ['done', 1])
  const { text } = expectOk(await supplier.get(`/push/bulk/${job.jobId}/errors`))
  const [first, line] = text.split('\n')
  assert.equal(first, header.replace('"refused"', 'refused'))
  assert.match(
    String(line),
    /^"INVALID_AMOUNT: (?!no)(?:[^"]|"")*","H1","DBL","BAR","2027-04-02","2027-04-02","x"$/,
  )
})

test('refused lines of CSV come back with the header, and apply when they are mended', async () => {
  const supplier = await shop('Mended sheets')
  const lines = [
    'hotelId;roomId;rateId;startDate;endDate;price',
    'H1;DBL;BAR;2027-04-01;2027-04-01;100',
    'H1;DBL;BAR;2027-04-02;2027-04-02;x',
    'H1;DBL;BAR;"2027-04-03;2027-04-03;103',
    'H1;DBL;BAR;2027-04-04',
    'H1;;BAR;2027-04-05;2027-04-05;105',
    'H9;DBL;BAR;2027-04-06;2027-04-06;106',
    `H1;DBL;BAR;2027-04-07;2027-04-07;${'9'.repeat(70_000)}`,
    'H1;DBL;BAR;2027-04-08;2027-04-08;108',
  ]
  const job = await load(supplier, { kind: 'ari', format: 'csv' }, lines.join('\n'))
  assert.deepEqual([job.state, job['applied'], job['refused']], ['done', 2, 6])
  const { text } = expectOk(await supplier.get(`/push/bulk/${job.jobId}/errors`))
  const [header, ...refused] = text.trimEnd().split('\n')
  assert.equal(header, `refused;${lines[0]}`)
  assert.deepEqual(
    refused.map((line) => /^"([A-Z_]+):/.exec(line)?.[1]),
    ['INVALID_AMOUNT', 'LINE_QUOTES', 'LINE_CELLS', 'REQUIRED', 'HOTEL_NOT_FOUND', 'LINE_TOO_LONG'],
  )
  assert.deepEqual(
    refused.slice(0, 5).map((line) => line.replace(/^"(?:[^"]|"")*";/, '')),
    lines.slice(2, 7),
  )
  const mended = [header, refused[0]?.replace(';x', ';102'), refused[4]?.replace(';H9;', ';H1;')].join('\n')
  const second = await load(supplier, { kind: 'ari', format: 'csv' }, mended)
  assert.deepEqual([second.state, second['applied'], second['refused']], ['done', 2, 0])
  const broken = await load(supplier, { kind: 'ari', format: 'csv' }, 'hotelId,room\nH1,DBL')
  assert.deepEqual([broken.state, Object(broken['failure']).type], ['failed', 'UNKNOWN_COLUMN'])
})
