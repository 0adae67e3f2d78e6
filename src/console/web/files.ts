import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { builtFromFile, webFolder } from './sources.ts'

/** The built web application, read when it is asked for and kept in memory: it is about a megabyte. */

export type Asset = { type: string; plain: Buffer; br: Buffer; gzip: Buffer }

export type WebFiles = {
  /** The page with a place for the nonce; undefined while nothing is built. */
  page: () => Promise<string | undefined>
  asset: (name: string) => Promise<Asset | undefined>
  icon: () => Promise<Buffer | undefined>
}

const typeByExtension: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}
const assetsKeptMax = 500
const assetName = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/

export function webFiles(): WebFiles {
  const assets = new Map<string, Promise<Asset | undefined>>()
  let page: { builtMs: number; text: string } | undefined
  return {
    page: async () => {
      const built = await stat(join(webFolder, builtFromFile)).catch(() => undefined)
      if (!built) return undefined
      // In a checkout it may be built anew while the service runs.
      if (page?.builtMs !== built.mtimeMs) {
        const text = await readFile(join(webFolder, 'index.html'), 'utf8').catch(() => undefined)
        page = text === undefined ? undefined : { builtMs: built.mtimeMs, text }
        assets.clear()
      }
      return page?.text
    },
    asset: (name) => {
      const kept = assets.get(name)
      if (kept) return kept
      if (!assetName.test(name)) return Promise.resolve(undefined)
      const read = readAsset(name).then((asset) => {
        if (asset && assets.size < assetsKeptMax) assets.set(name, Promise.resolve(asset))
        return asset
      })
      return read
    },
    icon: () => readFile(join(webFolder, 'icon.svg')).catch(() => undefined),
  }
}

async function readAsset(name: string): Promise<Asset | undefined> {
  const type = typeByExtension[extname(name)]
  const path = join(webFolder, 'assets', name)
  if (type === undefined || !existsSync(path)) return undefined
  const [plain, br, gzip] = await Promise.all([
    readFile(path),
    readFile(`${path}.br`),
    readFile(`${path}.gz`),
  ])
  return { type, plain, br, gzip }
}
