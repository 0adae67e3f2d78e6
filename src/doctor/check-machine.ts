import { existsSync, statSync, mkdtempSync, readFileSync, rmdirSync, statfsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Settings } from '../settings/config.ts'
import { ok, skipped, warned, wrong, type CheckOutcome } from './findings.ts'

/** What the machine gives the service: descriptors, the data folder, free disk. */

/** Below the first even a small service runs out; the service may have 10,000 connections at once. */
const descriptors = { least: 1_024, usual: 4_096 }

/** `pid` is that of the running service, if it is known: its limit may be another than that of this command. */
export function checkDescriptors(pid: number | undefined): CheckOutcome {
  const text = textOf(`/proc/${pid ?? 'self'}/limits`) ?? textOf('/proc/self/limits')
  // Node raises its own limit to the hard one, so that is what counts.
  const hard = /^Max open files +\S+ +(\d+|unlimited)/m.exec(text ?? '')?.[1]
  if (hard === undefined) return skipped('this system does not report its limit of file descriptors')
  const limit = numberOf(hard)
  const message = `${pid === undefined ? 'a program' : 'the service'} may open ${hard} files and connections`
  if (limit >= descriptors.usual) return ok(message)
  const trouble = {
    message,
    why: 'every connection needs one: at the limit, new connections are refused',
    remedy: `Raise it to ${descriptors.usual} or more: LimitNOFILE= in a systemd unit, --ulimit nofile= of Docker, otherwise ulimit -Hn`,
  }
  return limit < descriptors.least ? wrong(trouble) : warned(trouble)
}

const numberOf = (text: string): number => (text === 'unlimited' ? Infinity : Number(text))

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** The `f_type` of Linux's network file systems. */
const networkFileSystems: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x5346414f, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x01021997, '9P'],
  [0x0bd00bd3, 'Lustre'],
])
const fuse = 0x65735546

/** Undefined: a local one, as far as its number says. */
export function networkFileSystem(type: number): string | undefined {
  return networkFileSystems.get(type)
}

const needsFolder = 'the embedded store keeps its data and its lock there'

export function checkDataFolder({ dataDir, databaseUrl }: Settings): CheckOutcome {
  if (databaseUrl !== undefined) return skipped('not needed: the store is in the database of DATABASE_URL')
  const folder = existing(dataDir)
  const { uid, mode } = statSync(folder)
  const ownUid = process.getuid?.() ?? uid
  if (ownUid !== 0 && folder === dataDir && uid !== ownUid) {
    return wrong({
      message: `${dataDir} belongs to user id ${uid}, and this command runs as ${ownUid}`,
      why: needsFolder,
      remedy: 'Run this command as the user of the service, or give that user the folder (chown -R)',
    })
  }
  const refusal = refusalToWrite(folder)
  if (refusal !== undefined) {
    return wrong({
      message: `${folder} is not writable (${refusal})`,
      why: needsFolder,
      remedy:
        refusal === 'EROFS'
          ? 'It is mounted read-only: remount it writable, or set ARI_DATA_DIR to another folder'
          : 'Give it to the user that runs the service, or set ARI_DATA_DIR to another folder',
    })
  }
  if (folder === dataDir && (mode & 0o022) !== 0) {
    return wrong({
      message: `other users may write to ${dataDir} (mode ${(mode & 0o777).toString(8)})`,
      why: "they could replace the store's data, and the address to which commands send keys",
      remedy: `chmod 700 ${dataDir}`,
    })
  }
  return (
    fileSystemOf(folder) ??
    ok(folder === dataDir ? dataDir : `${dataDir} does not exist yet, and can be created`)
  )
}

function fileSystemOf(folder: string): CheckOutcome | undefined {
  const { type } = statfsSync(folder)
  const why =
    'locks and fsync are not reliable there: two servers could open the same store, and acknowledged pushes could be lost'
  const remedy = 'Set ARI_DATA_DIR to a folder on a local disk, or DATABASE_URL'
  const name = process.platform === 'linux' ? networkFileSystem(type) : undefined
  if (name !== undefined)
    return wrong({ message: `${folder} is on a network file system (${name})`, why, remedy })
  return process.platform === 'linux' && type === fuse
    ? warned({
        message: `${folder} is on a FUSE file system, which may be remote`,
        why,
        remedy,
      })
    : undefined
}

/** Undefined: a file could be made there. */
function refusalToWrite(folder: string): string | undefined {
  try {
    rmdirSync(mkdtempSync(join(folder, '.ari-doctor-')))
    return undefined
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error)
  }
}

/** The folder itself, or the nearest one above it that there is. */
function existing(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : existing(dirname(folder))
}

const gigabyte = 1e9
const free = { leastBytes: gigabyte, usualBytes: 20 * gigabyte, usualShare: 0.15 }

export function checkDisk({ dataDir, databaseUrl }: Settings): CheckOutcome {
  if (databaseUrl !== undefined) return skipped("the database's disk can't be checked from here")
  const folder = existing(dataDir)
  const { bavail, blocks, bsize } = statfsSync(folder)
  const bytes = bavail * bsize
  const share = bavail / blocks
  const message = `${(bytes / gigabyte).toFixed(1)} GB (${Math.floor(share * 100)} %) are free at ${folder}`
  const trouble = {
    message,
    why: 'when the disk is full, every push and booking is refused; nothing is lost',
    remedy: 'Enlarge the disk, or store less: ARI_PUSH_LOG_DAYS, ARI_PUSH_LOG_GB, ARI_ARCHIVE_URL',
  }
  if (bytes < free.leastBytes) return wrong(trouble)
  return bytes < free.usualBytes && share < free.usualShare ? warned(trouble) : ok(message)
}
