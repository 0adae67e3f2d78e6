import { existsSync, mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Creates a folder and its parents. Node's own `recursive` never returns if an existing folder refuses a new
 * one with ENOENT, as /proc does.
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
