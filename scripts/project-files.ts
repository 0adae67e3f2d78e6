/** The files of the project: those in its folder that .gitignore does not name, with or without Git. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, matchesGlob, resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '..')

/**
 * Paths from the root, sorted. .gitignore contains only names (`*.tgz`) and, after a `/`, paths from the
 * root.
 */
export function projectFiles(): string[] {
  const ignored = readFileSync(join(root, '.gitignore'), 'utf8')
    .split('\n')
    .map((line) => line.trim().replace(/\/$/, ''))
    .filter((line) => line !== '' && !line.startsWith('#'))
  return filesBelow('', ['.git', ...ignored]).sort()
}

function filesBelow(folder: string, ignored: readonly string[]): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (ignored.some((pattern) => matchesGlob(pattern.startsWith('/') ? `/${path}` : entry.name, pattern)))
      return []
    if (entry.isDirectory()) return filesBelow(path, ignored)
    return entry.isFile() ? [path] : []
  })
}

export function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}
