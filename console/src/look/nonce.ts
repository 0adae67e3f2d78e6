/** The page's policy allows only style elements with this nonce. */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? ''
}

/** For react-remove-scroll, which keeps the page from scrolling behind dialogs. */
export function tellStyleNonce(): void {
  Object.assign(globalThis, { __webpack_nonce__: styleNonce() })
}
