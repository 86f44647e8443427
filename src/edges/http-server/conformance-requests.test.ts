import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { codeOf, type Echo, type EchoServer, readEcho, startEchoServer } from './testing/echo-server.ts'
import { asBytes, ask, converse, get, head, post, RawConnection } from './testing/raw-client.ts'

let echo: EchoServer

beforeAll(() => {
  echo = startEchoServer()
})

afterAll(() => echo.server.close())

beforeEach(() => {
  echo.begun.length = 0
})

async function asked(bytes: string): Promise<Echo> {
  const answer = await ask(echo.port, bytes)
  expect([answer.status, answer.body.toString()]).toEqual([200, expect.any(String)])
  return readEcho(answer)
}

/** For requests that are no requests: refused in words, before anything is done, and never followed by another. */
async function refused(bytes: string, statuses: readonly number[] = [400]): Promise<void> {
  const { answers, ending } = await converse(echo.port, bytes + get('/smuggled'))
  expect([answers.length, ending]).toEqual([1, 'closed'])
  expect(statuses).toContain(answers[0]?.status ?? 0)
  expect(answers[0]?.headers.connection?.toLowerCase()).toBe('close')
  expect(echo.begun).toEqual([])
}

describe('a method', () => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s reaches its handler', async (method) => {
    const echoed = await asked(`${head(`${method} /echo HTTP/1.1`, 'Host: x', 'Content-Length: 2')}hi`)
    expect(echoed).toMatchObject({ method, path: '/echo', body: 'hi' })
  })

  test('that the path does not have is refused, with a list of those it has', async () => {
    const answer = await ask(echo.port, post('/items/1', 'hi'))
    expect([answer.status, codeOf(answer)]).toEqual([405, 'method_not_allowed'])
    expect(answer.headers.allow).toBe('GET, HEAD, OPTIONS')
    expect(echo.begun).toEqual([])
  })

  test('OPTIONS lists the methods of a path, without a body', async () => {
    const answer = await ask(echo.port, head('OPTIONS /items/1 HTTP/1.1', 'Host: x'))
    expect([answer.status, answer.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS'])
    expect(answer.headers['access-control-allow-methods']).toBe('GET, HEAD, OPTIONS')
  })

  test('OPTIONS of the server as a whole is answered', async () => {
    const answer = await ask(echo.port, head('OPTIONS * HTTP/1.1', 'Host: x'))
    expect([200, 204]).toContain(answer.status)
  })

  test.each(['BREW', 'get', 'Get', 'PROPFIND', 'QUERY', 'M-SEARCH', 'TRACE', 'X'])(
    'that does not exist, such as %s, is refused',
    async (method) => {
      const answer = await ask(echo.port, head(`${method} /echo HTTP/1.1`, 'Host: x'))
      expect([405, 501]).toContain(answer.status)
      expect(codeOf(answer)).toBe('method_not_allowed')
      expect(echo.begun).toEqual([])
    },
  )

  test('that does not exist keeps the connection usable', async () => {
    const connection = new RawConnection(echo.port)
    void connection.send(
      `${head('BREW /echo HTTP/1.1', 'Host: x', 'Content-Length: 3')}tea${get('/echo?after')}`,
    )
    const first = await connection.answer()
    expect([405, 501]).toContain(first.status)
    if (first.headers.connection !== 'close') {
      expect(readEcho(await connection.answer()).query).toEqual([['after', '']])
    }
    connection.destroy()
  })

  test('CONNECT opens no tunnel', async () => {
    const answer = await ask(echo.port, head('CONNECT example.com:443 HTTP/1.1', 'Host: example.com:443'))
    expect([400, 404, 405, 501]).toContain(answer.status)
    expect(echo.begun).toEqual([])
  })
})

describe('a path', () => {
  test('that does not exist is answered with an error and an id', async () => {
    const answer = await ask(echo.port, get('/nowhere'))
    expect([answer.status, codeOf(answer)]).toEqual([404, 'not_found'])
    expect(answer.headers['content-type']).toContain('application/json')
    expect(answer.headers['x-request-id']).toMatch(/^req_[0-9a-f]{32}$/)
  })

  const params: readonly (readonly [path: string, params: Record<string, string>])[] = [
    ['/items/plain', { id: 'plain' }],
    ['/items/x%3Ay', { id: 'x:y' }],
    ['/items/x:y@z', { id: 'x:y@z' }],
    ['/items/a%2Fb', { id: 'a/b' }],
    ['/items/%C3%A9t%c3%a9', { id: 'été' }],
    ['/items/a+b', { id: 'a+b' }],
    ['/items/a%20b', { id: 'a b' }],
    ['/items/%25', { id: '%' }],
    ['/items/%2541', { id: '%41' }],
    ['/items/1/parts/2', { id: '1', part: '2' }],
    ['/items/a%2Fb/parts/%3f', { id: 'a/b', part: '?' }],
    ['/files/one', { '*': 'one' }],
    ['/files/one/two%2Fthree/four', { '*': 'one/two/three/four' }],
    ['/files/a:b', { '*': 'a:b' }],
  ]
  test.each(params)('%s provides its parameters, decoded once', async (path, expected) => {
    expect((await asked(get(path))).params).toEqual(expected)
  })

  test.each(['%', '%z', '%zz', 'a%2', '%ff%fe', '%c3%28'])(
    'with invalid percent-encoding, %s, is passed on unchanged or refused',
    async (id) => {
      for (const path of [`/items/${id}`, `/files/${id}`]) {
        const answer = await ask(echo.port, get(path))
        expect([200, 400, 404]).toContain(answer.status)
        if (answer.status === 200) expect(Object.values(readEcho(answer).params)).toEqual([id])
      }
      expect(echo.troubles).toEqual([])
    },
  )

  test.each([
    '/',
    '//',
    '/items',
    '/items/',
    '/items/1/',
    '/items/1/parts',
    '/echo/',
    '/ech',
    '/echos',
    '/ECHO',
  ])('%s is none of those that look like it', async (path) => {
    expect((await ask(echo.port, get(path))).status).toBe(404)
    expect(echo.begun).toEqual([])
  })

  test.each(['//echo', '//x/echo', '//echo/items/1', '///echo', '//x@y/echo', '//x:80/echo'])(
    '%s does not name a host',
    async (path) => {
      expect((await ask(echo.port, get(path))).status).toBe(404)
      expect(echo.begun).toEqual([])
    },
  )

  test.each([
    '/files/../echo',
    '/files/./../echo',
    '/files/%2e%2e/echo',
    '/files/x/../../echo',
    '/files/..%2Fecho',
  ])('%s leads no handler to what is another one’s', async (path) => {
    const answer = await ask(echo.port, get(path))
    expect([200, 400, 404]).toContain(answer.status)
    if (answer.status !== 200) return
    const echoed = readEcho(answer)
    if (echoed.params['*'] === undefined) expect(echoed.path).toBe('/echo')
    else expect(echoed.path.startsWith('/files/') || echoed.params['*'] === '').toBe(true)
  })

  test('named like an object property has no handler', async () => {
    for (const path of ['/__proto__', '/constructor', '/toString', '/items/1/__proto__']) {
      expect((await ask(echo.port, get(path))).status).toBe(404)
    }
    expect((await asked(get('/items/__proto__'))).params).toEqual({ id: '__proto__' })
  })

  test('may have eight thousand bytes', async () => {
    const id = 'x'.repeat(8_000)
    expect((await asked(get(`/items/${id}`))).params).toEqual({ id })
  })

  test('may have a query of thirty thousand bytes', async () => {
    const value = 'y'.repeat(30_000)
    expect((await asked(get(`/echo?a=${value}`))).query).toEqual([['a', value]])
  })

  const absolute: readonly (readonly [target: string, path: string, query: [string, string][]])[] = [
    ['http://x/echo', '/echo', []],
    ['http://other.example:8080/echo?a=1', '/echo', [['a', '1']]],
    ['HTTP://x/items/1', '/items/1', []],
    ['https://x/echo', '/echo', []],
    ['http://[::1]:80/echo', '/echo', []],
  ]
  test.each(absolute)('in the URL %s is read', async (target, path, query) => {
    expect(await asked(get(target))).toMatchObject({ path, query })
  })

  test.each(['http://x', 'http://x?a=/echo', 'http://x/?/echo'])(
    'in the URL %s is the root',
    async (target) => {
      const answer = await ask(echo.port, get(target))
      expect(answer.status).toBe(404)
      expect(echo.begun).toEqual([])
    },
  )
})

describe('a query', () => {
  const queries: readonly (readonly [text: string, query: [string, string][]])[] = [
    ['', []],
    ['?', []],
    ['?a', [['a', '']]],
    [
      '?a=1&a=2&b=3',
      [
        ['a', '1'],
        ['a', '2'],
        ['b', '3'],
      ],
    ],
    ['?a=b+c%20d%2Be', [['a', 'b c d+e']]],
    [
      '?a=/../?&b=%C3%A9',
      [
        ['a', '/../?'],
        ['b', 'é'],
      ],
    ],
    ['?__proto__=1', [['__proto__', '1']]],
    ['?%zz=%', [['%zz', '%']]],
  ]
  test.each(queries)('%p is read, and is not part of the path', async (text, query) => {
    expect(await asked(get(`/echo${text}`))).toMatchObject({ path: '/echo', query })
    expect(await asked(get(`/items/1${text}`))).toMatchObject({
      path: '/items/1',
      params: { id: '1' },
      query,
    })
    expect(await asked(get(`/files/1${text}`))).toMatchObject({ params: { '*': '1' }, query })
  })
})

describe('a request line', () => {
  test('may be preceded by an empty line', async () => {
    expect((await asked(`\r\n${get('/echo')}`)).path).toBe('/echo')
  })

  test('may follow a body with an extra empty line', async () => {
    const connection = new RawConnection(echo.port)
    void connection.send(`${post('/echo', 'one')}\r\n${get('/echo?second')}`)
    expect(readEcho(await connection.answer()).body).toBe('one')
    expect(readEcho(await connection.answer()).query).toEqual([['second', '']])
    connection.destroy()
  })

  test.each([
    'GET /echo',
    'GET  /echo HTTP/1.1',
    'GET /echo  HTTP/1.1',
    'GET\t/echo\tHTTP/1.1',
    ' GET /echo HTTP/1.1',
    'GET /echo HTTP/1.1 x',
    'GET /e cho HTTP/1.1',
    'GET HTTP/1.1',
    'GET',
    '/echo HTTP/1.1',
    'GET echo HTTP/1.1',
    'GET * HTTP/1.1',
    'GET ?a HTTP/1.1',
    'G(T /echo HTTP/1.1',
    'G\0T /echo HTTP/1.1',
    'GET /echo\0 HTTP/1.1',
    'GET /echo\x7f HTTP/1.1',
    'GET /ec\rho HTTP/1.1',
    'GET /echo http/1.1',
    'GET /echo HTTP/1.1.1',
    'GET /echo HTTP/11',
    'GET /echo HTTP/1.',
    'GET /echo HTTP/x.y',
    'GET /echo HTTPS/1.1',
  ])('%p is none', async (line) => {
    await refused(head(line, 'Host: x'))
  })

  test.each(['HTTP/2.0', 'HTTP/3.0', 'HTTP/0.9', 'HTTP/9.9'])('of version %s is refused', async (version) => {
    await refused(head(`GET /echo ${version}`, 'Host: x'), [400, 505])
  })

  test('of the HTTP/2 preface is refused', async () => {
    await refused('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400, 405, 505])
  })

  test('that is a TLS handshake is refused or disconnected', async () => {
    const connection = new RawConnection(echo.port)
    void connection.send(asBytes('\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03\r\n\r\n\r\n'))
    await connection.ended()
    expect(echo.begun).toEqual([])
    connection.destroy()
  })
})
