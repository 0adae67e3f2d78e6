import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto'
import { Gate } from '../../base/gate.ts'
import { overloaded, type Problem } from '../../http/rejected.ts'
import type { ZxcvbnFactory } from '@zxcvbn-ts/core'

/**
 * Passwords are stored as scrypt hashes with their parameters, so that later versions can raise the cost. An unknown
 * name takes as long to check as a wrong password.
 */

const differentCharactersMin = 5

/** N, r and p of RFC 7914: 32 MiB and about a quarter of a second. */
export type PasswordCost = { blocks: number; blockSize: number; parallel: number }
const defaultCost: PasswordCost = { blocks: 32_768, blockSize: 8, parallel: 3 }
const saltBytes = 16
const keyBytes = 32

/** Node shares four threads between this, files, DNS and compression: guesses never take more than half of them. */
const hashesAtOnce = { passing: 2, waiting: 20 }

const hashText = /^scrypt\$(\d{1,8})\$(\d{1,2})\$(\d{1,2})\$([A-Za-z0-9_-]{22})\$([A-Za-z0-9_-]{43})$/

export type Passwords = {
  /** The hash to store for a password. */
  hash: (password: string) => Promise<string>
  /** Null: no password is set, which takes just as long to check. */
  matches: (password: string, storedHash: string | null) => Promise<boolean>
  /** Whether it was made with other parameters than the current ones. */
  isOutdated: (storedHash: string) => boolean
}

export function passwords(cost = defaultCost): Passwords {
  /** For unknown names: no password gives this key. */
  const hashOfNobody = formatHash(cost, Buffer.alloc(saltBytes), Buffer.alloc(keyBytes))
  const gate = new Gate(hashesAtOnce)
  const withTurn = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const turn = gate.enter(0)
    if (!turn) throw overloaded()
    await turn
    return work().finally(() => gate.leave(0))
  }
  return {
    hash: (password) =>
      withTurn(async () => {
        const salt = randomBytes(saltBytes)
        return formatHash(cost, salt, await derive(password, salt, cost))
      }),
    matches: (password, storedHash) =>
      withTurn(async () => {
        const { salt, key, ...own } = parseHash(storedHash ?? hashOfNobody)
        return timingSafeEqual(await derive(password, salt, own), key) && storedHash !== null
      }),
    isOutdated: (storedHash) => {
      const { blocks, blockSize, parallel } = parseHash(storedHash)
      return blocks !== cost.blocks || blockSize !== cost.blockSize || parallel !== cost.parallel
    },
  }
}

/** Reasons to refuse this password; the schema checks its length. */
export function passwordProblems(password: string, name: string, path: string): Problem[] {
  const folded = password.normalize('NFKC').toLowerCase()
  if (new Set(folded).size < differentCharactersMin) {
    return [weak(`Password must have at least ${differentCharactersMin} different characters`, path)]
  }
  const isName = folded.includes(name.normalize('NFKC').toLowerCase())
  return isName ? [weak('Password must not contain the name', path)] : []
}

function weak(message: string, path: string): Problem {
  return { type: 'WEAK_PASSWORD', message, path, hint: 'Several unrelated words work well' }
}

function formatHash({ blocks, blockSize, parallel }: PasswordCost, salt: Buffer, key: Buffer): string {
  return ['scrypt', blocks, blockSize, parallel, salt.toString('base64url'), key.toString('base64url')].join(
    '$',
  )
}

function parseHash(storedHash: string): PasswordCost & { salt: Buffer; key: Buffer } {
  const [, blocks, blockSize, parallel, salt = '', key = ''] = hashText.exec(storedHash) ?? []
  if (blocks === undefined) throw new Error('A stored password has a format that this version does not know')
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
  // Twice the memory it needs, because Node refuses to use exactly its limit.
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
