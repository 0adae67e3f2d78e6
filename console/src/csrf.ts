/** The CSRF token, which proves that a change comes from this page; the service gives it to the signed-in operator. */
let token: string | undefined

export function keepCsrfToken(given: string | null | undefined): void {
  token = given ?? undefined
}

export function csrfHeaders(): Record<string, string> {
  return token === undefined ? {} : { 'x-csrf-token': token }
}
