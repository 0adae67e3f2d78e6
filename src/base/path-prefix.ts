/** What a path prefix must not begin with, because a proxy that removes the prefix could not be told from one that doesn't. */
export const ownFirstSegments = [
  'console',
  'docs',
  'livez',
  'metrics',
  'openapi.json',
  'readyz',
  'v1',
] as const

/** The path below which people reach the service: `/ari` of https://apps.example.com/ari, '' without a path. */
export function pathPrefixOf(publicUrl: string | undefined): string {
  return publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/$/, '')
}

/**
 * Not for the public, so only without the prefix: a proxy may keep them back by their path below it. No route begins with an
 * encoded character.
 */
const ofPortAlone = /^\/(?:(?:livez|metrics|readyz)\b|[^/?]*%)/

/** The URL of a request as the routes have it, whether or not the proxy has removed the prefix from it. */
export function withoutPrefix(url: string, prefix: string): string {
  if (!url.startsWith(prefix)) return url
  const rest = url.slice(prefix.length)
  if (prefix !== '' && ofPortAlone.test(rest)) return url
  if (rest.startsWith('/')) return rest
  return rest === '' || rest.startsWith('?') ? `/${rest}` : url
}
