import { describe, expect, test } from 'bun:test'
import {
  FAILURE_KINDS,
  type FailureKind,
  failureCode,
  type SupplierFailure,
} from '../../errors/supplier-failure.ts'
import { MalformedMessage } from '../../wire/head-fields.ts'
import { SlowAnswer } from '../../wire/http-answer.ts'
import {
  failureError,
  failureOf,
  isWorthAnotherTry,
  malformed,
  retryAfterSecondsOf,
  supplierRateLimited,
} from './supplier-failures.ts'

const failure = (kind: FailureKind, fields: Partial<SupplierFailure> = {}): SupplierFailure => ({
  kind,
  status: 400,
  message: 'words of the supplier',
  param: null,
  retryAfterSeconds: null,
  ...fields,
})

describe("a supplier's failure in our words", () => {
  test.each([
    ['input', 'invalid_request'],
    ['context-length', 'context_length_exceeded'],
    ['rate-limited', 'supplier_rate_limited'],
    ['overloaded', 'provider_overloaded'],
    ['timeout', 'provider_timeout'],
    ['server', 'provider_error'],
    ['unreachable', 'provider_error'],
    ['credential', 'provider_error'],
    ['malformed', 'provider_error'],
    ['denied', 'provider_error'],
    ['local', 'temporarily_unavailable'],
  ] as const)('%s is %s', (kind, code) => {
    expect(failureError(failure(kind)).code).toBe(code)
  })

  test('has the code that lists of requests show', () => {
    for (const kind of FAILURE_KINDS) {
      for (const status of [null, 400, 404, 413, 429, 500]) {
        const given = failure(kind, { status })
        expect(failureCode(given)).toBe(failureError(given).code)
      }
    }
  })

  test('quotes its message only about what the client sent', () => {
    expect(failureError(failure('input', { param: 'top_k' }))).toMatchObject({
      message: 'words of the supplier',
      param: 'top_k',
    })
    for (const kind of ['server', 'credential', 'overloaded', 'timeout', 'rate-limited'] as const) {
      expect(failureError(failure(kind)).message).not.toContain('words of the supplier')
    }
  })

  test('asks clients not to retry what the gateway has retried', () => {
    expect(failureError(failure('server')).headers).toEqual({ 'x-should-retry': 'false' })
    expect(failureError(failure('input')).headers).toEqual({})
  })
})

describe('a machine that has run out of something', () => {
  test.each(['EMFILE', 'ENFILE', 'EADDRNOTAVAIL'])('is to blame for %s, and not the supplier', (code) => {
    const problem = failureOf(new Error('connect', { cause: Object.assign(new Error('x'), { code }) }), false)
    expect(problem).toMatchObject({ kind: 'local', message: expect.stringContaining(code) })
    expect(failureError(problem)).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
  })
})

test('the message says when the supplier had less time than usual', () => {
  const { message } = failureError(failure('timeout', { status: null, shortenedWaitMs: 30_000 }))
  expect(message).toContain('it is given 30 s instead of the usual time')
  expect(failureError(failure('timeout', { status: null })).message).not.toContain('usual')
})

test('a request that is too large for the supplier gets the same error code as ours', () => {
  expect(failureError(failure('input', { status: 413 })).code).toBe('request_too_large')
})

test('only a client error ends the search for another supplier', () => {
  const kinds = [
    'rate-limited',
    'overloaded',
    'server',
    'timeout',
    'unreachable',
    'credential',
    'malformed',
  ] as const
  for (const kind of kinds) expect(isWorthAnotherTry(failure(kind))).toBe(true)
  for (const kind of ['input', 'context-length'] as const)
    expect(isWorthAnotherTry(failure(kind))).toBe(false)
})

test.each([
  [0, '1'],
  [1, '1'],
  [59, '59'],
  [3_600, '60'],
])('a wait of %i s is sent as retry-after %s', (seconds, header) => {
  expect(supplierRateLimited(seconds).headers).toEqual({ 'retry-after': header })
})

describe('Retry-After', () => {
  const read = (value: string) => retryAfterSecondsOf(new Headers({ 'retry-after': value }), Date.now())

  test.each([
    ['7', 7],
    ['0', 0],
    ['1.2', 2],
    ['-5', 0],
  ])('%s is %i s', (text, seconds) => {
    expect(read(text)).toBe(seconds)
  })

  test('may be a date; a past one means now', () => {
    expect(read('Thu, 01 Jan 1970 00:00:10 GMT')).toBe(0)
  })

  test('absent or unreadable is null', () => {
    expect(retryAfterSecondsOf(new Headers(), 0)).toBeNull()
    expect(read('soon')).toBeNull()
  })
})

test('an unreadable or dripping answer does not count as an unreachable supplier', () => {
  const unreadable = failureOf(new MalformedMessage('The head has no end.'), false)
  expect(unreadable).toMatchObject({ kind: 'malformed', message: 'The head has no end.' })
  const slow = failureOf(new SlowAnswer('The reply comes too slowly.'), false)
  expect(slow).toMatchObject({ kind: 'timeout', message: 'The reply comes too slowly.' })
})

test('an exception counts as a time-out or an unreachable supplier', () => {
  expect(failureOf(new Error('refused'), false)).toMatchObject({ kind: 'unreachable', message: 'refused' })
  expect(failureOf('odd', false)).toMatchObject({ kind: 'unreachable', message: 'odd' })
  expect(failureOf(new Error('aborted'), true).kind).toBe('timeout')
  expect(malformed('What?')).toMatchObject({ kind: 'malformed', message: 'What?', status: null })
})
