import { extname } from 'node:path'
import { setImmediate as breathe } from 'node:timers/promises'
import { Worker, type MessagePort } from 'node:worker_threads'
import { Gate } from '../../base/gate.ts'

/**
 * Work on stored bodies of pushes. A body within the limits of a key may take a tenth of a second to parse, many times what
 * its length suggests, and a request may read many of them. So a thread does the work, one piece at a time, fairly by the
 * owner of the bodies. It starts with the first piece and ends some time after the last one.
 */
export type BodyWork<Asked, Result> = {
  /** The same in the thread and outside of it. */
  name: string
  /** Without side effects; `asked` and the result are copied from thread to thread. */
  run: (bodies: readonly Buffer[], asked: Asked) => Result
}

/** Their work takes a millisecond or so, less than the way to the thread. */
const smallBytes = 16 * 1024
/** Bytes of small bodies after which other events get a turn. */
const bytesAtOnce = 8 * smallBytes
let bytesInTurn = 0

/** `owner`: the supplier whose bodies these are. */
export async function workOn<Asked, Result>(
  work: BodyWork<Asked, Result>,
  owner: number,
  bodies: readonly Buffer[],
  asked: Asked,
): Promise<Result> {
  const bytes = bodies.reduce((sum, { length }) => sum + length, 0)
  if (bytes > smallBytes) return inThread(work, owner, bodies, asked)
  bytesInTurn += bytes
  if (bytesInTurn > bytesAtOnce) {
    bytesInTurn = 0
    await breathe()
  }
  return work.run(bodies, asked)
}

const turns = new Gate({ passing: 1, waiting: Infinity, inAll: { passing: 1, keptForOthers: 0 } })

async function inThread<Asked, Result>(
  { name }: BodyWork<Asked, Result>,
  owner: number,
  bodies: readonly Buffer[],
  asked: Asked,
): Promise<Result> {
  await turns.enter(owner)
  try {
    const done = await doneBy(startedThread(), { name, bodies: bodies.map(copyOf), asked })
    if (done.kind === 'failed') throw new Error(`the work "${name}" on stored bodies failed: ${done.message}`)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The boundary: the thread runs the same program.
    return done.result as Result
  } finally {
    turns.leave(owner)
  }
}

/** A buffer may be a part of a larger one, all of which would be copied. */
function copyOf(body: Buffer): Uint8Array<ArrayBuffer> {
  return new Uint8Array(body)
}

type Ordered = { name: string; bodies: readonly Uint8Array<ArrayBuffer>[]; asked: unknown }
type Done = { kind: 'done'; result: unknown } | { kind: 'failed'; message: string }

const idleMaxMs = 10_000
// The sources are .ts, the packed product is .js.
const program = new URL(`../../processes/body-thread${extname(import.meta.url)}`, import.meta.url)
let thread: Worker | undefined
let idle: NodeJS.Timeout | undefined

function startedThread(): Worker {
  clearTimeout(idle)
  if (thread) return thread
  const started = new Worker(program)
  // Whoever waits for the work keeps the process.
  started.unref()
  // Between two pieces, nobody else listens.
  started.on('error', () => end(started))
  thread = started
  return started
}

function end(worker: Worker): void {
  if (thread === worker) thread = undefined
  void worker.terminate()
}

/** One piece at a time: the next message is the answer. */
function doneBy(worker: Worker, ordered: Ordered): Promise<Done> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void): void => {
      worker.off('message', onDone).off('error', onError).off('exit', onExit)
      idle = setTimeout(() => end(worker), idleMaxMs).unref()
      finish()
    }
    const fail = (error: Error): void => {
      end(worker)
      settle(() => reject(error))
    }
    const onDone = (done: Done): void => settle(() => resolve(done))
    const onError = (error: Error): void => fail(error)
    const onExit = (): void => fail(new Error('the thread that works on stored bodies ended'))
    worker.on('message', onDone).on('error', onError).on('exit', onExit)
    worker.postMessage(
      ordered,
      ordered.bodies.map(({ buffer }) => buffer),
    )
  })
}

/** The thread's side. Each of the works has its own types: the thread only passes on what it gets. */
export function workInThread(port: MessagePort, works: readonly BodyWork<never, unknown>[]): void {
  const workByName = new Map(works.map((work) => [work.name, work]))
  const doneOf = ({ name, bodies, asked }: Ordered): Done => {
    const work = workByName.get(name)
    if (!work) return { kind: 'failed', message: 'the thread does not know it' }
    try {
      const buffers = bodies.map(({ buffer }) => Buffer.from(buffer))
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The boundary: workOn() compared the types.
      return { kind: 'done', result: work.run(buffers, asked as never) }
    } catch (error) {
      return {
        kind: 'failed',
        message: error instanceof Error ? (error.stack ?? error.message) : String(error),
      }
    }
  }
  port.on('message', (ordered: Ordered) => port.postMessage(doneOf(ordered)))
}
