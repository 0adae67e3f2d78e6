import { createReadStream, createWriteStream, fstatSync, fsyncSync } from 'node:fs'
import { access, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import type { PostgresAddress } from '../postgres/connections/connection-config.ts'
import { seal, unseal, UnusableBackup } from './container.ts'
import { backupRecords, type Written } from './create-backup.ts'
import { readRecords, type BackupPart, type Manifest } from './records.ts'

type Source = { address: PostgresAddress; version: string; key: Buffer | undefined }

/** Whatever the size of the store, it passes through in pieces. */
async function writeBackup(source: Source, sink: NodeJS.WritableStream): Promise<Written> {
  let written: Written | undefined
  await pipeline(
    backupRecords(source.address, source.version, (done) => {
      written = done
    }),
    createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } }),
    seal(source.key),
    sink,
  )
  if (written === undefined) throw new Error('The backup was not completed')
  return written
}

/** A reader that closes the pipe early is a failure here. */
export async function writeBackupToOutput(source: Source): Promise<Written> {
  const { fd } = process.stdout
  // To a file process.stdout writes only once, even if the disk has room for a part only.
  const sink = fstatSync(fd).isFile() ? createWriteStream('', { fd, autoClose: false }) : process.stdout
  let failure: Error | undefined
  process.stdout.removeAllListeners('error')
  sink.once('error', (error: Error) => {
    failure = error
  })
  try {
    const written = await writeBackup(source, sink)
    if (sink !== process.stdout) fsyncSync(fd)
    return written
  } catch (error) {
    throw failure ? new Error(`The output could not be written: ${failure.message}`) : error
  }
}

/** The file gets its name when it is complete and on disk; a failed backup leaves nothing. */
export async function writeBackupFile(source: Source, file: string): Promise<Written> {
  if (await exists(file)) throw new Error(`${file} exists: a backup never overwrites a file`)
  const partial = `${file}.partial-${process.pid}`
  try {
    const sink = createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true })
    const written = await writeBackup(source, sink)
    await rename(partial, file)
    const folder = await open(dirname(file))
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
    return written
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}

/** The parts of a backup, each compared with its digest before the next one arrives. */
export async function* readBackupFile(
  file: string,
  key: Buffer | undefined,
): AsyncGenerator<BackupPart, undefined> {
  const packed = Readable.from(unseal(key)(createReadStream(file)))
  const unpacked = createZstdDecompress()
  // Its failure ends `unpacked`, from which it is read below.
  void pipeline(packed, unpacked).catch(() => {})
  try {
    yield* readRecords(unpacked)
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('ZSTD_'))
      throw new UnusableBackup('The backup was altered or damaged: it can’t be unpacked')
    throw error
  } finally {
    unpacked.destroy()
    packed.destroy()
  }
}

export type Checked = { manifest: Manifest; tables: number; rows: number; hotels: number }

/** Reads a backup to its end, or throws. */
export async function checkBackupFile(file: string, key: Buffer | undefined): Promise<Checked> {
  let manifest: Manifest | undefined
  let isOfHotels = false
  const counts = { tables: 0, rows: 0, hotels: 0 }
  for await (const part of readBackupFile(file, key)) {
    if (part.kind === 'manifest') manifest = part
    if (part.kind === 'table') counts.tables += 1
    if (part.kind === 'hotels') isOfHotels = true
    if (part.kind === 'tableEnd') counts[isOfHotels ? 'hotels' : 'rows'] += part.rows
  }
  if (manifest === undefined) throw new UnusableBackup('The backup has no manifest')
  return { manifest, ...counts }
}
