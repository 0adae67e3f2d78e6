/** Under the page's policy only style elements with this nonce count. */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? ''
}

/** Where react-remove-scroll, by which dialogs keep the page from scrolling, looks for it. */
export function tellStyleNonce(): void {
  Object.assign(globalThis, { __webpack_nonce__: styleNonce() })
}
