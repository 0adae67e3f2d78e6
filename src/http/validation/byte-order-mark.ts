export const byteOrderMark = Buffer.of(0xef, 0xbb, 0xbf)

/**
 * Some systems put a byte order mark before UTF-8. It is not part of JSON, so it is skipped (RFC 8259, 8.1).
 */
export function withoutByteOrderMark(body: Buffer): Buffer {
  const hasMark = body.subarray(0, byteOrderMark.length).equals(byteOrderMark)
  return hasMark ? body.subarray(byteOrderMark.length) : body
}
