import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operatorsBody } from './message-bodies.ts'
import { renderAlert } from '../render-alert.ts'

const atMs = Date.parse('2027-03-01T12:00:00Z')

/** The operators' body about one hotel. */
function bodyOf(supplier: string, hotelCode: string) {
  const alert = renderAlert({
    id: 7,
    kind: 'ari.stale',
    state: 'open',
    hotelCode,
    keyId: null,
    subject: '',
    count: 1,
    evidence: {},
    openedAtMs: atMs,
    lastSeenAtMs: atMs,
    toldAtMs: null,
    acknowledgedAtMs: null,
    acknowledgedBy: null,
    resolvedAtMs: null,
  })
  const told = { id: 'alert_1', alerts: [{ ...alert, supplier }], count: 1, isDigest: false, atMs }
  return Object(operatorsBody(told, undefined))
}

const stale = 'A hotel has not received ARI for much longer than usual'

test('names and codes of suppliers are no markup in Slack and Teams, and reach PagerDuty as they are', () => {
  for (const [code, shown] of [
    ['<!channel>', '&lt;!channel&gt;'],
    ['<https://evil.example|Open>', '&lt;https://evil.example|Open&gt;'],
    ['[Sign in](https://evil.example)', '[Sign in]\u200B(https://evil.example)'],
    ['A&lt;B', 'A&amp;lt;B'],
    ['H_1-*2', 'H_1-*2'],
  ] as const) {
    const { text, title, summary, payload } = bodyOf(code, code)
    assert.deepEqual(
      [text, title, summary, payload.summary, payload.custom_details.alerts[0].hotelId],
      [
        `${shown}: ari.stale: hotel ${shown}: ${stale}`,
        `${shown}: ${stale}: hotel ${shown}`,
        `${shown}: ${stale}: hotel ${shown}`,
        `${code}: ${stale}: hotel ${code}`,
        code,
      ],
    )
  }
})
