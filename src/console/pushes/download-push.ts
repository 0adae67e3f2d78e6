import { answer, on, type Mounted } from '../../http/mount.ts'
import type { Needs } from '../../postgres/needs.ts'
import { pushRoutes } from './contract.ts'
import { readPush } from './read-push.ts'

/** GET /pushes/{pushId}/body and …/answer: the whole of it, byte for byte; what is no text, in base64. */
export const downloadPush = ({ db }: Needs): Mounted =>
  on(pushRoutes.downloadPush, async ({ params: { pushId, part } }) => {
    const { bytes, encoding } = (await readPush(db, pushId))[part]
    if (encoding === 'json') return { status: 200, json: bytes.toString() }
    return answer(200, { encoding, body: bytes.toString(encoding === 'base64' ? 'base64' : 'utf8') })
  })
