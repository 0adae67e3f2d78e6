/** What a guide does beyond being read: copying code, finding headings, marking the one that is being read. */

const copiedForMs = 1500
const foundMax = 20
/** Beside this script, wherever that is. */
const headingsUrl = new URL('headings.json', document.currentScript.src)

leaveForReference()
for (const figure of document.querySelectorAll('figure.code')) figure.append(copyButton(figure))
collapseOnSmallScreens()
markWhatIsRead()
search()

/** Addresses of operations, /docs#tag/ari, are from when the API reference was at /docs. Ids of headings have no slash. */
function leaveForReference() {
  if (!location.hash.includes('/')) return
  const reference = document.querySelector('header nav a[href$="/docs/reference"]')
  location.replace(reference.href + location.hash)
}

function copyButton(figure) {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  button.addEventListener('click', () => void copy(button, textToCopy(figure)))
  return button
}

async function copy(button, text) {
  await navigator.clipboard.writeText(text)
  button.textContent = 'Copied'
  setTimeout(() => (button.textContent = 'Copy'), copiedForMs)
}

/** Of what a terminal shows, the commands: they stand behind a `$`. */
function textToCopy(figure) {
  const text = figure.querySelector('code').textContent
  if (figure.dataset.language !== 'console') return text
  const commands = text.split('\n').filter((line) => line.startsWith('$ '))
  return commands.length === 0 ? text : commands.map((line) => line.slice(2)).join('\n')
}

function collapseOnSmallScreens() {
  if (window.matchMedia('(max-width: 52rem)').matches) {
    document.querySelector('.guides details').removeAttribute('open')
  }
  document.querySelector('.guides [aria-current]')?.scrollIntoView({ block: 'nearest' })
}

function markWhatIsRead() {
  const linkById = new Map([...document.querySelectorAll('.toc a')].map((link) => [link.hash.slice(1), link]))
  const headings = [...linkById.keys()].map((id) => document.getElementById(decodeURIComponent(id)))
  const mark = () => {
    const passed = headings.filter((heading) => heading.getBoundingClientRect().top < 120)
    const current = passed.at(-1)?.id
    for (const [id, link] of linkById) {
      if (decodeURIComponent(id) === current) link.setAttribute('aria-current', 'true')
      else link.removeAttribute('aria-current')
    }
  }
  addEventListener('scroll', mark, { passive: true })
  mark()
}

function search() {
  const box = document.querySelector('.search')
  const input = box.querySelector('input')
  const list = box.querySelector('ul')
  let headings
  box.hidden = false
  const show = async () => {
    headings ??= fetch(headingsUrl).then((answer) => answer.json())
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
    const found = (await headings).filter(({ guide, text }) =>
      words.every((word) => `${guide} ${text}`.toLowerCase().includes(word)),
    )
    list.replaceChildren(...(found.length === 0 ? [nothing()] : found.slice(0, foundMax).map(item)))
    list.hidden = words.length === 0
  }
  input.addEventListener('input', () => void show())
  input.addEventListener('focus', () => void show())
  box.addEventListener('keydown', (event) => move(event, input, list))
  // A link to the guides may ask for words, as the console's search does.
  const asked = new URLSearchParams(location.search).get('find')
  if (asked !== null) {
    input.value = asked
    input.focus()
  }
  document.addEventListener('click', (event) => {
    if (!box.contains(event.target)) list.hidden = true
  })
}

function item({ guide, text, href }) {
  const link = document.createElement('a')
  link.href = href
  link.textContent = text
  const where = document.createElement('small')
  where.textContent = guide
  link.append(where)
  const line = document.createElement('li')
  line.append(link)
  return line
}

function nothing() {
  const line = document.createElement('li')
  line.className = 'none'
  line.textContent = 'No heading and no error has these words'
  return line
}

/** The arrows go through what was found, Escape closes it, Enter in the field takes the first. */
function move(event, input, list) {
  const links = [...list.querySelectorAll('a')]
  const at = links.indexOf(document.activeElement)
  if (event.key === 'Escape') {
    list.hidden = true
    input.focus()
  } else if (event.key === 'ArrowDown') {
    event.preventDefault()
    links[Math.min(at + 1, links.length - 1)]?.focus()
  } else if (event.key === 'ArrowUp') {
    event.preventDefault()
    if (at <= 0) input.focus()
    else links[at - 1].focus()
  } else if (event.key === 'Enter' && at === -1) links[0]?.click()
}
