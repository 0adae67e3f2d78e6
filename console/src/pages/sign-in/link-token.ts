declare global {
  interface Window {
    /** Set by the first script of the page, which removed it from the address (src/console/web/page-policy.ts). */
    signInLinkToken?: string | undefined
  }
}

/** The token of the sign-in link that was opened. */
export function linkToken(): string | undefined {
  return window.signInLinkToken
}

export function forgetLinkToken(): void {
  delete window.signInLinkToken
}

/** Calls the listener when a link is opened while the page is already loaded; returns a function that stops this. */
export function onLinkToken(listener: () => void): () => void {
  window.addEventListener('sign-in-link', listener)
  return () => window.removeEventListener('sign-in-link', listener)
}
