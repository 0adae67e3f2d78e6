import { globSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '../..')

/** In this order: those outside src go through the whole service and take longest, so none of them is left at the end. */
const folders = ['test', 'packages', 'src']

/** The files of `npm test`, or of `npm run test:proof`, relative to the project's folder. */
export function testFiles(kind: 'tests' | 'proof'): string[] {
  const pattern = kind === 'proof' ? 'proofs/**/*.proof.ts' : '{src,test,packages/*/test}/**/*.test.ts'
  const files = globSync(pattern, { cwd: root, exclude: ['**/node_modules/**'] }).sort()
  if (kind === 'proof') return files
  return folders.flatMap((folder) => files.filter((file) => file.startsWith(join(folder, '/'))))
}
