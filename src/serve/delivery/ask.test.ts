import { afterEach, describe, expect, test } from 'bun:test'
import type { SupplierFailure } from '../../errors/supplier-failure.ts'
import { chatCompletion } from '../../protocols/chat-completion/index.ts'
import type { StreamTap } from '../../protocols/protocol.ts'
import type { LanePlan } from '../families/text/lanes/lane-plan.ts'
import { ask } from './ask.ts'

const STAYING = { onLeave: () => () => undefined }
const never = () => new Promise<never>(() => undefined)

let server: ReturnType<typeof Bun.serve> | null = null
afterEach(() => server?.stop(true))

/** A supplier that answers its first, second, … call like this. */
function supplierThat(...answers: readonly (() => Response | Promise<Response>)[]) {
  let calls = 0
  server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    development: false,
    fetch: () => {
      const answer = answers[calls] ?? answers.at(-1)
      calls += 1
      return answer?.() ?? new Response(null, { status: 500 })
    },
  })
  return { url: `http://127.0.0.1:${server.port}` }
}

/** Bytes are content as they come; `!` is a failure and `.` the end. */
function plainTap(): StreamTap {
  const seen = { text: '' }
  return {
    push: (bytes) => {
      seen.text += new TextDecoder().decode(bytes)
      return bytes
    },
    end: () => null,
    get hasContent() {
      return /[a-z]/.test(seen.text)
    },
    get isTerminated() {
      return seen.text.includes('.')
    },
    get isComplete() {
      return seen.text.includes('.')
    },
    get failure(): SupplierFailure | null {
      if (!seen.text.includes('!')) return null
      return { kind: 'overloaded', message: 'busy', status: null, param: null, retryAfterSeconds: null }
    },
    usage: null,
    outputCharacters: 0,
    fail: () => '',
  }
}

function planOf(fields: Partial<LanePlan> = {}): LanePlan {
  return {
    supplierProtocol: chatCompletion,
    body: '{}',
    isStreamed: false,
    copies: 1,
    openTap: plainTap,
    readWhole: (replies) => ({ body: replies.join('+'), facts: { usage: null, outputCharacters: 0 } }),
    dropped: [],
    ...fields,
  }
}

function callOnce(url: string, plan: LanePlan, more: Partial<Parameters<typeof ask>[1]> = {}) {
  return ask(plan, {
    target: { url, headers: { 'content-type': 'application/json' } },
    credentialId: 'cred_1',
    callSupplier: ({ url: address, headers, body, patience }) =>
      fetch(address, { method: 'POST', headers, body: String(body), signal: patience.signal }),
    client: STAYING,
    clock: { nowMs: Date.now },
    connectMs: 2_000,
    firstByteMs: 2_000,
    ...more,
  })
}

const events = (...pieces: readonly (string | Promise<never>)[]) => {
  const rest = pieces.values()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = rest.next()
      if (done) return controller.close()
      controller.enqueue(new TextEncoder().encode(await value))
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

describe('a whole reply', () => {
  test('is read', async () => {
    const { url } = supplierThat(() => new Response('hello'))
    expect(await callOnce(url, planOf())).toMatchObject({ type: 'whole', body: 'hello' })
  })

  test('in another format is a failure', async () => {
    const { url } = supplierThat(() => new Response('hello'))
    const answer = await callOnce(url, planOf({ readWhole: () => null }))
    expect(answer).toMatchObject({ type: 'failed', failure: { kind: 'malformed' } })
  })

  test('to a request for a stream is accepted', async () => {
    const { url } = supplierThat(() => Response.json({ whole: true }))
    expect(await callOnce(url, planOf({ isStreamed: true }))).toMatchObject({ body: '{"whole":true}' })
  })
})

describe('a stream', () => {
  const streamed = planOf({ isStreamed: true })

  test('counts as an answer with its first content, which is not lost', async () => {
    const { url } = supplierThat(() => events(': ', ': ', 'a', never()))
    const answer = await callOnce(url, streamed)
    if (answer.type !== 'stream') throw new Error(answer.type)
    expect(Buffer.concat(answer.stream.first).toString()).toBe(': : a')
    answer.stream.abort()
  })

  test.each([
    ['fails before its content', ['!'], 'overloaded'],
    ['ends before its content', [': '], 'malformed'],
    ['says nothing at all', [], 'malformed'],
  ])('that %s is a failure', async (_name, pieces, kind) => {
    const { url } = supplierThat(() => events(...pieces))
    expect(await callOnce(url, streamed)).toMatchObject({ type: 'failed', failure: { kind } })
  })

  test('that is silent for too long is a failure', async () => {
    const { url } = supplierThat(() => events(': ', never()))
    const answer = await callOnce(url, streamed, { firstByteMs: 50 })
    expect(answer).toMatchObject({ type: 'failed', failure: { kind: 'timeout' } })
  })
})

describe('a supplier', () => {
  test('that refuses is reported with its retry time', async () => {
    const error = { error: { message: 'slow down' } }
    const { url } = supplierThat(() => Response.json(error, { status: 429, headers: { 'retry-after': '7' } }))
    expect(await callOnce(url, planOf())).toMatchObject({
      type: 'failed',
      failure: { kind: 'rate-limited', status: 429, retryAfterSeconds: 7 },
    })
  })

  test('that does not listen is unreachable', async () => {
    const { url } = supplierThat()
    await server?.stop(true)
    expect(await callOnce(url, planOf())).toMatchObject({ type: 'failed', failure: { kind: 'unreachable' } })
  })

  test('is disconnected when the client leaves', async () => {
    const left = Promise.withResolvers<void>()
    const { url } = supplierThat(() => {
      left.resolve()
      return never()
    })
    const client = {
      onLeave: (listener: () => void) => {
        left.promise.then(listener)
        return () => undefined
      },
    }
    expect(await callOnce(url, planOf(), { client })).toMatchObject({ type: 'client-left' })
  })
})

describe('several copies', () => {
  test('are requested in parallel and read in order', async () => {
    const all = Promise.withResolvers<void>()
    let waiting = 0
    const { url } = supplierThat(async () => {
      waiting += 1
      if (waiting === 3) all.resolve()
      await all.promise
      return new Response('x')
    })
    expect(await callOnce(url, planOf({ copies: 3 }))).toMatchObject({ type: 'whole', body: 'x+x+x' })
  })

  test('fail when one is refused', async () => {
    const { url } = supplierThat(
      () => new Response('x'),
      () => Response.json({ error: { message: 'bad' } }, { status: 400 }),
    )
    expect(await callOnce(url, planOf({ copies: 2 }))).toMatchObject({
      type: 'failed',
      failure: { status: 400 },
    })
  })

  test('are all aborted when one cannot be sent, so the rest costs nothing', async () => {
    const signals: AbortSignal[] = []
    const answer = await callOnce('http://127.0.0.1:1', planOf({ copies: 3 }), {
      callSupplier: ({ patience }) => {
        signals.push(patience.signal)
        return signals.length === 2 ? Promise.reject(new Error('no connection')) : never()
      },
    })
    expect(answer).toMatchObject({ type: 'failed', failure: { kind: 'unreachable' } })
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true])
  })
})
