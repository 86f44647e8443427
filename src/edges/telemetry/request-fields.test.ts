import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ErrorCode } from '../../errors/codes.ts'
import type { RequestFindings, RequestLine } from '../../serve/ports/log.ts'
import { aKey, anAccount, aSettlement } from '../../vocabulary/testing/specimens.ts'
import { loadPrettifier } from './pino-log.ts'
import { QuotedTexts, REQUEST_FIELDS, requestLevel, requestMembers } from './request-fields.ts'

const BARE = { requestId: 'req_1', method: 'POST', path: '/v1/messages', status: 200, durationMs: 7 }
const settlement = aSettlement({
  supplier: 'openai',
  usage: { input: 10, cacheRead: 5, cacheWrite: 1, output: 4, reasoning: 2, images: 0 },
  amountNano: 1_500n,
  costNano: 1_000n,
  firstByteMs: 3,
  outcome: 'supplier_failed',
  session: 'a "session" sk-secret-0001',
  agent: 'reviewer',
})
const findings: RequestFindings = {
  keyHolder: { account: anAccount({ id: 'acc_1' }), key: aKey({ id: 'key_1', name: 'my "key"' }) },
  modelId: 'gpt-5',
  settlement,
  error: { code: 'provider_error', limit: null, accountId: 'acc_1' },
  trace: {
    traceId: 'ab'.repeat(16),
    spanId: 'cd'.repeat(8),
    parentSpanId: null,
    state: null,
    recording: null,
  },
}

const failed = (code: ErrorCode) => ({ code, limit: null, accountId: null })
const fieldsOf = (line: RequestLine) => JSON.parse(`{${requestMembers(line, new QuotedTexts())}}`)

test('a request line has every documented field, in their order, and no secret', () => {
  const fields = fieldsOf({ ...BARE, findings })
  expect(Object.keys(fields)).toEqual(Object.keys(REQUEST_FIELDS))
  expect(fields).toMatchObject({
    account: 'acc_1',
    key: 'my "key"',
    model: 'gpt-5',
    supplier: 'openai',
    attempts: settlement.attempts.length,
    inputTokens: 16,
    cachedTokens: 5,
    outputTokens: 4,
    amount: 0.0000015,
    cost: 0.000001,
    session: 'a "session" [redacted]',
    agent: 'reviewer',
    errorCode: 'provider_error',
    outcome: 'supplier_failed',
  })
})

test('fields that do not apply are absent', () => {
  expect(Object.keys(fieldsOf(BARE))).toEqual(Object.keys(BARE))
  expect(Object.keys(fieldsOf({ ...BARE, findings: {} }))).toEqual(Object.keys(BARE))
})

test.each([
  [200, {}, 'info'],
  [404, { error: failed('model_not_found') }, 'info'],
  [429, { error: failed('rate_limit_exceeded') }, 'info'],
  [502, { error: failed('provider_error') }, 'warn'],
  [200, { settlement }, 'warn'],
  [500, { error: failed('internal_error') }, 'error'],
  [500, { error: failed('internal_error'), settlement: aSettlement({ outcome: 'client_left' }) }, 'info'],
] as const)('status %p is logged at its level', (status, found, level) => {
  expect(requestLevel({ ...BARE, status, findings: found })).toBe(level)
})

test('a line for people has the fields, and is one line', async () => {
  const prettify = await loadPrettifier()
  const members = requestMembers({ ...BARE, findings }, new QuotedTexts())
  const text = prettify(`{"level":40,"time":"2026-01-01T00:00:00.000Z",${members},"msg":"request"}`)
  expect(text).toContain('request')
  expect(text).toContain('"supplier":"openai"')
  expect(text.indexOf('\n')).toBe(text.length - 1)
})

test('the example in the docs has documented fields only', () => {
  const text = readFileSync(join(import.meta.dir, '../../../docs/monitoring/logs.md'), 'utf8')
  const example = /```json\n(.*)\n```/.exec(text)?.[1] ?? ''
  const names = Object.keys(JSON.parse(example))
  expect(names.filter((name) => !(name in REQUEST_FIELDS))).toEqual(['level', 'time', 'msg'])
})
