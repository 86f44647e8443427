import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type { Fault } from '../../src/sandbox/faults.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { FACES, readEvents } from './face-calls.ts'

const WORDS = 'Grüße an alle 😀'

let sandbox: Sandbox
const waits: number[] = []
beforeAll(() => {
  sandbox = startSandbox({
    // Answers tell the second they were given in; two of them are compared byte for byte.
    clock: { nowMs: () => 1_750_000_000_000 },
    wait: async (ms) => {
      waits.push(ms)
    },
  })
})
afterEach(() => {
  waits.length = 0
})
afterAll(() => sandbox.stop())

describe.each(FACES.map((face) => [face.name, face] as const))('%s', (_name, face) => {
  interface CallOptions {
    readonly stream?: boolean
    readonly fault?: Fault
    readonly headers?: Readonly<Record<string, string>>
    readonly model?: string
  }

  function call(text: string, { stream = false, fault, headers, model = 'sandbox-chat' }: CallOptions = {}) {
    return fetch(`${sandbox.url}${face.path(model, stream)}`, {
      method: 'POST',
      headers: {
        ...(headers ?? face.headers),
        ...(fault === undefined ? {} : { 'x-sandbox-fault': JSON.stringify(fault) }),
      },
      body: JSON.stringify(face.body(text, { model, stream })),
    })
  }

  const streamText = async (fault?: Fault) =>
    (await call(`Say: ${WORDS}`, { stream: true, ...(fault === undefined ? {} : { fault }) })).text()

  test('repeats exactly the requested text, whole and streamed', async () => {
    expect(face.read(await (await call(`Say: ${WORDS}`)).json())).toBe(WORDS)
    const stream = await streamText()
    expect(face.spoken(stream)).toBe(WORDS)
    expect(stream).toContain(face.ending)
    expect(stream).toMatch(face.usage)
  })

  test('accepts only the sandbox key', async () => {
    const wrong = Object.fromEntries(
      Object.entries(face.headers).map(([name, value]) => [
        name,
        value.replace('sk-sandbox-test', 'sk-someone-else'),
      ]),
    )
    const response = await call('Hi', { headers: wrong })
    expect(response.status).toBe(face.name === 'content-generation' ? 400 : 401)
    expect(await response.json()).toHaveProperty('error.message')
  })

  test('refuses an unknown model', async () => {
    const response = await call('Hi', { model: 'gpt-9' })
    expect(response.status).toBe(404)
    expect(await response.text()).toContain('gpt-9')
  })

  test('status and plain-json', async () => {
    const limited = await call('Hi', { fault: { type: 'status', status: 429, retryAfterSeconds: 7 } })
    expect(limited.status).toBe(429)
    expect(limited.headers.get('retry-after')).toBe('7')
    expect(await limited.json()).toHaveProperty('error.message')
    const whole = await call('Say: hm', { stream: true, fault: { type: 'plain-json' } })
    expect(whole.headers.get('content-type')).toBe('application/json')
    expect(face.read(await whole.json())).toBe('hm')
  })

  test('refuse and cut destroy the connection', async () => {
    await expect(call('Hi', { fault: { type: 'refuse' } })).rejects.toThrow()
    const cut = await call('count to 50', { stream: true, fault: { type: 'cut', afterPieces: 6 } })
    expect(cut.status).toBe(200)
    await expect(cut.text()).rejects.toThrow()
  })

  test('truncated-end: all words, no ending', async () => {
    const text = await streamText({ type: 'truncated-end' })
    expect(face.spoken(text)).toBe(WORDS)
    expect(text).not.toContain(face.ending)
  })

  test('error-in-stream: the error of this format, and nothing after it', async () => {
    const text = await streamText({ type: 'error-in-stream', afterPieces: 3 })
    const events = readEvents(text)
    expect(JSON.stringify(events.at(-1))).toContain('The sandbox was configured to answer 500.')
    expect(text).not.toContain(face.ending)
  })

  test('missing-usage, whole and in pieces', async () => {
    const whole = await (await call('Hi', { fault: { type: 'missing-usage' } })).text()
    expect(whole).not.toMatch(face.usage)
    const stream = await streamText({ type: 'missing-usage' })
    expect(stream).toContain(face.ending)
    expect(stream).not.toMatch(face.usage)
  })

  test('late-usage waits before the numbers', async () => {
    const text = await streamText({ type: 'late-usage', afterMs: 77 })
    expect(waits).toEqual([77])
    expect(face.spoken(text.slice(0, text.search(face.usage)))).toBe(WORDS)
  })

  test('split-utf8 changes no byte', async () => {
    const sameCall = (text: string) => text.replaceAll(/sandbox[-_]\d+/g, '')
    expect(sameCall(await streamText({ type: 'split-utf8' }))).toBe(sameCall(await streamText()))
  })

  test('garbage', async () => {
    const whole = await call('Hi', { fault: { type: 'garbage' } })
    await expect(whole.json()).rejects.toThrow()
    const stream = await call('Hi', { stream: true, fault: { type: 'garbage', afterPieces: 2 } })
    expect([...new Uint8Array(await stream.arrayBuffer())]).toContain(0xff)
  })

  test('long-stream', async () => {
    const text = await streamText({ type: 'long-stream', pieces: 500, bytesPerPiece: 10 })
    expect(face.spoken(text)).toBe('x'.repeat(5000))
    expect(text).toContain(face.ending)
  })
})

test('late usage on messages opens with nothing counted', async () => {
  const face = FACES.find(({ name }) => name === 'messages')
  if (face === undefined) throw new Error('no such face')
  const response = await fetch(`${sandbox.url}${face.path('sandbox-chat', true)}`, {
    method: 'POST',
    headers: { ...face.headers, 'x-sandbox-fault': '{"type":"late-usage","afterMs":1}' },
    body: JSON.stringify(face.body('Hi', { model: 'sandbox-chat', stream: true })),
  })
  const [opening] = readEvents(await response.text())
  expect(opening).toMatchObject({ message: { usage: { input_tokens: 0, output_tokens: 0 } } })
})

test('an unknown path is refused in the format of its vendor', async () => {
  const ask = async (path: string) =>
    (await fetch(`${sandbox.url}${path}`, { headers: { authorization: 'Bearer sk-sandbox-x' } })).json()
  expect(await ask('/v1/nothing')).toMatchObject({ error: { code: 'unknown_url' } })
  expect(await ask('/v1/responses/resp_1')).toMatchObject({ error: { code: 'unknown_url' } })
  expect(await ask('/v1/messages/batches')).toMatchObject({
    type: 'error',
    error: { type: 'not_found_error' },
  })
  expect(await ask('/v1beta/nothing')).toMatchObject({ error: { code: 404, status: 'NOT_FOUND' } })
})

test('content-generation streams one JSON list unless events are requested', async () => {
  const ask = (fault?: Fault) =>
    fetch(`${sandbox.url}/v1beta/models/sandbox-chat:streamGenerateContent?key=sk-sandbox-x`, {
      method: 'POST',
      headers: fault === undefined ? {} : { 'x-sandbox-fault': JSON.stringify(fault) },
      body: JSON.stringify({ contents: [{ parts: [{ text: 'Say: one two' }] }] }),
    })
  const response = await ask()
  expect(response.headers.get('content-type')).toBe('application/json; charset=UTF-8')
  const chunks = (await response.json()) as { candidates: { content: { parts: { text: string }[] } }[] }[]
  expect(chunks.map((chunk) => chunk.candidates[0]?.content.parts[0]?.text).join('')).toBe('one two')
  expect(await (await ask({ type: 'error-in-stream', afterPieces: 1 })).json()).toEqual([
    expect.objectContaining({ candidates: expect.anything() }),
    { error: { code: 500, message: 'The sandbox was configured to answer 500.', status: 'INTERNAL' } },
  ])
})
