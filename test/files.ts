import { globSync } from 'node:fs'
import { matchesGlob, resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '..')

/** Files whose tests start, kill or load programs, or need a browser. */
const proofs = ['test/proof/**/*.test.ts', 'test/console/**/*.test.ts', '**/*.proof.test.ts']

/** The files of `npm test`, or of `npm run test:proof`, relative to the project's folder. */
export function testFiles(kind: 'tests' | 'proof'): string[] {
  return globSync(['{src,test,packages/*/test}/**/*.test.ts'], { cwd: root, exclude: ['**/node_modules/**'] })
    .filter((file) => (kind === 'proof') === proofs.some((pattern) => matchesGlob(file, pattern)))
    .sort()
}
