import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { createLoneKey } from '../support/accounts.ts'
import { type ChatFields, chat, type ErrorBody, refusalOf, say } from '../support/chat.ts'
import type { Fault } from '../support/faults.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import { PauseGate } from '../support/pause-gate.ts'
import {
  chunkOf,
  DONE,
  FINISH_CHUNK,
  type ScriptedSupplier,
  startScriptedSupplier,
} from '../support/scripted-supplier.ts'
import { OPENAI_SDKS } from '../support/sdk-clients.ts'
import { onlySettlementOf } from '../support/settlements.ts'
import { eventsOf, StreamReader } from '../support/stream-reader.ts'
import { addModel, addSupplier } from '../support/supply.ts'
import { BOOTSTRAP_KEY, startTestGateway, type TestGateway } from '../support/test-gateway.ts'

const HOUR_MS = 3_600_000
const HEARTBEAT = ': ka\n'

const clock = createMovableClock()
let gateway: TestGateway
let scripted: ScriptedSupplier
let gated: Sandbox
const gate = new PauseGate()
beforeAll(async () => {
  gateway = await startTestGateway({
    clock,
    environment: { TURNPIKE_HEARTBEAT_SECONDS: '15', TURNPIKE_IDLE_TIMEOUT_SECONDS: '120' },
  })
  scripted = startScriptedSupplier()
  gated = startSandbox({ wait: gate.wait })
  await addSupplier(gateway, { id: 'gated', sandbox: gated })
  await addModel(gateway, 'gated', { suppliers: ['gated'] })
  await addSupplier(gateway, { id: 'scripted', sandbox: scripted })
  await addModel(gateway, 'scripted', { suppliers: ['scripted'] })
})
afterEach(() => gateway.sandbox.faults.clear())
afterAll(async () => {
  await gateway.stop()
  await scripted.stop()
  await gated.stop()
})

const strike = (fault: Fault) => gateway.sandbox.faults.set({ times: 1, fault })
const stream = (fields: ChatFields, key = BOOTSTRAP_KEY) =>
  chat(gateway.url, { stream: true, ...fields }, { key })

describe('the commit point', () => {
  test.each<readonly [string, Fault, readonly [status: number, code: string]]>([
    ['an error event', { type: 'error-in-stream', afterPieces: 0 }, [502, 'provider_error']],
    ['garbage', { type: 'garbage', afterPieces: 0 }, [502, 'provider_error']],
    ['a closed connection', { type: 'cut', afterPieces: 0 }, [502, 'provider_error']],
    ['an overloaded supplier', { type: 'status', status: 529 }, [503, 'provider_overloaded']],
    ['a rate-limited supplier', { type: 'status', status: 429 }, [429, 'supplier_rate_limited']],
  ])('before the first event, %s is a plain JSON error with its status', async (_what, fault, expected) => {
    // With a single supplier, no other one can answer in its place.
    const only = await createLoneKey(gateway, {
      route_policy: { mode: 'specified_provider', provider: 'sandbox-openai' },
    })
    strike(fault)
    const response = await stream({}, only.secret)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await refusalOf(response)).toEqual(expected)
  })

  test('an empty stream is a plain JSON error too', async () => {
    scripted.perform([': nothing but a comment\n\n'])
    const response = await stream({ model: 'scripted' })
    expect(await refusalOf(response)).toEqual([502, 'provider_error'])
  })

  test('the answer starts when the supplier starts, not when it ends', async () => {
    const gate = Promise.withResolvers<void>()
    scripted.perform([chunkOf({ content: 'early' }), gate.promise, FINISH_CHUNK, DONE])
    const reader = new StreamReader(await stream({ model: 'scripted' }))
    expect(await reader.readUntil('early')).not.toContain('[DONE]')
    gate.resolve()
    expect(await reader.readToEnd()).toEndWith('[DONE]\n\n')
  })
})

describe('failure in mid-stream', () => {
  /** Has the gated sandbox fail after the client has read `one`. */
  function failLater(fault: Fault): void {
    gate.close()
    gate.allow(1)
    gated.faults.clear()
    gated.faults.set({ times: 1, fault })
    gated.faults.set({ times: 1, fault: { type: 'latency', betweenPiecesMs: 1 } })
  }

  test.each<readonly [string, Fault]>([
    ['an error event', { type: 'error-in-stream', afterPieces: 3 }],
    ['garbage', { type: 'garbage', afterPieces: 3 }],
    ['a missing terminator', { type: 'truncated-end' }],
  ])('%s ends the stream with our envelope and without the last marker', async (_what, fault) => {
    failLater(fault)
    const response = await stream({ model: 'gated', ...say('one two three four') })
    expect(response.status).toBe(200)
    const reader = new StreamReader(response)
    await reader.readUntil('one')
    gate.open()
    const text = await reader.readToEnd()
    const { error } = JSON.parse(eventsOf(text).at(-1) ?? '') as ErrorBody
    expect(error).toEqual({
      message: 'The supplier of this model failed to answer.',
      type: 'provider_error',
      code: 'provider_error',
      param: null,
    })
    expect(text).toContain('two')
    expect(text).not.toContain('[DONE]')
    // The words of the supplier do not reach the client.
    expect(text).not.toContain('sandbox was configured')
  })

  test.each(OPENAI_SDKS)('%s throws an APIError with the code', async (_name, Sdk, createClient) => {
    failLater({ type: 'error-in-stream', afterPieces: 3 })
    const client = createClient({ apiKey: BOOTSTRAP_KEY, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
    const messages = [{ role: 'user' as const, content: 'say: one two three four' }]
    const chunks = await client.chat.completions.create({ model: 'gated', messages, stream: true })
    let text = ''
    const reading = (async () => {
      for await (const chunk of chunks) {
        text += chunk.choices[0]?.delta.content ?? ''
        if (text === 'one') gate.open()
      }
    })()
    const thrown = await reading.catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(Sdk.APIError)
    expect(thrown).toMatchObject({ code: 'provider_error', type: 'provider_error' })
    expect(text).toBe('one two')
  })
})

describe('silence', () => {
  test('sends a heartbeat after every 15 silent seconds', async () => {
    const gate = Promise.withResolvers<void>()
    scripted.perform([
      chunkOf({ content: 'first' }),
      gate.promise,
      chunkOf({ content: 'second' }),
      FINISH_CHUNK,
      DONE,
    ])
    const reader = new StreamReader(await stream({ model: 'scripted' }))
    await reader.readUntil('first')
    clock.advance(14_999)
    gateway.streams.beat(clock.monotonicMs())
    clock.advance(1)
    gateway.streams.beat(clock.monotonicMs())
    gateway.streams.beat(clock.monotonicMs())
    await reader.readUntil(HEARTBEAT)
    clock.advance(15_000)
    gateway.streams.beat(clock.monotonicMs())
    await reader.readUntil(HEARTBEAT.repeat(2))
    gate.resolve()
    const text = await reader.readToEnd()
    expect(text.split(HEARTBEAT)).toHaveLength(3)
    expect(text).toEndWith('[DONE]\n\n')
  })

  test.each(OPENAI_SDKS)('%s does not notice heartbeats', async (_name, _sdk, createClient) => {
    const gate = Promise.withResolvers<void>()
    scripted.perform([
      chunkOf({ content: 'first ' }),
      gate.promise,
      chunkOf({ content: 'second' }),
      FINISH_CHUNK,
      DONE,
    ])
    const client = createClient({ apiKey: BOOTSTRAP_KEY, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
    const messages = [{ role: 'user' as const, content: 'ping' }]
    const chunks = await client.chat.completions.create({ model: 'scripted', messages, stream: true })
    let text = ''
    for await (const chunk of chunks) {
      text += chunk.choices[0]?.delta.content ?? ''
      clock.advance(15_000)
      gateway.streams.beat(clock.monotonicMs())
      gate.resolve()
    }
    expect(text).toBe('first second')
  })

  test('a supplier silent for 120 seconds is disconnected, and the delivered part is charged', async () => {
    strike({ type: 'latency', betweenPiecesMs: HOUR_MS })
    const key = await createLoneKey(gateway)
    const aborted = gateway.sandbox.nextAbort()
    const reader = new StreamReader(await stream({}, key.secret))
    await reader.readUntil('assistant')
    clock.advance(120_000)
    gateway.streams.beat(clock.monotonicMs())
    const { error } = JSON.parse(eventsOf(await reader.readToEnd()).at(-1) ?? '') as ErrorBody
    expect(error.code).toBe('provider_timeout')
    expect((await aborted).finished).toBe(false)
    expect(await onlySettlementOf(gateway, key.id)).toMatchObject({
      outcome: 'supplier_failed',
      provenance: 'counted',
    })
    expect(gateway.streams.size).toBe(0)
  })
})

describe('the relay', () => {
  // The streams that were broken above have opened the circuit of this supplier; by now it may be tried again.
  beforeAll(() => clock.advance(HOUR_MS))

  const question = say('Grüße, 世界! 😀 and some more words to cut into pieces')
  const askSandbox = (fields: ChatFields) => chat(gateway.sandbox.url, fields, { key: 'sk-sandbox-direct' })
  // Every call to the sandbox has its own number and a time.
  const withoutIdentity = (text: string) =>
    text.replaceAll(/(chatcmpl-|call_)sandbox[-_]\d+/g, 'ID').replaceAll(/"created":\d+/g, '"created":0')

  test.each<readonly [string, ChatFields]>([
    ['a whole reply', { ...question }],
    ['a reply of several choices', { ...question, n: 3 }],
    ['a stream', { ...question, stream: true, stream_options: { include_usage: true } }],
    [
      'a tool call',
      {
        ...question,
        model: 'sandbox-tools',
        stream: true,
        stream_options: { include_usage: true },
        tools: [{ type: 'function', function: { name: 'look' } }],
      },
    ],
  ])('passes on the bytes of the supplier: %s', async (_what, fields) => {
    const direct = withoutIdentity(await (await askSandbox(fields)).text())
    const relayed = withoutIdentity(await (await chat(gateway.url, fields, { key: BOOTSTRAP_KEY })).text())
    expect(relayed).toBe(direct)
    expect(direct).toContain('"usage":{')
  })

  test('passes on the same bytes, however they are split', async () => {
    const fields = { ...question, stream: true, stream_options: { include_usage: true } }
    const direct = withoutIdentity(await (await askSandbox(fields)).text())
    for (const at of ['every-byte', 'inside-characters'] as const) {
      strike({ type: 'split-utf8', at })
      const relayed = withoutIdentity(await (await chat(gateway.url, fields, { key: BOOTSTRAP_KEY })).text())
      expect(relayed).toBe(direct)
    }
  })

  test('removes only the usage chunk the client did not request', async () => {
    const direct = await (
      await askSandbox({ ...question, stream: true, stream_options: { include_usage: true } })
    ).text()
    const relayed = await (await stream(question)).text()
    const expected = direct
      .split('\n\n')
      .filter((event) => !event.includes('"usage":{'))
      .join('\n\n')
    expect(withoutIdentity(relayed)).toBe(withoutIdentity(expected))
    expect(expected.length).toBeLessThan(direct.length)
  })

  test('forwards the request with the model name replaced and no client headers', async () => {
    await addModel(gateway, 'alias', { suppliers: ['sandbox-openai'] })
    const fields = { model: 'alias', unknown_field: { kept: [1, 2] }, user: 'someone' }
    await (await chat(gateway.url, fields, { key: BOOTSTRAP_KEY, headers: { 'x-private': 'yes' } })).text()
    const call = gateway.sandbox.calls.at(-1)
    expect(call?.body).toEqual({
      messages: [{ role: 'user', content: 'ping' }],
      ...fields,
      model: 'sandbox-chat',
    })
    expect(call?.headerNames).not.toContain('x-private')
  })
})
