/** Which characters texts, names and codes may have. */

/** Control characters and lone surrogates: PostgreSQL refuses or alters them, and nobody can read them. */
export const unprintable = /[\p{Cc}\p{Cs}]/u
/** The same for multi-line text. */
export const unprintableInLines = /(?![\t\n\r])[\p{Cc}\p{Cs}]/u
/**
 * What shows nothing: format characters, what is ignored by default (variation selectors and letters that are blank, for
 * example), and the empty pattern of braille.
 */
export const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u
/** In addition to what is unprintable, codes have no invisible characters, no separators of lines, and no spaces at the ends. */
const nowhereInCodes = /[\p{Cc}\p{Cs}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800\p{Zl}\p{Zp}]/u
export const notInCodes = new RegExp(String.raw`${nowhereInCodes.source}|^\s|\s$`, 'u')
/** Text that shows nothing: spaces and invisible characters alone. */
export const blank = /^[\s\p{Z}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u

/**
 * What codes must match, for readers of the documents, in the regular expressions of ECMA-262 without any flag. Invisible
 * characters beyond the basic plane are refused too.
 */
export function codePattern(): string {
  return String.raw`^(?!\s)(?!.*\s$)[^${rangesOf(nowhereInCodes)}]+$`
}

const [surrogatesFrom, surrogatesTo] = [0xd800, 0xdfff]
const planeEnd = 0xffff

function rangesOf(characters: RegExp): string {
  const ranges: [from: number, to: number][] = []
  for (let code = 0; code <= planeEnd; code++) {
    const isSurrogate = code >= surrogatesFrom && code <= surrogatesTo
    if (isSurrogate || !characters.test(String.fromCharCode(code))) continue
    const last = ranges.at(-1)
    if (last?.[1] === code - 1) last[1] = code
    else ranges.push([code, code])
  }
  return ranges
    .map(([from, to]) => (from === to ? escaped(from) : `${escaped(from)}-${escaped(to)}`))
    .join('')
}

function escaped(code: number): string {
  return String.raw`\u${code.toString(16).padStart(4, '0')}`
}
