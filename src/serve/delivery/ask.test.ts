import { afterEach, describe, expect, test } from 'bun:test'
import type { SupplierFailure } from '../../errors/supplier-failure.ts'
import { chatCompletion } from '../../protocols/chat-completion/index.ts'
import type { StreamTap } from '../../protocols/protocol.ts'
import { ask } from './ask.ts'
import type { CallPlan } from './call-plan.ts'

const STAYING = { onLeave: () => () => undefined }
/** A client that has left before it is asked. */
const GONE = {
  onLeave: (listener: () => void) => {
    listener()
    return () => undefined
  },
}

function leavingClient() {
  const { promise: left, resolve: leave } = Promise.withResolvers<void>()
  const onLeave = (listener: () => void) => {
    left.then(listener)
    return () => undefined
  }
  return { leave, onLeave }
}

const never = () => new Promise<never>(() => undefined)

let server: ReturnType<typeof Bun.serve> | null = null
afterEach(() => server?.stop(true))

/** A supplier that answers its first, second, … call like this. */
function supplierThat(...answers: readonly ((request: Request) => Response | Promise<Response>)[]) {
  let calls = 0
  server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    development: false,
    fetch: (request) => {
      const answer = answers[calls] ?? answers.at(-1)
      calls += 1
      return answer?.(request) ?? new Response(null, { status: 500 })
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

function planOf(fields: Partial<CallPlan> = {}): CallPlan {
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

function callOnce(url: string, plan: CallPlan, more: Partial<Parameters<typeof ask>[1]> = {}) {
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

  test('of a request in parts has each part sent to its own target', async () => {
    const seen: string[] = []
    const { url } = supplierThat(async (request) => {
      const body = await request.text()
      seen.push(`${request.headers.get('x-signed-for')}: ${body}`)
      return new Response(body.toUpperCase())
    })
    const targetFor = (body: string) => Promise.resolve({ url, headers: { 'x-signed-for': body } })
    const plan = planOf({ body: '', bodies: ['a', 'b', 'c'], copies: 3 })
    expect(await callOnce(url, plan, { targetFor })).toMatchObject({ body: 'A+B+C' })
    expect(seen.sort()).toEqual(['a: a', 'b: b', 'c: c'])
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

  test('is not called when the client has left', async () => {
    let calls = 0
    const { url } = supplierThat(() => new Response(String(++calls)))
    const result = await callOnce(url, planOf(), { client: GONE })
    expect(result).toMatchObject({ type: 'client-left', work: { calls: 0, reported: null, facts: null } })
    expect(calls).toBe(0)
  })
})

describe('when the client leaves, the result says what the supplier had', () => {
  /** Calls without a network; `leave` is called when as many calls have begun as there are answers. */
  async function leaveAfter(plan: CallPlan, answers: readonly boolean[]) {
    const client = leavingClient()
    let begun = 0
    const result = await callOnce('http://127.0.0.1:1', plan, {
      client,
      callSupplier: ({ patience }) => {
        const wasSent = answers[begun++] ?? false
        const { promise, reject } = Promise.withResolvers<never>()
        patience.onAbort(() => {
          reject(new Error('aborted'))
          return wasSent
        })
        if (begun === answers.length) client.leave()
        return promise
      },
    })
    if (result.type !== 'client-left') throw new Error(result.type)
    return result.work
  }

  test('the number of calls that it had received', async () => {
    expect((await leaveAfter(planOf(), [true])).calls).toBe(1)
    expect((await leaveAfter(planOf(), [false])).calls).toBe(0)
    expect((await leaveAfter(planOf({ copies: 3 }), [true, false, true])).calls).toBe(2)
  })

  test('what it had reported before its first output', async () => {
    const usage = { input: 7, cacheRead: 0, cacheWrite: 0, output: 1, reasoning: 0, images: 0 }
    const { url } = supplierThat(() => events(': ', never()))
    const client = leavingClient()
    const openTap = () => {
      const { push, ...rest } = plainTap()
      const leaving = (bytes: Uint8Array) => {
        queueMicrotask(client.leave)
        return push(bytes)
      }
      return { ...rest, push: leaving, hasContent: false, failure: null, usage }
    }
    const result = await callOnce(url, planOf({ isStreamed: true, openTap }), { client })
    expect(result).toMatchObject({ type: 'client-left', work: { reported: usage } })
  })

  test('the facts of a reply of which a part had to be fetched', async () => {
    const { url } = supplierThat(() => new Response('reply'))
    const client = leavingClient()
    const facts = { usage: null, outputCharacters: 0, images: 2 }
    const readWhole = async () => {
      client.leave()
      return { unfetched: facts }
    }
    expect(await callOnce(url, planOf({ readWhole }), { client })).toMatchObject({ work: { facts } })
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

  test('are at most eight at a time, and read in order', async () => {
    const running: (() => void)[] = []
    let [begun, most] = [0, 0]
    const answer = callOnce('http://127.0.0.1:1', planOf({ copies: 20 }), {
      callSupplier: async () => {
        const number = begun++
        await new Promise<void>((resolve) => running.push(resolve))
        return new Response(String(number))
      },
    })
    for (let answered = 0; answered < 20; ) {
      await new Promise(setImmediate)
      most = Math.max(most, running.length)
      const answerOldest = running.shift()
      if (answerOldest === undefined) continue
      answerOldest()
      answered += 1
    }
    expect(await answer).toMatchObject({ body: Array.from({ length: 20 }, (_, index) => index).join('+') })
    expect([begun, most]).toEqual([20, 8])
  })

  test('end when one is refused, and no more are begun', async () => {
    const aborted: number[] = []
    let begun = 0
    const answer = await callOnce('http://127.0.0.1:1', planOf({ copies: 20 }), {
      callSupplier: async ({ patience }) => {
        const number = begun++
        if (number === 3) return Response.json({ error: { message: 'no' } }, { status: 400 })
        return new Promise<never>((_, reject) => {
          patience.onAbort(() => {
            aborted.push(number)
            reject(new Error('aborted'))
            return true
          })
        })
      },
    })
    expect(answer).toMatchObject({ type: 'failed', failure: { status: 400 } })
    expect(begun).toBe(8)
    expect(aborted).toEqual([0, 1, 2, 4, 5, 6, 7])
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
