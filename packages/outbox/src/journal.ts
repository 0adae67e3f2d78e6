import { open, readFile, rename, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { hasCode } from './lock.ts'
import { outboxOperations, type OutboxOperation } from './push-client.ts'

/**
 * The file of an outbox. Each line is one write, and is on the disk before the next begins, so that a crash
 * can tear only the last line; no caller has been told that it is stored, and it is cut off.
 */

/** A waiting push. */
export type StoredPush = {
  /** Also its Idempotency-Key. */
  id: string
  operation: OutboxOperation
  /** The hotels whose order it must keep. */
  hotels: readonly string[]
  /** JSON. */
  body: string
  addedAt: string
}

export type JournalRecord = { add: StoredPush } | { done: string }

type Pending = { record: JournalRecord; written: () => void; failed: (error: unknown) => void }

/** The file is rewritten once it has grown by this much beyond twice its live data. */
const rewrittenAfterBytes = 1024 * 1024

export class Journal {
  readonly #path: string
  /** The pushes that must remain in the file. */
  readonly #live: () => readonly StoredPush[]
  #handle: FileHandle
  #bytes: number
  #rewrittenAtBytes = rewrittenAfterBytes
  #pending: Pending[] = []
  /** `done` records that could not be written. */
  #owed: JournalRecord[] = []
  #isWriting = false
  #writing: Promise<void> | undefined
  #broken: unknown

  private constructor(path: string, handle: FileHandle, bytes: number, live: () => readonly StoredPush[]) {
    this.#path = path
    this.#handle = handle
    this.#bytes = bytes
    this.#live = live
  }

  /** Also returns the pushes that wait in the file, in order. */
  static async open(
    path: string,
    live: () => readonly StoredPush[],
  ): Promise<{ journal: Journal; stored: StoredPush[] }> {
    const { stored, bytes } = await readStored(path)
    const handle = await open(path, 'a+', 0o600)
    await handle.truncate(bytes)
    await handle.datasync()
    await syncFolder(path)
    return { journal: new Journal(path, handle, bytes, live), stored }
  }

  /** Resolves when it is on the disk; `written` is called before anything else is written. */
  append(record: JournalRecord, written: () => void = () => {}): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#pending.push({
        record,
        written: () => {
          written()
          resolve()
        },
        failed: reject,
      })
      if (!this.#isWriting) this.#writing = this.#write()
    })
  }

  async close(): Promise<void> {
    await this.#writing
    // Their callers were told when they could not be written.
    await this.#writeLine([]).catch(() => undefined)
    await this.#handle.close()
  }

  async #write(): Promise<void> {
    this.#isWriting = true
    while (this.#pending.length > 0) {
      const together = this.#pending
      this.#pending = []
      try {
        await this.#writeLine(together.map(({ record }) => record))
      } catch (error) {
        for (const { failed } of together) failed(error)
        // They may fit where a push doesn't.
        await this.#writeLine([]).catch(() => undefined)
        continue
      }
      for (const { written } of together) written()
      await this.#rewriteIfWorthwhile()
    }
    this.#isWriting = false
  }

  /**
   * No push is stored without the `done` records before it: a restart would send those older pushes again,
   * over its values once the service has forgotten their keys.
   */
  async #writeLine(added: readonly JournalRecord[]): Promise<void> {
    const records = [...this.#owed, ...added]
    if (records.length === 0) return
    if (this.#broken !== undefined)
      throw new Error(`${this.#path} can't be written any more`, { cause: this.#broken })
    const line = `${JSON.stringify(records)}\n`
    try {
      await this.#handle.appendFile(line)
      await this.#handle.datasync()
      this.#bytes += Buffer.byteLength(line)
      this.#owed = []
    } catch (error) {
      this.#owed = records.filter((record) => 'done' in record)
      // As on a full disk: a partial line must not precede the next one.
      await this.#handle.truncate(this.#bytes).catch((cause: unknown) => (this.#broken = cause))
      throw error
    }
  }

  /** Leaves out finished pushes; a crash leaves the old file or the new one. */
  async #rewriteIfWorthwhile(): Promise<void> {
    if (this.#bytes < this.#rewrittenAtBytes) return
    const live = this.#live()
    const text = live.length === 0 ? '' : `${JSON.stringify(live.map((add) => ({ add })))}\n`
    const bytes = Buffer.byteLength(text)
    this.#rewrittenAtBytes = 2 * bytes + rewrittenAfterBytes
    try {
      const handle = await open(`${this.#path}.new`, 'w', 0o600)
      await handle.writeFile(text)
      await handle.datasync()
      await handle.close()
      await rename(`${this.#path}.new`, this.#path)
    } catch {
      // The old file is just as good, only longer.
      return
    }
    const old = this.#handle
    try {
      await syncFolder(this.#path)
      this.#handle = await open(this.#path, 'a', 0o600)
      this.#bytes = bytes
      await old.close()
    } catch (cause) {
      // The open file no longer has a name: anything written to it would be lost.
      this.#broken = cause
    }
  }
}

async function readStored(path: string): Promise<{ stored: StoredPush[]; bytes: number }> {
  const content = await readFile(path).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return Buffer.alloc(0)
    throw error
  })
  const storedById = new Map<string, StoredPush>()
  let at = 0
  for (let number = 1; at < content.length; number++) {
    const end = content.indexOf('\n', at)
    const records = end < 0 ? undefined : recordsIn(content.toString('utf8', at, end))
    if (!records) {
      // Torn by a crash; anywhere else it is damage, and only a person can say what is lost.
      if (end < 0 || end === content.length - 1) break
      throw new Error(`${path} is damaged in line ${number}: move it away, and look at what waits in it`)
    }
    for (const record of records) {
      if ('add' in record) storedById.set(record.add.id, record.add)
      else storedById.delete(record.done)
    }
    at = end + 1
  }
  return { stored: [...storedById.values()], bytes: at }
}

function recordsIn(line: string): JournalRecord[] | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return Array.isArray(value) && value.every(isRecord) ? value : undefined
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is JournalRecord {
  if (typeof value !== 'object' || value === null) return false
  if ('done' in value) return typeof value.done === 'string'
  if (!('add' in value) || typeof value.add !== 'object' || value.add === null) return false
  const { add } = value
  return (
    'id' in add &&
    'operation' in add &&
    'hotels' in add &&
    'body' in add &&
    typeof add.id === 'string' &&
    typeof add.body === 'string' &&
    Array.isArray(add.hotels) &&
    outboxOperations.some((operation) => operation === add.operation)
  )
}

/** So that the name is on the disk too. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(dirname(path), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
