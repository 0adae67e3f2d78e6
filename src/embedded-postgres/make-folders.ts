import { existsSync, mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Makes a folder and those above it. Node's own `recursive` never ends where a folder exists but refuses to hold
 * another with ENOENT, as /proc does.
 */
export function makeFolders(path: string, mode = 0o777): void {
  const folder = resolve(path)
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EEXIST') return
    const above = dirname(folder)
    if (code !== 'ENOENT' || existsSync(above)) throw error
    makeFolders(above)
    makeFolders(folder, mode)
  }
}
