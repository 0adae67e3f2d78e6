import { globSync } from 'node:fs'
import { join, matchesGlob, resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '..')

/** Files whose tests start, kill, load or attack programs, or need a browser. */
const proofs = ['test/proof/**/*.test.ts', 'test/console/**/*.test.ts', '**/*.proof.test.ts']

/** In this order: those outside src go through the whole service and take longest, so none of them is left at the end. */
const folders = ['test', 'packages', 'src']

/** The files of `npm test`, or of `npm run test:proof`, relative to the project's folder. */
export function testFiles(kind: 'tests' | 'proof'): string[] {
  const files = globSync(['{src,test,packages/*/test}/**/*.test.ts'], {
    cwd: root,
    exclude: ['**/node_modules/**'],
  })
    .filter((file) => (kind === 'proof') === proofs.some((pattern) => matchesGlob(file, pattern)))
    .sort()
  return folders.flatMap((folder) => files.filter((file) => file.startsWith(join(folder, '/'))))
}
