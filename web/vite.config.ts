import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { consoleRoutes } from '../src/console-api/contract.ts'

/** What the console needs of its API while it runs: each route's method and path. Shapes and types stay behind. */
function consolePaths(): Plugin {
  const name = 'virtual:console-paths'
  const resolved = `\0${name}`
  const paths = Object.fromEntries(
    Object.entries(consoleRoutes).map(([route, { method, path }]) => [route, [method, path]]),
  )
  return {
    name: 'console-paths',
    resolveId: (id) => (id === name ? resolved : undefined),
    load: (id) => (id === resolved ? `export const paths = ${JSON.stringify(paths)}` : undefined),
  }
}

export default defineConfig({
  root: import.meta.dirname,
  // One build for every host and path: scripts and styles find each other by themselves, and the service fills in the page.
  base: './',
  experimental: {
    renderBuiltUrl: (file, { hostType }) =>
      hostType === 'html' ? `__PATH_PREFIX__/console/${file}` : { relative: true },
  },
  plugins: [react(), consolePaths()],
  build: {
    outDir: '../dist/console-web',
    emptyOutDir: true,
    manifest: true,
    license: { fileName: 'bundled-licenses.md' },
    // Of 2024, so that styles may tell light from dark by light-dark().
    target: ['chrome123', 'firefox128', 'safari17.5'],
    modulePreload: { polyfill: false },
    // Everything is a file of its own, under a name that says its content.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
  },
})
