import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http'
import type { Endpoint } from '../../serve/ports/exchange.ts'
import { type Echo, type EchoServer, reply, startEchoServer } from './testing/echo-server.ts'

const MEGABYTE = 1_048_576
const LIMITS = { maxBytes: 2 * MEGABYTE, timeoutMs: 5_000 }

let echo: EchoServer

beforeAll(() => {
  echo = startEchoServer({ endpoints: [counting, file, failing], bodyLimits: LIMITS })
})

afterAll(() => echo.server.close())

beforeEach(() => {
  echo.begun.length = 0
})

const encoder = new TextEncoder()

/** Says `1 2 3 … 50 `, with a breath before each. */
const counting: Endpoint = {
  method: 'GET',
  path: '/count',
  handle: () => {
    let count = 0
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        await new Promise((resolve) => setImmediate(resolve))
        count += 1
        controller.enqueue(encoder.encode(`${count} `))
        if (count === 50) controller.close()
      },
    })
    return reply(body, { 'content-type': 'text/event-stream' })
  },
}

const COUNTED = Array.from({ length: 50 }, (_, index) => `${index + 1} `).join('')

const file: Endpoint = {
  method: 'GET',
  path: '/file',
  handle: () => new Response(Bun.file(import.meta.path)),
}

const failing: Endpoint = {
  method: 'GET',
  path: '/failing',
  handle: () => {
    const body = new ReadableStream<Uint8Array>({
      start: async (controller) => {
        controller.enqueue(encoder.encode('one'))
        await new Promise((resolve) => setImmediate(resolve))
        controller.error(new Error('the source broke'))
      },
    })
    return reply(body, { 'content-type': 'text/event-stream' })
  },
}

/** Characters of one to four bytes, longer than what fits into a packet. */
const LONG_TEXT = JSON.stringify('aé€😀'.repeat(100_000))
const OVER_LIMIT = 'x'.repeat(LIMITS.maxBytes + 1)

describe('fetch', () => {
  test('sends a request and reads the answer', async () => {
    for (let turn = 0; turn < 50; turn += 1) {
      const echoed = (await (await fetch(`${echo.url}/echo?turn=${turn}`)).json()) as Echo
      expect(echoed.query).toEqual([['turn', String(turn)]])
    }
    const long = await fetch(`${echo.url}/echo`, { method: 'POST', body: LONG_TEXT, headers: JSON_TYPE })
    expect(((await long.json()) as Echo).body).toBe(LONG_TEXT)
    expect(await (await fetch(`${echo.url}/file`)).text()).toBe(await Bun.file(import.meta.path).text())
  })

  test('sends a stream, and reads one', async () => {
    const body = new Blob([LONG_TEXT]).stream()
    const sent = await fetch(`${echo.url}/echo`, { method: 'POST', body, headers: JSON_TYPE })
    expect(((await sent.json()) as Echo).body).toBe(LONG_TEXT)
    expect(await (await fetch(`${echo.url}/count`)).text()).toBe(COUNTED)
  })

  test('sends HEAD, and reads errors', async () => {
    const alone = await fetch(`${echo.url}/file`, { method: 'HEAD' })
    expect([alone.status, await alone.text()]).toEqual([200, ''])
    expect(Number(alone.headers.get('content-length'))).toBe(Bun.file(import.meta.path).size)
    expect((await fetch(`${echo.url}/refuse`)).status).toBe(403)
    const large = await fetch(`${echo.url}/echo`, { method: 'POST', body: OVER_LIMIT, headers: JSON_TYPE })
    expect(large.status).toBe(413)
  })

  test('notices a broken stream', async () => {
    const response = await fetch(`${echo.url}/failing`)
    expect(response.text()).rejects.toThrow()
  })

  test('sends many requests at once', async () => {
    const answers = Array.from({ length: 200 }, async (_, turn) => {
      const response = await fetch(`${echo.url}/echo`, {
        method: 'POST',
        body: `${turn}`,
        headers: JSON_TYPE,
      })
      return ((await response.json()) as Echo).body
    })
    expect(await Promise.all(answers)).toEqual(answers.map((_, turn) => String(turn)))
  })
})

const JSON_TYPE = { 'content-type': 'application/json' }

interface NodeAnswer {
  readonly message: IncomingMessage
  readonly body: string
}

function askByNode(path: string, options: RequestOptions, body?: readonly string[]): Promise<NodeAnswer> {
  return new Promise((resolve, reject) => {
    const asked = request(`${echo.url}${path}`, options, (message) => {
      const chunks: Buffer[] = []
      message.on('data', (chunk: Buffer) => chunks.push(chunk))
      message.on('error', reject)
      message.on('end', () => resolve({ message, body: Buffer.concat(chunks).toString() }))
    })
    asked.on('error', reject)
    if (options.headers !== undefined && 'expect' in options.headers) {
      asked.on('continue', () => asked.end(body?.join('')))
      asked.flushHeaders()
      return
    }
    for (const part of body ?? []) asked.write(part)
    asked.end()
  })
}

describe('the client of Node.js', () => {
  test('keeps its connections', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 2 })
    const turns = Array.from({ length: 60 }, (_, turn) => turn)
    const answers = await Promise.all(turns.map((turn) => askByNode(`/echo?turn=${turn}`, { agent })))
    for (const [turn, { body }] of answers.entries()) {
      expect((JSON.parse(body) as Echo).query).toEqual([['turn', String(turn)]])
    }
    agent.destroy()
  })

  test('sends in chunks, and reads a stream', async () => {
    const parts = ['{"a":', '"', 'é'.repeat(50_000), '"}']
    const { body } = await askByNode('/echo', { method: 'POST', headers: JSON_TYPE }, parts)
    expect((JSON.parse(body) as Echo).body).toBe(parts.join(''))
    expect((await askByNode('/count', {})).body).toBe(COUNTED)
  })

  test('waits for 100 Continue', async () => {
    const headers = { ...JSON_TYPE, expect: '100-continue', 'content-length': '5' }
    const { body } = await askByNode('/echo', { method: 'POST', headers }, ['12345'])
    expect((JSON.parse(body) as Echo).body).toBe('12345')
  })

  test('sends HEAD', async () => {
    const { message, body } = await askByNode('/file', { method: 'HEAD' })
    expect([message.statusCode, body]).toEqual([200, ''])
    expect(Number(message.headers['content-length'])).toBe(Bun.file(import.meta.path).size)
  })

  test('notices a broken stream', () => {
    expect(askByNode('/failing', {})).rejects.toThrow()
  })
})

describe.skipIf(Bun.which('node') === null)('a program of node', () => {
  test('keeps its connection, sends every kind of body and reads every kind of answer', async () => {
    const program = new URL('testing/node-client.mjs', import.meta.url).pathname
    const process = Bun.spawn(['node', program, echo.url], { stderr: 'pipe' })
    const [out, errors] = await Promise.all([
      new Response(process.stdout).text(),
      new Response(process.stderr).text(),
    ])
    expect([errors, await process.exited]).toEqual(['', 0])
    expect(JSON.parse(out)).toEqual({
      reusedSockets: 19,
      continued: '12345',
      chunked: 'é'.repeat(50_000),
      fetched: 'é'.repeat(50_000),
      counted: COUNTED,
      headBytes: String(Bun.file(import.meta.path).size),
      large: 413,
      broken: ['ECONNRESET', 'terminated'],
    })
  })
})

describe.skipIf(Bun.which('curl') === null)('curl', () => {
  async function curl(...given: readonly string[]): Promise<{ readonly out: string; readonly code: number }> {
    const process = Bun.spawn(
      ['curl', '--silent', '--show-error', '--noproxy', '*', '--max-time', '10', ...given],
      {
        stdin: new Blob([LONG_TEXT]),
        stderr: 'ignore',
      },
    )
    const out = await new Response(process.stdout).text()
    return { out, code: await process.exited }
  }

  const json = ['--header', 'content-type: application/json']

  test('sends several requests on one connection', async () => {
    const format = '%{num_connects} '
    const urls = [1, 2, 3].flatMap((turn) => ['--output', '/dev/null', `${echo.url}/echo?${turn}`])
    expect((await curl('--write-out', format, ...urls)).out).toBe('1 0 0 ')
  })

  test('reads a stream with HTTP/1.0 and HTTP/1.1', async () => {
    expect((await curl(`${echo.url}/count`)).out).toBe(COUNTED)
    expect((await curl('--http1.0', `${echo.url}/count`)).out).toBe(COUNTED)
    expect((await curl('--http1.0', `${echo.url}/file`)).out).toBe(await Bun.file(import.meta.path).text())
  })

  test('sends a large body after a 100, and a chunked body', async () => {
    const expecting = ['--header', 'expect: 100-continue', '--expect100-timeout', '8']
    const asked = await curl(...json, ...expecting, '--data-binary', '@-', `${echo.url}/echo`)
    expect((JSON.parse(asked.out) as Echo).body).toBe(LONG_TEXT)
    const chunked = ['--header', 'transfer-encoding: chunked']
    const sent = await curl(...json, ...chunked, '--data-binary', '@-', `${echo.url}/echo`)
    expect((JSON.parse(sent.out) as Echo).body).toBe(LONG_TEXT)
  })

  test('sends HEAD and OPTIONS', async () => {
    expect((await curl('--head', `${echo.url}/file`)).out.toLowerCase()).toContain(
      `content-length: ${Bun.file(import.meta.path).size}`,
    )
    expect((await curl('--include', '--request', 'OPTIONS', `${echo.url}/echo`)).out).toStartWith(
      'HTTP/1.1 204',
    )
  })

  test('notices a broken stream', async () => {
    expect((await curl(`${echo.url}/failing`)).code).not.toBe(0)
  })
})
