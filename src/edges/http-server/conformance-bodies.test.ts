import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { codeOf, type EchoServer, MAX_BODY_BYTES, readEcho, startEchoServer } from './testing/echo-server.ts'
import { asBytes, ask, get, head, post, postChunked, RawConnection } from './testing/raw-client.ts'

let echo: EchoServer

beforeAll(() => {
  echo = startEchoServer()
})

afterAll(() => echo.server.close())

beforeEach(() => {
  echo.begun.length = 0
})

async function bodyOf(bytes: string, { port } = echo): Promise<string | null> {
  const connection = new RawConnection(port)
  try {
    void connection.send(bytes + get('/echo?next'))
    const answer = await connection.answer()
    expect([answer.status, answer.body.toString()]).toEqual([200, expect.any(String)])
    // Whatever the body was, the next request begins right behind it.
    expect(readEcho(await connection.answer()).query).toEqual([['next', '']])
    return readEcho(answer).body
  } finally {
    connection.destroy()
  }
}

// The memory of large bodies is freed as soon as they are read.
test('a large body is whole, and so are the headers before it and the request behind it', async () => {
  const large = startEchoServer({ bodyLimits: { maxBytes: 100_000, timeoutMs: 5_000 } })
  for (const letter of ['x', '\xc3\xa9']) {
    const body = letter.repeat(20_000)
    expect(await bodyOf(post('/echo', body), large)).toBe(Buffer.from(body, 'latin1').toString())
    const alone = readEcho(await ask(large.port, post('/echo', body)))
    expect(alone.headers['content-length']).toBe(String(body.length))
    expect(alone.body).toBe(Buffer.from(body, 'latin1').toString())
  }
  await large.server.close()
})

describe('a body with a length', () => {
  test('is read to its end and no further', async () => {
    expect(await bodyOf(post('/echo', 'hello'))).toBe('hello')
    expect(await bodyOf(post('/echo', `{"a":"\xc3\xa9"}`))).toBe('{"a":"é"}')
    expect(await bodyOf(post('/echo', 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n'))).toStartWith('GET /smug')
    expect(echo.begun).toEqual([
      'POST /echo',
      'GET /echo',
      'POST /echo',
      'GET /echo',
      'POST /echo',
      'GET /echo',
    ])
  })

  test('of zero is empty', async () => {
    expect(await bodyOf(post('/echo', ''))).toBe('')
    expect(await bodyOf(head('POST /echo HTTP/1.1', 'Host: x', 'Content-Length: 000'))).toBe('')
  })

  test('may have a length with leading zeros and blanks around it', async () => {
    expect(await bodyOf(`${head('POST /echo HTTP/1.1', 'Host: x', 'Content-Length: \t005 ')}hello`)).toBe(
      'hello',
    )
  })

  test('may have exactly the maximum size', async () => {
    const body = 'x'.repeat(MAX_BODY_BYTES)
    expect(await bodyOf(post('/echo', body))).toBe(body)
  })

  test('of GET is skipped', async () => {
    expect(await bodyOf(`${head('GET /echo HTTP/1.1', 'Host: x', 'Content-Length: 5')}hello`)).toBeNull()
  })
})

describe('a body that is not announced', () => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('is empty, for %s', async (method) => {
    expect(await bodyOf(head(`${method} /echo HTTP/1.1`, 'Host: x'))).toBe('')
  })
})

describe('a body in chunks', () => {
  const coded: readonly (readonly [name: string, coded: string, body: string])[] = [
    ['one', '5\r\nhello\r\n0\r\n\r\n', 'hello'],
    ['several', '1\r\nh\r\n4\r\nello\r\n0\r\n\r\n', 'hello'],
    ['none', '0\r\n\r\n', ''],
    ['lower case', `a\r\n0123456789\r\n1f\r\n${'x'.repeat(31)}\r\n0\r\n\r\n`, `0123456789${'x'.repeat(31)}`],
    ['upper case', `A\r\n0123456789\r\n1F\r\n${'x'.repeat(31)}\r\n0\r\n\r\n`, `0123456789${'x'.repeat(31)}`],
    ['zeros before the size', '0005\r\nhello\r\n000\r\n\r\n', 'hello'],
    ['an extension', '5;a\r\nhello\r\n0;b=c\r\n\r\n', 'hello'],
    ['extensions', '5;a=b;c="d;e, f"\r\nhello\r\n0\r\n\r\n', 'hello'],
    ['blanks around an extension', '5 ; a = b\r\nhello\r\n0\r\n\r\n', 'hello'],
    ['a trailer', '5\r\nhello\r\n0\r\nx-sum: 1\r\n\r\n', 'hello'],
    ['trailers', '5\r\nhello\r\n0\r\nx-sum: 1\r\nx-other: 2\r\n\r\n', 'hello'],
    ['its own framing characters', '7\r\n\r\n0\r\n\r\n\r\n0\r\n\r\n', '\r\n0\r\n\r\n'],
    ['characters cut in two', '2\r\n"\xc3\r\n2\r\n\xa9"\r\n0\r\n\r\n', '"é"'],
    ['many', `${'1\r\nx\r\n'.repeat(1_000)}0\r\n\r\n`, 'x'.repeat(1_000)],
    ['the limit', `FA0\r\n${'x'.repeat(MAX_BODY_BYTES)}\r\n0\r\n\r\n`, 'x'.repeat(MAX_BODY_BYTES)],
  ]
  test.each(coded)('with %s', async (_name, text, body) => {
    expect(await bodyOf(postChunked('/echo', text))).toBe(body)
  })

  test.each(['chunked', 'Chunked', 'CHUNKED', ' \tchunked '])('announced as %p', async (coding) => {
    const text = head('POST /echo HTTP/1.1', 'Host: x', `Transfer-Encoding:${coding}`)
    expect(await bodyOf(`${text}2\r\nhi\r\n0\r\n\r\n`)).toBe('hi')
  })

  test('does not change headers by its trailers', async () => {
    const trailers = 'x-a: trailer\r\nauthorization: Bearer trailer\r\nhost: y\r\ncontent-length: 3'
    const text = postChunked('/echo', `2\r\nhi\r\n0\r\n${trailers}\r\n\r\n`, 'x-a: header')
    const answer = await ask(echo.port, text)
    expect([answer.status, readEcho(answer).headers]).toMatchObject([200, { 'x-a': 'header', host: 'x' }])
    expect(readEcho(answer).headers.authorization).toBeUndefined()
    expect(await bodyOf(text)).toBe('hi')
  })
})

describe('a body that the handler does not read', () => {
  const unread: Readonly<Record<string, string>> = {
    'of a handler': post('/unread', 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n'),
    'of a handler, in chunks': postChunked('/unread', '5\r\nhello\r\n0\r\n\r\n'),
    'of an unknown path': post('/nowhere', 'hello'),
    'of an unknown path, in chunks': postChunked('/nowhere', '5\r\nhello\r\n0\r\n\r\n'),
    'of a wrong method': post('/items/1', 'hello'),
    'of a refused content type': post('/echo', 'hello', 'Content-Type: text/plain'),
    'of an unknown path, over the limit': post('/nowhere', 'x'.repeat(3 * MAX_BODY_BYTES)),
    'of a handler, over the limit': post('/unread', 'x'.repeat(3 * MAX_BODY_BYTES)),
  }
  for (const [name, text] of Object.entries(unread)) {
    test(`${name}, is skipped or ends the connection`, async () => {
      const bytes = asBytes(text)
      for (const at of [bytes.length, bytes.length - 3, bytes.indexOf('\r\n\r\n') + 4]) {
        echo.begun.length = 0
        const connection = new RawConnection(echo.port)
        await connection.sendApart([bytes.subarray(0, at), bytes.subarray(at)])
        void connection.send(get('/echo?next'))
        const answer = await connection.answer()
        expect(answer.status).toBe(statusOfUnread(name))
        if (answer.headers.connection !== 'close') {
          expect(readEcho(await connection.answer()).query).toEqual([['next', '']])
        }
        expect(echo.begun).not.toContain('GET /smuggled')
        connection.destroy()
      }
    })
  }

  test('is skipped between answers in order', async () => {
    const connection = new RawConnection(echo.port)
    void connection.send(post('/unread', 'one') + post('/unread', 'two') + get('/echo?last'))
    expect((await connection.answer()).body.toString()).toBe('unread')
    expect((await connection.answer()).body.toString()).toBe('unread')
    expect(readEcho(await connection.answer()).query).toEqual([['last', '']])
    connection.destroy()
  })
})

function statusOfUnread(name: string): number {
  if (name.includes('unknown')) return 404
  if (name.includes('method')) return 405
  return name.includes('type') ? 415 : 200
}

describe('a body that is too large', () => {
  const OVER = 'x'.repeat(MAX_BODY_BYTES + 1)
  const CHUNKED = `FA1\r\n${OVER}\r\n0\r\n\r\n`

  test('is refused in the envelope', async () => {
    for (const text of [post('/echo', OVER), postChunked('/echo', CHUNKED)]) {
      const answer = await ask(echo.port, text)
      expect([answer.status, codeOf(answer)]).toEqual([413, 'request_too_large'])
      expect(answer.headers['x-request-id']).toStartWith('req_')
    }
  })

  test('is refused as soon as its length is known', async () => {
    const connection = new RawConnection(echo.port)
    void connection.send(head('POST /echo HTTP/1.1', 'Host: x', 'Content-Length: 1000000000'))
    expect((await connection.answer()).status).toBe(413)
    connection.destroy()
  })

  test('in chunks is refused as soon as it exceeds the limit', async () => {
    const connection = new RawConnection(echo.port)
    void connection.send(postChunked('/echo', '1000\r\n'))
    void connection.send('x'.repeat(4_096))
    expect((await connection.answer()).status).toBe(413)
    connection.destroy()
  })

  test('in many small chunks is refused', async () => {
    const connection = new RawConnection(echo.port)
    void connection.send(postChunked('/echo', '1\r\nx\r\n'.repeat(MAX_BODY_BYTES + 1)))
    expect((await connection.answer()).status).toBe(413)
    connection.destroy()
  })

  const MEGABYTE = 'x'.repeat(1_048_576)
  const large: Readonly<Record<string, readonly [start: string, piece: string, end: string]>> = {
    'with a length': [
      head('POST /echo HTTP/1.1', 'Host: x', `Content-Length: ${8 * MEGABYTE.length}`),
      MEGABYTE,
      '',
    ],
    'in chunks': [postChunked('/echo', ''), `100000\r\n${MEGABYTE}\r\n`, '0\r\n\r\n'],
  }
  for (const [name, [start, piece, end]] of Object.entries(large)) {
    test(`${name} is answered even if the client sends everything before it reads`, async () => {
      const connection = new RawConnection(echo.port)
      connection.pause()
      await connection.send(start)
      for (let sent = 0; sent < 8; sent += 1) await connection.send(piece)
      await connection.send(end)
      connection.resume()
      const answer = await connection.answer()
      expect([answer.status, codeOf(answer)]).toEqual([413, 'request_too_large'])
      if (answer.headers.connection === 'close') expect(await connection.ended()).toBe('closed')
      else {
        void connection.send(get('/echo?next'))
        expect(readEcho(await connection.answer()).query).toEqual([['next', '']])
      }
      connection.destroy()
    })
  }
})

describe('a client that expects 100-continue', () => {
  const expecting = (length: number, more = 'Expect: 100-continue') =>
    head('POST /echo HTTP/1.1', 'Host: x', `Content-Length: ${length}`, more)

  test('is disconnected when it is refused without a 100', async () => {
    const connection = new RawConnection(echo.port)
    void connection.send(expecting(MAX_BODY_BYTES + 1))
    expect((await connection.answer()).status).toBe(413)
    expect(await connection.ended()).toBe('closed')
  })

  test.each(['Expect: 100-continue', 'expect: 100-Continue'])('gets a 100 (%s)', async (line) => {
    const connection = new RawConnection(echo.port)
    void connection.send(expecting(5, line))
    expect((await connection.answer()).status).toBe(100)
    void connection.send(`hello${get('/echo?next')}`)
    expect(readEcho(await connection.answer()).body).toBe('hello')
    expect(readEcho(await connection.answer()).query).toEqual([['next', '']])
    connection.destroy()
  })

  test('gets a 100 for a chunked body', async () => {
    const connection = new RawConnection(echo.port)
    void connection.send(postChunked('/echo', '', 'Expect: 100-continue'))
    expect((await connection.answer()).status).toBe(100)
    void connection.send('5\r\nhello\r\n0\r\n\r\n')
    expect(readEcho(await connection.answer()).body).toBe('hello')
    connection.destroy()
  })

  test('gets one answer if it sends without waiting', async () => {
    const connection = new RawConnection(echo.port)
    void connection.send(`${expecting(5)}hello`)
    const first = await connection.answer()
    const last = first.status === 100 ? await connection.answer() : first
    expect(readEcho(last).body).toBe('hello')
    connection.destroy()
  })

  test('is refused at once when its body is too large', async () => {
    const connection = new RawConnection(echo.port)
    void connection.send(expecting(MAX_BODY_BYTES + 1))
    const answer = await connection.answer()
    expect([answer.status, codeOf(answer)]).toEqual([413, 'request_too_large'])
    connection.destroy()
  })

  test('is refused at once for an unknown path', async () => {
    const connection = new RawConnection(echo.port)
    void connection.send(
      head('POST /nowhere HTTP/1.1', 'Host: x', 'Content-Length: 5', 'Expect: 100-continue'),
    )
    expect((await connection.answer()).status).toBe(404)
    connection.destroy()
  })

  test.each(['/nowhere', '/unread', '/items/1'])(
    'answered by %s without a 100, may still send its body or is disconnected',
    async (path) => {
      const connection = new RawConnection(echo.port)
      void connection.send(
        head(
          `POST ${path} HTTP/1.1`,
          'Host: x',
          `Content-Length: ${get('/smuggled').length}`,
          'Expect: 100-continue',
        ),
      )
      const answer = await connection.answer()
      expect([200, 404, 405]).toContain(answer.status)
      void connection.send(`${get('/smuggled')}${get('/echo?next')}`)
      if (answer.headers.connection === 'close') expect(await connection.ended()).toBe('closed')
      else expect(readEcho(await connection.answer()).query).toEqual([['next', '']])
      expect(echo.begun).not.toContain('GET /smuggled')
      connection.destroy()
    },
  )

  test('gets no 100 with HTTP/1.0', async () => {
    const connection = new RawConnection(echo.port)
    const lines = ['Content-Length: 5', 'Expect: 100-continue']
    void connection.send(`${head('POST /echo HTTP/1.0', ...lines)}hello`)
    expect(readEcho(await connection.answer()).body).toBe('hello')
    connection.destroy()
  })

  test('is answered if it has no body', async () => {
    const connection = new RawConnection(echo.port)
    void connection.send(get('/echo', 'Expect: 100-continue'))
    const first = await connection.answer()
    const last = first.status === 100 ? await connection.answer() : first
    expect(readEcho(last).path).toBe('/echo')
    connection.destroy()
  })
})

describe('a body that does not arrive', () => {
  test.each([
    ['with a length', head('POST /echo HTTP/1.1', 'Host: x', 'Content-Length: 5')],
    ['with a length, in part', `${head('POST /echo HTTP/1.1', 'Host: x', 'Content-Length: 5')}hel`],
    ['in chunks', postChunked('/echo', '')],
    ['in chunks, in part', postChunked('/echo', '5\r\nhel')],
    ['in chunks, without its end', postChunked('/echo', '5\r\nhello\r\n')],
    ['in chunks, within its trailers', postChunked('/echo', '5\r\nhello\r\n0\r\nx-a: 1\r\n')],
  ])('in time, %s, is refused in the envelope, and the connection is closed', async (_name, text) => {
    const slow = startEchoServer({ bodyLimits: { maxBytes: MAX_BODY_BYTES, timeoutMs: 50 } })
    const connection = new RawConnection(slow.port)
    void connection.send(text)
    const answer = await connection.answer()
    expect([answer.status, codeOf(answer)]).toEqual([400, 'invalid_request'])
    expect(answer.body.toString()).toContain('0.05 seconds')
    expect(await connection.ended()).toBe('closed')
    connection.destroy()
    await slow.server.close()
  })

  test.each([
    ['with a length', `${head('POST /echo HTTP/1.1', 'Host: x', 'Content-Length: 5')}hel`],
    ['in chunks', postChunked('/echo', '5\r\nhel')],
    ['in chunks, without its end', postChunked('/echo', '5\r\nhello\r\n')],
  ])('because its client has closed its side, %s, is never taken for whole', async (_name, text) => {
    const connection = new RawConnection(echo.port)
    void connection.send(text)
    connection.finish()
    await connection.ended()
    expect(connection.unread.toString()).not.toContain('HTTP/1.1 200')
    expect((await ask(echo.port, get('/echo'))).status).toBe(200)
    connection.destroy()
  })
})
