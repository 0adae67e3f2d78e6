/** JSON as it is written, so that it can say what no value can: a key twice, 1e400, -0, __proto__, half a character. */
export type Tree =
  | { kind: 'raw'; text: string }
  | { kind: 'list'; elements: Tree[] }
  | { kind: 'object'; members: [key: string, value: Tree][] }

export function treeOf(value: unknown): Tree {
  if (Array.isArray(value)) return { kind: 'list', elements: value.map(treeOf) }
  if (typeof value === 'object' && value !== null) {
    return { kind: 'object', members: Object.entries(value).map(([key, member]) => [key, treeOf(member)]) }
  }
  return raw(JSON.stringify(value ?? null))
}

export function raw(text: string): Tree {
  return { kind: 'raw', text }
}

export function spellTree(tree: Tree): string {
  switch (tree.kind) {
    case 'raw':
      return tree.text
    case 'list':
      return `[${tree.elements.map(spellTree).join()}]`
    case 'object':
      return `{${tree.members.map(([key, value]) => `${JSON.stringify(key)}:${spellTree(value)}`).join()}}`
  }
}

/** A place in a tree where another value can be put. */
export type Place = { tree: Tree; put: (tree: Tree) => void; parent: Tree | undefined; key: string }

export function placesOf(root: Tree, putRoot: (tree: Tree) => void): Place[] {
  const places: Place[] = [{ tree: root, put: putRoot, parent: undefined, key: '' }]
  const descend = (tree: Tree): void => {
    if (tree.kind === 'list') {
      for (const [index, element] of tree.elements.entries()) {
        places.push({
          tree: element,
          put: (value) => (tree.elements[index] = value),
          parent: tree,
          key: String(index),
        })
        descend(element)
      }
    } else if (tree.kind === 'object') {
      for (const member of tree.members) {
        places.push({ tree: member[1], put: (value) => (member[1] = value), parent: tree, key: member[0] })
        descend(member[1])
      }
    }
  }
  descend(root)
  return places
}
