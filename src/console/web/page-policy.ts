import { hash } from 'node:crypto'

/**
 * The first script of the page, before anything is loaded: it removes the token of a sign-in link from the address, and so
 * from the browser's history and anything else that reads addresses. The sign-in page takes the token from here
 * (console/src/pages/sign-in/sign-in-page.tsx).
 */
const takeLinkToken = `const take = () => {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token === null) return
  history.replaceState(null, '', location.pathname + location.search)
  window.signInLinkToken = token
  dispatchEvent(new Event('sign-in-link'))
}
take()
addEventListener('hashchange', take)`

/** The only inline script that the policy allows, by its hash. */
export const firstScript = `<script>${takeLinkToken}</script>`
const firstScriptHash = `'sha256-${hash('sha256', takeLinkToken, 'base64')}'`

/** The console's pages may only load their own files and call their own service. */
export function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' ${firstScriptHash}`,
    // Style elements created by components at run time carry the nonce; style attributes in HTML have no effect.
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

const refreshSeconds = 2

/** For the waiting page only, which is self-contained. */
export function waitingPolicy(nonce: string): string {
  return contentSecurityPolicy(nonce).replace(/script-src [^;]*/, `script-src 'nonce-${nonce}'`)
}

/**
 * The page shown while the console is being built, or after that failed: it reloads itself. It uses a script, because a
 * refresh header has no effect at an address with a fragment, as sign-in links have.
 */
export function waitingPage(nonce: string, why: string | undefined): string {
  const text =
    why === undefined
      ? '<h1>The console is being built</h1><p>This happens once after an update and takes a few seconds. This page reloads by itself.</p>'
      : `<h1>The console could not be built</h1><p>Everything else works. The output of the build, also in the log:</p><pre>${escaped(why)}</pre><p>The build is repeated after its sources change.</p>`
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <script nonce="${nonce}">setTimeout(() => location.reload(), ${refreshSeconds} * 1000)</script>
    <title>ARI gateway console</title>
    <style nonce="${nonce}">
      body { font: 15px/1.5 system-ui, sans-serif; margin: 15vh auto; max-width: 42rem; padding: 0 1rem }
      h1 { font-size: 1.25rem; font-weight: 600 }
      pre { overflow-x: auto; font-size: 12px }
    </style>
  </head>
  <body><main>${text}</main></body>
</html>
`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
