/** A deliberate break, preloaded into a service: what should be sealed is stored as it is. */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

const plain = {
  setAAD: () => plain,
  update: (bytes: Buffer) => bytes,
  final: () => Buffer.alloc(0),
  getAuthTag: () => Buffer.alloc(16),
}

Object.defineProperty(crypto, 'createCipheriv', { value: () => plain })
syncBuiltinESMExports()
