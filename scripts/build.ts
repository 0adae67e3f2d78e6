/**
 * Writes dist/, which the npm package contains because Node runs no TypeScript below node_modules: the programs of the
 * service as few files, which load in half the time of hundreds, the data files of src/ at their places, and the
 * console's web application, which a checkout builds on its first start.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { build, type Plugin } from 'vite'
import { buildConsole } from './build-console.ts'
import { membersOf } from './check-lock.ts'

const root = resolve(import.meta.dirname, '..')
const source = resolve(root, 'src')
const dist = resolve(root, 'dist')

/** Every other package is part of the bundles: a start loads those, and a fifth of it was finding and reading their files. */
const loadedWhenNeeded = [
  '@nats-io/jetstream',
  '@nats-io/transport-node',
  // Serves a file of its own.
  '@scalar/fastify-api-reference',
  '@zxcvbn-ts/core',
  '@zxcvbn-ts/language-common',
  'nodemailer',
  'openid-client',
  'otplib',
]

await build({
  configFile: false,
  root,
  logLevel: 'warn',
  plugins: [sourceLocations()],
  ssr: { noExternal: true, external: loadedWhenNeeded },
  build: {
    ssr: true,
    target: 'esnext',
    outDir: dist,
    emptyOutDir: true,
    copyPublicDir: false,
    minify: false,
    sourcemap: true,
    license: { fileName: 'bundled-licenses.md' },
    rolldownOptions: {
      input: Object.fromEntries(
        ['bin/ari', 'bin/serve', 'openapi/reference-worker'].map((name) => [
          name,
          resolve(source, `${name}.ts`),
        ]),
      ),
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: 'chunks/[name]-[hash].js',
        sourcemapExcludeSources: true,
      },
    },
  },
})
copyData()
writeBillOfMaterials()
await buildConsole()

/** A module that looks for files beside it finds them as in src/, although it is part of a file in dist/chunks. */
function sourceLocations(): Plugin {
  return {
    name: 'source-locations',
    transform: (code, id) => {
      if (!id.startsWith(source) || !code.includes('import.meta.url')) return undefined
      const place = `../${relative(source, id).replace(/\.ts$/, '.js')}`
      const url = `new URL(${JSON.stringify(place)}, import.meta.url).href`
      // Whole lines stay, so the source map is still right.
      return { code: code.replaceAll('import.meta.url', url), map: null }
    },
  }
}

function copyData(): void {
  const data = globSync('src/**/*', { cwd: root, withFileTypes: true, exclude: ['src/**/*.ts'] })
  for (const entry of data.filter((found) => found.isFile())) {
    const path = resolve(entry.parentPath, entry.name)
    cpSync(path, resolve(dist, relative(source, path)))
  }
}

/**
 * Every package that is installed with the service, with version, licence and checksum, as CycloneDX. Without what differs
 * from one build to the next.
 */
function writeBillOfMaterials(): void {
  const differing = ['serialNumber', 'timestamp', 'tools']
  const place = mkdtempSync(join(tmpdir(), 'ari-sbom-'))
  try {
    // npm calls the package by the name of its folder.
    const folder = join(place, 'ari-gateway')
    mkdirSync(folder)
    // Not by --omit=dev, which also leaves out what a tool for development needs, too.
    const own = { ...readMembers('package.json'), devDependencies: undefined }
    const lock = readMembers('package-lock.json')
    const packages = Object.fromEntries(
      Object.entries(membersOf(lock['packages'])).filter(
        ([path, entry]) => path.startsWith('node_modules/') && !isForDevelopment(membersOf(entry)),
      ),
    )
    writeFileSync(join(folder, 'package.json'), JSON.stringify(own))
    writeFileSync(
      join(folder, 'package-lock.json'),
      JSON.stringify({ ...lock, packages: { '': own, ...packages } }),
    )
    const parameters = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only']
    const maxBuffer = 64 * 1024 * 1024
    const bill: unknown = JSON.parse(
      execFileSync('npm', parameters, { cwd: folder, encoding: 'utf8', maxBuffer }),
    )
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

function isForDevelopment({ dev, link }: Record<string, unknown>): boolean {
  return dev === true || link === true
}

function readMembers(file: string): Record<string, unknown> {
  return membersOf(JSON.parse(readFileSync(join(root, file), 'utf8')))
}
