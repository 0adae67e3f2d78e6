/** The prose of the API reference. */

export type Words = { environment: 'sandbox' | 'production'; pathPrefix: string }

export const tags: readonly { name: string; description: string }[] = [
  {
    name: 'Hotels',
    description:
      'Step 1. Everything else depends on a hotel: its currency, its time zone and its child ages.',
  },
  {
    name: 'Products',
    description: 'Step 2. A product is a room with a rate, and is what can be sold.',
  },
  { name: 'Taxes', description: 'Step 3, for hotels that have any.' },
  {
    name: 'ARI',
    description: 'Step 4, every day: availability, rates, inventory and restrictions, night by night.',
  },
  {
    name: 'Guard',
    description: 'Hold prices, units and openings that look mistyped until you release them.',
  },
  {
    name: 'First load',
    description: 'Instead of steps 1 to 4 one push at a time: files of many pushes.',
  },
  {
    name: 'Webhooks',
    description: 'Step 5. Where the platform reaches you: price checks and reservations.',
  },
  {
    name: 'Reservations',
    description: 'Have a reservation delivered now, or fetch reservations yourself.',
  },
  {
    name: 'Booking',
    description: 'For the platform that sells: its calls carry `Authorization: Bearer` and a platform token.',
  },
  {
    name: 'Sandbox',
    description: 'Simulate errors and bookings; only in the sandbox.',
  },
  { name: 'Alerts', description: 'What the service noticed, and who receives alerts.' },
  { name: 'Certification', description: 'What your own traffic proves about your integration.' },
  { name: 'Push log', description: 'What you sent, when, and the outcome.' },
  { name: 'Reference data', description: 'The values that pushes may name.' },
  { name: 'Account', description: 'What your API key may do.' },
]

const keyPrefixes = { sandbox: 'ari_sbx_', production: 'ari_live_' } as const

export function introduction({ environment, pathPrefix }: Words): string {
  const prefix = keyPrefixes[environment]
  return `${start(environment, prefix, `${pathPrefix}/docs`)}

${conventions}`
}

function start(environment: string, prefix: string, docs: string): string {
  return `
Push hotels, products, taxes and daily ARI (availability, rates, inventory) to the distribution platform,
read back what is stored, and see the outcome of every push.

**Guides**: [five minutes to the first bookable night](${docs}/guides/getting-started), prices with pictures, taxes with
worked examples, callbacks in five languages, every error with its remedy, and more: [all guides](${docs}/guides). What changed: [changelog](${docs}/changelog).

## Base URL

All paths below are relative to the address of this service followed by \`/v1\`.
This is the **${environment}** environment. Sandbox and production have separate addresses, data and keys.

## Authentication

Send your key in the header \`x-api-key\` of every request. Keys of this environment begin with \`${prefix}\`.
A key belongs to one supplier account: hotel, room and rate codes are yours alone, and another supplier's
hotel does not exist for you. A key that is missing, unknown, revoked, expired or of the other environment
gets \`401 Unauthorized API KEY\`.

\`\`\`sh
curl $BASE_URL/push/getHotels \\
  -H "x-api-key: $API_KEY" -H "content-type: application/json" \\
  -d '{"hotelIds":["H1"]}'
\`\`\`

## Order of calls

1. \`POST /push/hotels\`: every hotel
2. \`POST /push/products\`: its rooms and rates
3. \`POST /push/taxes\`: if it has taxes
4. \`POST /push/ari\`: prices, inventory and restrictions, from then on with every change
5. \`POST /push/webhook/availability\` and \`/push/webhook/pushbook\`: if your contract includes them

\`POST /push/getHotels\` shows for each hotel which of these steps are still missing.
`.trim()
}

const conventions = `
## Conventions

| | |
|---|---|
| Body | JSON in UTF-8; \`Content-Encoding\` \`gzip\`, \`br\` or \`zstd\` is accepted |
| Dates | \`YYYY-MM-DD\`: the night that begins on that date, in the hotel's time zone |
| Amounts | JSON number or decimal string, with at most the currency's ISO 4217 minor digits (JPY 0, USD 2, KWD 3); stored exactly, never rounded |
| Codes | \`hotelId\`, \`roomId\`, \`rateId\`: your own, 1 to 64 printable characters, none of them invisible, case-sensitive |
| Types | Types are not coerced: \`"5"\` is not an integer, \`1\` is not \`true\` |
| Unknown members | Change nothing; each is listed as a warning \`UNKNOWN_FIELD\`. With the header \`X-Unknown-Fields: reject\` the request is refused, and those of the platform (\`/booking\`) always are |
| Empty text | An optional text or date that is empty counts as absent; codes must not be empty |
| Repeats | Posting the same state again changes nothing |
| \`Idempotency-Key\` | Optional, up to 64 characters: the same key with the same body within 24 hours gets the stored answer, with \`Idempotency-Replayed: true\` |
| \`x-request-id\` | On every answer; send your own (1 to 64 of \`A-Z a-z 0-9 . _ -\`) and the answer repeats it |

An acknowledged change is on disk, and every later read sees it. Pushes of one hotel are applied one after another.

## Errors

Every error has the same shape, and lists **all** problems of the request, not only the first:

\`\`\`json
{
  "code": "404",
  "message": "RoomID not found",
  "requestId": "7b0c1a52-52c3-4f2a-9c3e-0d8a4f6c1e11",
  "errors": [
    {
      "type": "ROOM_NOT_FOUND",
      "message": "RoomID not found",
      "path": "/ari/0/roomId",
      "value": "X1",
      "hint": "Push the room with POST /push/products first"
    }
  ]
}
\`\`\`

\`code\` is the HTTP status as a string, \`message\` the first error's text. \`type\` is stable: base your decisions on it.
\`path\` is a JSON Pointer into the body; query parameters are named \`?name\`, headers by their name.
At most 100 problems are listed, in \`errors\` as in all \`results\` together, and \`moreErrors\` counts the rest.

- **200**, **207** All applied; an ARI push of which some items were not
- **400** Malformed JSON, a wrong type, a missing field, a broken rule: fix it, then send it again
- **401** The key is not valid here
- **404** Unknown hotel, room, rate or request id: push it first
- **405**, **413**, **415** Method; body too large; not JSON, or not UTF-8: fix it, then send it again
- **409** A push with the same \`Idempotency-Key\` is under way: send the same again
- **422** The \`Idempotency-Key\` was used with another body: send it with a new key
- **429** Over the rate limit: send the same again after \`Retry-After\`
- **500**, **503** An error on our side; overloaded or shutting down. Nothing is half-applied: send the same again

## Limits

6,000 requests a minute for each key, with a burst of 1,000; bodies up to 10 MB after decompression; 1,000 items
and 200,000 nights of rooms and rates in one ARI push; 500 hotels in one push. A key may have limits of its own:
\`GET /push/limits\` lists them, and the headers \`RateLimit\` and \`RateLimit-Policy\` state what is left.
`.trim()
