import { afterEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Endpoint, Exchange } from '../../serve/ports/exchange.ts'
import type { ReadForm, UploadRules } from '../../serve/ports/uploads.ts'
import { BodyBudget, HeldBody } from './body-budget.ts'
import { codeOf, type EchoServer, reply, startEchoServer } from './testing/echo-server.ts'
import { ask, head, post, postChunked, RawConnection } from './testing/raw-client.ts'

const KIB = 1024
const REFUSED = { code: 'temporarily_unavailable', headers: { 'retry-after': '1' } }

function thrownBy(act: () => void): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  return null
}

describe('the body budget', () => {
  test('of an account counts announced bytes before they arrive', () => {
    const budget = new BodyBudget({ maxBytes: 1_000 * KIB, maxBytesPerAccount: 100 * KIB })
    const first = new HeldBody(budget, 'one')
    first.expect(70 * KIB)
    expect(thrownBy(() => new HeldBody(budget, 'one').expect(31 * KIB))).toMatchObject(REFUSED)
    expect(thrownBy(() => new HeldBody(budget, 'two').expect(70 * KIB))).toBeNull()
    first.release()
    expect(thrownBy(() => new HeldBody(budget, 'one').expect(100 * KIB))).toBeNull()
  })

  test('of the process counts received bytes, not announced ones', () => {
    const budget = new BodyBudget({ maxBytes: 200 * KIB, maxBytesPerAccount: 200 * KIB })
    const first = new HeldBody(budget, 'one')
    first.expect(200 * KIB)
    const second = new HeldBody(budget, 'two')
    expect(thrownBy(() => second.expect(150 * KIB))).toBeNull()
    first.add(199 * KIB)
    expect(thrownBy(() => second.add(2 * KIB))).toMatchObject(REFUSED)
    expect(thrownBy(() => new HeldBody(budget, 'three').expect(100 * KIB))).toMatchObject(REFUSED)
    expect(budget.heldBytes).toBe(199 * KIB)
  })

  test('has some room for small bodies when large ones have filled it', () => {
    const budget = new BodyBudget({ maxBytes: 800 * KIB, maxBytesPerAccount: 800 * KIB })
    new HeldBody(budget, 'one').add(800 * KIB)
    const small = Array.from({ length: 100 }, () => thrownBy(() => new HeldBody(budget, 'two').add(10 * KIB)))
    expect(small.filter((thrown) => thrown === null)).toHaveLength(10)
    expect(thrownBy(() => new HeldBody(budget, 'two').add(65 * KIB))).toMatchObject(REFUSED)
  })

  test('counts a body of unknown length as it grows', () => {
    const budget = new BodyBudget({ maxBytes: 1_000 * KIB, maxBytesPerAccount: 100 * KIB })
    const body = new HeldBody(budget, 'one')
    for (let piece = 0; piece < 10; piece += 1) body.add(10 * KIB)
    expect(thrownBy(() => body.add(1))).toMatchObject(REFUSED)
    expect(body.bytes).toBe(100 * KIB)
  })

  type Act = { readonly body: number; readonly kind: 'expect' | 'add' | 'release'; readonly bytes: number }
  const anyAct: fc.Arbitrary<Act> = fc.record({
    body: fc.nat(5),
    kind: fc.constantFrom('expect', 'add', 'add', 'release'),
    bytes: fc.nat(120),
  })

  test('is never exceeded, and is empty once all bodies are released, in any order of events', () => {
    fc.assert(
      fc.property(fc.array(anyAct, { maxLength: 60 }), (acts) => {
        const budget = new BodyBudget({ maxBytes: 400, maxBytesPerAccount: 200 })
        const bodies = ['one', 'one', 'one', 'two', 'two', null].map((owner) => new HeldBody(budget, owner))
        for (const { body, kind, bytes } of acts) {
          const held = bodies[body] as HeldBody
          thrownBy(() => (kind === 'release' ? held.release() : held[kind](bytes)))
          expect(budget.heldBytes).toBeGreaterThanOrEqual(0)
          expect(budget.heldBytes).toBeLessThanOrEqual(450)
        }
        for (const held of bodies) held.release()
        for (const held of bodies) held.add(50)
        expect([budget.heldBytes, budget.accounts]).toEqual([0, 0])
        expect(thrownBy(() => new HeldBody(budget, 'one').expect(200))).toBeNull()
      }),
      { numRuns: 300 },
    )
  })
})

describe('a server with a budget', () => {
  let echo: EchoServer | null = null
  afterEach(() => echo?.server.close())

  /** `/slow` reads its body and answers when the gate opens. */
  function start() {
    const budget = new BodyBudget({ maxBytes: 3_000, maxBytesPerAccount: 2_000 })
    const gate = Promise.withResolvers<void>()
    const hasRead = Promise.withResolvers<Exchange>()
    const slow: Endpoint = {
      method: 'POST',
      path: '/slow',
      handle: async (exchange) => {
        exchange.bodyOwner = 'one'
        await exchange.readText()
        hasRead.resolve(exchange)
        await gate.promise
        return reply('done')
      },
    }
    const server = startEchoServer({ endpoints: [slow], bodyBudget: budget })
    echo = server
    return { budget, gate, hasRead: hasRead.promise, port: server.port }
  }

  test('holds a body until its answer is sent', async () => {
    const { budget, gate, hasRead, port } = start()
    const connection = new RawConnection(port)
    void connection.send(post('/slow', 'x'.repeat(1_500)))
    const exchange = await hasRead
    expect([budget.heldBytes, budget.accounts, exchange.bodyBytes]).toEqual([1_500, 1, 1_500])
    const refused = await ask(port, post('/slow', 'x'.repeat(600)))
    expect([refused.status, codeOf(refused), refused.headers['retry-after']]).toEqual([
      503,
      'temporarily_unavailable',
      '1',
    ])
    gate.resolve()
    expect((await connection.answer()).status).toBe(200)
    connection.destroy()
    expect([budget.heldBytes, budget.accounts]).toEqual([0, 0])
  })

  test('counts how much of a form was read, even if little of it is in memory', async () => {
    const budget = new BodyBudget({ maxBytes: 3_000, maxBytesPerAccount: 2_000 })
    const seen: number[] = []
    const form: Endpoint = {
      method: 'POST',
      path: '/form',
      handle: async (exchange) => {
        await exchange.readForm({} as UploadRules)
        seen.push(exchange.bodyBytes, budget.heldBytes)
        return reply('done')
      },
    }
    const readForm: ReadForm = async ({ body, hold }) => {
      hold?.(100)
      for await (const _piece of body ?? []);
      return { fields: [], images: [], audio: [], dispose: () => Promise.resolve() }
    }
    echo = startEchoServer({ endpoints: [form], bodyBudget: budget, readForm })
    const { port } = echo
    const connection = new RawConnection(port)
    await connection.sendApart([
      head('POST /form HTTP/1.1', 'Host: x', 'Content-Length: 5000'),
      'x'.repeat(5_000),
    ])
    expect((await connection.answer()).status).toBe(200)
    connection.destroy()
    expect(seen).toEqual([5_000, 100])
    expect(budget.heldBytes).toBe(0)
  })

  test('refuses a body that is too long for its account before any of it is sent', async () => {
    const { budget, port } = start()
    const refused = await ask(port, head('POST /slow HTTP/1.1', 'Host: x', 'Content-Length: 2001'))
    expect([refused.status, budget.heldBytes, budget.accounts]).toEqual([503, 0, 0])
  })

  test('refuses a chunked body when it grows too long for its account', async () => {
    const { budget, port } = start()
    const refused = await ask(port, postChunked('/slow', `7D1\r\n${'x'.repeat(2_001)}\r\n0\r\n\r\n`))
    expect([refused.status, codeOf(refused)]).toEqual([503, 'temporarily_unavailable'])
    expect([budget.heldBytes, budget.accounts]).toEqual([0, 0])
  })

  test('frees memory when clients disconnect in the middle of their bodies', async () => {
    const { budget, port } = start()
    const connections = Array.from({ length: 3 }, () => new RawConnection(port))
    const lines = ['Host: x', 'Content-Length: 600', 'Expect: 100-continue']
    for (const connection of connections) {
      void connection.send(head('POST /slow HTTP/1.1', ...lines))
      expect((await connection.answer()).status).toBe(100)
    }
    expect(budget.accounts).toBe(1)
    for (const connection of connections) connection.destroy()
    while (budget.accounts > 0) await Bun.sleep(1)
    expect(budget.heldBytes).toBe(0)
  })

  test('frees memory once the handler ends for a client that disconnected', async () => {
    const { budget, gate, hasRead, port } = start()
    const connection = new RawConnection(port)
    void connection.send(post('/slow', 'x'.repeat(1_500)))
    const exchange = await hasRead
    const left = Promise.withResolvers<void>()
    exchange.onLeave(left.resolve)
    connection.destroy()
    await left.promise
    expect(budget.heldBytes).toBe(1_500)
    gate.resolve()
    while (budget.heldBytes > 0) await Bun.sleep(1)
    expect(budget.accounts).toBe(0)
  })
})
