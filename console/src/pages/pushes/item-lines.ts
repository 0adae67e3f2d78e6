/** Line numbers of values in JSON as the service formats items: one member per line, indented by two spaces per level. */

/** The line numbers (from 0) that the pointers lead to; 0 for missing values. */
export function linesOf(lines: readonly string[], pointers: readonly string[]): ReadonlySet<number> {
  const lineByPointer = new Map<string, number>()
  const path: string[] = []
  const counted: number[] = []
  for (const [index, line] of lines.entries()) {
    const text = line.trimStart()
    const depth = (line.length - text.length) / 2
    if (depth === 0 || /^[}\]]/.test(text)) continue
    path.length = depth - 1
    counted.length = depth
    const name = memberOf(text)
    counted[depth - 1] = (counted[depth - 1] ?? -1) + 1
    path.push(name ?? String(counted[depth - 1]))
    lineByPointer.set(`/${path.join('/')}`, index)
  }
  return new Set(pointers.map((pointer) => nearest(lineByPointer, pointer)))
}

function memberOf(line: string): string | undefined {
  const member = /^("(?:[^"\\]|\\.)*"): /.exec(line)
  if (!member) return undefined
  const name: unknown = JSON.parse(member[1] ?? '""')
  // Escaped as in a JSON Pointer.
  return typeof name === 'string' ? name.replaceAll('~', '~0').replaceAll('/', '~1') : undefined
}

/** A missing member has no line; this returns its parent's. */
function nearest(lineByPointer: ReadonlyMap<string, number>, pointer: string): number {
  for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const line = lineByPointer.get(at)
    if (line !== undefined) return line
  }
  return 0
}
