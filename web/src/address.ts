/** The path below which this host has the service, such as `/ari`, as the page says; usually ''. */
export const pathPrefix = document.querySelector<HTMLMetaElement>('meta[name=path-prefix]')?.content ?? ''

/** Of this service's data in the browser's storage, which other services of the host share. */
export const storageName = (name: string): string => `ari-console-${name}${pathPrefix}`

export const consolePath = `${pathPrefix}/console`

/** For links and commands that are used elsewhere; without a trailing slash. */
export const serviceUrl = `${window.location.origin}${pathPrefix}`
