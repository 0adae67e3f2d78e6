import { Marked, type RendererObject, type Tokens } from 'marked'

/** Renders a guide as HTML. The Markdown is ours, so HTML in it is passed through. */

type Heading = { id: string; depth: number; text: string }
export type Rendered = { html: string; title: string; headings: readonly Heading[] }

/** A line before a block that repeats the text of its fence: the rendered block shows that text itself. */
const captionOfFence = /^`((?:GET|POST|PUT) \S+)`\n\n(```json \1\n)/gm

/** `address` turns a link of the file, relative to docs/, into one for the browser. */
export function renderMarkdown(markdown: string, address: (href: string) => string): Rendered {
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
      const rowOf = (cells: readonly Tokens.TableCell[]) => {
        const type = isOfTypes ? typeIn(cells[0]?.text) : undefined
        // Found by the search like a heading.
        if (type !== undefined) headings.push({ id: type, depth: typeDepth, text: type })
        return line(
          cells.map((one) => cell('td', one)),
          type === undefined ? '' : ` id="${type}"`,
        )
      }
      const body = rows.map(rowOf).join('\n')
      // Wide tables scroll separately, also by keyboard.
      return `<div class="table" tabindex="0" role="region" aria-label="Table ${++tables}"><table>${hasHeads ? `<thead>${line(heads)}</thead>` : ''}<tbody>${body}</tbody></table></div>\n`
    },
  }
}

/** Below every heading. */
const typeDepth = 7

/** The row of a type of error can be linked to: `errors#ROOM_NOT_FOUND`. */
function typeIn(text = ''): string | undefined {
  return /^`([A-Z][A-Z0-9_]+)`$/.exec(text)?.[1]
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

export function escaped(text: string): string {
  let html = text
  for (const [character, entity] of entities) html = html.replaceAll(character, entity)
  return html
}

export function unescaped(text: string): string {
  let html = text.replaceAll('&#39;', "'")
  for (const [character, entity] of [...entities].reverse()) html = html.replaceAll(entity, character)
  return html
}
