import { cpSync, globSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { build, type Plugin } from 'vite'

const root = resolve(import.meta.dirname, '..')
const source = resolve(root, 'src')

/**
 * The package's dependencies. Every other package is part of the bundles and one for development: a start loads those, and a
 * fifth of it was finding and reading their files.
 */
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

/** Writes the programs of the service as few files, which load in half the time of hundreds, with the data files of src/. */
export async function buildPrograms(folder: string): Promise<void> {
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    plugins: [sourceLocations()],
    ssr: { noExternal: true, external: loadedWhenNeeded },
    build: {
      ssr: true,
      target: 'esnext',
      outDir: folder,
      emptyOutDir: true,
      copyPublicDir: false,
      minify: false,
      sourcemap: true,
      license: { fileName: 'bundled-licenses.md' },
      rolldownOptions: {
        input: Object.fromEntries(
          [
            'bin/ari',
            'bin/serve',
            'processes/bulk-thread',
            'processes/body-thread',
            'openapi/reference-worker',
          ].map((name) => [name, resolve(source, `${name}.ts`)]),
        ),
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: 'chunks/[name]-[hash].js',
          sourcemapExcludeSources: true,
        },
      },
    },
  })
  copyData(folder)
}

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

function copyData(folder: string): void {
  const data = globSync('src/**/*', { cwd: root, withFileTypes: true, exclude: ['src/**/*.ts'] })
  for (const entry of data.filter((found) => found.isFile())) {
    const path = resolve(entry.parentPath, entry.name)
    cpSync(path, resolve(folder, relative(source, path)))
  }
}
