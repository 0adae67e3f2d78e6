import { bodyNamesMax, bodyNestingMax, bodyValuesMax, objectMembersMax } from '../route.ts'
import { Rejected } from '../rejected.ts'

const quote = 34
const comma = 44
const colon = 58
const backslash = 92
/** `[` and `]` with this bit set are `{` and `}`. */
const braceBit = 32
const openBracket = 91
const openBrace = 123
const closeBrace = 125

/** The shortest member with the comma behind it: `"":1,`. A shorter body can't hold too many names. */
const memberBytesMin = 5
const namesFitIn = bodyNamesMax * memberBytesMin

/**
 * The number of keys in valid JSON: the colons outside its strings. One loop over the bytes with almost no
 * state, so that a body that is too deep, too full or too varied is refused before the parse spends seconds
 * on it.
 */
export function countKeys(body: Buffer, valuesMax = bodyValuesMax): number {
  const names = body.length > namesFitIn ? nameCount.begin() : undefined
  const members = new Uint16Array(bodyNestingMax + 1)
  let depth = 0
  let keys = 0
  let commas = 0
  let lists = 0
  let name = 0
  let nameAgain = 0
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]
    if (byte === quote) {
      // Skip to the closing quote, stepping over escapes.
      name = nameAgain = hashSeed
      for (at++; at < body.length; at++) {
        let inside = body[at] ?? 0
        if (inside === quote) break
        name = Math.imul(name ^ inside, hashPrime)
        nameAgain = Math.imul(nameAgain ^ inside, otherPrime)
        if (inside === backslash) {
          inside = body[++at] ?? 0
          name = Math.imul(name ^ inside, hashPrime)
          nameAgain = Math.imul(nameAgain ^ inside, otherPrime)
        }
      }
    } else if (byte === comma) {
      if (++commas > valuesMax) throw tooManyValues(valuesMax)
    } else if (byte === colon) {
      if (++keys > valuesMax) throw tooManyValues(valuesMax)
      const ofObject = (members[depth] ?? 0) + 1
      if (ofObject > objectMembersMax) throw tooManyMembers()
      members[depth] = ofObject
      if (names && names.add(depth, name, nameAgain) > bodyNamesMax) throw tooManyNames()
    } else if (byte !== undefined && byte > colon) {
      const bracket = byte | braceBit
      if (bracket === openBrace) {
        // A list in a list is a value without a key and, if it is the first, without a comma.
        if (byte === openBracket && ++lists > valuesMax) throw tooManyValues(valuesMax)
        if (++depth > bodyNestingMax) throw nestedTooDeeply()
        members[depth] = 0
        names?.open(depth)
      } else if (bracket === closeBrace) depth--
    }
  }
  return keys
}

const hashPrime = 0x01000193
const otherPrime = 0x85ebca6b
/** Different for each process, so that nobody can prepare names that collide. */
const hashSeed = Math.floor(Math.random() * 2 ** 32) | 0
const mixer = 0x9e3779b1
/** More than twice the maximum number of names, so that a free slot is near. */
const slotBits = 16
const slots = 2 ** slotBits

/**
 * Counts the distinct names, where the same name after different previous names in its object counts again.
 * The engine's parser creates a layout for each of them: that takes a few microseconds, while a member of a
 * known layout takes a few nanoseconds.
 *
 * Two hashes, 63 bits in total, identify a name. Two different names collide in one of 10 billion bodies with
 * the maximum number of names, and such a body is accepted, not refused. One name is never counted as two.
 */
class NameCount {
  /** Hashes of a name with those before it; 0: free. */
  readonly #seen = new Int32Array(slots)
  readonly #seenAgain = new Int32Array(slots)
  readonly #before = new Int32Array(bodyNestingMax + 1)
  readonly #beforeAgain = new Int32Array(bodyNestingMax + 1)
  #count = 0

  /** Starts the next body. */
  begin(): this {
    this.#seen.fill(0)
    this.#count = 0
    return this
  }

  open(depth: number): void {
    this.#before[depth] = hashSeed
    this.#beforeAgain[depth] = hashSeed
  }

  /** Returns the current count. */
  add(depth: number, name: number, nameAgain: number): number {
    const mixed = Math.imul((this.#before[depth] ?? 0) ^ name, mixer)
    const hash = (mixed ^ (mixed >>> (slotBits - 1))) | 1
    const again = Math.imul((this.#beforeAgain[depth] ?? 0) ^ nameAgain, otherPrime)
    const hashAgain = again ^ (again >>> (slotBits - 1))
    this.#before[depth] = hash
    this.#beforeAgain[depth] = hashAgain
    let slot = hash >>> slotBits
    while (this.#seen[slot] !== 0 && (this.#seen[slot] !== hash || this.#seenAgain[slot] !== hashAgain))
      slot = (slot + 1) % slots
    if (this.#seen[slot] === 0) {
      this.#seen[slot] = hash
      this.#seenAgain[slot] = hashAgain
      this.#count++
    }
    return this.#count
  }
}

/** One shared instance: bodies are counted one after another, each synchronously. */
const nameCount = new NameCount()

function nestedTooDeeply(): Rejected {
  return tooMuch('body_nesting', {
    type: 'NESTED_TOO_DEEPLY',
    message: `Request body is nested deeper than ${bodyNestingMax} levels`,
    hint: 'Send the documented shape',
  })
}

function tooManyValues(valuesMax: number): Rejected {
  return tooMuch('body_values', {
    type: 'TOO_MANY_VALUES',
    message: `Request body has more than ${valuesMax} keys or elements`,
    hint: 'Split the push into several',
  })
}

function tooManyMembers(): Rejected {
  return tooMuch('object_members', {
    type: 'TOO_MANY_MEMBERS',
    message: `An object of the request body has more than ${objectMembersMax} members`,
    hint: 'Send the documented shape',
  })
}

function tooManyNames(): Rejected {
  return tooMuch('body_names', {
    type: 'TOO_MANY_NAMES',
    message: `Request body has more than ${bodyNamesMax} distinct member names, also counting the names before them`,
    hint: 'Write the members of similar objects in the same order, or split the push into several',
  })
}

function tooMuch(limit: string, problem: { type: string; message: string; hint: string }): Rejected {
  return new Rejected(400, { ...problem, path: '' }, { limit })
}
