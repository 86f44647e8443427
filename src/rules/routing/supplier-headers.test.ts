import { expect, test } from 'bun:test'
import { readRemaining } from './supplier-headers.ts'

const read = (headers: Record<string, string>, nowMs?: number) => readRemaining(new Headers(headers), nowMs)

test.each([
  ['1s', 1],
  ['6m0s', 360],
  ['20ms', 0.02],
  ['2m59.56s', 179.56],
  ['1h2m3s', 3_723],
  ['1d', 86_400],
  ['7', 7],
  ['0.5', 0.5],
  ['soon', null],
  ['', null],
])('a reset of "%s" is %p seconds away', (text, seconds) => {
  const remaining = read({ 'x-ratelimit-remaining-requests': '1', 'x-ratelimit-reset-requests': text })
  expect(remaining).toEqual({ requests: 1, tokens: null, resetSeconds: seconds })
})

test.each([
  ['seconds', 1_767_225_630],
  ['milliseconds', 1_767_225_630_000],
])('a number that large is a moment, in %s', (_, moment) => {
  const headers = { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': String(moment) }
  expect(read(headers, Date.parse('2026-01-01T00:00:00Z'))?.resetSeconds).toBe(30)
  expect(read(headers)?.resetSeconds).toBeNull()
})

test('requests and tokens are read, and the later reset when neither is used up', () => {
  const headers = {
    'x-ratelimit-limit-requests': '60',
    'x-ratelimit-remaining-requests': '59',
    'x-ratelimit-reset-requests': '1s',
    'x-ratelimit-remaining-tokens': '149984',
    'x-ratelimit-reset-tokens': '6m0s',
  }
  expect(read(headers)).toEqual({ requests: 59, tokens: 149_984, resetSeconds: 360 })
})

test.each([
  ['0', '5', 1],
  ['5', '0', 360],
  ['0', '0', 360],
])('with %s requests and %s tokens left the reset is %p', (requests, tokens, resetSeconds) => {
  const headers = {
    'x-ratelimit-remaining-requests': requests,
    'x-ratelimit-reset-requests': '1s',
    'x-ratelimit-remaining-tokens': tokens,
    'x-ratelimit-reset-tokens': '6m0s',
  }
  expect(read(headers)?.resetSeconds).toBe(resetSeconds)
})

const WITH_MOMENTS = {
  'anthropic-ratelimit-requests-limit': '50',
  'anthropic-ratelimit-requests-remaining': '49',
  'anthropic-ratelimit-requests-reset': '2026-01-01T00:00:10Z',
  'anthropic-ratelimit-input-tokens-remaining': '3000',
  'anthropic-ratelimit-input-tokens-reset': '2026-01-01T00:00:20Z',
  'anthropic-ratelimit-output-tokens-remaining': '800',
  'anthropic-ratelimit-output-tokens-reset': '2026-01-01T00:00:30Z',
}

test('moments are measured against the date the supplier says it is', () => {
  const headers = { ...WITH_MOMENTS, date: 'Thu, 01 Jan 2026 00:00:05 GMT' }
  const inTheirTime = { requests: 49, tokens: 800, resetSeconds: 25 }
  expect(read(headers, Date.parse('2026-01-02T00:00:00Z'))).toEqual(inTheirTime)
})

test('without a date moments are measured against our clock, and without either not at all', () => {
  expect(read(WITH_MOMENTS, Date.parse('2026-01-01T00:00:00Z'))?.resetSeconds).toBe(30)
  expect(read(WITH_MOMENTS, Date.parse('2026-02-01T00:00:00Z'))?.resetSeconds).toBe(0)
  expect(read(WITH_MOMENTS)?.resetSeconds).toBeNull()
})

test('headers that say nothing of the kind are nothing', () => {
  expect(read({})).toBeNull()
  expect(read({ 'content-type': 'application/json', 'x-ratelimit-limit-requests': '5' })).toBeNull()
  expect(read({ 'x-ratelimit-remaining-requests': 'many' })).toBeNull()
  expect(read({ 'x-ratelimit-remaining-requests': '-1' })).toBeNull()
})
