/**
 * Preloaded into a service: measures how long its event loop is held, in processor time of the thread that answers requests.
 * Whatever else runs on the machine doesn't count, nor does the program that asks. Asked over a port of its own, which is
 * written to the file that ARI_PROOF_LOOP_FILE names. ARI_PROOF_BREAK=here does all work on bodies in that thread.
 */
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { isMainThread } from 'node:worker_threads'
import { replaceSource } from '../replace-source.ts'
import { emptyLists } from './worst-bodies.ts'

const tickMs = 5
const parsedTimes = 7
const { ARI_PROOF_LOOP_FILE: file, ARI_PROOF_BREAK: broken } = process.env

if (broken === 'here')
  replaceSource([
    {
      file: 'src/push-log/bodies/body-work.ts',
      from: 'const smallBytes = 16 * 1024',
      to: 'const smallBytes = Infinity',
    },
  ])

// Not in its threads.
if (isMainThread && file !== undefined) {
  const spentMs = (): number => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1_000
  }
  let sinceMs = spentMs()
  let heldMs = 0
  const look = (): void => {
    const nowMs = spentMs()
    heldMs = Math.max(heldMs, nowMs - sinceMs)
    sinceMs = nowMs
  }
  setInterval(look, tickMs).unref()
  /** What the parse of a body of 2 MB takes here and now. */
  const parsedMs = (): number => {
    const text = JSON.stringify(emptyLists(2_000_000))
    const taken = Array.from({ length: parsedTimes }, () => {
      const beganMs = spentMs()
      JSON.parse(text)
      return spentMs() - beganMs
    }).sort((one, other) => one - other)
    sinceMs = spentMs()
    return taken[Math.floor(parsedTimes / 2)] ?? 0
  }
  const server = createServer((request, response) => {
    look()
    const answered = request.url === '/parsed' ? parsedMs() : heldMs
    heldMs = 0
    response.end(JSON.stringify(answered))
  }).listen(0, '127.0.0.1', () => {
    const address = server.address()
    writeFileSync(file, String(typeof address === 'object' ? address?.port : ''))
  })
  server.unref()
}
