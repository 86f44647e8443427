import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { request as nodeRequest } from 'node:http'
import { eventually } from '../support/eventually.ts'
import {
  BOOTSTRAP_KEY,
  environmentOf,
  type GatewayProcess,
  makeFolder,
  removeFolder,
  startProcess,
  stopProcess,
} from './support/gateway-process.ts'
import { type RawAnswer, type RawRequest, sendRaw, writeRequest } from './support/raw-client.ts'
import { liftLimits } from './support/supply.ts'

const MEGABYTE = 1024 * 1024
const KEY = { authorization: `Bearer ${BOOTSTRAP_KEY}` }
const JSON_HEADERS = { ...KEY, 'content-type': 'application/json' }
const GOOD = JSON.stringify({ model: 'sandbox-chat', messages: [{ role: 'user', content: 'ping' }] })

let folder = ''
let gateway: GatewayProcess

beforeAll(async () => {
  folder = makeFolder()
  gateway = await startProcess(environmentOf(folder))
  await liftLimits(gateway)
})

afterAll(async () => {
  await stopProcess(gateway)
  removeFolder(folder)
})

// Whatever came before, the next good request is served.
afterEach(async () => {
  const answer = await sendRaw(gateway.port, writeRequest({ headers: JSON_HEADERS, body: GOOD }))
  expect(answer.status).toBe(200)
})

function withField(name: string, json: string): string {
  return GOOD.replace('{', `{${JSON.stringify(name)}:${json},`)
}

function bytes(...values: (string | number)[]): Uint8Array {
  return Buffer.concat(
    values.map((value) => (typeof value === 'number' ? Buffer.of(value) : Buffer.from(value))),
  )
}

function expectEnvelope(answer: RawAnswer, status: number, code: string): void {
  expect([answer.status, answer.body === '' ? '' : JSON.parse(answer.body).error.code]).toEqual([
    status,
    code,
  ])
  const { error } = JSON.parse(answer.body)
  expect(error.type).toBe(code)
  expect(error.message.length).toBeGreaterThan(10)
  expect(answer.headers['content-type']).toBe('application/json')
  expect(answer.headers['x-request-id']).toMatch(/^req_[0-9a-f]{32}$/)
  expect(answer.headers['request-id']).toBe(answer.headers['x-request-id'] ?? '')
}

describe('a body that cannot be used', () => {
  const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  const bodies: Record<string, string | Uint8Array> = {
    empty: '',
    'white space': '  \r\n ',
    'cut off': GOOD.slice(0, -1),
    'two values': `${GOOD}${GOOD}`,
    'trailing comma': GOOD.replace('}]', '},]'),
    'single quotes': GOOD.replaceAll('"', "'"),
    'an array': `[${GOOD}]`,
    'a string': '"hello"',
    null: 'null',
    'NaN as a number': withField('temperature', 'NaN'),
    'Infinity as a number': withField('temperature', 'Infinity'),
    'an overflowing number': withField('temperature', '1e999'),
    'negative max_tokens': withField('max_tokens', '-1'),
    'fractional max_tokens': withField('max_tokens', '1.5'),
    'negative temperature': withField('temperature', '-0.1'),
    'text for a number': withField('temperature', '"hot"'),
    'text for a boolean': withField('stream', '"yes"'),
    'no model': '{"messages":[]}',
    'a number as model': withField('model', '7').replace('"model":"sandbox-chat",', ''),
    'messages as text': '{"model":"sandbox-chat","messages":"hi"}',
    'no messages': '{"model":"sandbox-chat","messages":[]}',
    'an unknown role': GOOD.replace('"user"', '"robot"'),
    'a member twice': withField('model', '"sandbox-chat"'),
    'a member twice, once in disguise': withField('mod\\u0065l', '"other"').replace('\\\\u', '\\u'),
    'bytes that are not UTF-8': bytes(GOOD.slice(0, -10), 0xff, 0xfe, GOOD.slice(-10)),
    'half a character at the end': bytes(GOOD, 0xe2, 0x82),
    'a null byte': bytes(GOOD.slice(0, 10), 0, GOOD.slice(10)),
    'a raw line end in a string': GOOD.replace('ping', 'pi\nng'),
    '100,000 levels deep': `{"model":"sandbox-chat","messages":${deep(100_000)}}`,
    '100,000 levels deep, unclosed': '['.repeat(100_000),
    '100,000 objects deep': `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
  }
  for (const [name, body] of Object.entries(bodies)) {
    test(name, async () => {
      const answer = await sendRaw(gateway.port, writeRequest({ headers: JSON_HEADERS, body }))
      expectEnvelope(answer, 400, 'invalid_request')
    })
  }

  test('deep nesting is refused, even in an unused field', async () => {
    const body = withField('metadata', `{"a":${deep(100_000)}}`)
    const answer = await sendRaw(gateway.port, writeRequest({ headers: JSON_HEADERS, body }))
    expectEnvelope(answer, 400, 'invalid_request')
  })
})

describe('a request for an unknown path or method', () => {
  type Case = readonly [name: string, request: RawRequest, status: number, code: string]
  const key = KEY
  const cases: readonly Case[] = [
    [
      'an unknown model',
      { headers: JSON_HEADERS, body: GOOD.replace('sandbox-chat', 'gpt-99') },
      404,
      'model_not_found',
    ],
    [
      'text as content type',
      { headers: { ...key, 'content-type': 'text/plain' }, body: GOOD },
      415,
      'unsupported_media_type',
    ],
    [
      'a form',
      { headers: { ...key, 'content-type': 'application/x-www-form-urlencoded' }, body: 'a=b' },
      415,
      'unsupported_media_type',
    ],
    [
      'almost JSON as content type',
      { headers: { ...key, 'content-type': 'application/jsonp' }, body: GOOD },
      415,
      'unsupported_media_type',
    ],
    [
      'a compressed body',
      { headers: { ...JSON_HEADERS, 'content-encoding': 'gzip' }, body: Bun.gzipSync(Buffer.from(GOOD)) },
      415,
      'unsupported_media_type',
    ],
    ['GET', { method: 'GET', path: '/v1/messages', headers: key }, 405, 'method_not_allowed'],
    ['PUT', { method: 'PUT', headers: JSON_HEADERS, body: GOOD }, 405, 'method_not_allowed'],
    ['PATCH', { method: 'PATCH', headers: JSON_HEADERS, body: GOOD }, 405, 'method_not_allowed'],
    ['DELETE', { method: 'DELETE', headers: key }, 405, 'method_not_allowed'],
    ['POST to a list', { path: '/v1/models', headers: JSON_HEADERS, body: '{}' }, 405, 'method_not_allowed'],
    ['an unknown path', { method: 'GET', path: '/v1/nothing', headers: key }, 404, 'not_found'],
    ['POST to the root', { path: '/', headers: key }, 405, 'method_not_allowed'],
    [
      'a doubled version',
      { path: '/v1/v1/chat/completions', headers: JSON_HEADERS, body: GOOD },
      404,
      'not_found',
    ],
    [
      'a trailing slash',
      { path: '/v1/chat/completions/', headers: JSON_HEADERS, body: GOOD },
      404,
      'not_found',
    ],
    [
      'a path in capitals',
      { path: '/V1/Chat/Completions', headers: JSON_HEADERS, body: GOOD },
      404,
      'not_found',
    ],
    [
      'path traversal',
      { method: 'GET', path: '/v1/models/../../../etc/passwd', headers: key },
      404,
      'model_not_found',
    ],
    [
      'encoded path traversal',
      { method: 'GET', path: '/v1/models/..%2f..%2fetc%2fpasswd', headers: key },
      404,
      'model_not_found',
    ],
    [
      'an encoded null byte',
      { method: 'GET', path: '/v1/models/a%00b', headers: key },
      404,
      'model_not_found',
    ],
    [
      'broken percent-encoding',
      { method: 'GET', path: '/v1/models/%zz%', headers: key },
      404,
      'model_not_found',
    ],
    [
      'a very long path',
      { method: 'GET', path: `/v1/models/${'a'.repeat(8_000)}`, headers: key },
      404,
      'model_not_found',
    ],
    ['no key', { headers: { 'content-type': 'application/json' }, body: GOOD }, 401, 'auth_required'],
    [
      'a key of another kind',
      { headers: { authorization: 'Basic dXNlcjpwYXNz' }, body: GOOD },
      401,
      'auth_invalid',
    ],
    [
      'an unknown key',
      { headers: { authorization: 'Bearer sk-unknown-key-000000' }, body: GOOD },
      401,
      'auth_invalid',
    ],
    ['an empty key', { headers: { authorization: 'Bearer ' }, body: GOOD }, 401, 'auth_invalid'],
  ]
  for (const [name, request, status, code] of cases) {
    test(name, async () => {
      expectEnvelope(await sendRaw(gateway.port, writeRequest(request)), status, code)
    })
  }

  test('a doubled version in the path gets a hint', async () => {
    const answer = await sendRaw(gateway.port, writeRequest({ path: '/v1/v1/models', method: 'GET' }))
    expect(JSON.parse(answer.body).error.message).toContain('base URL')
  })

  test('a wrong method gets the list of allowed ones', async () => {
    const answer = await sendRaw(gateway.port, writeRequest({ method: 'GET', path: '/v1/messages' }))
    expect(answer.headers.allow).toBe('POST, OPTIONS')
  })

  test('a percent-encoded name is decoded', async () => {
    const answer = await sendRaw(
      gateway.port,
      writeRequest({ method: 'GET', path: '/v1/models/sandbox%2Dchat', headers: KEY }),
    )
    expect(JSON.parse(answer.body).id).toBe('sandbox-chat')
  })

  test('an HTTP/1.0 client without a host is served', async () => {
    const head = `GET /v1/models/sandbox-chat HTTP/1.0\r\nauthorization: Bearer ${BOOTSTRAP_KEY}\r\n\r\n`
    const answer = await sendRaw(gateway.port, [head])
    expect(JSON.parse(answer.body).id).toBe('sandbox-chat')
  })
})

// What is not HTTP never becomes a request: the server refuses it before any of our code runs, without an envelope.
describe('bytes that are not HTTP', () => {
  const inject = { ...JSON_HEADERS, 'content-length': String(GOOD.length) }
  const cases: Record<string, readonly [parts: (string | Uint8Array)[], statuses: number[]]> = {
    'a TLS greeting': [['\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03\r\n\r\n'], [400, 0]],
    'an unknown method': [['BREW / HTTP/1.1\r\nHost: x\r\n\r\n'], [0, 400, 405, 501]],
    'a header of 100 KB': [writeRequest({ method: 'GET', headers: { 'x-big': 'a'.repeat(100_000) } }), [431]],
    'a header name with spaces': [['GET / HTTP/1.1\r\nHost: x\r\nbad name: 1\r\n\r\n'], [400]],
    'a null byte in the path': [['GET /v1/\0models HTTP/1.1\r\nHost: x\r\n\r\n'], [400, 404, 505]],
    'a null byte in a header': [['GET /v1/models HTTP/1.1\r\nHost: x\r\nx-a: a\0b\r\n\r\n'], [400, 401]],
    'both kinds of length': [
      writeRequest({ headers: { ...inject, 'transfer-encoding': 'chunked' }, body: GOOD }),
      [400],
    ],
    'two lengths': [
      [`POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{} `],
      [400],
    ],
    'a negative length': [writeRequest({ headers: { 'content-length': '-1' } }), [400]],
    'no host': [['GET /v1/models HTTP/1.1\r\n\r\n'], [400]],
  }
  for (const [name, [parts, statuses]] of Object.entries(cases)) {
    test(name, async () => {
      const answer = await sendRaw(gateway.port, parts, { patienceMs: 3_000 })
      expect(statuses).toContain(answer.status)
    })
  }

  test('a line break in a header value cannot add a response header', async () => {
    const headers = {
      ...KEY,
      origin: 'http://page.test',
      'access-control-request-headers': 'a%0d%0ax-evil: 1',
    }
    const answer = await sendRaw(gateway.port, writeRequest({ method: 'OPTIONS', headers }))
    expect(answer.headers['x-evil']).toBeUndefined()
    expect(answer.status).toBe(204)
  })
})

describe('a browser', () => {
  const origin = 'https://page.test'

  test('gets its preflight request answered', async () => {
    const headers = {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,x-stainless-lang',
    }
    const answer = await sendRaw(
      gateway.port,
      writeRequest({ method: 'OPTIONS', path: '/v1/messages', headers }),
    )
    expect(answer.status).toBe(204)
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST, OPTIONS',
      'access-control-allow-headers': 'authorization,content-type,x-stainless-lang',
    })
    expect(answer.headers['x-request-id']).toMatch(/^req_/)
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
  })

  test('may read answers, errors and their limit headers', async () => {
    const good = await sendRaw(
      gateway.port,
      writeRequest({ headers: { ...JSON_HEADERS, origin }, body: GOOD }),
    )
    const bad = await sendRaw(gateway.port, writeRequest({ headers: { origin }, body: GOOD }))
    const unknown = await sendRaw(
      gateway.port,
      writeRequest({ method: 'GET', path: '/no', headers: { origin } }),
    )
    for (const answer of [good, bad, unknown]) {
      expect(answer.headers['access-control-allow-origin']).toBe('*')
      const exposed = (answer.headers['access-control-expose-headers'] ?? '').split(', ')
      for (const name of Object.keys(answer.headers).filter((header) => header.startsWith('x-'))) {
        expect(exposed).toContain(name)
      }
    }
    expect(good.headers['x-ratelimit-limit-requests']).toBeDefined()
  })

  test('clients that send no origin do not get these headers', async () => {
    const answer = await sendRaw(gateway.port, writeRequest({ headers: JSON_HEADERS, body: GOOD }))
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
  })

  test('HEAD answers like GET, without the body', async () => {
    const head = writeRequest({
      method: 'HEAD',
      path: '/v1/models',
      headers: { ...KEY, connection: 'close' },
    })
    const answer = await sendRaw(gateway.port, head, { answers: 2 })
    expect([answer.status, answer.body]).toEqual([200, ''])
    expect(answer.headers['x-request-id']).toMatch(/^req_/)
    expect(Number(answer.headers['content-length'])).toBeGreaterThan(100)
  })
})

describe('a body of 40 MB', () => {
  const size = 40 * MEGABYTE
  const UPLOADS = 7

  function residentBytes(): number {
    return Number(readFileSync(`/proc/${gateway.pid}/statm`, 'utf8').split(' ')[1]) * 4_096
  }

  /** Node's client writes while it reads, as most clients do, so a connection closed too early fails it. */
  function upload(headers: Record<string, string>): Promise<{ status: number; code: string }> {
    return new Promise((resolve, reject) => {
      const url = `${gateway.url}/v1/chat/completions`
      const request = nodeRequest(url, { method: 'POST', headers: { ...JSON_HEADERS, ...headers } })
      request.on('error', reject)
      request.on('response', async (response) => {
        let text = ''
        for await (const piece of response) text += piece
        resolve({ status: response.statusCode ?? 0, code: JSON.parse(text).error.code })
      })
      const piece = Buffer.alloc(MEGABYTE, ' ')
      for (let sent = 0; sent < size; sent += piece.length) request.write(piece)
      request.end()
    })
  }

  for (const [name, headers] of [
    ['with its length declared', { 'content-length': String(size) }],
    ['in chunks', { 'transfer-encoding': 'chunked' }],
  ] as const) {
    test(`${name} is refused with an error, and its bytes are not buffered`, async () => {
      const before = residentBytes()
      // Several, because memory that was freed goes back to the system late: kept bodies would add up and stay.
      for (let round = 0; round < UPLOADS; round += 1) {
        expect(await upload({ ...headers })).toEqual({ status: 413, code: 'request_too_large' })
      }
      await eventually('memory that is free again', async () => {
        await fetch(`${gateway.url}/healthz`)
        return residentBytes() - before < (UPLOADS * size) / 2
      })
    })
  }

  test('an absurd content length is refused at once', async () => {
    const headers = { ...JSON_HEADERS, 'content-length': '1000000000000' }
    const answer = await sendRaw(gateway.port, writeRequest({ headers, body: '{' }))
    expectEnvelope(answer, 413, 'request_too_large')
  })

  test('without a key none of it is read', async () => {
    const answer = await sendRaw(
      gateway.port,
      writeRequest({ headers: { 'content-length': String(size) }, body: Buffer.alloc(MEGABYTE, ' ') }),
    )
    expectEnvelope(answer, 401, 'auth_required')
  })
})
