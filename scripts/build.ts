/**
 * Writes dist/, which the npm package contains because Node runs no TypeScript below node_modules: the programs of the
 * service as few files, which load in half the time of hundreds, the data files of src/ at their places, and the
 * console's web application, which a checkout builds on its first start.
 */
import { cpSync, globSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { build, type Plugin } from 'vite'
import { buildConsole } from './build-console.ts'

const root = resolve(import.meta.dirname, '..')
const source = resolve(root, 'src')
const dist = resolve(root, 'dist')

await build({
  configFile: false,
  root,
  logLevel: 'warn',
  plugins: [sourceLocations()],
  // The others are installed. typebox alone is 370 modules, most of the time to load the service.
  ssr: { noExternal: ['typebox'] },
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
