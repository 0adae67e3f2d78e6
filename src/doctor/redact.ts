/**
 * Removes whatever must not be pasted into a ticket. Nothing that is shown should contain secrets in the first place; this is
 * for what other programs say, such as a mail server's answer, and for values that were put into the wrong setting.
 */

const mark = '[secret]'
/** A shorter one would hide parts of ordinary words. */
const charactersMin = 4
/** The gateway's own keys, tokens and signing secrets, whole or cut. */
const ownSecrets = /\b(?:ari_(?:sbx|live|tok_[a-z]+_(?:sbx|live))_|whsec_)[\w+/=-]*/g
/** User and password of a URL, also of one that was cut. */
const credentials = /\/\/[^\s/"@]*(?:@|:[^\s/"@]*…)/g

/** `values` are those of secret settings; the credentials in them are removed too. */
export function redactor(values: readonly string[]): (text: string) => string {
  const texts = [...new Set(values.flatMap((value) => textsIn(value)))]
  const longestFirst = texts
    .filter(({ length }) => length >= charactersMin)
    .sort((left, right) => right.length - left.length)
  return (text) => {
    let clean = text
    for (const secret of longestFirst) clean = clean.replaceAll(secret, mark)
    return clean.replaceAll(ownSecrets, mark).replaceAll(credentials, `//${mark}@`)
  }
}

function textsIn(value: string): string[] {
  const parts = value.split(',').map((part) => part.trim())
  const given = /\/\/([^/?#]*)@/.exec(value)?.[1]
  const [user = '', ...rest] = given?.split(':') ?? []
  // Mail servers and NATS take tokens as users. The database's user is needed to say which rights are missing.
  const secrets = value.startsWith('postgres') ? [rest.join(':')] : [user, rest.join(':')]
  return [value, ...parts, ...secrets, ...secrets.map(decoded)]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
