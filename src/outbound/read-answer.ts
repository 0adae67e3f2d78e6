import type { ClientRequest, IncomingMessage } from 'node:http'
import { CallFault } from './connect.ts'

/** How much of an answer is read, and what is no answer. */

const interimAnswersMax = 10
/** Each costs the parser about as much as a kilobyte: a body of single bytes would take half a second of CPU time. */
const bodyPiecesMax = 10_000

/** Refuses endless interim answers, and a switch to another protocol. */
export function refuseOddities(request: ClientRequest, ending: AbortController): void {
  let interimAnswers = 0
  request.on('information', () => {
    if (++interimAnswers > interimAnswersMax)
      ending.abort(new CallFault('malformed', 'too many interim answers'))
  })
  request.on('upgrade', (_answer, socket) => {
    socket.destroy()
    ending.abort(new CallFault('malformed', 'the answer changes the protocol'))
  })
}

export function collect(
  answer: IncomingMessage,
  chunks: Buffer[],
  bytesMax: number,
  ending: AbortController,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let bytes = 0
    answer.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (chunks.length === bodyPiecesMax)
        ending.abort(new CallFault('too_large', `the answer comes in more than ${bodyPiecesMax} pieces`))
      else if (bytes <= bytesMax) chunks.push(chunk)
      else {
        chunks.push(chunk.subarray(0, Math.max(0, chunk.length - (bytes - bytesMax))))
        ending.abort(new CallFault('too_large', `the answer is larger than ${bytesMax} bytes`))
      }
    })
    answer.once('end', () => {
      if (answer.complete) resolve()
      else reject(new CallFault('reset', 'the connection broke in the middle of the answer'))
    })
    answer.on('error', reject)
  })
}
