import { answer, on, type Mounted } from '../../http/mount.ts'
import type { Needs } from '../../postgres/needs.ts'
import type { AnswerOf } from '../../http/route.ts'
import { laidOut } from './json-text.ts'
import { readChanges } from './changes.ts'
import { pushRoutes, shownCharactersMax, type ShownBody } from './contract.ts'
import { itemPlaces, readAnswer } from './items.ts'
import { selectLoggedPushes } from './store.ts'
import { readPush, type ReadPush } from './read-push.ts'
import { shownPush } from './shown-push.ts'

const sameRequestIdMax = 20

/** GET /pushes/{pushId}. */
export const getPush = ({ db, clock }: Needs): Mounted =>
  on(pushRoutes.getPush, async ({ params }) => {
    const read = await readPush(db, params.pushId)
    const { push, body } = read
    const text = body.encoding === 'json' ? body.bytes.toString() : undefined
    const said = readAnswer(read.answer.bytes.toString())
    const same = await selectLoggedPushes(
      db,
      { supplierId: push.supplierId, requestId: push.requestId },
      sameRequestIdMax + 1,
    )
    const page: AnswerOf<typeof pushRoutes.getPush> = {
      push: shownPush(push),
      body: shownBody(body),
      answer: shownBody(read.answer),
      problems: said.errors,
      moreProblems: said.moreErrors,
      items: text === undefined ? 0 : itemPlaces(push.kind, text).length,
      changes: await readChanges(db, push, text, clock.now()),
      sameRequestId: same.filter(({ pushId }) => pushId !== push.pushId).map(shownPush),
    }
    return answer(200, page)
  })

function shownBody({ bytes, encoding }: ReadPush['body']): ShownBody {
  const text = bytes.toString(encoding === 'base64' ? 'base64' : 'utf8')
  const shown =
    encoding === 'json'
      ? laidOut(text, shownCharactersMax)
      : { text: text.slice(0, shownCharactersMax), isCut: text.length > shownCharactersMax }
  return { encoding, bytes: bytes.length, ...shown }
}

/** GET /pushes/{pushId}/body and …/answer: the whole of it, byte for byte; what is no text, in base64. */
export const downloadPush = ({ db }: Needs): Mounted =>
  on(pushRoutes.downloadPush, async ({ params: { pushId, part } }) => {
    const { bytes, encoding } = (await readPush(db, pushId))[part]
    if (encoding === 'json') return { status: 200, json: bytes.toString() }
    return answer(200, { encoding, body: bytes.toString(encoding === 'base64' ? 'base64' : 'utf8') })
  })
