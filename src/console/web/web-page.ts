import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { builtFromFile, webFolder } from './sources.ts'

/** Gives the page with a place for the nonce, read when it has changed; undefined while nothing is built. */
export function webPage(): () => Promise<string | undefined> {
  let page: { builtMs: number; text: string } | undefined
  return async () => {
    const built = await stat(join(webFolder, builtFromFile)).catch(() => undefined)
    if (!built) return undefined
    // In a checkout it may be built anew while the service runs.
    if (page?.builtMs !== built.mtimeMs) {
      const text = await readFile(join(webFolder, 'index.html'), 'utf8').catch(() => undefined)
      page = text === undefined ? undefined : { builtMs: built.mtimeMs, text }
    }
    return page?.text
  }
}
