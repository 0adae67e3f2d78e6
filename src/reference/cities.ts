import { readFileSync } from 'node:fs'
import { zstdDecompressSync } from 'node:zlib'

/** Far above the 3 MB of the table; stops a damaged file from filling the memory. */
const maxTableBytes = 16 * 1024 * 1024

const lineFeed = 0x0a

let loadedTable: Buffer | undefined

/**
 * The city of the reference data that a supplier's `city` names, in GeoNames' spelling; undefined when there
 * is none. Case, accents, punctuation and spaces don't matter (see `cityKey`), nor does spelling ä, ö, ü as
 * ae, oe, ue; well-known names in other languages match too (`München`, `Wien`, `New York`).
 *
 * With a country (ISO 3166-1 alpha-2, upper case), only that country's cities are searched. Without one, the
 * name must exist in exactly one country: a guess would place a hotel in Birmingham, Alabama, in England.
 * Cities with the same name in one country count as the same city.
 *
 * The data (GeoNames, CC BY 4.0, see NOTICE) is read on the first call, which takes about 10 ms, and kept as
 * one buffer of about 3 MB.
 */
export function matchCity(
  name: string,
  countryCode: string | undefined,
): { name: string; countryCode: string } | undefined {
  const key = cityKey(name)
  if (key === '') return undefined
  const table = (loadedTable ??= readTable())
  const prefix = Buffer.from(countryCode === undefined ? `${key}\t` : `${key}\t${countryCode}\t`)
  const start = firstLineNotBelow(table, prefix)
  if (!startsWith(table, start, prefix)) return undefined
  const end = table.indexOf(lineFeed, start)
  const ambiguous = startsWith(table, end + 1, prefix)
  if (ambiguous) return undefined
  const [, matchedCountryCode, matchedName] = table.toString('utf8', start, end).split('\t')
  if (matchedCountryCode === undefined || matchedName === undefined) return undefined
  return { name: matchedName, countryCode: matchedCountryCode }
}

/**
 * The table: lines of `key TAB country TAB name LF`, sorted by their bytes, with one line per key and
 * country. Its first line is a comment that sorts before every key.
 */
function readTable(): Buffer {
  const compressed = readFileSync(new URL('./cities.tsv.zst', import.meta.url))
  return zstdDecompressSync(compressed, { maxOutputLength: maxTableBytes })
}

/** Binary search by bytes, without an index of the lines: each probe moves back to the start of its line. */
function firstLineNotBelow(table: Buffer, prefix: Buffer): number {
  let low = 0
  let high = table.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const start = middle === 0 ? 0 : table.lastIndexOf(lineFeed, middle - 1) + 1
    const end = table.indexOf(lineFeed, middle)
    const isBelow = table.compare(prefix, 0, prefix.length, start, end) < 0
    if (isBelow) low = end + 1
    else high = start
  }
  return low
}

function startsWith(table: Buffer, start: number, prefix: Buffer): boolean {
  return table.subarray(start, start + prefix.length).equals(prefix)
}

/** A longer name can't be a city: the longest in the data has 65 characters. */
const maxCityNameCharacters = 120

/** Letters that Unicode decomposition leaves unchanged. */
const plainLetters: ReadonlyMap<string, string> = new Map([
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['ø', 'o'],
  ['ł', 'l'],
  ['đ', 'd'],
  ['ð', 'd'],
  ['þ', 'th'],
  ['ħ', 'h'],
  ['ı', 'i'],
  ['ə', 'a'],
  ['ς', 'σ'],
])

/** Abbreviated words in place names, with their full forms. */
const fullWords: ReadonlyMap<string, string> = new Map([
  ['st', 'saint'],
  ['sankt', 'saint'],
  ['ste', 'sainte'],
  ['sta', 'santa'],
  ['sto', 'santo'],
  ['mt', 'mount'],
  ['ft', 'fort'],
])

/**
 * The common key of two spellings of a city's name: its letters and digits, without case, accents,
 * punctuation and spaces, so that `Sharm El Sheikh` matches `Sharm el-Sheikh` and `SAO PAULO` matches `São
 * Paulo`. The abbreviations St, Ste, Sta, Sto, Mt and Ft are expanded, and Sankt becomes Saint, because the
 * same town is written both ways (`St. Moritz`, `Saint Moritz`, `Sankt Moritz`). Empty when nothing is left,
 * or when the name is too long for a city.
 */
export function cityKey(name: string): string {
  if (name.length > maxCityNameCharacters) return ''
  // Decompose before lowercasing: the Turkish İ then becomes a plain i.
  const letters = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\p{M}\p{Lm}'’‘`´]/gu, '')
    .replace(/[ßæœøłđðþħıəς]/g, (letter) => plainLetters.get(letter) ?? letter)
  return letters
    .split(/[^\p{L}\p{N}]+/u)
    .map((word) => fullWords.get(word) ?? word)
    .join('')
}
