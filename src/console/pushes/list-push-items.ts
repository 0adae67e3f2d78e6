import { answer, onEveryProblem, type Judge, type Mounted } from '../../http/mount.ts'
import type { Needs } from '../../postgres/needs.ts'
import { readableQuery, readLimit } from '../../http/query.ts'
import { rejectIfAny } from '../../http/rejected.ts'
import type { AnswerOf } from '../../http/route.ts'
import { readCount } from '../bookings/booking-query.ts'
import { itemsPerPage, pushRoutes } from './contract.ts'
import { hasProblems, indexOfPointer, itemPlaces, judgedItems, readAnswer, shownItem } from './items.ts'
import { readPush } from './read-push.ts'

/** GET /pushes/{pushId}/items: each item with its result, in the order sent. */
export const listPushItems = ({ db }: Needs): Mounted =>
  onEveryProblem(pushRoutes.listPushItems, judge, async ({ params, query, read: { from: asked, limit } }) => {
    const { push, body, answer: answered } = await readPush(db, params.pushId)
    const text = body.encoding === 'json' ? body.bytes.toString() : ''
    const places = text === '' ? [] : itemPlaces(push.kind, text)
    const items = judgedItems(places, push, readAnswer(answered.bytes.toString()))
    const matching = query.only === 'failed' ? items.filter(hasProblems) : items
    const place = query.at === undefined ? -1 : indexOfPointer(matching, query.at)
    const from = place === -1 ? asked : place - (place % limit)
    const said: AnswerOf<typeof pushRoutes.listPushItems> = {
      items: matching.slice(from, from + limit).map((item) => shownItem(text, item)),
      total: items.length,
      matching: matching.length,
      from,
      nextFrom: from + limit < matching.length ? from + limit : null,
    }
    return answer(200, said)
  })

const indexMax = 999_999_999

const judge: Judge<{ from: number; limit: number }> = (sent, shapeProblems) => {
  const query = readableQuery(sent, shapeProblems)
  const wrong = [...shapeProblems]
  const from = readCount('from', query, indexMax, wrong) ?? 0
  const limit = readLimit(query['limit'], itemsPerPage, wrong)
  rejectIfAny(wrong)
  return { from, limit }
}
