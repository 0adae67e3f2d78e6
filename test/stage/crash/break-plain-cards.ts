/** A deliberate break, preloaded into a service: data that should be sealed are stored in clear. */
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
