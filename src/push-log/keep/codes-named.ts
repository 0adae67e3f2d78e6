import { parseJson } from '../../http/validation/json.ts'
import { Rejected } from '../../http/rejected.ts'
import { isRecord } from '../../http/validation/validate.ts'
import type { BodyWork } from '../bodies/body-work.ts'

const hotelsMax = 500
const codeText = /^[^\p{Cc}\p{Cs}]{1,64}$/u

/** The hotels that a refused body names. */
export const readCodesNamed: BodyWork<undefined, string[]> = {
  name: 'hotels named',
  run: ([body]) => (body ? codesNamed(parsed(body)) : []),
}

function parsed(rawBody: Buffer): unknown {
  try {
    return parseJson(rawBody)
  } catch (error) {
    if (error instanceof Rejected) return undefined
    throw error
  }
}

/** The hotels that a body of any shape names, if they can be codes. */
function codesNamed(body: unknown): string[] {
  const elements: readonly unknown[] = Array.isArray(body) ? body.slice(0, hotelsMax) : [body]
  const named = elements.flatMap((element) => {
    const code = isRecord(element) ? element['hotelId'] : undefined
    return typeof code === 'string' && codeText.test(code) ? [code] : []
  })
  return [...new Set(named)]
}
