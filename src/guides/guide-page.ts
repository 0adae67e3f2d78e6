import { icon } from './page.ts'
import { Marked, type RendererObject, type Tokens } from 'marked'

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
    absent: page('absent', render('# There is no such guide\n\nThe list has all there are.')),
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
  return slug === '' ? `${docs}/guides` : `${docs}/guides/${slug}`
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
      <a class="home" href="${docs}/guides">ARI gateway <small>${escaped(environment)}</small></a>
      <div class="search" hidden>
        <input type="search" placeholder="Find a heading" aria-label="Find a heading in all guides" aria-controls="found" autocomplete="off">
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
    { href: docs, text: 'API reference', isCurrent: false },
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

/** Renders a guide as HTML. The Markdown is ours, so HTML in it is passed through. */

type Heading = { id: string; depth: number; text: string }
type Rendered = { html: string; title: string; headings: readonly Heading[] }

/** A line before a block that repeats the text of its fence: the rendered block shows that text itself. */
const captionOfFence = /^`((?:GET|POST|PUT) \S+)`\n\n(```json \1\n)/gm

/** `address` turns a link of the file, relative to docs/, into one for the browser. */
function renderMarkdown(markdown: string, address: (href: string) => string): Rendered {
  const headings: Heading[] = []
  const marked = new Marked({ gfm: true, renderer: { ...rendererOf(headings, address), code } })
  const html = marked.parse(markdown.replaceAll(captionOfFence, '$2'), { async: false })
  const title = headings.find(({ depth }) => depth === 1)?.text ?? ''
  return { html, title, headings }
}

function rendererOf(headings: Heading[], address: (href: string) => string): RendererObject {
  let tables = 0
  return {
    heading({ tokens, depth }) {
      const inner = this.parser.parseInline(tokens)
      const text = plain(inner)
      const id = freeId(text, headings)
      headings.push({ id, depth, text })
      const anchor =
        depth === 1 ? '' : ` <a class="anchor" href="#${id}" aria-label="Link to “${text}”">#</a>`
      return `<h${depth} id="${id}">${inner}${anchor}</h${depth}>\n`
    },
    link({ href, tokens }) {
      return `<a href="${escaped(address(href))}">${this.parser.parseInline(tokens)}</a>`
    },
    checkbox() {
      // Readers tick these on paper or in their heads: a real checkbox that nobody can tick would need a
      // label for nothing.
      return '<span class="box" aria-hidden="true">☐</span> '
    },
    image({ href, text }) {
      return `<img src="${escaped(address(href))}" alt="${escaped(text)}">`
    },
    table({ header, rows }) {
      const cell = (tag: 'th' | 'td', { tokens }: Tokens.TableCell) =>
        `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`
      const line = (cells: readonly string[], id = '') => `<tr${id}>${cells.join('')}</tr>`
      const heads = header.map((head) => cell(head.text === '' ? 'td' : 'th', head))
      const hasHeads = header.some(({ text }) => text !== '')
      const isOfTypes = header[0]?.text === '`type`'
      const rowOf = (cells: readonly Tokens.TableCell[]) =>
        line(
          cells.map((one) => cell('td', one)),
          isOfTypes ? idOfType(cells[0]?.text) : '',
        )
      const body = rows.map(rowOf).join('\n')
      // Wide tables scroll separately, also by keyboard.
      return `<div class="table" tabindex="0" role="region" aria-label="Table ${++tables}"><table>${hasHeads ? `<thead>${line(heads)}</thead>` : ''}<tbody>${body}</tbody></table></div>\n`
    },
  }
}

/** The row of a type of error can be linked to: `errors#ROOM_NOT_FOUND`. */
function idOfType(text = ''): string {
  const [, type] = /^`([A-Z][A-Z0-9_]+)`$/.exec(text) ?? []
  return type === undefined ? '' : ` id="${type}"`
}

/** Renders a code block with the caption from its fence; see docs/README.md. */
function code({ text, lang = '' }: Tokens.Code): string {
  const [language = '', ...rest] = lang.split(' ')
  const caption = captionOf(language, rest.join(' '))
  const inner = language === 'json' ? colouredJson(text) : escaped(text)
  const head = caption === '' ? '' : `<figcaption>${escaped(caption)}</figcaption>`
  return `<figure class="code" data-language="${escaped(language)}">${head}<pre tabindex="0"><code>${inner}</code></pre></figure>\n`
}

const languages: ReadonlyMap<string, string> = new Map([
  ['ts', 'TypeScript'],
  ['python', 'Python'],
  ['php', 'PHP'],
  ['java', 'Java'],
  ['csharp', 'C#'],
  ['sql', 'SQL'],
  ['sh', 'Shell'],
  ['console', 'Terminal'],
])

function captionOf(language: string, rest: string): string {
  if (language !== 'json') return languages.get(language) ?? ''
  return /^\d+$/.test(rest) ? `Answer ${rest}` : rest
}

/** Colours names, texts, and other values. */
function colouredJson(text: string): string {
  return escaped(text).replaceAll(
    /(&quot;(?:(?!&quot;).)*&quot;)(\s*:)?|\b(-?\d[\d.]*|true|false|null)\b/g,
    (all, quoted: string | undefined, colon: string | undefined) => {
      if (quoted === undefined) return `<span class="value">${all}</span>`
      return colon === undefined
        ? `<span class="text">${quoted}</span>`
        : `<span class="name">${quoted}</span>${colon}`
    },
  )
}

/** Ids like GitHub's, so that links to headings work on disk and here. */
function freeId(text: string, headings: readonly Heading[]): string {
  const id = unescaped(text)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
  const same = headings.filter((heading) => heading.id === id || heading.id.startsWith(`${id}-`)).length
  return headings.some((heading) => heading.id === id) ? `${id}-${same}` : id
}

function plain(html: string): string {
  return html.replaceAll(/<[^>]*>/g, '')
}

const entities: readonly (readonly [string, string])[] = [
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
]

function escaped(text: string): string {
  let html = text
  for (const [character, entity] of entities) html = html.replaceAll(character, entity)
  return html
}

function unescaped(text: string): string {
  let html = text.replaceAll('&#39;', "'")
  for (const [character, entity] of [...entities].reverse()) html = html.replaceAll(entity, character)
  return html
}
