/**
 * Files of tests that share a process. To load the service's modules takes most files longer than their tests do, so a
 * process takes several files, one after the other: each is a test of its own, whose hooks run when the file's last test
 * has ended.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from './stage/files.ts'

/** Files whose effects would outlast them in their process. */
const alone: readonly string[] = [
  // Registers OpenTelemetry for the process.
  'test/operation/traces.test.ts',
]

/** Enough for a group that takes long to be balanced by others. */
const groupsPerLane = 4

/** The files in groups that take about the same time, in the order of their first files. */
export function groupsOf(files: readonly string[], lanes: number): string[][] {
  const count = Math.max(1, Math.min(files.length, lanes * groupsPerLane))
  const groups = Array.from({ length: count }, (): string[] => [])
  const sharing = files.filter((file) => !alone.includes(file))
  // Neighbours are often of the same kind, long or short.
  for (const [index, file] of sharing.entries()) groups[index % count]?.push(file)
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
