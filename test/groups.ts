/**
 * Files of tests that share a process. To load the service's modules takes most files longer than their tests do, so a
 * process takes several files, one after the other: each is a test of its own, whose hooks run when the file's last test
 * has ended.
 */
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from './stage/files.ts'

/** Files whose effects would outlast them in their process, or that need it as it begins. */
const alone: readonly string[] = [
  // Registers OpenTelemetry for the process.
  'test/operation/traces.test.ts',
  // Stop the clock that all servers of a process share.
  'src/bookings/idempotency/booking-calls.test.ts',
  'src/http/server/body.test.ts',
  'src/http/server/untaken-answers.test.ts',
  'src/processes/processes.test.ts',
]

/** Enough for the last groups to end at about the same time. */
const groupsPerLane = 6

/** The files in groups that take about the same time. */
export function groupsOf(files: readonly string[], lanes: number): string[][] {
  const count = Math.max(1, Math.min(files.length, lanes * groupsPerLane))
  const groups = Array.from({ length: count }, (): string[] => [])
  const bytesOf = (file: string): number => statSync(join(root, file)).size
  const sharing = files
    .filter((file) => !alone.includes(file))
    .map((file) => ({ file, bytes: bytesOf(file) }))
    // The larger, the longer: at the end of the run there are only short ones.
    .sort((left, right) => right.bytes - left.bytes)
  for (const [index, { file }] of sharing.entries()) groups[index % count]?.push(file)
  return [
    ...groups.filter(({ length }) => length > 0),
    ...alone.filter((file) => files.includes(file)).map((file) => [file]),
  ]
}

/** A program for each group: what the runner is to start. */
export function programsOf(groups: readonly (readonly string[])[]): string[] {
  const folder = join(root, `node_modules/.cache/groups-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return groups.map((files, index) => {
    const program = join(folder, `${index}.mjs`)
    const list = JSON.stringify(files.map((file) => [file, relative(folder, join(root, file))]))
    writeFileSync(
      program,
      `import { test } from 'node:test'\nfor (const [file, path] of ${list}) test(file, () => import(path))\n`,
    )
    return program
  })
}
