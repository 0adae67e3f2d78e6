import { createHash } from 'node:crypto'
import { glob, readFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Where the web application is, in a checkout (src/console/) and in the installed package (dist/console/) alike. */

const root = resolve(import.meta.dirname, '../../..')
/** Beside the compiled service in dist/. */
export const webFolder = join(root, 'dist/console-web')
/** In the built application: of which sources it was made. */
export const builtFromFile = 'built-from.txt'
/** Absent from the installed package, which has it built. */
export const buildProgram = join(root, 'scripts/build-console.ts')

/** With what the application reads of the service: contracts, and the two tables of which they are made. */
const sources = [
  'console/**/*',
  'src/**/*contract.ts',
  'src/http/route.ts',
  'src/ari/restrictions.ts',
  'package-lock.json',
]

/** Of what lies in the sources now; undefined where there are none. */
export async function hashOfWebSources(): Promise<string | undefined> {
  if (!existsSync(buildProgram)) return undefined
  const paths = new Set<string>()
  for await (const entry of glob(sources, { cwd: root, withFileTypes: true }))
    if (entry.isFile()) paths.add(join(entry.parentPath, entry.name))
  const hash = createHash('sha256')
  for (const path of [...paths].sort()) {
    hash.update(path.slice(root.length)).update('\0')
    hash.update(await readFile(path)).update('\0')
  }
  return hash.digest('hex')
}

/** Of which sources the application that lies there was made; undefined where none does. */
export async function hashOfBuiltWeb(folder: string = webFolder): Promise<string | undefined> {
  return readFile(join(folder, builtFromFile), 'utf8').catch(() => undefined)
}
