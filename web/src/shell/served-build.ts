import { consolePath } from '../address.ts'

/** The build of the console that is served now, asked without a session: looking must not keep one open. */
async function servedPage(): Promise<Response | undefined> {
  return fetch(consolePath, { method: 'HEAD', cache: 'no-store', credentials: 'omit' }).catch(() => undefined)
}

/** Whether the service answers with the console. */
export async function isServed(): Promise<boolean> {
  return (await servedPage())?.ok === true
}

/** Undefined while the service can't be reached, or builds the console. */
export async function servedBuild(): Promise<string | undefined> {
  const page = await servedPage()
  return page?.ok === true ? (page.headers.get('x-console-build') ?? undefined) : undefined
}

/** The build that this page is of. */
export const ownBuild = document.querySelector<HTMLMetaElement>('meta[name=console-build]')?.content
