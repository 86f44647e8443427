import { afterEach, describe, expect, test } from 'bun:test'
import { GatewayError } from '../../errors/gateway-error.ts'
import type { Endpoint, Exchange, Reply } from '../../serve/ports/exchange.ts'
import { codeOf, type EchoServer, reply, startEchoServer } from './testing/echo-server.ts'
import { asBytes, ask, get, head, RawConnection } from './testing/raw-client.ts'
import type { RawAnswer } from './testing/read-answer.ts'

let echo: EchoServer | null = null

afterEach(async () => {
  await echo?.server.close()
  echo = null
})

type Handle = (exchange: Exchange) => Response | Reply | Promise<Response | Reply>

/** A server whose `/a` answers so. */
function serve(handle: Handle): EchoServer {
  const endpoint: Endpoint = { method: 'GET', path: '/a', handle }
  echo = startEchoServer({ endpoints: [endpoint] })
  return echo
}

/** The answer to a request, after which the same connection must still be in order. */
async function answerTo(handle: Handle, method = 'GET'): Promise<RawAnswer> {
  const connection = new RawConnection(serve(handle).port)
  void connection.send(head(`${method} /a HTTP/1.1`, 'Host: x') + get('/items/next'))
  const answer = await connection.answer(method)
  expect((await connection.answer()).body.toString()).toContain('/items/next')
  connection.destroy()
  return answer
}

const text = (body: Buffer): string => body.toString('utf8')

describe('the head of an answer', () => {
  test('has the date, the id and the headers of the handler', async () => {
    const answer = await answerTo(() => reply('x', { 'x-a': 'one', 'content-type': 'text/plain' }, 201))
    expect([answer.version, answer.status, answer.reason]).toEqual(['HTTP/1.1', 201, 'Created'])
    expect(answer.headers).toMatchObject({
      'x-a': 'one',
      'content-type': 'text/plain',
      'content-length': '1',
    })
    expect(answer.headers['x-request-id']).toBe(answer.headers['request-id'] ?? '')
    expect(answer.headers.date).toMatch(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/)
    expect(Math.abs(Date.parse(answer.headers.date ?? '') - Date.now())).toBeLessThan(10_000)
  })

  test.each([200, 202, 299, 400, 418, 429, 499, 500, 503, 529, 599])('has status %d', async (status) => {
    expect((await answerTo(() => reply('x', {}, status))).status).toBe(status)
    await echo?.server.close()
    expect((await answerTo(() => new Response('x', { status }))).status).toBe(status)
  })

  test('sends each cookie as a separate header', async () => {
    const answer = await answerTo(() => {
      const response = new Response('x')
      response.headers.append('set-cookie', 'a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT')
      response.headers.append('set-cookie', 'b=2')
      return response
    })
    const cookies = answer.headerLines.filter(([name]) => name === 'set-cookie').map(([, value]) => value)
    expect(cookies).toEqual(['a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'b=2'])
  })

  test('sends characters beyond ASCII as one byte or percent-encoded, never truncated', async () => {
    const { headers } = await answerTo(() => reply('x', { 'x-a': 'caf\xe9' }))
    expect(['caf\xe9', 'caf%C3%A9']).toContain(headers['x-a'] ?? '')
    await echo?.server.close()
    // The low bytes of these letters are a return and a line feed.
    const answer = await answerTo(() => reply('x', { 'x-a': 'a\u010d\u010ax-injected: 1' }))
    expect(Object.keys(answer.headers)).not.toContain('x-injected')
    expect([200, 500]).toContain(answer.status)
  })

  test('never has two lengths', async () => {
    const headers = { 'content-length': '5' }
    expect((await answerTo(() => reply('hello', headers))).body.toString()).toBe('hello')
    await echo?.server.close()
    expect((await answerTo(() => reply('longer', headers))).body.toString()).toBe('longer')
    await echo?.server.close()
    expect((await answerTo(() => new Response('hello', { headers }))).body.toString()).toBe('hello')
  })

  test('ignores framing headers of the handler', async () => {
    const answer = await answerTo(() => reply('hello', { 'transfer-encoding': 'chunked' }))
    expect([answer.status, text(answer.body)]).toEqual([200, 'hello'])
  })

  test('closes the connection when the handler asks for it', async () => {
    const { port } = serve(() => reply('x', { connection: 'close' }))
    const connection = new RawConnection(port)
    void connection.send(get('/a') + get('/smuggled'))
    expect((await connection.answer()).headers.connection).toBe('close')
    expect(await connection.ended()).toBe('closed')
    expect([connection.unread.length, echo?.begun]).toEqual([0, ['GET /a']])
    connection.destroy()
  })

  const INJECTED = 'x-injected'
  const injections: Readonly<Record<string, Record<string, string>>> = {
    'a line in a value': { 'x-a': `a\r\n${INJECTED}: 1` },
    'a line feed in a value': { 'x-a': `a\n${INJECTED}: 1` },
    'a return in a value': { 'x-a': `a\r${INJECTED}: 1` },
    'a zero in a value': { 'x-a': 'a\0b' },
    'a whole answer in a value': { 'x-a': `a\r\n\r\nHTTP/1.1 200 OK\r\n${INJECTED}: 1\r\n\r\n` },
    'a line in a name': { [`x-a: 1\r\n${INJECTED}`]: '1' },
    'a colon in a name': { 'x-a: 1': '1' },
    'a blank in a name': { 'x a': '1' },
    'no name': { '': '1' },
  }
  for (const [name, headers] of Object.entries(injections)) {
    test(`with ${name} is never sent`, async () => {
      const answer = await answerTo(() => reply('x', headers))
      expect([answer.status, codeOf(answer)]).toEqual([500, 'internal_error'])
      expect(Object.keys(answer.headers)).not.toContain(INJECTED)
      expect(echo?.troubles.length).toBe(1)
    })

    test(`with ${name} is never sent, not even with an error`, async () => {
      const answer = await answerTo(() => {
        throw new GatewayError('not_found', 'No.', { headers })
      })
      expect([answer.status, codeOf(answer)]).toEqual([500, 'internal_error'])
      expect(Object.keys(answer.headers)).not.toContain(INJECTED)
    })
  }

  test.each([null, undefined, 'text', { status: 200 }])('is sent even if %p is thrown', async (thrown) => {
    const answer = await answerTo(() => {
      throw thrown
    })
    expect([answer.status, codeOf(answer)]).toEqual([500, 'internal_error'])
  })

  test('is complete for refusals and failures', async () => {
    const { port } = serve(() => reply('x'))
    const connection = new RawConnection(port)
    void connection.send(get('/refuse') + get('/fail') + get('/nowhere') + get('/a'))
    const refusal = await connection.answer()
    expect([refusal.status, codeOf(refusal), refusal.headers['x-more']]).toEqual([
      403,
      'permission_denied',
      'yes',
    ])
    const failure = await connection.answer()
    expect([failure.status, codeOf(failure)]).toEqual([500, 'internal_error'])
    expect((await connection.answer()).status).toBe(404)
    expect((await connection.answer()).status).toBe(200)
    connection.destroy()
  })
})

describe('an answer without a body', () => {
  const empty: Readonly<Record<string, Handle>> = {
    '204 as parts': () => reply('', {}, 204),
    '204 as parts with a forbidden body': () => reply('hello', {}, 204),
    '204 as parts with a forbidden length': () => reply('', { 'content-length': '0' }, 204),
    '204 as a response': () => new Response(null, { status: 204 }),
    '304 as parts': () => reply('', { etag: '"a"' }, 304),
    '304 as a response': () => new Response(null, { status: 304, headers: { etag: '"a"' } }),
  }
  for (const [name, handle] of Object.entries(empty)) {
    test(`is ${name}`, async () => {
      const answer = await answerTo(handle)
      expect([answer.status, answer.body.length]).toEqual([Number(name.slice(0, 3)), 0])
      expect(answer.headers['content-length']).toBeUndefined()
      expect(answer.headers['transfer-encoding']).toBeUndefined()
      if (name.startsWith('304')) expect(answer.headers.etag).toBe('"a"')
    })
  }

  test('has length zero where a body would be allowed', async () => {
    expect((await answerTo(() => reply(''))).headers['content-length']).toBe('0')
    await echo?.server.close()
    const redirect = await answerTo(() => new Response(null, { status: 302, headers: { location: '/' } }))
    expect([redirect.status, redirect.headers['content-length'], redirect.headers.location]).toEqual([
      302,
      '0',
      '/',
    ])
  })
})

describe('an answer to HEAD', () => {
  const handles: Readonly<Record<string, Handle>> = {
    parts: () => reply('hello', { 'content-type': 'text/plain', 'x-a': '1' }),
    'parts with nothing': () => reply(''),
    'a response': () => new Response('hellö', { headers: { etag: '"a"' } }),
    'a response of bytes': () => new Response(new Uint8Array(70_000)),
    'a response of nothing': () => new Response(null),
    'a response with a length': () => new Response('hello', { headers: { 'content-length': '5' } }),
    'a file': () => new Response(Bun.file(import.meta.path)),
    'a refusal': () => {
      throw new GatewayError('not_found', 'No.')
    },
  }
  for (const [name, handle] of Object.entries(handles)) {
    test(`has the head of ${name}, and no body`, async () => {
      const whole = await answerTo(handle)
      await echo?.server.close()
      const alone = await answerTo(handle, 'HEAD')
      expect([alone.status, steady(alone)]).toEqual([whole.status, steady(whole)])
      expect(alone.headers['content-length']).toBe(String(whole.body.length))
    })
  }

  test('has the length from its handler', async () => {
    const answer = await answerTo(() => new Response(null, { headers: { 'content-length': '1234' } }), 'HEAD')
    expect(answer.headers['content-length']).toBe('1234')
  })

  test('cancels a stream', async () => {
    const cancelled = Promise.withResolvers<void>()
    const body = new ReadableStream<Uint8Array>({ cancel: () => cancelled.resolve() })
    const answer = await answerTo(() => reply(body, { 'content-type': 'text/event-stream' }), 'HEAD')
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/event-stream'])
    await cancelled.promise
  })

  test('of an unknown path has no body either', async () => {
    const { port } = serve(() => reply('x'))
    const connection = new RawConnection(port)
    void connection.send(head('HEAD /nowhere HTTP/1.1', 'Host: x') + get('/items/next'))
    expect((await connection.answer('HEAD')).status).toBe(404)
    expect((await connection.answer()).body.toString()).toContain('/items/next')
    connection.destroy()
  })
})

function steady({ headers }: RawAnswer): Record<string, string> {
  const { date: _date, 'x-request-id': _id, 'request-id': _sameId, ...rest } = headers
  return rest
}

describe('a body', () => {
  const bodies: Readonly<Record<string, readonly [make: () => Response, bytes: Uint8Array]>> = {
    text: [() => new Response('hello'), asBytes('hello')],
    'text of many bytes': [() => new Response('é€😀\ud800x'), Buffer.from('é€😀\ud800x')],
    bytes: [() => new Response(Uint8Array.of(0, 13, 10, 255)), Uint8Array.of(0, 13, 10, 255)],
    'part of a buffer': [
      () => new Response(new Uint8Array([1, 2, 3, 4]).subarray(1, 3)),
      Uint8Array.of(2, 3),
    ],
    'a blob': [() => new Response(new Blob(['he', 'llo'])), asBytes('hello')],
    'a form': [() => new Response(new URLSearchParams({ a: 'b c' })), asBytes('a=b+c')],
    'no bytes': [() => new Response(new Uint8Array()), new Uint8Array()],
  }
  for (const [name, [make, bytes]] of Object.entries(bodies)) {
    test(`of ${name} has a content-length`, async () => {
      const answer = await answerTo(make)
      expect([answer.framing, answer.body]).toEqual(['length', Buffer.from(bytes)])
    })
  }

  test.each(['hello', 'é€😀', '\ud800', 'caf\xe9', '\u2028\0'])('of %p is sent as UTF-8', async (body) => {
    const answer = await answerTo(() => reply(body))
    expect([answer.framing, answer.body]).toEqual(['length', Buffer.from(body)])
  })

  test('of a file is its content, with its media type', async () => {
    const answer = await answerTo(() => new Response(Bun.file(import.meta.path)))
    expect(text(answer.body)).toBe(await Bun.file(import.meta.path).text())
    expect([answer.framing, answer.headers['content-type']]).toEqual([
      'length',
      expect.stringContaining('script'),
    ])
  })

  test('of a slice of a file is that slice', async () => {
    const answer = await answerTo(() => new Response(Bun.file(import.meta.path).slice(2, 10)))
    expect(text(answer.body)).toBe((await Bun.file(import.meta.path).text()).slice(2, 10))
  })

  test('of a missing file is an error, and the server keeps running', async () => {
    const { port } = serve(() => new Response(Bun.file('/nowhere/at/all')))
    const connection = new RawConnection(port)
    void connection.send(get('/a'))
    const answer = await connection.answer()
    expect([404, 500]).toContain(answer.status)
    connection.destroy()
    expect((await ask(port, get('/echo'))).status).toBe(200)
  })

  test('that was already read is an error, and the server keeps running', async () => {
    const { port } = serve(async () => {
      const response = new Response('x')
      await response.text()
      return response
    })
    expect((await ask(port, get('/a'))).status).toBeGreaterThanOrEqual(200)
    expect((await ask(port, get('/echo'))).status).toBe(200)
  })

  test('of ten megabytes arrives complete, however the client reads', async () => {
    const body = Array.from({ length: 1_000_000 }, (_, index) => String(index).padStart(10)).join('')
    for (const make of [() => reply(body), () => new Response(body)]) {
      const connection = new RawConnection(serve(make).port)
      connection.pause()
      await connection.send(get('/a') + get('/items/next'))
      connection.resume()
      const answer = await connection.answer()
      expect([answer.body.length, Bun.hash(answer.body)]).toEqual([body.length, Bun.hash(body)])
      expect((await connection.answer()).body.toString()).toContain('/items/next')
      connection.destroy()
      await echo?.server.close()
    }
  })
})
