import { describe, expect, test } from 'bun:test'
import { FRAMED_STREAM, readStream } from './read-stream.ts'
import { writeChunk, writeException, writeFrame } from './testing/write-frame.ts'

const START = '{"type":"message_start","message":{"id":"msg_bdrk_1","usage":{"input_tokens":3}}}'
const DELTA = '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Grüße 👋"}}'
const STOP = '{"type":"message_stop","amazon-bedrock-invocationMetrics":{"inputTokenCount":3}}'

const FRAMES = [START, DELTA, STOP].map(writeChunk)
const EVENTS = [
  `event: message_start\ndata: ${START}\n\n`,
  `event: content_block_delta\ndata: ${DELTA}\n\n`,
  `event: message_stop\ndata: ${STOP}\n\n`,
].join('')

function responseOf(portions: readonly Uint8Array[]): Response {
  const rest = portions.values()
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { done, value } = rest.next()
      if (done === true) controller.close()
      else controller.enqueue(value)
    },
  })
  return new Response(body, { headers: { 'content-type': FRAMED_STREAM, 'content-length': '1', 'x-a': 'b' } })
}

const readText = (portions: readonly Uint8Array[]) => readStream(responseOf(portions)).text()

describe('a framed stream', () => {
  test('is read as server-sent events', async () => {
    const response = readStream(responseOf(FRAMES))
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(response.headers.get('content-length')).toBeNull()
    expect(response.headers.get('x-a')).toBe('b')
    expect(await response.text()).toBe(EVENTS)
  })

  test('is the same wherever its bytes are cut', async () => {
    const bytes = Buffer.concat(FRAMES)
    for (let cut = 0; cut <= bytes.length; cut += 1)
      expect(await readText([bytes.subarray(0, cut), bytes.subarray(cut)])).toBe(EVENTS)
  })

  test('that is cut off fails, wherever that is but between two frames', async () => {
    const bytes = Buffer.concat(FRAMES)
    const borders = new Set([0, FRAMES[0]?.length, (FRAMES[0]?.length ?? 0) + (FRAMES[1]?.length ?? 0)])
    for (let end = 0; end < bytes.length; end += 1) {
      const reading = readText([bytes.subarray(0, end)])
      if (borders.has(end)) expect(EVENTS).toStartWith(await reading)
      else await expect(reading).rejects.toThrow('in the middle of a frame')
    }
  })

  test('that goes wrong gives what came before, and lets the supplier go', async () => {
    let cancelled: unknown = null
    const portions = [FRAMES[0] ?? new Uint8Array(), Buffer.alloc(64, 1)].values()
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(portions.next().value ?? new Uint8Array(1)),
      cancel: (reason) => {
        cancelled = reason
      },
    })
    const reader = readStream(new Response(body)).body?.getReader()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe(
      `event: message_start\ndata: ${START}\n\n`,
    )
    await expect(Promise.resolve(reader?.read())).rejects.toThrow('wrong checksum')
    expect(String(cancelled)).toContain('wrong checksum')
  })

  test('has an exception as the error event of the messages format', async () => {
    const cases = [
      ['throttlingException', 'rate_limit_error'],
      ['serviceUnavailableException', 'overloaded_error'],
      ['modelTimeoutException', 'timeout_error'],
      ['modelStreamErrorException', 'api_error'],
      ['internalServerException', 'api_error'],
      ['validationException', 'invalid_request_error'],
      ['somethingNewException', 'api_error'],
    ] as const
    for (const [name, type] of cases) {
      const error = { type: 'error', error: { type, message: 'It is so.' } }
      expect(await readText([FRAMES[0] ?? new Uint8Array(), writeException(name, 'It is so.')])).toBe(
        `event: message_start\ndata: ${START}\n\nevent: error\ndata: ${JSON.stringify(error)}\n\n`,
      )
    }
  })

  test('has an error of the framing itself as such an event too', async () => {
    const headers = {
      ':message-type': 'error',
      ':error-code': 'InternalServerException',
      ':error-message': 'No.',
    }
    expect(await readText([writeFrame(headers, '')])).toBe(
      'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"No."}}\n\n',
    )
  })

  test('passes over frames that are no chunk', async () => {
    const other = writeFrame({ ':message-type': 'event', ':event-type': 'initial-response' }, '{}')
    expect(await readText([other, ...FRAMES])).toBe(EVENTS)
  })

  test('has each event on one line, however it is written', async () => {
    expect(await readText([writeChunk('{\n "type": "ping"\r\n}')])).toBe(
      'event: ping\ndata: {"type":"ping"}\n\n',
    )
  })

  test('fails at what is no event', async () => {
    const chunk = { ':message-type': 'event', ':event-type': 'chunk' }
    for (const frame of [
      writeChunk('not json'),
      writeChunk('{}'),
      writeChunk('{"type":"a\\nb"}'),
      writeFrame(chunk, '{}'),
      writeFrame(chunk, 'not json'),
    ])
      await expect(readText([frame])).rejects.toThrow('no event')
    await expect(readText([writeFrame({}, '')])).rejects.toThrow('unknown kind')
  })

  test('is read no faster than its reader', async () => {
    let given = 0
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          given += 1
          controller.enqueue(writeChunk({ type: 'ping' }))
        },
      },
      { highWaterMark: 0 },
    )
    const reader = readStream(new Response(body)).body?.getReader()
    for (const expected of [1, 2, 3]) {
      await reader?.read()
      expect(given).toBe(expected)
    }
    await reader?.cancel()
  })

  test('that is cancelled ends the response', async () => {
    let isCancelled = false
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(writeChunk({ type: 'ping' })),
      cancel: () => {
        isCancelled = true
      },
    })
    const reader = readStream(new Response(body)).body?.getReader()
    await reader?.read()
    await reader?.cancel()
    expect(isCancelled).toBe(true)
  })
})
