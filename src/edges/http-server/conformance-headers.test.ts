import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type Echo, type EchoServer, readEcho, startEchoServer } from './testing/echo-server.ts'
import { asBytes, ask, converse, get, head, RawConnection } from './testing/raw-client.ts'

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

describe('a host', () => {
  test('is required in HTTP/1.1', () => refused(head('GET /echo HTTP/1.1')))

  test('may not be given twice', async () => {
    await refused(head('GET /echo HTTP/1.1', 'Host: x', 'Host: x'))
    await refused(head('GET /echo HTTP/1.1', 'Host: x', 'host: y'))
  })

  test.each(['x y', 'x/y', 'x, y', 'x?y', 'x@y', 'x#y'])('may not be %p', async (host) => {
    await refused(head('GET /echo HTTP/1.1', `Host: ${host}`))
  })

  test.each(['', 'x', 'x.example:8080', '127.0.0.1', '[::1]:8080', 'xn--bcher-kva.example', 'under_score'])(
    'may be %p',
    async (host) => {
      const echoed = await asked(head('GET /echo?a=1 HTTP/1.1', `Host: ${host}`))
      expect(echoed).toMatchObject({ path: '/echo', query: [['a', '1']], headers: { host } })
    },
  )

  test('is optional in HTTP/1.0', async () => {
    expect((await asked(head('GET /echo?a=1 HTTP/1.0'))).query).toEqual([['a', '1']])
    expect((await asked(head('GET /items/1 HTTP/1.0'))).params).toEqual({ id: '1' })
  })
})

describe('a header', () => {
  const values: readonly (readonly [lines: string[], value: string])[] = [
    [['x-a: plain'], 'plain'],
    [['X-A: plain'], 'plain'],
    [['x-A:plain'], 'plain'],
    [['x-a: \t plain \t '], 'plain'],
    [['x-a:'], ''],
    [['x-a: \t '], ''],
    [['x-a: a  b\tc'], 'a  b\tc'],
    [['x-a: a:b: c'], 'a:b: c'],
    [['x-a: caf\xe9 \xff\x80'], 'caf\xe9 \xff\x80'],
    [['x-a: one', 'X-a: two', 'x-b: other', 'X-A: three'], 'one, two, three'],
    [['x-a: ', 'x-a: two'], ', two'],
    [['x-a: "quoted, \\"value\\""'], '"quoted, \\"value\\""'],
  ]
  test.each(values)('%p is read', async (lines, value) => {
    expect((await asked(get('/echo', ...lines))).headers['x-a']).toBe(value)
  })

  test('may have any allowed character in its name', async () => {
    const name = "!#$%&'*+-.^_`|~09az"
    expect((await asked(get('/echo', `${name}: 1`))).headers[name]).toBe('1')
  })

  test('may have a name that is dangerous as a property', async () => {
    const echoed = await asked(get('/echo', '__proto__: 1', 'constructor: 2', 'toString: 3'))
    expect(Object.entries(echoed.headers)).toEqual(
      expect.arrayContaining([
        ['__proto__', '1'],
        ['constructor', '2'],
        ['tostring', '3'],
      ]),
    )
  })

  test('may be one of a hundred', async () => {
    const lines = Array.from({ length: 100 }, (_, index) => `x-${index}: ${index}`)
    const { headers } = await asked(get('/echo', ...lines))
    for (let index = 0; index < 100; index += 1) expect(headers[`x-${index}`]).toBe(String(index))
  })

  test('may have thirty thousand bytes', async () => {
    const value = 'z'.repeat(30_000)
    expect((await asked(get('/echo', `x-a: ${value}`))).headers['x-a']).toBe(value)
  })

  test.each([
    ': no name',
    'x y: 1',
    'x : 1',
    'x\t: 1',
    ' x: 1',
    'x',
    'x(y): 1',
    'x@y: 1',
    'x"y": 1',
    'caf\xe9: 1',
    'x\0y: 1',
    'x: a\0b',
    'x: a\rb',
    'x: a\nb',
    'x: a\n b',
  ])('line %p is none', async (line) => {
    await refused(get('/echo', line))
    await refused(get('/echo', 'x-before: 1', line, 'x-after: 1'))
  })

  test('may not be folded', async () => {
    await refused(get('/echo', 'x-a: one', ' two'))
    await refused(get('/echo', 'x-a: one', '\ttwo'))
    await refused(head('GET /echo HTTP/1.1', ' folded: at once', 'Host: x'))
  })

  test('must end with CR and LF', async () => {
    await refused('GET /echo HTTP/1.1\nHost: x\n\n')
    await refused('GET /echo HTTP/1.1\r\nHost: x\n\r\n')
    await refused('GET /echo HTTP/1.1\r\nHost: x\r\n\n')
    await refused('GET /echo HTTP/1.1\rHost: x\r\r')
  })
})

describe('a head that is too large', () => {
  const LINE = `x-a: ${'a'.repeat(1_000)}`
  const large: Readonly<Record<string, string>> = {
    'in its path': get(`/items/${'x'.repeat(70_000)}`),
    'in its query': get(`/echo?${'x'.repeat(70_000)}`),
    'in one header': get('/echo', `x-a: ${'x'.repeat(70_000)}`),
    'in the name of a header': get('/echo', `${'x'.repeat(70_000)}: 1`),
    'in many headers': get('/echo', ...Array.from({ length: 70 }, () => LINE)),
    'without ever ending': `GET /echo HTTP/1.1\r\nHost: x\r\nx-a: ${'x'.repeat(70_000)}`,
    'in its very first word': 'G'.repeat(70_000),
  }
  for (const [name, bytes] of Object.entries(large)) {
    test(`${name} is refused with 431`, async () => {
      const { answers, ending } = await converse(echo.port, bytes)
      expect(answers.map(({ status }) => status)).toEqual([name.includes('word') ? expect.any(Number) : 431])
      expect(answers[0]?.status).toBeGreaterThanOrEqual(400)
      expect(ending).toBe('closed')
      expect(echo.begun).toEqual([])
    })
  }

  test('is refused even if it arrives in small packets', async () => {
    const connection = new RawConnection(echo.port)
    const bytes = asBytes(get('/echo', `x-a: ${'x'.repeat(70_000)}`))
    const packets = Array.from({ length: 71 }, (_, index) =>
      bytes.subarray(index * 1_000, index * 1_000 + 1_000),
    )
    await connection.sendApart(packets)
    expect((await connection.answer()).status).toBe(431)
    expect(echo.lines.at(-1)?.status).toBe(431)
    expect(await connection.ended()).toBe('closed')
    connection.destroy()
  })
})

test('options of the connection header may have blanks around them', async () => {
  const blanks = ' '.repeat(30_000)
  for (const wishes of [`x${blanks},close`, `x${blanks}y, Close ${blanks}`, `${blanks},\t close\t`]) {
    const { answers, ending } = await converse(echo.port, get('/echo', `Connection: ${wishes}`))
    expect([answers.length, ending]).toEqual([1, 'closed'])
  }
})
