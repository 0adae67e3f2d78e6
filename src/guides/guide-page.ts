import { icon } from './page.ts'
import { escaped, type Rendered, renderMarkdown, unescaped } from './markdown.ts'

type GuideSources = {
  environment: string
  /** The path below which proxies have the service; '' for none. */
  pathPrefix: string
  /** The file whose lists become the side list of every page. */
  index: string
  /** Folders beside the guides, with files that the guides show or link to. */
  folders: readonly string[]
  textByFile: ReadonlyMap<string, string>
}

/** The location of each heading of each guide, for the search. */
type FoundHeading = { guide: string; text: string; href: string }

type GuideRenderer = {
  /** The page of a guide, named without `.md`; '' is the index. */
  page: (slug: string) => string | undefined
  headings: () => readonly FoundHeading[]
  absent: string
}

/** Not a guide, though it is shown like one. */
const changelog = 'changelog'

export function guideRenderer(sources: GuideSources): GuideRenderer {
  const { environment, index, folders, textByFile } = sources
  const docs = `${sources.pathPrefix}/docs`
  const textBySlug = new Map([...textByFile].map(([file, text]) => [slugOf(file, index), text]))
  const side = sideList(textByFile.get(index) ?? '', index)
  const render = (markdown: string) => renderMarkdown(markdown, addressOf(docs, index, folders))
  const page = (slug: string, rendered: Rendered) => pageHtml({ environment, docs, side, slug, rendered })
  return {
    page: (slug) => {
      const text = textBySlug.get(slug)
      return text === undefined ? undefined : page(slug, render(text))
    },
    headings: () =>
      [...textBySlug].flatMap(([slug, text]) => {
        const { title, headings } = render(text)
        return headings.map((heading) => ({
          guide: unescaped(title),
          text: unescaped(heading.text),
          href: heading.depth === 1 ? hrefOf(docs, slug) : `${hrefOf(docs, slug)}#${heading.id}`,
        }))
      }),
    absent: page('absent', render('# There is no such guide\n\nThe list has all of them.')),
  }
}

function slugOf(file: string, index: string): string {
  return file === index
    ? ''
    : file
        .replace(/^\.\.\//, '')
        .replace(/\.md$/, '')
        .toLowerCase()
}

/** `docs` is the path of the documentation, usually /docs. */
function hrefOf(docs: string, slug: string): string {
  if (slug === changelog) return `${docs}/${changelog}`
  return slug === '' ? docs : `${docs}/guides/${slug}`
}

/**
 * `ari.md#prices` becomes /docs/guides/ari#prices; files of the folders keep their names; other links stay.
 */
function addressOf(docs: string, index: string, folders: readonly string[]): (href: string) => string {
  return (href) => {
    const [, file, anchor = ''] = /^((?:\.\.\/)?[\w-]+\.md)(#.*)?$/.exec(href) ?? []
    if (file !== undefined) return `${hrefOf(docs, slugOf(file, index))}${anchor}`
    return folders.includes(href.split('/')[0] ?? '') ? `${docs}/guides/${href}` : href
  }
}

type Group = { title: string; guides: { slug: string; title: string }[] }

/** One group per paragraph that ends with a colon, with the links of the list below it. */
function sideList(indexText: string, index: string): Group[] {
  const groups: Group[] = []
  for (const line of indexText.split('\n')) {
    const title = /^For (\w)(.*):$/.exec(line)
    if (title) groups.push({ title: `${title[1]?.toUpperCase()}${title[2]}`, guides: [] })
    const [, name = '', file = ''] = /^- \[([^\]]+)\]\(([\w-]+\.md)\)/.exec(line) ?? []
    if (file !== '') groups.at(-1)?.guides.push({ slug: slugOf(file, index), title: name })
  }
  return groups.filter(({ guides }) => guides.length > 0)
}

type PageParts = {
  environment: string
  docs: string
  side: readonly Group[]
  slug: string
  rendered: Rendered
}

function pageHtml({ environment, docs, side, slug, rendered }: PageParts): string {
  const { title, html } = rendered
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title} · ARI gateway</title>
    <link rel="icon" href="data:image/svg+xml,${icon}">
    <link rel="stylesheet" href="${docs}/guides/guides-browser.css">
    <script src="${docs}/guides/guides-browser.js" defer></script>
  </head>
  <body>
    <a class="skip" href="#content">Skip to the guide</a>
    <header>
      <a class="home" href="${docs}">ARI gateway <small>${escaped(environment)}</small></a>
      <div class="search" hidden>
        <input type="search" placeholder="Find a heading or an error" aria-label="Find a heading or an error in all guides" aria-controls="found" autocomplete="off">
        <ul id="found" aria-label="Headings found" hidden></ul>
      </div>
      <nav aria-label="Documentation">${navHtml(docs, slug)}</nav>
    </header>
    <div class="columns">
      <nav class="guides" aria-label="Guides"><details open><summary>All guides</summary>${sideHtml(docs, side, slug)}</details></nav>
      <main id="content" tabindex="-1">
${html}
      </main>
      ${tocHtml(rendered)}
    </div>
  </body>
</html>
`
}

function navHtml(docs: string, slug: string): string {
  const isChangelog = slug === changelog
  const links = [
    { href: hrefOf(docs, ''), text: 'Guides', isCurrent: !isChangelog },
    { href: `${docs}/reference`, text: 'API reference', isCurrent: false },
    { href: hrefOf(docs, changelog), text: 'Changelog', isCurrent: isChangelog },
  ]
  return links
    .map(
      ({ href, text, isCurrent }) =>
        `<a href="${href}"${isCurrent ? ' aria-current="true"' : ''}>${text}</a>`,
    )
    .join('')
}

function sideHtml(docs: string, side: readonly Group[], current: string): string {
  return side
    .map(({ title, guides }) => {
      const items = guides.map(
        (guide) =>
          `<li><a href="${hrefOf(docs, guide.slug)}"${guide.slug === current ? ' aria-current="page"' : ''}>${escaped(guide.title)}</a></li>`,
      )
      return `<h2>${escaped(title)}</h2><ul>${items.join('')}</ul>`
    })
    .join('')
}

const tocDepths: ReadonlySet<number> = new Set([2, 3])

function tocHtml({ headings }: Rendered): string {
  const listed = headings.filter(({ depth }) => tocDepths.has(depth))
  if (listed.length < 2) return ''
  const items = listed.map(
    ({ id, depth, text }) => `<li class="depth${depth}"><a href="#${id}">${text}</a></li>`,
  )
  return `<nav class="toc" aria-labelledby="toc"><h2 id="toc">On this page</h2><ul>${items.join('')}</ul></nav>`
}
