import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { ApiError } from '@google/genai'
import { createMovableClock } from '../support/movable-clock.ts'
import { StreamReader } from '../support/stream-reader.ts'
import { GENAI_SDKS } from './drivers/content-generation.ts'
import { OFFICIAL_DRIVERS } from './drivers/index.ts'
import { askRaw } from './raw-calls.ts'
import { openStage, type Stage } from './stage.ts'
import { TEXT_FORMATS, type TextFormat } from './talk.ts'

const HEARTBEAT_MS = 15_000
const clock = createMovableClock()
let stage: Stage
beforeAll(async () => {
  stage = await openStage({ clock, environment: { TURNPIKE_HEARTBEAT_SECONDS: '15' } })
})
afterEach(() => {
  stage.gate.open()
  stage.gated.faults.clear()
})
afterAll(() => stage.stop())

const PAIRS = TEXT_FORMATS.flatMap((client) => TEXT_FORMATS.map((supplier) => [client, supplier] as const))
const QUESTION = 'count to 30'

/** The last piece among the first seven frames of the answer, as it stands in the JSON of every client format. */
const LAST_HELD: Readonly<Record<TextFormat, string>> = {
  'chat-completion': '" 6"',
  responses: '" 3"',
  messages: '" 4"',
  'content-generation': '" 7"',
}
const PAUSES_BEFORE_HELD = 6

/** The supplier goes no further than its first seven frames until the gate opens. */
function holdSupplier(): void {
  stage.gate.close()
  stage.gate.allow(PAUSES_BEFORE_HELD)
  stage.gated.faults.set({ times: 1, fault: { type: 'latency', betweenPiecesMs: 1 } })
}

const stream = (client: TextFormat, key: string) =>
  askRaw({ url: stage.gateway.url, key, client, text: QUESTION, mode: 'streamed' })

/** Every frame of a stream, as the lines before its blank line. */
function framesOf(text: string): readonly (readonly string[])[] {
  const frames = text.replaceAll('\r\n', '\n').split('\n\n')
  // The last frame must end with a blank line too.
  expect(frames.pop()).toBe('')
  return frames.map((frame) => frame.split('\n'))
}

/** The name and the data of a frame; any other line is a failure. */
function readFrame(lines: readonly string[]): { name: string | null; data: string } {
  const [data = '', name] = lines.toReversed()
  expect(lines.length).toBeLessThanOrEqual(2)
  expect(data).toStartWith('data: ')
  if (name !== undefined) expect(name).toStartWith('event: ')
  return { name: name?.slice('event: '.length) ?? null, data: data.slice('data: '.length) }
}

describe('the frames of a stream', () => {
  test.each(PAIRS)('%s to %s', async (client, supplier) => {
    const response = await stream(client, stage.keyFor(supplier))
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(response.headers.get('cache-control')).toContain('no-transform')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    const frames = framesOf(await response.text()).map(readFrame)
    expectFrames(client, frames)
  })

  type Frame = ReturnType<typeof readFrame>

  function expectFrames(client: TextFormat, frames: readonly Frame[]): void {
    const last = frames.at(-1)
    const names = frames.map(({ name }) => name)
    const types = () => frames.map(({ data }) => JSON.parse(data).type)
    switch (client) {
      case 'chat-completion':
        expect(new Set(names)).toEqual(new Set([null]))
        expect(last?.data).toBe('[DONE]')
        break
      case 'responses':
        expect(names).toEqual(types())
        expect(last?.name).toBe('response.completed')
        expect(frames.map(({ data }) => JSON.parse(data).sequence_number)).toEqual([...frames.keys()])
        break
      case 'messages':
        expect(names).toEqual(types())
        expect([names[0], last?.name]).toEqual(['message_start', 'message_stop'])
        break
      case 'content-generation':
        expect(new Set(names)).toEqual(new Set([null]))
        expect(JSON.parse(last?.data ?? '').candidates[0].finishReason).toBe('STOP')
    }
  }
})

describe('silence', () => {
  const HEARTBEATS: Readonly<Record<TextFormat, string>> = {
    'chat-completion': ': ka\n',
    responses: ': ka\n',
    messages: 'event: ping\ndata: {"type":"ping"}\n\n',
    // Clients of this format stumble over anything that is no answer.
    'content-generation': '',
  }

  function fallSilent(): void {
    clock.advance(HEARTBEAT_MS)
    stage.gateway.streams.beat(clock.monotonicMs())
  }

  test.each(PAIRS)('%s to %s: what is sent into it', async (client, supplier) => {
    holdSupplier()
    const reader = new StreamReader(await stream(client, stage.gatedKeyFor(supplier)))
    const before = await reader.readUntil(LAST_HELD[supplier])
    fallSilent()
    const heartbeat = HEARTBEATS[client]
    if (heartbeat !== '') await reader.readUntil(before + heartbeat)
    stage.gate.open()
    const text = await reader.readToEnd()
    expect(text.slice(before.length)).toStartWith(heartbeat)
    // What follows is the next frame and nothing else.
    expect(text.slice(before.length + heartbeat.length)).toMatch(/^(data|event): /)
  })

  test.each(OFFICIAL_DRIVERS)('$sdk, $format does not notice it', async (driver) => {
    for (const supplier of TEXT_FORMATS) {
      holdSupplier()
      const talk = driver.open({ model: 'sandbox-chat', text: QUESTION }, stage.gateway.url)
      let beats = 0
      const reply = await talk.ask({
        key: stage.gatedKeyFor(supplier),
        mode: 'streamed',
        onText: () => {
          if (beats === 0) fallSilent()
          beats += 1
          stage.gate.open()
        },
      })
      expect(beats).toBeGreaterThan(0)
      expect(reply.text).toEndWith('28 29 30')
    }
  })
})

describe('failure in mid-stream', () => {
  function failAfterEighthFrame(): void {
    holdSupplier()
    stage.gated.faults.set({ times: 1, fault: { type: 'error-in-stream', afterPieces: 8 } })
  }

  const MESSAGE = 'The supplier of this model failed to answer.'
  const CODE = 'provider_error'
  const ENVELOPE = { message: MESSAGE, type: CODE, code: CODE, param: null }

  /** The last frames of a failed stream, oldest first. */
  const LAST_FRAMES: Readonly<Record<TextFormat, readonly object[]>> = {
    'chat-completion': [{ error: ENVELOPE }],
    responses: [
      {
        type: 'response.failed',
        response: { status: 'failed', error: { code: 'server_error', message: MESSAGE } },
      },
      { type: 'error', code: CODE, message: MESSAGE, param: null, error: ENVELOPE },
    ],
    messages: [{ type: 'error', error: ENVELOPE }],
    'content-generation': [
      {
        error: {
          code: 502,
          message: MESSAGE,
          status: 'UNAVAILABLE',
          type: CODE,
          details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: CODE, domain: 'gateway' }],
        },
      },
    ],
  }

  test.each(PAIRS)('%s to %s', async (client, supplier) => {
    failAfterEighthFrame()
    const reader = new StreamReader(await stream(client, stage.gatedKeyFor(supplier)))
    await reader.readUntil(LAST_HELD[supplier])
    stage.gate.open()
    const breaks = client === 'content-generation'
    const ending = await reader.readToEnd().then(
      () => 'ended',
      () => 'broken',
    )
    expect(ending).toBe(breaks ? 'broken' : 'ended')
    const expected = LAST_FRAMES[client]
    const frames = framesOf(reader.text).map(readFrame)
    const last = frames.slice(-expected.length)
    expect(last.map(({ data }) => JSON.parse(data))).toMatchObject([...expected])
    if (client === 'messages') expect(last[0]?.name).toBe('error')
    if (client === 'responses') expectUnbrokenNumbers(frames)
    // Python clients look at the beginning of the text.
    if (breaks) expect(last[0]?.data).toStartWith('{"error":{"code":502')
    expect(reader.text).not.toContain('[DONE]')
    expect(reader.text).not.toContain('The sandbox was configured')
  })

  function expectUnbrokenNumbers(frames: readonly { data: string }[]): void {
    expect(frames.map(({ data }) => JSON.parse(data).sequence_number)).toEqual([...frames.keys()])
  }

  test.each(GENAI_SDKS)('%s throws', async (sdk, connect) => {
    for (const supplier of TEXT_FORMATS) {
      failAfterEighthFrame()
      const httpOptions = { baseUrl: stage.gateway.url }
      const client = connect({ apiKey: stage.gatedKeyFor(supplier), httpOptions })
      const reading = await client.models.generateContentStream({ model: 'sandbox-chat', contents: QUESTION })
      const read = async () => {
        for await (const _chunk of reading) stage.gate.open()
      }
      const thrown = await read().then(
        () => null,
        (error: unknown) => error,
      )
      expect(thrown).toBeInstanceOf(Error)
      if (sdk === 'genai 2') expect(thrown).toBeInstanceOf(ApiError)
      if (sdk === 'genai 2') expect(thrown).toMatchObject({ status: 502 })
    }
  })
})
