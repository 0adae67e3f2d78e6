import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { ByteReader } from './byte-reader.ts'

/**
 * The outside of a backup file: a line that names the format and the key, then numbered chunks, the last of
 * which is marked. With a key, each chunk is encrypted and authenticated with its number, so chunks can be
 * neither altered nor moved, left out or added, and the file is read and written as a stream.
 */

const magic = 'ARI-BACKUP 1 '
const cipher = 'aes-256-gcm'
const chunkBytes = 64 * 1024
const tagBytes = 16
const keyBytes = 32
const saltBytes = 16
const headBytes = 5
const headerBytesMax = 300
const headerPattern =
  /^ARI-BACKUP 1 (?:plain|aes-256-gcm (?<keyId>[0-9a-f]{16}) (?<salt>[A-Za-z0-9+/]{22}==))$/

/** The file is no usable backup, for the given reason. Nothing was changed. */
export class UnusableBackup extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'UnusableBackup'
  }
}

export const torn = 'The backup is not complete: it was cut off, or is still being written'

/** Names a key without revealing it. */
export function backupKeyId(key: Buffer): string {
  return Buffer.from(hkdfSync('sha256', key, '', 'ari backup key id', 8)).toString('hex')
}

/** No two files are encrypted with the same key, so numbers are unique nonces. */
function fileKey(key: Buffer, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, 'ari backup file', keyBytes))
}

export function seal(key: Buffer | undefined) {
  return async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const salt = randomBytes(saltBytes)
    const header = `${magic}${key ? `${cipher} ${backupKeyId(key)} ${salt.toString('base64')}` : 'plain'}`
    yield Buffer.from(`${header}\n`)
    const ownKey = key && fileKey(key, salt)
    let number = 0
    let gathered: Buffer[] = []
    let bytes = 0
    const chunk = (isLast: boolean, contents: Buffer): Buffer => {
      const sealed = ownKey ? encrypt(ownKey, { header, number, isLast }, contents) : contents
      number += 1
      const head = Buffer.alloc(headBytes)
      head.writeUInt8(isLast ? 1 : 0)
      head.writeUInt32BE(sealed.length, 1)
      return Buffer.concat([head, sealed])
    }
    for await (const part of source) {
      gathered.push(part)
      bytes += part.length
      if (bytes <= chunkBytes) continue
      let all = Buffer.concat(gathered)
      for (; all.length > chunkBytes; all = all.subarray(chunkBytes))
        yield chunk(false, all.subarray(0, chunkBytes))
      gathered = [all]
      bytes = all.length
    }
    yield chunk(true, Buffer.concat(gathered))
  }
}

export function unseal(key: Buffer | undefined) {
  return async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const reader = new ByteReader(source)
    try {
      const header = await readHeader(reader)
      const ownKey = keyFor(header, key)
      for (let number = 0; ; number += 1) {
        const head = await reader.take(headBytes)
        if (head === undefined) throw new UnusableBackup(torn)
        const isLast = head.readUInt8() === 1
        const length = head.readUInt32BE(1)
        if (head.readUInt8() > 1 || length > chunkBytes + tagBytes) throw altered(number)
        const sealed = await reader.take(length)
        if (sealed === undefined) throw new UnusableBackup(torn)
        yield ownKey ? decrypt(ownKey, { header, number, isLast }, sealed) : sealed
        if (isLast) break
      }
      if (!(await reader.isAtEnd()))
        throw new UnusableBackup('There is more data after the end of the backup')
    } finally {
      await reader.close()
    }
  }
}

async function readHeader(reader: ByteReader): Promise<string> {
  let header = ''
  while (header.length < headerBytesMax) {
    const byte = (await reader.take(1))?.toString('latin1')
    if (byte === undefined) break
    if (byte === '\n') return header
    header += byte
    // A large file without a line break is recognized by its beginning.
    if (!magic.startsWith(header.slice(0, magic.length))) break
  }
  throw new UnusableBackup('The file is not a backup made by: ari backup create')
}

function keyFor(header: string, key: Buffer | undefined): Buffer | undefined {
  const match = headerPattern.exec(header)
  if (match === null)
    throw new UnusableBackup('The backup has an unknown format: use the version that made it')
  const { keyId, salt } = match.groups ?? {}
  if (keyId === undefined || salt === undefined) {
    // Otherwise somebody who can write the file, but doesn't have the key, could exchange it.
    if (key)
      throw new UnusableBackup(
        'The backup is not encrypted, but ARI_BACKUP_KEY is set: unset it to use this file',
      )
    return undefined
  }
  if (key === undefined)
    throw new UnusableBackup(`The backup is encrypted: set ARI_BACKUP_KEY to the key named ${keyId}`)
  if (backupKeyId(key) !== keyId)
    throw new UnusableBackup(
      `The backup is encrypted with the key named ${keyId}, but ARI_BACKUP_KEY is the key named ${backupKeyId(key)}`,
    )
  return fileKey(key, Buffer.from(salt, 'base64'))
}

type Place = { header: string; number: number; isLast: boolean }

function encrypt(key: Buffer, place: Place, contents: Buffer): Buffer {
  const sealing = createCipheriv(cipher, key, nonceOf(place)).setAAD(boundTo(place))
  return Buffer.concat([sealing.update(contents), sealing.final(), sealing.getAuthTag()])
}

function decrypt(key: Buffer, place: Place, sealed: Buffer): Buffer {
  if (sealed.length < tagBytes) throw altered(place.number)
  const opening = createDecipheriv(cipher, key, nonceOf(place), { authTagLength: tagBytes })
    .setAAD(boundTo(place))
    .setAuthTag(sealed.subarray(-tagBytes))
  try {
    return Buffer.concat([opening.update(sealed.subarray(0, -tagBytes)), opening.final()])
  } catch {
    throw altered(place.number)
  }
}

function nonceOf({ number }: Place): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeBigUInt64BE(BigInt(number), 4)
  return nonce
}

function boundTo({ header, isLast }: Place): Buffer {
  return Buffer.from(`${header} ${isLast ? 'last' : 'more'}`)
}

function altered(number: number): UnusableBackup {
  return new UnusableBackup(`The backup was altered or damaged (chunk ${number})`)
}
