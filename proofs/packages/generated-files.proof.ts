import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { root } from '../../test/stage/files.ts'
import { cityTable, countriesSource, currenciesSource } from '../../scripts/build-reference.ts'

const remedy = 'run npm run build:reference'
const maxCitiesFileBytes = 1_500_000

test('the rows of currencies and countries are what scripts/build-reference.ts writes', () => {
  assert.equal(read('src/reference/currencies.ts').toString(), currenciesSource(), remedy)
  assert.equal(read('src/reference/countries.ts').toString(), countriesSource(), remedy)
})

test('the city table is what scripts/build-reference.ts writes, small, and names its source', () => {
  const compressed = read('src/reference/cities.tsv.zst')
  // Compare the table, not the file: another release of zstd may compress the same table differently.
  const table = zstdDecompressSync(compressed)
  assert.ok(table.equals(cityTable()), remedy)
  assert.ok(compressed.length <= maxCitiesFileBytes)
  assert.match(table.toString('utf8', 0, 200), /^# City names from GeoNames .*CC BY 4\.0/)
  assert.match(read('NOTICE').toString(), /GeoNames[^]*Creative Commons\s+Attribution 4\.0/)
})

function read(path: string): Buffer {
  return readFileSync(join(root, path))
}
