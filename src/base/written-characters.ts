/** Characters that programs write as others: `&nbsp;`, `&#160;`, `%20`, `\u0020`. */

const sign = [
  'nbsp|ensp|emsp|emsp13|emsp14|thinsp|hairsp|numsp|puncsp|shy|zwj|zwnj|lrm|rlm|tab|newline',
  'hyphen|dash|ndash|mdash|minus|plus|period|comma|colon|semi|sol|bsol|middot|bull|lowbar|ast|num|quot|apos',
].join('|')
const entity = `&(?:amp;)*(?:#\\d{1,7}|#x[\\da-f]{1,6}|${sign});`
const after = String.raw`%[89ab][\da-f]`
const percent = String.raw`%[0-7][\da-f]|%[cd][\da-f]${after}|%e[\da-f](?:${after}){2}|%f[0-7](?:${after}){3}`
const escape = String.raw`\\(?:u[\da-f]{4}|u\{[\da-f]{1,6}\}|x[\da-f]{2}|[nrtfv])`
const writtenOut = new RegExp(`${entity}|${percent}|${escape}|<br ?/?>`, 'giu')

/** Stands for nothing: what was longer than the character that it says is filled up by it. */
export const filler = '\u2060'

/**
 * The text as people read it, in as many characters, so that a place in it is the place in the text; signs are blanks.
 */
export function asRead(text: string): string {
  if (!/[&%\\<]/.test(text)) return text
  return text.replaceAll(writtenOut, (written) => {
    const said = saidBy(written)
    return said === undefined ? written : said + filler.repeat(Math.max(0, written.length - said.length))
  })
}

/** The same in fewer characters. */
export function decoded(text: string): string {
  return withoutFillers(asRead(text))
}

/** The text with its digits as such, everything else as it was. */
export function withPlainDigits(text: string): string {
  return text.replaceAll(writtenOut, (written) => {
    const read = saidBy(written) ?? ''
    return /^\d$/.test(read) ? read : written
  })
}

export function withoutFillers(text: string): string {
  return text.replaceAll(filler, '')
}

function saidBy(written: string): string | undefined {
  if (written.startsWith('%')) return fromPercent(written)
  const [, decimal, hex] = /#(\d+)|(?:x|u\{?)([\da-f]+)/i.exec(written) ?? []
  const digits = decimal ?? hex
  if (digits === undefined) return ' '
  const code = Number.parseInt(digits, decimal === undefined ? 16 : 10)
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined
}

function fromPercent(bytes: string): string | undefined {
  try {
    return decodeURIComponent(bytes)
  } catch {
    return undefined
  }
}
