/** Where a URL leads, for people and logs: host and path, because what follows may hold a secret. */
export function placeOf(href: string): string {
  const { host, pathname } = new URL(href)
  return host + pathname
}
