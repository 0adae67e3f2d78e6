/** A disk that can be filled: a small file system in memory, mounted for a test. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  rmdirSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type SmallDisk = {
  path: string
  /** Uses up all space but this. */
  fill: (bytesLeft: number) => void
  /** Releases the space that `fill` took. */
  free: () => void
  makeReadOnly: () => void
  unmount: () => void
}

const megabyte = 1024 * 1024

/** Undefined, with the reason, if this user can't mount. */
export function mountSmallDisk(megabytes: number): SmallDisk | { refused: string } {
  const path = mkdtempSync(join(tmpdir(), 'ari-disk-'))
  try {
    execFileSync('/bin/mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0711`, 'tmpfs', path], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
  } catch (error) {
    rmdirSync(path)
    return { refused: error instanceof Error ? error.message.trim() : String(error) }
  }
  chmodSync(path, 0o711)
  const ballast = join(path, 'ballast')
  return {
    path,
    fill: (bytesLeft) => {
      const { bavail, bsize } = statfsSync(path)
      const file = openSync(ballast, 'w')
      try {
        for (let rest = bavail * bsize - bytesLeft; rest > 0;) {
          rest -= writeSync(file, Buffer.alloc(Math.min(rest, megabyte)))
        }
        fsyncSync(file)
      } catch (error) {
        // PostgreSQL used the rest meanwhile.
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
      } finally {
        closeSync(file)
      }
    },
    free: () => rmSync(ballast),
    makeReadOnly: () => void execFileSync('/bin/mount', ['-o', 'remount,ro', path]),
    unmount: () => {
      execFileSync('/bin/umount', [path])
      rmdirSync(path)
    },
  }
}
