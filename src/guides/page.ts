import type { FastifyReply, FastifyRequest } from 'fastify'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/**
 * The page of the API reference. Scripts come only as files, so that its content security policy needs
 * neither inline scripts nor eval; inline styles must be allowed, because the reference sets style
 * attributes.
 */

export const scriptPaths = { bundle: '/docs/reference.js', start: '/docs/start.js' } as const

export const contentSecurityPolicy = {
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'", "'unsafe-inline'"],
    imgSrc: ["'self'", 'data:'],
    fontSrc: ["'self'", 'data:'],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
}

export const icon = encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b6bcb"/><g fill="#fff"><rect x="7" y="9" width="18" height="3" rx="1"/><rect x="7" y="14.5" width="5" height="4" rx="1"/><rect x="13.5" y="14.5" width="5" height="4" rx="1"/><rect x="20" y="14.5" width="5" height="4" rx="1"/><rect x="7" y="20.5" width="5" height="4" rx="1"/><rect x="13.5" y="20.5" width="5" height="4" rx="1"/></g></svg>`,
)

export function docsPage(environment: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>ARI gateway (${environment}): API reference</title>
    <link rel="icon" href="data:image/svg+xml,${icon}">
    <style>body { margin: 0; font-family: system-ui, sans-serif }</style>
  </head>
  <body>
    <noscript><p>This page needs JavaScript. The same is in <a href="/openapi.json">/openapi.json</a>.</p></noscript>
    <div id="app"></div>
    <script src="${scriptPaths.bundle}"></script>
    <script src="${scriptPaths.start}"></script>
  </body>
</html>
`
}

/** Fonts of the machine that shows the page: the reference's own fonts are on another host. */
const customCss = `
:root {
  --scalar-font: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  --scalar-font-code: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
.markdown li code { white-space: nowrap }
.markdown th, .markdown td:first-child { white-space: nowrap; word-break: normal }
section:focus, section:focus-visible { outline: none }
`

export function startScript(environment: string): string {
  const configuration = {
    url: '/openapi.json',
    theme: 'default',
    customCss,
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    showDeveloperTools: 'never',
    // Requests sent from the page are for experiments; in production they would be real.
    hideTestRequestButton: environment === 'production',
    orderSchemaPropertiesBy: 'preserve',
    persistAuth: false,
    documentDownloadType: 'json',
    defaultOpenFirstTag: false,
    operationTitleSource: 'summary',
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    authentication: { preferredSecurityScheme: 'apiKey' },
  }
  return `Scalar.createApiReference('#app', ${JSON.stringify(configuration, null, 2)})\n`
}

/** A page that is built once, at its first request, so that it doesn't slow the start of the service. */
export type BuiltPage = { plain: Buffer; gzip: Buffer; br: Buffer }

/** Otherwise the compression plugin would compress it again for each request. */
export const compressedHere = { compress: false } as const

export function sendBuiltPage(
  built: BuiltPage,
  type: string,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const accepted = request.headers['accept-encoding'] ?? ''
  const encoding = (['br', 'gzip'] as const).find((name) => accepted.includes(name))
  reply.type(type).header('vary', 'accept-encoding').header('cache-control', 'public, max-age=300')
  return encoding === undefined
    ? reply.send(built.plain)
    : reply.header('content-encoding', encoding).send(built[encoding])
}

const brotliQuality = 6

export async function compressed(plain: Buffer): Promise<BuiltPage> {
  const [zipped, br] = await Promise.all([
    promisify(gzip)(plain),
    promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }),
  ])
  return { plain, gzip: zipped, br }
}

/** Runs `make` at the first call; a failure is not cached. */
export function builtOnce<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let built: Promise<Value> | undefined
  return () => {
    built ??= make().catch((error: unknown) => {
      built = undefined
      throw error
    })
    return built
  }
}
