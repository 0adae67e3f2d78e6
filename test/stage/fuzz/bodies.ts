import { isRecord } from '../../../src/http/validation/validate.ts'
import { placesOf, raw, spellTree, treeOf, type Place, type Tree } from './json-tree.ts'
import type { Random } from './random.ts'
import { nightAhead } from '../nights.ts'

/** Bodies from the contract's own shapes: right ones, and ones that are wrong in every way we could think of. */

type Schema = Readonly<Record<string, unknown>>
/** Which schema a part of a body was made for. */
export type SchemaOf = WeakMap<Tree, Schema>

/** Values that the rules beyond the shapes accept, by the member's name. */
const words: Readonly<Record<string, (random: Random) => unknown>> = {
  hotelId: (random) => (random.chance(0.93) ? random.pick(['H1', 'H2']) : `X${random.below(20)}`),
  hotelIds: (random) => [random.pick(['H1', 'H2', 'H9'])],
  roomId: (random) => random.pick(['DBL', 'DBL', 'DBL', 'TWN', 'TWN', 'NONE']),
  rateId: (random) => random.pick(['BAR', 'BAR', 'NRF', 'NRF', 'NONE']),
  roomIds: () => ['DBL'],
  rateIds: () => ['BAR'],
  currency: (random) => random.pick(['USD', 'USD', 'USD', 'JPY']),
  timezone: (random) => random.pick(['Europe/Paris', 'Pacific/Auckland', 'UTC']),
  countryCodeISO2: (random) => random.pick(['FR', 'US']),
  email: () => 'desk@hotel.example',
  roomType: () => 'Double',
  mealPlan: (random) => random.pick(['RO', 'BB']),
  // An address, so that no name is looked up.
  webhook: (random) => `https://93.184.216.${random.below(250) + 1}/ari/${random.below(100)}`,
  date: (random) => nightAhead(random.below(700)),
  startDate: (random) => nightAhead(random.below(30)),
  endDate: (random) => nightAhead(30 + random.below(60)),
  minChildAge: (random) => 1 + random.below(5),
  maxChildAge: (random) => 6 + random.below(12),
  maxOccupancy: (random) => 3 + random.below(3),
  maxAdult: (random) => 1 + random.below(3),
  maxChild: (random) => random.below(3),
  maxInfant: (random) => random.below(3),
  guests: (random) => 1 + random.below(2),
  ageCategory: () => 'adult',
  price: (random) => random.pick([100, 55.5, '120.25', null]),
  amount: (random) => random.pick([100, 55.5, '120.25', null]),
  value: (random) => random.pick([10, 2.5, '7.25', 0]),
  appliedOn: () => 'net',
  payNow: () => true,
  deadline: () => '18:00',
  sequence: (random) => random.below(1_000),
  checkin: (random) => nightAhead(random.below(30)),
  checkout: (random) => nightAhead(30 + random.below(60)),
  platformHotelId: (random) => String(1 + random.below(100)),
  limit: (random) => String(1 + random.below(50)),
  since: () => nightAhead(-3),
  until: () => nightAhead(3),
  cursor: () => Buffer.from('row 5').toString('base64url'),
  requestId: (random) => random.pick(['no-such-push', 'fuzz-1', 'fuzz-7']),
}

/** A body (or a part of one) of the schema's shape; most of them keep the rules too. */
export function validTree(schema: Schema, random: Random, schemaOf: SchemaOf, name = ''): Tree {
  const word = words[name]
  const tree = word && random.chance(0.97) ? treeOf(word(random)) : shapedTree(schema, random, schemaOf)
  schemaOf.set(tree, schema)
  return tree
}

/** A given body, with the schemas of its parts. */
export function annotated(value: unknown, schema: Schema, schemaOf: SchemaOf): Tree {
  const annotate = (tree: Tree, its: Schema): void => {
    schemaOf.set(tree, its)
    const { items, properties } = its
    if (tree.kind === 'list' && isRecord(items)) for (const element of tree.elements) annotate(element, items)
    if (tree.kind !== 'object' || !isRecord(properties)) return
    for (const [name, member] of tree.members) {
      const property = properties[name]
      if (isRecord(property)) annotate(member, property)
    }
  }
  const root = treeOf(value)
  annotate(root, schema)
  return root
}

function shapedTree(schema: Schema, random: Random, schemaOf: SchemaOf): Tree {
  const { type, enum: allowed } = schema
  if (Array.isArray(allowed)) return treeOf(random.pick(allowed))
  const kind: unknown = Array.isArray(type) ? random.pick(type) : type
  switch (kind) {
    case 'object':
      return objectTree(schema, random, schemaOf)
    case 'array': {
      const least = numberOr(schema['minItems'], 0)
      const most = Math.min(numberOr(schema['maxItems'], 100), least + random.pick([0, 0, 1, 2]))
      const items = isRecord(schema['items']) ? schema['items'] : {}
      const elements = Array.from({ length: most }, () => validTree(items, random, schemaOf))
      return { kind: 'list', elements }
    }
    case 'string':
      return treeOf(`Text ${random.below(1_000)}`.slice(0, numberOr(schema['maxLength'], 100)))
    case 'integer':
    case 'number': {
      const least = numberOr(schema['minimum'], 0)
      return treeOf(Math.min(numberOr(schema['maximum'], 1_000), least + random.below(5)))
    }
    case 'boolean':
      return treeOf(random.chance(0.5))
    default:
      return raw('null')
  }
}

function objectTree(schema: Schema, random: Random, schemaOf: SchemaOf): Tree {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {}
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  // Sparse objects meet fewer rules between members, full ones meet all of them.
  const density = random.pick([0.1, 0.3, 0.3, 0.9])
  const names = Object.keys(properties).filter((name) => required.includes(name) || random.chance(density))
  const members = names.map((name): [string, Tree] => {
    const property = properties[name]
    return [name, validTree(isRecord(property) ? property : {}, random, schemaOf, name)]
  })
  return { kind: 'object', members }
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise
}

/** Makes a tree wrong in one to three places (or, by chance, only unusual). */
export function mutated(tree: Tree, random: Random, schemaOf: SchemaOf): Tree {
  let root = tree
  const putRoot = (other: Tree): void => {
    root = other
  }
  for (let left = random.pick([1, 1, 1, 2, 3]); left > 0; left--) {
    const places = placesOf(root, putRoot)
    const place = random.pick(places)
    random.pick(mutations)(place, random, schemaOf.get(place.tree) ?? {}, places)
  }
  return root
}

type Mutation = (place: Place, random: Random, schema: Schema, places: readonly Place[]) => void

const wrongValues = [
  'null',
  'true',
  'false',
  '0',
  '1',
  '-1',
  '""',
  '"x"',
  '"5"',
  '"true"',
  '[]',
  '{}',
  '[[]]',
  '[null]',
  '{"a":1}',
]
const numbers = [
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '-9007199254740993',
  '9223372036854775808',
  '2147483648',
  '-2147483649',
  '32768',
  '1e400',
  '-1e400',
  '1e-400',
  '-0',
  '-0.0',
  '0.30000000000000004',
  '1.005',
  '1.0',
  '1E2',
  '5e-324',
  '1e21',
  '123456789012345678901234567890',
  '99999999999.999',
  '1e15',
  `1${'0'.repeat(400)}`,
]
const strings = [
  '',
  ' ',
  'infinity',
  '-infinity',
  'NaN',
  'null',
  'epoch',
  'today',
  '2027-02-30',
  '2027-2-3',
  '0000-00-00',
  '9999-12-31',
  '2027-04-15T00:00:00Z',
  '+012027-04-15',
  '1e5',
  '0x10',
  '+5',
  '.5',
  '5.',
  '1,5',
  '-1',
  '000',
  '9'.repeat(30),
  ' H1',
  'H1 ',
  'h1',
  '٣',
  '１',
  '__proto__',
  'constructor',
  'toString',
  "'; drop table hotel; --",
  '%s%n',
  '${7*7}',
  '../../etc/passwd',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'a\udc00b',
  '\ufeff',
  'http://127.0.0.1/',
  'https://localhost/',
  'https://[::1]/',
  'https://169.254.169.254/x',
  'https://user:pw@93.184.216.34/',
  'https://93.184.216.34/#x',
]
const keys = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'length',
  '',
  '\u0000',
  '\ud800',
  'a/b~c',
  '0',
  'then',
  'toJSON',
  'channelManagerId',
]

const mutations: readonly Mutation[] = [
  ({ put }, random) => put(raw(random.pick(wrongValues))),
  ({ put }, random) => put(raw(random.pick(wrongValues))),
  ({ put }, random) => put(raw(random.pick(numbers))),
  ({ put }, random) => put(treeOf(random.pick(strings))),
  ({ put }, random) => put(treeOf(random.junk(40))),
  ({ put, tree }, random, schema) => put(atBoundary(schema, random) ?? tree),
  ({ put, tree }, random, schema) => put(atBoundary(schema, random) ?? tree),
  ({ put, tree }, random, schema) => put(atBoundary(schema, random) ?? tree),
  ({ parent, key }) => {
    if (parent?.kind === 'object') parent.members = parent.members.filter(([name]) => name !== key)
    else if (parent?.kind === 'list') parent.elements.splice(Number(key), 1)
  },
  ({ parent, key, tree }, random) => {
    // The same key a second time, with the same value or another.
    if (parent?.kind === 'object')
      parent.members.push([key, random.chance(0.5) ? tree : raw(random.pick(wrongValues))])
    else if (parent?.kind === 'list') parent.elements.push(tree)
  },
  ({ tree, parent }, random) => {
    const target = tree.kind === 'object' ? tree : parent
    const value = random.pick([
      raw('{"isAvailable":true,"hotelId":"H1"}'),
      raw('null'),
      raw('"x"'),
      treeOf(random.junk(9)),
    ])
    if (target?.kind === 'object')
      target.members.unshift([random.chance(0.9) ? random.pick(keys) : random.junk(20), value])
  },
  ({ parent, key }, random) => {
    if (parent?.kind !== 'object') return
    for (const member of parent.members) {
      if (member[0] === key)
        member[0] = random.pick([key.toUpperCase(), ` ${key}`, `${key}\u0000`, `${key}s`])
    }
  },
  ({ tree, put }) => put({ kind: 'list', elements: [tree] }),
  ({ tree, put }) =>
    put(
      tree.kind === 'list'
        ? (tree.elements[0] ?? raw('null'))
        : { kind: 'object', members: [['value', tree]] },
    ),
  ({ tree, put }, _random, _schema, places) => {
    const other = places.at(Math.floor(places.length / 2))
    if (!other) return
    const text = spellTree(other.tree)
    if (text.length < 100_000) other.put(raw(spellTree(tree)))
    put(raw(text))
  },
  ({ put }, random) => {
    const depth = random.pick([30, 31, 32, 33, 34, 40, 100, 5_000])
    put(
      raw(
        random.chance(0.5)
          ? `${'['.repeat(depth)}${']'.repeat(depth)}`
          : `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
      ),
    )
  },
  ({ tree, put }, random) => {
    const text = spellTree(tree)
    if (text.startsWith('"'))
      put(raw(JSON.stringify(random.pick([text.slice(1, -1).toLowerCase(), ` ${text.slice(1, -1)}`]))))
  },
]

/** A value just inside or just outside of what the schema allows. */
function atBoundary(schema: Schema, random: Random): Tree | undefined {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, enum: allowed, night: isNight } = schema
  const candidates: Tree[] = []
  for (const bound of [minimum, maximum]) {
    if (typeof bound === 'number') candidates.push(...[bound - 1, bound, bound + 1, bound + 0.5].map(treeOf))
  }
  for (const bound of [minLength, maxLength]) {
    if (typeof bound !== 'number') continue
    for (const length of [bound - 1, bound, bound + 1])
      candidates.push(treeOf(random.pick(['x', 'é', '😀']).repeat(Math.max(0, length))))
  }
  if (typeof minItems === 'number') candidates.push(raw('[]'))
  if (typeof maxItems === 'number' && (maxItems <= 2_000 || random.chance(0.05))) {
    const element = random.pick(['{}', 'null', '"H1"', '0'])
    candidates.push(raw(`[${Array.from({ length: maxItems + random.pick([0, 1]) }, () => element).join()}]`))
  }
  if (Array.isArray(allowed)) {
    const text = String(random.pick(allowed))
    candidates.push(...[text.toLowerCase(), text.toUpperCase(), `${text} `, text.slice(1)].map(treeOf))
  }
  if (isNight === true)
    candidates.push(...[-2, -1, 0, 760, 761, 80_000, -9_000].map((days) => treeOf(nightAhead(days))))
  if (schema['decimal'] !== undefined) {
    candidates.push(
      ...[
        '-0.01',
        '0',
        '0.001',
        '1e2',
        '999999999999.99',
        '10000000000',
        '"0.005"',
        '"1e2"',
        '"-1"',
        '"00.1"',
        '"1.0000000000001"',
        '0.1',
      ].map(raw),
    )
  }
  return candidates.length === 0 ? undefined : random.pick(candidates)
}

/** Bytes of a body, damaged below the level of JSON. */
export function damaged(text: string, random: Random): Buffer {
  const bytes = Buffer.from(text)
  const at = random.below(bytes.length + 1)
  const insert = (part: Buffer): Buffer => Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(at)])
  switch (random.below(12)) {
    case 0:
      return bytes.subarray(0, at)
    case 1:
      return insert(
        random.pick([
          Buffer.from([0xff]),
          Buffer.from([0xc0, 0x80]),
          Buffer.from([0xed, 0xa0, 0x80]),
          Buffer.from([0xf4, 0x90, 0x80, 0x80]),
        ]),
      )
    case 2:
      return insert(Buffer.from([random.below(256)]))
    case 3:
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes])
    case 4:
      return Buffer.from(text, 'utf16le')
    case 5:
      return Buffer.concat([
        bytes,
        Buffer.from(random.pick(['x', ']', '}', ',', '\u0000', '{}', text, ' \n\t'])),
      ])
    case 6:
      return Buffer.from(' '.repeat(random.below(5_000)) + text)
    case 7:
      return Buffer.from(
        random.pick([
          '',
          ' ',
          'null',
          'true',
          '0',
          '"x"',
          '[]',
          '{}',
          'undefined',
          'NaN',
          '[NaN]',
          '[1,]',
          "{'a':1}",
          '{a:1}',
          '/* */ []',
          '[01]',
          '[1e]',
          '["\t"]',
          '["\\x"]',
          '["\\ud800"]',
          '{"__proto__":null}',
          '[[[[',
        ]),
      )
    case 8: {
      const flipped = Buffer.from(bytes)
      if (flipped.length > 0) flipped.writeUInt8(random.below(256), Math.min(at, flipped.length - 1))
      return flipped
    }
    case 9:
      return Buffer.from(text.replace(/"/, "'"))
    case 10:
      return Buffer.from('['.repeat(random.pick([100, 10_000, 100_000])))
    default:
      return Buffer.from(text.replaceAll(',', random.pick([',,', ';', '\u00a0,', ','])))
  }
}
