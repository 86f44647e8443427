import { afterEach, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { GatewayError } from '../../errors/gateway-error.ts'
import type { Endpoint, Exchange } from '../../serve/ports/exchange.ts'
import type { Log, RequestLine } from '../../serve/ports/log.ts'
import { type HttpServer, startServer } from './serve.ts'

let server: HttpServer | null = null

afterEach(async () => {
  await server?.close()
})

interface Started {
  readonly url: string
  readonly port: number
  readonly lines: RequestLine[]
  readonly troubles: unknown[]
}

function start(
  endpoints: readonly Endpoint[],
  more: { idleSeconds?: number; maxBytes?: number; port?: number } = {},
): Started {
  const lines: RequestLine[] = []
  const troubles: unknown[] = []
  const log: Log = {
    request: (line) => void lines.push(line),
    attemptFailed: () => undefined,
    notice: () => undefined,
    trouble: (_what, error) => void troubles.push(error),
  }
  const { maxBytes = 1_000, ...rest } = more
  server = startServer({
    hostname: '127.0.0.1',
    port: 0,
    endpoints,
    bodyLimits: { maxBytes, timeoutMs: 1_000 },
    clock: { nowMs: () => 0 },
    log,
    ...rest,
  })
  return { url: server.url, port: server.port, lines, troubles }
}

function get(path: string, handle: (exchange: Exchange) => Response | Promise<Response>): Endpoint {
  return { method: 'GET', path, handle }
}

/** How a connection ends that was used once and then left alone. */
async function endingAfter(port: number, path: string, patienceMs: number): Promise<'closed' | 'open'> {
  const socket = connect(port, '127.0.0.1')
  const closed = new Promise<'closed'>((resolve) => socket.once('close', () => resolve('closed')))
  socket.resume().write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
  const ending = await Promise.race([closed, Bun.sleep(patienceMs).then(() => 'open' as const)])
  socket.destroy()
  return ending
}

test('refuses a port that another gateway uses', async () => {
  const { port } = start([])
  const first = server
  expect(() => start([], { port })).toThrow()
  server = first
})

describe('an answer', () => {
  test('has an id, which is also in the log', async () => {
    const { url, lines } = start([get('/a', ({ requestId }) => new Response(requestId))])
    const response = await fetch(`${url}/a?key=sk-secret-in-query`)
    const id = await response.text()
    expect(response.headers.get('x-request-id')).toBe(id)
    expect(response.headers.get('request-id')).toBe(id)
    expect(lines).toMatchObject([{ requestId: id, method: 'GET', path: '/a', status: 200, durationMs: 0 }])
    expect(lines).toHaveLength(1)
  })

  test('hides the cause of an internal error, which is logged', async () => {
    const failure = new Error('the inside')
    const { url, troubles } = start([
      get('/a', () => {
        throw failure
      }),
    ])
    const response = await fetch(`${url}/a`)
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('the inside')
    expect(troubles).toEqual([failure])
  })

  test('renders an error in the format of the endpoint', async () => {
    const { url } = start([
      {
        ...get('/a', () => {
          throw new GatewayError('not_found', 'No.', { headers: { 'x-more': 'yes' } })
        }),
        dressError: (envelope, requestId) => ({ ...envelope, request_id: requestId }),
      },
    ])
    const response = await fetch(`${url}/a`)
    const body = (await response.json()) as { request_id: string }
    expect(response.status).toBe(404)
    expect(response.headers.get('x-more')).toBe('yes')
    expect(body.request_id).toBe(response.headers.get('x-request-id') ?? '')
  })
})

describe('a path', () => {
  test('provides its parameters, decoded', async () => {
    const { url } = start([
      get('/a/:id/b', ({ params }) => Response.json(params)),
      get('/c/*', ({ params }) => Response.json(params)),
    ])
    expect(await (await fetch(`${url}/a/x%3Ay/b`)).json()).toEqual({ id: 'x:y' })
    expect(await (await fetch(`${url}/c/models%2Fone:two`)).json()).toEqual({ '*': 'models/one:two' })
  })
})

describe('an idle connection', () => {
  // The server keeps its timers in steps of four seconds.
  const idleSeconds = 0.4
  const patienceMs = 5_000

  test('is closed after an answer, but not while a stream pauses for longer', async () => {
    const endpoints = [
      get('/a', () => new Response('whole')),
      streamEndpoint('/short', 10),
      streamEndpoint('/long', 1_000),
    ]
    const { port, url } = start(endpoints, { idleSeconds })
    const silent = fetch(`${url}/long`).then((response) => response.text())
    const endings = await Promise.all([
      endingAfter(port, '/a', patienceMs),
      endingAfter(port, '/short', patienceMs),
      endingAfter(port, '/unknown', patienceMs),
    ])
    expect(endings).toEqual(['closed', 'closed', 'closed'])
    expect(await silent).toBe('data: 1\n\ndata: 2\n\n')
  })
})

function streamEndpoint(path: string, pauseMs: number): Endpoint {
  return get(path, () => {
    const body = new ReadableStream<Uint8Array>({
      start: async (controller) => {
        controller.enqueue(Buffer.from('data: 1\n\n'))
        await Bun.sleep(pauseMs)
        controller.enqueue(Buffer.from('data: 2\n\n'))
        controller.close()
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } })
  })
}

describe('shutting down', () => {
  test('refuses new requests with an error, except health checks', async () => {
    const whole = () => new Response('whole')
    const { url } = start([get('/a', whole), { ...get('/healthz', whole), isServedWhileClosing: true }])
    expect((await fetch(`${url}/a`)).status).toBe(200)
    server?.stopAccepting()
    const refused = await fetch(`${url}/a`)
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(await refused.json()).toMatchObject({ error: { code: 'shutting_down' } })
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    await server?.close()
    expect(fetch(`${url}/a`)).rejects.toThrow()
  })

  test('answers requests that still wait with an error', async () => {
    const { promise: waiting, resolve } = Promise.withResolvers<Exchange>()
    const { url, troubles } = start([
      get('/a', async (exchange) => {
        resolve(exchange)
        await new Promise((_, reject) => exchange.onLeave(() => reject(new Error('left'))))
        return new Response()
      }),
    ])
    const response = fetch(`${url}/a`)
    await waiting
    expect(server?.pending).toBe(1)
    server?.stopAccepting()
    server?.endWaiting()
    expect((await response).status).toBe(503)
    expect(await (await response).json()).toMatchObject({ error: { code: 'shutting_down' } })
    expect(troubles).toEqual([])
  })
})
