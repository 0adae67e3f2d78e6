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
