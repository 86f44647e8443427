import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Fault } from '../../src/sandbox/faults.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { callRaw, type RawAnswer } from './raw-client.ts'

const ask = (content: string, fields: object = {}) => ({
  model: 'sandbox-chat',
  messages: [{ role: 'user', content }],
  ...fields,
})
const WHOLE = ask('Say: Grüße an alle 😀')
const STREAM = { ...WHOLE, stream: true, stream_options: { include_usage: true } }

let sandbox: Sandbox
let waits: number[]
/** Held pauses end when the test says so. */
let release: () => void
let held: Promise<void>

beforeEach(() => {
  waits = []
  held = Promise.resolve()
  release = () => {}
  sandbox = startSandbox({
    wait: (ms) => {
      waits.push(ms)
      return held
    },
    slowPace: { beforeFirstByteMs: 70, betweenPiecesMs: 7 },
  })
})
afterEach(() => sandbox.stop())

describe('each fault, as a bare socket sees it', () => {
  test('none: the stream is complete', async () => {
    const answer = await callRaw(sandbox.port, STREAM).answer
    expect(answer).toMatchObject({ status: 200, isComplete: true })
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(spoken(answer)).toBe('Grüße an alle 😀')
    expect(answer.text).toEndWith('data: [DONE]\n\n')
    expect(waits).toEqual([])
  })

  test('latency', async () => {
    await strike({ type: 'latency', beforeFirstByteMs: 40, betweenPiecesMs: 3 }, STREAM)
    expect(waits[0]).toBe(40)
    expect(waits.slice(1)).toEqual(Array(waits.length - 1).fill(3))
    expect(waits.length).toBeGreaterThan(4)
  })

  test('status, with and without a custom message', async () => {
    const limited = await strike({ type: 'status', status: 429, retryAfterSeconds: 17 }, STREAM)
    expect(limited.status).toBe(429)
    expect(limited.headers.get('retry-after')).toBe('17')
    expect(JSON.parse(limited.text).error).toMatchObject({ code: 'rate_limit_exceeded' })
    const broken = await strike({ type: 'status', status: 503, body: 'upstream sad' }, WHOLE)
    expect(broken).toMatchObject({ status: 503, text: 'upstream sad' })
  })

  test('hang: others are served, the hanging call gets nothing', async () => {
    sandbox.faults.set({ fault: { type: 'hang' }, times: 1 })
    const hanging = callRaw(sandbox.port, WHOLE)
    while (sandbox.faults.list().length > 0) await nextTurn()
    expect((await callRaw(sandbox.port, WHOLE).answer).status).toBe(200)
    expect(hanging.received()).toBe('')
    const aborted = sandbox.nextAbort()
    hanging.leave()
    expect(await aborted).toMatchObject({ number: 1, aborted: true, finished: false })
  })

  test('refuse', async () => {
    for (const body of [WHOLE, STREAM]) {
      expect(await strike({ type: 'refuse' }, body)).toMatchObject({ status: 0, text: '' })
    }
  })

  test('cut', async () => {
    const answer = await strike({ type: 'cut', afterPieces: 3 }, STREAM)
    expect(answer).toMatchObject({ status: 200, isComplete: false })
    expect(answer.chunks).toHaveLength(3)
    expect(spoken(answer)).toBe('Grüße an')
    expect(await strike({ type: 'cut', afterPieces: 0 }, STREAM)).toMatchObject({ status: 0, text: '' })
    const whole = await strike({ type: 'cut', afterPieces: 1 }, WHOLE)
    expect(whole).toMatchObject({ status: 200, isComplete: false })
    expect(whole.text).toStartWith('{"id":"chatcmpl-')
  })

  test('truncated-end', async () => {
    const answer = await strike({ type: 'truncated-end' }, STREAM)
    expect(answer.isComplete).toBe(true)
    expect(spoken(answer)).toBe('Grüße an alle 😀')
    expect(answer.text).not.toContain('"finish_reason":"')
    expect(answer.text).not.toContain('[DONE]')
  })

  test('split-utf8', async () => {
    const whole = await callRaw(sandbox.port, STREAM).answer
    const everywhere = await strike({ type: 'split-utf8' }, STREAM)
    expect(everywhere.chunks.every((chunk) => chunk.length === 1)).toBe(true)
    expect(withoutIds(everywhere)).toBe(withoutIds(whole))
    const inside = await strike({ type: 'split-utf8', at: 'inside-characters' }, STREAM)
    expect(inside.chunks.length).toBe(whole.chunks.length + 'üß'.length + 3)
    expect(withoutIds(inside)).toBe(withoutIds(whole))
    const reply = await strike({ type: 'split-utf8' }, WHOLE)
    expect(JSON.parse(reply.text).choices[0].message.content).toBe('Grüße an alle 😀')
  })

  test('missing-usage', async () => {
    const stream = await strike({ type: 'missing-usage' }, STREAM)
    expect(stream.text).not.toContain('prompt_tokens')
    expect(stream.text).toEndWith('data: [DONE]\n\n')
    expect(JSON.parse((await strike({ type: 'missing-usage' }, WHOLE)).text)).not.toHaveProperty('usage')
  })

  test('late-usage: everything else is there before it', async () => {
    held = new Promise((resolve) => {
      release = resolve
    })
    const call = callRaw(sandbox.port, STREAM, header({ type: 'late-usage', afterMs: 500 }))
    await call.arrived('"finish_reason":"stop"')
    while (waits.length === 0) await nextTurn()
    expect(waits).toEqual([500])
    expect(call.received()).not.toContain('prompt_tokens')
    release()
    expect((await call.answer).text).toMatch(/"prompt_tokens".*\n\ndata: \[DONE\]\n\n$/)
  })

  test('garbage', async () => {
    const whole = await strike({ type: 'garbage' }, WHOLE)
    expect(whole.status).toBe(200)
    expect(() => JSON.parse(whole.text)).toThrow()
    const stream = await strike({ type: 'garbage', afterPieces: 2 }, STREAM)
    expect(stream.chunks).toHaveLength(3)
    expect(stream.chunks[2]?.includes(0xff)).toBe(true)
  })

  test('error-in-stream', async () => {
    const answer = await strike({ type: 'error-in-stream', afterPieces: 2 }, STREAM)
    expect(answer.isComplete).toBe(true)
    const events = answer.text.trim().split('\n\n')
    expect(events).toHaveLength(3)
    expect(JSON.parse(events[2]?.slice('data: '.length) ?? '').error).toMatchObject({ type: 'server_error' })
  })

  test('long-stream', async () => {
    const answer = await strike({ type: 'long-stream', pieces: 50, bytesPerPiece: 10_000 }, STREAM)
    expect(spoken(answer)).toHaveLength(500_000)
    expect(answer.text).toContain('"completion_tokens":125000')
  })

  test('long-stream ends when the reader leaves', async () => {
    const response = await fetch(`${sandbox.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer sk-sandbox-test',
        ...header({ type: 'long-stream', pieces: 100_000_000, bytesPerPiece: 100_000 }),
      },
      body: JSON.stringify(STREAM),
    })
    const reader = response.body?.getReader()
    expect((await reader?.read())?.done).toBe(false)
    const aborted = sandbox.nextAbort()
    await reader?.cancel()
    expect(await aborted).toMatchObject({ model: 'sandbox-chat', aborted: true, finished: false })
  })

  test('plain-json', async () => {
    const answer = await strike({ type: 'plain-json' }, STREAM)
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(JSON.parse(answer.text).object).toBe('chat.completion')
  })
})

describe('models that misbehave by nature', () => {
  test('sandbox-slow pauses at its pace, unless the caller sets another', async () => {
    await callRaw(sandbox.port, { ...STREAM, model: 'sandbox-slow' }).answer
    expect(waits.slice(0, 3)).toEqual([70, 7, 7])
    waits.length = 0
    await strike({ type: 'latency', beforeFirstByteMs: 1 }, { ...STREAM, model: 'sandbox-slow' })
    expect(waits).toEqual([1])
  })

  test('sandbox-flaky fails every third call', async () => {
    const outcomes: string[] = []
    for (let call = 0; call < 9; call++) {
      const { status, isComplete } = await callRaw(sandbox.port, { ...STREAM, model: 'sandbox-flaky' }).answer
      outcomes.push(`${status} ${isComplete}`)
    }
    const fine = '200 true'
    expect(outcomes).toEqual([fine, fine, '500 true', fine, fine, '429 true', fine, fine, '200 false'])
  })
})

describe('setting faults', () => {
  const rules = () => `${sandbox.url}/sandbox/faults`
  const put = (body: unknown) => fetch(rules(), { method: 'PUT', body: JSON.stringify(body) })

  test('over HTTP: put, list, strike, delete', async () => {
    const rule = { model: 'sandbox-chat', times: 2, fault: { type: 'status', status: 529 } }
    expect(await (await put([rule])).json()).toEqual([rule])
    expect((await callRaw(sandbox.port, WHOLE).answer).status).toBe(529)
    expect(await (await fetch(rules())).json()).toEqual([{ ...rule, times: 1 }])
    expect((await fetch(rules(), { method: 'DELETE' })).status).toBe(204)
    expect(sandbox.faults.list()).toEqual([])
    expect((await callRaw(sandbox.port, WHOLE).answer).status).toBe(200)
  })

  test('a wrong list changes nothing', async () => {
    await put([{ fault: { type: 'hang' } }])
    for (const wrong of [{}, [{ fault: { type: 'nap' } }], [{ fault: { type: 'refuse' } }, { times: 1 }]]) {
      const response = await put(wrong)
      expect(response.status).toBe(400)
      expect(await response.json()).toHaveProperty('error.message')
    }
    expect(sandbox.faults.list()).toEqual([{ fault: { type: 'hang' } }])
  })

  test('a wrong header is refused', async () => {
    const answer = await callRaw(sandbox.port, WHOLE, { 'x-sandbox-fault': '{"type":"nap"}' }).answer
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('x-sandbox-fault')
  })
})

describe('what the sandbox remembers of calls', () => {
  test('header names but no values, the body, and the time', async () => {
    await sandbox.stop()
    sandbox = startSandbox({ clock: { nowMs: () => 5000 } })
    await callRaw(sandbox.port, WHOLE, { 'x-extra': 'secret-value' }).answer
    const [call] = sandbox.calls
    expect(call).toMatchObject({
      path: '/v1/chat/completions',
      model: 'sandbox-chat',
      body: WHOLE,
      startedAtMs: 5000,
    })
    expect(call).toMatchObject({ aborted: false, abortedAtMs: null, finished: true })
    expect(call?.headerNames).toContain('x-extra')
    expect(JSON.stringify(call)).not.toContain('secret-value')
    expect(JSON.stringify(call)).not.toContain('sk-sandbox-test')
  })

  test('only the most recent ones', async () => {
    for (let call = 0; call < 60; call++) await callRaw(sandbox.port, ask('ping')).answer
    expect(sandbox.calls).toHaveLength(50)
    expect(sandbox.calls.at(-1)?.number).toBe(60)
  })
})

test('the key is checked as asked', async () => {
  const status = async (options: { requireKey?: string | null }, key: string) => {
    const strict = startSandbox(options)
    const answer = await callRaw(strict.port, WHOLE, { authorization: `Bearer ${key}` }).answer
    await strict.stop()
    return answer.status
  }
  expect(await status({}, 'sk-sandbox-anything')).toBe(200)
  expect(await status({}, 'sk-other')).toBe(401)
  expect(await status({ requireKey: 'one-key' }, 'one-key')).toBe(200)
  expect(await status({ requireKey: 'one-key' }, 'sk-sandbox-anything')).toBe(401)
  expect(await status({ requireKey: null }, 'whatever')).toBe(200)
})

function header(fault: Fault): Record<string, string> {
  return { 'x-sandbox-fault': JSON.stringify(fault) }
}

function strike(fault: Fault, body: object): Promise<RawAnswer> {
  return callRaw(sandbox.port, body, header(fault)).answer
}

function spoken(answer: RawAnswer): string {
  const deltas = answer.text.matchAll(/"delta":\{"content":("(?:[^"\\]|\\.)*")/g)
  return [...deltas].map(([, text]) => JSON.parse(text ?? '""')).join('')
}

/** Ids and times differ from call to call; everything else must not. */
function withoutIds(answer: RawAnswer): string {
  return answer.text.replaceAll(/chatcmpl-sandbox-\d+|"created":\d+/g, '')
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
