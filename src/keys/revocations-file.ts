import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { isRecord } from '../http/validation/validate.ts'

/** The file of ARI_REVOCATIONS_FILE: lines of notes, each synced to disk. */

export const noteKinds = ['key', 'secret', 'token', 'operator', 'role', 'password', 'signing'] as const
export type NoteKind = (typeof noteKinds)[number]

/** `is`: `revoked`, `enabled`, an operator's role, or the instant at which a key or a secret of it ends. `at`: when it was noted. */
export type Noted = { kind: NoteKind; hash: string; is: string; at: string }

export class FileFault extends Error {}

/**
 * Each note is one line in one write, so notes of several processes don't mix, and a line that a crash or a
 * full disk cut off has no effect.
 */
export async function appendNote(
  file: string,
  at: string,
  noted: readonly Omit<Noted, 'at'>[],
): Promise<void> {
  const text = `${JSON.stringify({ at, noted })}\n`
  try {
    const handle = await opened(file)
    try {
      // Start a new line after one that a crash cut off.
      const begun = (await endsWithLine(handle)) ? '' : '\n'
      await handle.appendFile(begun + text)
      await handle.sync()
    } finally {
      await handle.close()
    }
  } catch (cause) {
    throw new FileFault(causeOf(cause), { cause })
  }
}

type File = Awaited<ReturnType<typeof open>>

/**
 * Creates a missing file. Accepts only regular files: a pipe would block with rows locked, and /dev/null
 * keeps nothing.
 */
async function opened(file: string): Promise<File> {
  const { O_RDWR, O_APPEND, O_CREAT, O_NONBLOCK } = constants
  const handle = await open(file, O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK, 0o600)
  if ((await handle.stat()).isFile()) return handle
  await handle.close()
  throw new Error('it is not a regular file')
}

function causeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  return 'code' in cause ? String(cause.code) : cause.message
}

async function endsWithLine(handle: File): Promise<boolean> {
  const { size } = await handle.stat()
  if (size === 0) return true
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer.toString() === '\n'
}

/** The notes in force. Creates the file if missing, so that a wrong path is reported at startup. */
export async function readNotes(file: string): Promise<{ noted: Noted[]; unreadable: number }> {
  const last = new Map<string, Noted>()
  let unreadable = 0
  for (const line of (await textOf(file)).split('\n')) {
    const noted = line === '' ? [] : readLine(line)
    for (const one of noted ?? []) last.set(`${one.kind} ${one.hash}`, one)
    if (!noted) unreadable++
  }
  return { noted: [...last.values()], unreadable }
}

async function textOf(file: string): Promise<string> {
  try {
    const handle = await opened(file)
    try {
      return await handle.readFile('utf8')
    } finally {
      await handle.close()
    }
  } catch (cause) {
    const hint = 'name a file in an existing folder, which this user can read and write'
    throw new Error(`ARI_REVOCATIONS_FILE ${file} can't be read and written: ${hint} (${causeOf(cause)})`, {
      cause,
    })
  }
}

/** Undefined for a line that was cut off: its revocation was not committed. */
function readLine(line: string): Noted[] | undefined {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return undefined
  }
  if (!isRecord(value) || !Array.isArray(value['noted'])) return undefined
  const { at } = value
  if (typeof at !== 'string' || Number.isNaN(Date.parse(at))) return undefined
  const noted = value['noted'].map((one: unknown) => readNoted(one, at))
  return noted.every((one) => one !== undefined) ? noted : undefined
}

function readNoted(value: unknown, at: string): Noted | undefined {
  if (!isRecord(value)) return undefined
  const kind = noteKinds.find((one) => one === value['kind'])
  const { hash: hashed, is } = value
  if (kind === undefined || typeof hashed !== 'string' || !/^[0-9a-f]{64}$/.test(hashed)) return undefined
  return typeof is === 'string' ? { kind, hash: hashed, is, at } : undefined
}
