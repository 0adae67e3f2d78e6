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
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#3b5bdb"/><path d="M8.5 25V15.5a7.5 7.5 0 0 1 15 0V25" fill="none" stroke="#fff" stroke-width="3.2" stroke-linecap="round"/><rect x="13" y="18" width="6" height="8.6" rx="1.4" fill="#fff"/></svg>`,
)

/** `pathPrefix`: the path below which proxies have the service; '' for none. */
type Place = { environment: string; pathPrefix: string }

export function docsPage({ environment, pathPrefix }: Place): string {
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
    <noscript><p>This page needs JavaScript. The same is in <a href="${pathPrefix}/openapi.json">/openapi.json</a>.</p></noscript>
    <div id="app"></div>
    <script src="${pathPrefix}${scriptPaths.bundle}"></script>
    <script src="${pathPrefix}${scriptPaths.start}"></script>
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
/* The reference's own are too faint: every text reaches 4.5 to 1. */
.light-mode { --scalar-color-2: #595959; --scalar-color-3: #696969; --scalar-color-blue: #0062a3; --scalar-color-accent: #3b5bdb }
.dark-mode { --scalar-color-3: #979797; --scalar-color-accent: #a5b8ff }
.markdown li code { white-space: nowrap }
.markdown th, .markdown td:first-child { white-space: nowrap; word-break: normal }
section:focus, section:focus-visible { outline: none }
`

/** What the reference leaves out for people without a mouse or screen: names of fields, and scrolling by keyboard. */
const forEverybody = `const complete = () => {
  waiting = false
  for (const field of document.querySelectorAll('.code-input-lite__editor[role=combobox]')) {
    // It offers no choices here, as a combobox would.
    field.setAttribute('role', 'textbox')
    field.setAttribute('aria-label', field.dataset.placeholder || 'Value')
  }
  for (const code of document.querySelectorAll('code.custom-scroll:not([tabindex])')) code.tabIndex = 0
}
let waiting = false
new MutationObserver(() => {
  if (waiting) return
  waiting = true
  requestAnimationFrame(complete)
}).observe(document.body, { childList: true, subtree: true })
complete()
`

export function startScript({ environment, pathPrefix }: Place): string {
  const configuration = {
    url: `${pathPrefix}/openapi.json`,
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
  return `Scalar.createApiReference('#app', ${JSON.stringify(configuration, null, 2)})\n${forEverybody}`
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
