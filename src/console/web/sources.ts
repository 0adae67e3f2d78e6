import { createHash } from 'node:crypto'
import { glob, readFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** The paths of the web application, from a checkout (src/console/) and the installed package (dist/console/). */

const root = resolve(import.meta.dirname, '../../..')
/** Next to the compiled service in dist/. */
export const webFolder = join(root, 'dist/console-web')
/** In the build: the hash of its sources. */
export const builtFromFile = 'built-from.txt'
/** Absent from the installed package, which includes the build. */
export const buildProgram = join(root, 'scripts/build-console.ts')

/** Includes what the application imports from the service: contracts, and the two tables they are derived from. */
const sources = [
  'console/**/*',
  'src/**/*contract.ts',
  'src/http/route.ts',
  'src/ari/restrictions.ts',
  'package-lock.json',
]

/** The hash of the current sources; undefined if there are none. */
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

/** The hash of the sources of the existing build; undefined if there is none. */
export async function hashOfBuiltWeb(folder: string = webFolder): Promise<string | undefined> {
  return readFile(join(folder, builtFromFile), 'utf8').catch(() => undefined)
}
