import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readdir, readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { compressed, compressedHere, builtOnce, sendBuiltPage, type BuiltPage } from './page.ts'

type GuideNeeds = { environment: 'sandbox' | 'production'; pathPrefix: string }

/** docs/ is beside src/ or, in the packed product, beside dist/. */
const docsFolder = new URL('../../docs/', import.meta.url)
const indexFile = 'README.md'
const changelogFile = '../CHANGELOG.md'
/** Folders with files that guides show or link to. */
const guideFolders = ['images', 'samples', 'requests', 'monitoring', 'deploy']

/**
 * Scripts and styles come only as files: stricter than the policy for the page of the API reference can be.
 */
const guidePolicy = {
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'", 'data:'],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
}
/** An SVG that is opened by itself has its own styles. */
const picturePolicy = {
  useDefaults: false,
  directives: { defaultSrc: ["'none'"], styleSrc: ["'unsafe-inline'"], frameAncestors: ["'none'"] },
}

const html = 'text/html; charset=utf-8'
const text = 'text/plain; charset=utf-8'

type Named = { Params: { name: string } }

/** The guides of docs/ at /docs/guides, their index also at /docs: each is rendered at its first request, and cached. */
export function mountGuides(pages: FastifyInstance, { environment, pathPrefix }: GuideNeeds): void {
  const guides = builtOnce(async () => {
    const { guideRenderer } = await import('./guide-page.ts')
    const files = (await readdir(docsFolder)).filter((name) => name.endsWith('.md')).sort()
    files.push(changelogFile)
    const texts = await Promise.all(files.map((name) => readFile(new URL(name, docsFolder), 'utf8')))
    const render = guideRenderer({
      environment,
      pathPrefix,
      index: indexFile,
      folders: guideFolders,
      textByFile: new Map(files.map((name, at) => [name, texts[at] ?? ''])),
    })
    return {
      page: remembered((slug) => {
        const page = render.page(slug)
        return page === undefined ? undefined : Buffer.from(page)
      }),
      headings: builtOnce(async () => compressed(Buffer.from(JSON.stringify(render.headings())))),
      absent: render.absent,
    }
  })
  const page = async (slug: string, request: FastifyRequest, reply: FastifyReply) => {
    const { page: find, absent } = await guides()
    const built = await find(slug)
    return built ? sendBuiltPage(built, html, request, reply) : reply.code(404).type(html).send(absent)
  }
  const own = { ...compressedHere, helmet: { contentSecurityPolicy: guidePolicy } }
  for (const path of ['/docs', '/docs/guides'])
    pages.get(path, own, (request, reply) => page('', request, reply))
  pages.get('/docs/guides/', async (_request, reply) => reply.redirect(`${pathPrefix}/docs/guides`))
  pages.get('/docs/changelog', own, (request, reply) => page('changelog', request, reply))
  pages.get('/docs/guides/changelog', async (_request, reply) =>
    reply.redirect(`${pathPrefix}/docs/changelog`),
  )
  pages.get<Named>('/docs/guides/:name', own, (request, reply) => page(request.params.name, request, reply))
  pages.get('/docs/guides/headings.json', own, async (request, reply) =>
    sendBuiltPage(await (await guides()).headings(), 'application/json; charset=utf-8', request, reply),
  )
  mountFiles(pages, own)
}

type Options = { compress: false; helmet: object }

/** The parts of pages: styles and script of this folder, pictures and samples of docs/. */
function mountFiles(pages: FastifyInstance, own: Options): void {
  const assets: readonly (readonly [string, string])[] = [
    ['guides-browser.css', 'text/css; charset=utf-8'],
    ['guides-browser.js', 'text/javascript; charset=utf-8'],
  ]
  for (const [name, type] of assets) {
    const built = builtOnce(async () => compressed(await readFile(new URL(name, import.meta.url))))
    pages.get(`/docs/guides/${name}`, own, async (request, reply) =>
      sendBuiltPage(await built(), type, request, reply),
    )
  }
  for (const folder of guideFolders) {
    const find = remembered((name) => fileOf(folder, name))
    const policy = folder === 'images' ? picturePolicy : guidePolicy
    const options = { ...own, helmet: { contentSecurityPolicy: policy } }
    pages.get<Named>(`/docs/guides/${folder}/:name`, options, async (request, reply) => {
      const built = await find(request.params.name)
      if (built) return sendBuiltPage(built, typeOf(request.params.name), request, reply)
      return reply.code(404).type(text).send('There is no such file\n')
    })
  }
}

const typeByEnding: ReadonlyMap<string, string> = new Map([
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.json', 'application/json; charset=utf-8'],
])

function typeOf(name: string): string {
  return typeByEnding.get(extname(name)) ?? text
}

/** Serves only names that the folder lists: the requested name never becomes part of a path. */
async function fileOf(folder: string, requested: string): Promise<Buffer | undefined> {
  const below = new URL(`${folder}/`, docsFolder)
  const name = (await readdir(below)).find((listed) => listed === requested)
  return name === undefined ? undefined : readFile(new URL(encodeURIComponent(name), below))
}

/** Missing files are not cached: otherwise made-up names could fill the memory. */
function remembered(
  find: (name: string) => Buffer | undefined | Promise<Buffer | undefined>,
): (name: string) => Promise<BuiltPage | undefined> {
  const pageByName = new Map<string, BuiltPage>()
  return async (name) => {
    const known = pageByName.get(name)
    if (known) return known
    const source = await find(name)
    if (!source) return undefined
    const built = await compressed(source)
    pageByName.set(name, built)
    return built
  }
}
