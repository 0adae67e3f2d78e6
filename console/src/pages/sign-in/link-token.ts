declare global {
  interface Window {
    /** Put here by the first script of the page, which took it out of the address (src/console/web/page-policy.ts). */
    signInLinkToken?: string | undefined
  }
}

/** The token of the link by which somebody came. */
export function linkToken(): string | undefined {
  return window.signInLinkToken
}

export function forgetLinkToken(): void {
  delete window.signInLinkToken
}

/** Calls back when a link is opened while the page is there already; answers how to stop that. */
export function onLinkToken(told: () => void): () => void {
  window.addEventListener('sign-in-link', told)
  return () => window.removeEventListener('sign-in-link', told)
}
