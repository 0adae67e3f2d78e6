/**
 * Checks the size of everything a browser loads before the console's first page appears: at most 400 KB,
 * compressed.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { webFolder } from '../../src/console-api/web/build.ts'
import { buildConsole } from '../build-console.ts'

type Chunk = { file: string; isEntry?: boolean; imports?: string[]; css?: string[] }

const firstLoadKbMax = 400
const firstPages = ['src/pages/sign-in/sign-in-page.tsx', 'src/pages/overview/overview-page.tsx']

await buildConsole()
const manifest: unknown = JSON.parse(await readFile(join(webFolder, '.vite/manifest.json'), 'utf8'))
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Vite wrote it a moment ago.
const chunks = manifest as Record<string, Chunk>
const files = new Set(['index.html', 'icon.svg'])
const waiting = [...Object.keys(chunks).filter((name) => chunks[name]?.isEntry === true), ...firstPages]
// The list grows while it is walked.
for (const name of waiting) {
  const chunk = chunks[name]
  if (!chunk) throw new Error(`The console has no ${name}`)
  for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file)
  waiting.push(...(chunk.imports ?? []).filter((imported) => !waiting.includes(imported)))
}
let bytes = 0
for (const file of files) bytes += gzipSync(await readFile(join(webFolder, file))).length
const kb = Math.round(bytes / 1000)
process.stdout.write(`The console loads ${kb} KB first, of at most ${firstLoadKbMax}\n`)
if (kb > firstLoadKbMax) process.exitCode = 1
