#!/usr/bin/env node
import { CommanderError, type Command } from 'commander'
import { readFileSync } from 'node:fs'
import { program } from '../cli/program.ts'
import { failureLines } from '../start/failure-lines.ts'

const exitCodes = { failed: 1, wrongUsage: 2 }

// Valid from both src/bin and, by scripts/build.ts, dist/.
const packageFile: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
const version =
  typeof packageFile === 'object' && packageFile !== null && 'version' in packageFile
    ? String(packageFile.version)
    : 'unknown'

const ari = program({ version, serve: () => import('./serve.ts') })
for (const command of [ari, ...descendants(ari)]) {
  command.exitOverride()
  command.configureOutput({
    outputError: (text, write) => write(`${text.trim().replaceAll(/\s*\n\s*/g, ' ')}\n`),
  })
}

process.stdout.on('error', (error) => {
  // A reader that closes the pipe early (ari key list | head) is not an error.
  if ('code' in error && error.code === 'EPIPE') process.exit(0)
  process.stderr.write(`error: The output could not be written: ${error.message}\n`)
  process.exit(exitCodes.failed)
})

try {
  await ari.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : exitCodes.wrongUsage
  else {
    for (const line of failureLines(error)) process.stderr.write(`error: ${line}\n`)
    process.exitCode = exitCodes.failed
  }
}

function descendants(command: Command): Command[] {
  return command.commands.flatMap((child) => [child, ...descendants(child)])
}
