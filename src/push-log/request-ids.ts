/**
 * A request id in the form that the service gives them is stored as a UUID, in 16 bytes instead of 37; every other id, which
 * a supplier sent, as text.
 */
const uuidText = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/

export function isUuid(requestId: string): boolean {
  return uuidText.test(requestId)
}

/** The request id of a row of the log. */
export const requestIdOfRow = 'coalesce(request_uuid::text, request_text)'

/** Whether a row has the request id, by an index. `parameter` is its text. */
export function hasRequestId(requestId: string, parameter: string): string {
  if (!isUuid(requestId)) return `request_text = ${parameter}`
  return `(request_key(request_uuid) = request_key(${parameter}::uuid) and request_uuid = ${parameter}::uuid)`
}

/** Values for `hasOneOfRequestIds`. */
export function requestIdLists(requestIds: readonly string[]): [uuids: string[], texts: string[]] {
  return [requestIds.filter(isUuid), requestIds.filter((requestId) => !isUuid(requestId))]
}

export const hasOneOfRequestIds = (uuids: string, texts: string): string =>
  `(request_key(request_uuid) = any(array(select request_key(unnest(${uuids}::uuid[]))))
     and request_uuid = any(${uuids}::uuid[])
     or request_text = any(${texts}::text[]))`

/** The least and the greatest UUID that begin with the text; undefined if none does. */
export function uuidsBeginningWith(beginning: string): [first: string, last: string] | undefined {
  const filled = (digit: string): string =>
    beginning + '00000000-0000-0000-0000-000000000000'.slice(beginning.length).replaceAll('0', digit)
  const [first, last] = [filled('0'), filled('f')]
  return isUuid(first) ? [first, last] : undefined
}

const memberOf = (requestId: string): string => `"requestId":"${requestId}"`

/** The text of an answer without its request id, which the log's row has. */
export function withoutRequestId(json: string, requestId: string): string {
  return json.replace(memberOf(requestId), memberOf(''))
}

/** Undoes `withoutRequestId`. In a string of JSON the quotes of the member would be escaped, and no request id is empty. */
export function withRequestId(json: string, requestId: string): string {
  return json.replace(memberOf(''), () => memberOf(requestId))
}
