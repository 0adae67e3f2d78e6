import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto'
import { overloaded } from '../http/body.ts'
import { Gate } from '../base/gate.ts'
import type { Problem } from '../http/rejected.ts'
import type { ZxcvbnFactory } from '@zxcvbn-ts/core'

/**
 * Passwords, kept as scrypt with its parameters, so that those of later versions can be dearer. A name that nobody has
 * costs as much as a wrong password.
 */

const differentCharactersMin = 5

/** What RFC 7914 calls N, r and p: 32 MiB and about a quarter of a second. */
export type PasswordCost = { blocks: number; blockSize: number; parallel: number }
const usualCost: PasswordCost = { blocks: 32_768, blockSize: 8, parallel: 3 }
const saltBytes = 16
const keyBytes = 32

/** Node has four threads for this and for files, names and compression: guesses never take more than half of them. */
const hashesAtOnce = { passing: 2, waiting: 20 }

const hashText = /^scrypt\$(\d{1,8})\$(\d{1,2})\$(\d{1,2})\$([A-Za-z0-9_-]{22})\$([A-Za-z0-9_-]{43})$/

export type Passwords = {
  /** What is kept of a password. */
  hash: (password: string) => Promise<string>
  /** Null: there is none, which takes as long to find out. */
  matches: (password: string, kept: string | null) => Promise<boolean>
  /** Whether it was made with other parameters than passwords are now. */
  isDated: (kept: string) => boolean
}

export function passwords(cost = usualCost): Passwords {
  /** For names that nobody has: nothing gives this key. */
  const hashOfNobody = written(cost, Buffer.alloc(saltBytes), Buffer.alloc(keyBytes))
  const gate = new Gate(hashesAtOnce)
  const taken = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const turn = gate.enter(0)
    if (!turn) throw overloaded()
    await turn
    return work().finally(() => gate.leave(0))
  }
  return {
    hash: (password) =>
      taken(async () => {
        const salt = randomBytes(saltBytes)
        return written(cost, salt, await derive(password, salt, cost))
      }),
    matches: (password, kept) =>
      taken(async () => {
        const { salt, key, ...own } = read(kept ?? hashOfNobody)
        return timingSafeEqual(await derive(password, salt, own), key) && kept !== null
      }),
    isDated: (kept) => {
      const { blocks, blockSize, parallel } = read(kept)
      return blocks !== cost.blocks || blockSize !== cost.blockSize || parallel !== cost.parallel
    },
  }
}

/** Why nobody should have this password; its length is the shape's to judge. */
export function passwordProblems(password: string, name: string, path: string): Problem[] {
  const folded = password.normalize('NFKC').toLowerCase()
  if (new Set(folded).size < differentCharactersMin) {
    return [weak(`Password must have at least ${differentCharactersMin} different characters`, path)]
  }
  const isName = folded.includes(name.normalize('NFKC').toLowerCase())
  return isName ? [weak('Password must not contain the name', path)] : []
}

function weak(message: string, path: string): Problem {
  return { type: 'WEAK_PASSWORD', message, path, hint: 'Several words that do not belong together are good' }
}

function written({ blocks, blockSize, parallel }: PasswordCost, salt: Buffer, key: Buffer): string {
  return ['scrypt', blocks, blockSize, parallel, salt.toString('base64url'), key.toString('base64url')].join(
    '$',
  )
}

function read(kept: string): PasswordCost & { salt: Buffer; key: Buffer } {
  const [, blocks, blockSize, parallel, salt = '', key = ''] = hashText.exec(kept) ?? []
  if (blocks === undefined) throw new Error('A password is kept in a form that this version does not know')
  return {
    blocks: Number(blocks),
    blockSize: Number(blockSize),
    parallel: Number(parallel),
    salt: Buffer.from(salt, 'base64url'),
    key: Buffer.from(key, 'base64url'),
  }
}

function derive(
  password: string,
  salt: Buffer,
  { blocks, blockSize, parallel }: PasswordCost,
): Promise<Buffer> {
  // Twice what it needs, because Node refuses to use exactly what it may.
  const maxmem = 2 * 128 * blocks * blockSize
  const options: ScryptOptions = { N: blocks, r: blockSize, p: parallel, maxmem }
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, keyBytes, options, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}

/**
 * Passwords that others guess first: the 49,000 most used ones, and what people make of them (another case, digits
 * behind, $ for s, rows of the keyboard, repeats, dates).
 */

/** As zxcvbn rates them, 0 to 4: 3 and more is beyond 100 million guesses. */
const scoreMin = 3
/** Judging takes longer the longer a password is, up to 40 ms for these; what is behind could only make it better. */
const charactersJudged = 48

let estimator: Promise<ZxcvbnFactory> | undefined

/** Whether somebody who tries what people choose comes upon it soon. */
export async function isCommonPassword(password: string, name: string): Promise<boolean> {
  // Loaded when somebody chooses a password: its lists are 4 MB.
  const judge = await (estimator ??= load())
  return judge.check(password.normalize('NFKC').slice(0, charactersJudged), [name]).score < scoreMin
}

async function load(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory: Factory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ])
  return new Factory({ dictionary, graphs: adjacencyGraphs })
}
