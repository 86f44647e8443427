import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { createKey, createLoneKey, openAccount } from '../../support/accounts.ts'
import { onlySettlementOf } from '../../support/settlements.ts'
import { startTestGateway, type TestGateway } from '../../support/test-gateway.ts'
import {
  addAudioModel,
  addAudioSupplier,
  type ScriptedAudio,
  startScriptedAudio,
} from './support/scripted-audio.ts'

let gateway: TestGateway
let supplier: ScriptedAudio

beforeAll(async () => {
  gateway = await startTestGateway()
  supplier = startScriptedAudio()
  await addAudioSupplier(gateway, 'scripted', supplier.url)
  const model = { kind: 'speech', suppliers: ['scripted'] } as const
  await addAudioModel(gateway, 'letters', { ...model, price: { character: '15' } })
  await addAudioModel(gateway, 'tokens', { ...model, price: { input: '0.6', audio_output: '12' } })
  const capabilities = { speech: { inputCharacters: 10 } }
  await addAudioModel(gateway, 'short', { ...model, price: { character: '15' }, capabilities })
})
afterEach(() => {
  supplier.calls.length = 0
})
afterAll(async () => {
  await gateway.stop()
  await supplier.stop()
})

async function speak(fields: Readonly<Record<string, unknown>> = {}, init: RequestInit = {}) {
  const key = await createLoneKey(gateway)
  const body = JSON.stringify({ model: 'letters', input: 'Hello, Wörld 🎙', voice: 'alloy', ...fields })
  const headers = { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' }
  const response = await fetch(`${gateway.url}/v1/audio/speech`, { ...init, method: 'POST', headers, body })
  return { response, settlement: () => onlySettlementOf(gateway, key.id) }
}

const CHARACTERS = 14
/** Bytes that are no text in any encoding. */
const NOISE = new Uint8Array(70_000).map((_, index) => (index * 7) % 256)

test('the bytes and the content type of the supplier reach the client unchanged', async () => {
  supplier.answer = () => new Response(NOISE, { headers: { 'content-type': 'audio/mpeg' } })
  const { response, settlement } = await speak({ speed: 1.5, unknown: { kept: [1] } })
  expect(response.headers.get('content-type')).toBe('audio/mpeg')
  expect(await response.bytes()).toEqual(NOISE)
  expect(JSON.parse(supplier.calls[0]?.body ?? '')).toEqual({
    model: 'upstream-letters',
    input: 'Hello, Wörld 🎙',
    voice: 'alloy',
    speed: 1.5,
    unknown: { kept: [1] },
  })
  expect(await settlement()).toMatchObject({
    provenance: 'counted',
    usage: { details: { characters: CHARACTERS } },
    amount: '0.00021',
  })
})

test.each([
  [{ input: '' }, 'input'],
  [{ input: 'x'.repeat(4_097) }, 'input'],
  [{ model: 'short', input: 'eleven char' }, 'input'],
  [{ speed: 5 }, 'speed'],
  [{ voice: 7 }, 'voice'],
  [{ stream_format: 'tape' }, 'stream_format'],
  [{ model: 'sandbox-chat' }, 'model'],
])('%j is refused', async (fields, param) => {
  const { response } = await speak(fields)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { param } })
  expect(supplier.calls).toEqual([])
})

test.each(['application/json', 'text/html'])('an answer of type %s is no speech', async (contentType) => {
  supplier.answer = () => new Response('{"error": null}', { headers: { 'content-type': contentType } })
  const { response, settlement } = await speak()
  expect(response.status).toBe(502)
  expect(await settlement()).toMatchObject({ outcome: 'supplier_failed', amount: '0' })
})

describe('audio that does not come to its end', () => {
  /** Sends some audio, and then waits or fails. */
  function startAudio(end: Promise<unknown>): Response {
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        controller.enqueue(NOISE.slice())
        await end.catch(() => controller.error(undefined))
      },
    })
    return new Response(body, { headers: { 'content-type': 'audio/mpeg' } })
  }

  test('breaks off for the client too', async () => {
    const { promise, reject } = Promise.withResolvers<void>()
    supplier.answer = () => startAudio(promise)
    const { response, settlement } = await speak()
    expect(response.status).toBe(200)
    reject(new Error('the supplier is gone'))
    expect(await response.bytes().catch(() => 'broken off')).toBe('broken off')
    expect(await settlement()).toMatchObject({
      outcome: 'supplier_failed',
      usage: { details: { characters: CHARACTERS } },
    })
  })

  test('because the client leaves is aborted, and its characters are charged', async () => {
    const aborted = Promise.withResolvers<void>()
    supplier.answer = ({ signal }) => {
      signal.addEventListener('abort', () => aborted.resolve())
      return startAudio(new Promise(() => undefined))
    }
    const controller = new AbortController()
    const { response, settlement } = await speak({}, { signal: controller.signal })
    await response.body?.getReader().read()
    controller.abort()
    await aborted.promise
    expect(await settlement()).toMatchObject({
      outcome: 'client_left',
      provenance: 'counted',
      usage: { details: { characters: CHARACTERS } },
      amount: '0.00021',
    })
  })
})

describe('tokens', () => {
  test('are counted from the length of the audio', async () => {
    // A second of PCM.
    const second = new Uint8Array(48_000)
    supplier.answer = () => new Response(second, { headers: { 'content-type': 'audio/pcm' } })
    const { response, settlement } = await speak({ model: 'tokens', response_format: 'pcm' })
    await response.bytes()
    expect(await settlement()).toMatchObject({
      provenance: 'counted',
      usage: { output: 20, details: { audio_output: 20, characters: CHARACTERS } },
    })
  })

  test('are those that the last event reports', async () => {
    const lines = [
      { type: 'speech.audio.delta', audio: 'AAAA' },
      { type: 'speech.audio.done', usage: { input_tokens: 9, output_tokens: 41, total_tokens: 50 } },
    ]
    const text = lines.map((line) => `data: ${JSON.stringify(line)}\n\n`).join('')
    supplier.answer = () => new Response(text, { headers: { 'content-type': 'text/event-stream' } })
    const { response, settlement } = await speak({ model: 'tokens', stream_format: 'sse' })
    expect(await response.text()).toBe(text)
    expect(await settlement()).toMatchObject({
      provenance: 'supplier',
      usage: { input: 9, output: 41, details: { audio_output: 41, characters: CHARACTERS } },
    })
  })

  test('are counted when a report cannot be true', async () => {
    const line = { type: 'speech.audio.done', usage: { input_tokens: 9, output_tokens: 900_000 } }
    const delta = { type: 'speech.audio.delta', audio: Buffer.alloc(48_000).toString('base64') }
    const text = [delta, line].map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
    supplier.answer = () => new Response(text, { headers: { 'content-type': 'text/event-stream' } })
    const { response, settlement } = await speak({
      model: 'tokens',
      stream_format: 'sse',
      response_format: 'pcm',
    })
    await response.text()
    expect(await settlement()).toMatchObject({
      provenance: 'counted',
      notes: ['implausible_usage'],
      usage: { output: 20, details: { characters: CHARACTERS } },
    })
  })
})

test('a stream of events without its last one has failed', async () => {
  const text = `data: ${JSON.stringify({ type: 'speech.audio.delta', audio: 'AAAA' })}\n\n`
  supplier.answer = () => new Response(text, { headers: { 'content-type': 'text/event-stream' } })
  const { response, settlement } = await speak({ stream_format: 'sse' })
  expect(await response.text()).toContain('event: error\ndata: {"error":')
  expect(await settlement()).toMatchObject({ outcome: 'supplier_failed' })
})

test('a balance must cover all characters', async () => {
  supplier.answer = () => new Response(NOISE, { headers: { 'content-type': 'audio/mpeg' } })
  const statusWith = async (balance: string) => {
    const { secret } = await createKey(gateway, await openAccount(gateway, balance))
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ model: 'letters', input: 'x'.repeat(1_000), voice: 'alloy' })
    return (await fetch(`${gateway.url}/v1/audio/speech`, { method: 'POST', headers, body })).status
  }
  expect(await statusWith('0.0149')).toBe(403)
  expect(await statusWith('0.0151')).toBe(200)
})
