import type { BodyEncoding } from '../../push-log/contract.ts'
import type { BodyWork } from '../../push-log/bodies/body-work.ts'
import { encodingOf } from '../../push-log/bodies/stored-bytes.ts'
import {
  shownCharactersMax,
  type PushItem,
  type PushListed,
  type PushProblem,
  type ShownBody,
} from './contract.ts'
import {
  hasProblems,
  indexOfPointer,
  itemLocations,
  itemWithText,
  judgedItems,
  laidOut,
  readAnswer,
} from './items.ts'

/** What pages show of the body and the answer of a push, which take long to go through. */

type ShownPush = {
  body: ShownBody
  answer: ShownBody
  problems: PushProblem[]
  moreProblems: number
  items: number
}

/** Of a push of this kind. */
export const readShownPush: BodyWork<PushListed['kind'], ShownPush> = {
  name: 'shown push',
  run: ([body = nothing, answer = nothing], kind) => {
    const { errors, moreErrors } = readAnswer(answer.toString())
    const shown = bodyStart(body)
    const items = shown.encoding === 'json' ? itemLocations(kind, body.toString()).length : 0
    return { body: shown, answer: bodyStart(answer), problems: errors, moreProblems: moreErrors, items }
  },
}

const nothing = Buffer.alloc(0)

function bodyStart(bytes: Buffer): ShownBody {
  const encoding: BodyEncoding = encodingOf(bytes)
  const text = bytes.toString(encoding === 'base64' ? 'base64' : 'utf8')
  const cut =
    encoding === 'json'
      ? laidOut(text, shownCharactersMax)
      : { text: text.slice(0, shownCharactersMax), isCut: text.length > shownCharactersMax }
  return { encoding, bytes: bytes.length, ...cut }
}

type AskedItems = Pick<PushListed, 'kind' | 'outcome'> & {
  isFailedOnly: boolean
  /** A pointer to or into the item that the page must have. */
  at: string | undefined
  from: number
  limit: number
}
type PageOfItems = {
  items: PushItem[]
  total: number
  matching: number
  from: number
  nextFrom: number | null
}

export const readPushItems: BodyWork<AskedItems, PageOfItems> = {
  name: 'items of a push',
  run: ([body = nothing, answer = nothing], { isFailedOnly, at, from: requestedFrom, limit, ...push }) => {
    const text = encodingOf(body) === 'json' ? body.toString() : ''
    const locations = text === '' ? [] : itemLocations(push.kind, text)
    const items = judgedItems(locations, push, readAnswer(answer.toString()))
    const matching = isFailedOnly ? items.filter(hasProblems) : items
    const position = at === undefined ? -1 : indexOfPointer(matching, at)
    const from = position === -1 ? requestedFrom : position - (position % limit)
    return {
      items: matching.slice(from, from + limit).map((item) => itemWithText(text, item)),
      total: items.length,
      matching: matching.length,
      from,
      nextFrom: from + limit < matching.length ? from + limit : null,
    }
  },
}
