/**
 * Writes dist/, which the npm package contains because Node runs no TypeScript below node_modules: the programs of the
 * service as few files, which load in half the time of hundreds, the data files of src/ at their places, and the
 * console's web application, which a checkout builds on its first start.
 */
import { execFileSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { buildConsole } from './build-console.ts'
import { buildPrograms } from './build-programs.ts'
import { membersOf } from './checks/lock.ts'

const root = resolve(import.meta.dirname, '..')
const dist = resolve(root, 'dist')

await buildPrograms(dist)
await buildConsole()
addFontLicense()
writeBillOfMaterials()

/** The console's font, which stylesheets bring in: the list of licences is made of modules only. */
function addFontLicense(): void {
  const folder = 'node_modules/@fontsource-variable/inter'
  const { name, version, license } = readMembers(`${folder}/package.json`)
  const text = readFileSync(join(root, folder, 'LICENSE'), 'utf8')
  appendFileSync(
    join(dist, 'console-web/bundled-licenses.md'),
    `\n## ${String(name)} - ${String(version)} (${String(license)})\n\n${text}`,
  )
}

/**
 * Every package that is part of a bundle or installed with the service, and what those need, with version, licence and
 * checksum, as CycloneDX. Without what differs from one build to the next.
 */
function writeBillOfMaterials(): void {
  const differing = ['serialNumber', 'timestamp', 'tools']
  const place = mkdtempSync(join(tmpdir(), 'ari-sbom-'))
  try {
    // npm calls the package by the name of its folder.
    const folder = join(place, 'ari-gateway')
    mkdirSync(folder)
    const own = readMembers('package.json')
    const dependencies = {
      ...membersOf(own['dependencies']),
      ...bundledOf(membersOf(own['devDependencies'])),
    }
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ ...own, dependencies, devDependencies: undefined }),
    )
    cpSync(join(root, 'package-lock.json'), join(folder, 'package-lock.json'))
    const npm = (...parameters: string[]): string =>
      execFileSync('npm', [...parameters, '--package-lock-only'], {
        cwd: folder,
        encoding: 'utf8',
        maxBuffer: 64 * 1024 * 1024,
      })
    // Leaves what those packages need, by the versions of the lock file.
    npm('install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund')
    const bill: unknown = JSON.parse(npm('sbom', '--sbom-format=cyclonedx'))
    const stable = JSON.stringify(
      bill,
      (name, value: unknown) => (differing.includes(name) ? undefined : value),
      1,
    )
    writeFileSync(join(dist, 'sbom.cdx.json'), `${stable}\n`)
  } finally {
    rmSync(place, { recursive: true })
  }
}

/** Those for development that the bundles of the service and of the console contain, by their lists of licences. */
function bundledOf(forDevelopment: Record<string, unknown>): Record<string, unknown> {
  const lists = ['bundled-licenses.md', 'console-web/bundled-licenses.md']
  const text = lists.map((list) => readFileSync(join(dist, list), 'utf8')).join('\n')
  const bundled = new Set(Array.from(text.matchAll(/^## (\S+) - /gm), ([, name]) => name))
  return Object.fromEntries(Object.entries(forDevelopment).filter(([name]) => bundled.has(name)))
}

function readMembers(file: string): Record<string, unknown> {
  return membersOf(JSON.parse(readFileSync(join(root, file), 'utf8')))
}
