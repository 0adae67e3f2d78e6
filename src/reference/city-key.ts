/** Longer names are no city's: the longest in the data has 65 characters. */
const maxCityNameCharacters = 120

/** Letters that Unicode's decomposition leaves whole. */
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

/** Whole words that people abbreviate in place names, each with what it is read as. */
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
 * What two spellings of a city's name must share to match: its letters and digits, without case, accents,
 * punctuation and spaces, so that `Sharm El Sheikh` is `Sharm el-Sheikh` and `SAO PAULO` is `São Paulo`.
 * The abbreviations St, Ste, Sta, Sto, Mt and Ft are read in full, and Sankt as Saint, because the same town
 * is written both ways (`St. Moritz`, `Saint Moritz`, `Sankt Moritz`).
 * Empty when nothing is left, or when the name is too long to be a city's.
 */
export function cityKey(name: string): string {
  if (name.length > maxCityNameCharacters) return ''
  // Decomposed before it is lowered: the Turkish İ then lowers to a plain i.
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
