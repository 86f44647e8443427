import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { GatewayError } from '../../../errors/gateway-error.ts'
import { UsageTap } from './tap-usage.ts'

const EVERYTHING = readFileSync(join(import.meta.dirname, '../cases', 'everything.stream.sse'))
const text = EVERYTHING.toString()
const lines = text.split('\n\n')

function forward(...chunks: (Uint8Array | string)[]) {
  return forwardThrough(new UsageTap(), chunks)
}

function forwardThrough(tap: UsageTap, chunks: readonly (Uint8Array | string)[]) {
  const pieces = chunks.map((chunk) => tap.push(Buffer.from(chunk)))
  pieces.push(tap.end())
  return {
    tap,
    output: pieces.map((piece) => (piece === null ? '' : Buffer.from(piece).toString())).join(''),
  }
}

const withoutCreated = (output: string) => output.replaceAll('"created":1763200000,', '')

describe('a recorded stream', () => {
  const { tap, output } = forward(EVERYTHING)

  test('is forwarded byte for byte except for created in its response objects (spec 2.5)', () => {
    expect(withoutCreated(output)).toBe(text)
    const responses = [...output.matchAll(/^data: (.*)$/gm)]
      .map(([, data]) => JSON.parse(data ?? '').response)
      .filter((response) => response !== undefined)
    expect(responses).toHaveLength(3)
    for (const response of responses) expect(response.created).toBe(1763200000)
  })

  test('yields usage, an end, and the whole response', () => {
    expect(tap).toMatchObject({ isTerminated: true, isComplete: true, failure: null, hasContent: true })
    expect(tap.usage).toEqual({
      input: 30,
      cacheRead: 60,
      cacheWrite: 10,
      output: 50,
      reasoning: 20,
      images: 0,
      details: { webSearches: 1 },
    })
    expect(tap.finalReply).toMatchObject({ id: 'resp_s1', created: 1763200000, status: 'completed' })
    expect(tap.outputCharacters).toBe(
      'First thought.Second 😀.Grüße — hello{"y":2}{"x":"é"}*** Beginfgpatch'.length,
    )
  })

  test('is the same when split at every position', () => {
    for (let cut = 1; cut < EVERYTHING.length; cut += 3) {
      const split = forward(EVERYTHING.subarray(0, cut), EVERYTHING.subarray(cut))
      if (split.output !== output) throw new Error(`other bytes when split at ${cut}`)
    }
  })

  test('has content from the first item on', () => {
    const early = new UsageTap()
    early.push(Buffer.from(`${lines.slice(0, 2).join('\n\n')}\n\n`))
    expect(early.hasContent).toBe(false)
    early.push(Buffer.from(`${lines[2]}\n\n`))
    expect(early.hasContent).toBe(true)
  })

  test('forwards the same array for a chunk without response objects', () => {
    const middle = Buffer.from(`${lines.slice(2, 6).join('\n\n')}\n\n`)
    expect(new UsageTap().push(middle)).toBe(middle)
  })
})

describe('created', () => {
  const event = (response: string) =>
    `event: response.created\ndata: {"type":"response.created","response":${response}}\n\n`
  test.each([
    [
      'is left alone where it is',
      event('{"id":"r","created":5,"created_at":6}'),
      event('{"id":"r","created":5,"created_at":6}'),
    ],
    ['is in whole seconds', event('{"created_at":6.75}'), event('{"created":6,"created_at":6.75}')],
    ['is not made up', event('{"id":"r"}'), event('{"id":"r"}')],
    [
      'is omitted for a number that is too large',
      event('{"created_at":1e400}'),
      event('{"created_at":1e400}'),
    ],
    [
      'does not touch a doubtful object',
      event('{"created_at":6},"response":{"created_at":7}'),
      event('{"created_at":6},"response":{"created_at":7}'),
    ],
    [
      'is added to data over several lines',
      'data: {"type":"response.created",\ndata: "response":{"created_at":6}}\n\n',
      'event: response.created\ndata: {"type":"response.created", "response":{"created":6,"created_at":6}}\n\n',
    ],
  ])('%s', (_name, given, expected) => expect(forward(given).output).toBe(expected))
})

describe('what our state says', () => {
  const event = (type: string, response: string) =>
    `event: response.${type}\ndata: {"type":"response.${type}","response":${response}}\n\n`
  const shown = { previousId: 'resp_1', isStored: true, isBackground: true, conversationId: null }

  test.each(['created', 'in_progress', 'queued', 'completed', 'incomplete'])('is in response.%s', (type) => {
    const theirs = event(
      type,
      '{"id":"r", "store" : false,"created":5,"previous_response_id":null,"output":[]}',
    )
    const { tap, output } = forwardThrough(new UsageTap(shown), [theirs])
    expect(output).toBe(
      event(
        type,
        '{"background":true,"id":"r", "store" : true,"created":5,"previous_response_id":"resp_1","output":[]}',
      ),
    )
    if (tap.isTerminated)
      expect(tap.finalReply).toMatchObject({ store: true, previous_response_id: 'resp_1', background: true })
  })

  test('is in the response of a failure', () => {
    const { tap } = forwardThrough(new UsageTap(shown), [event('created', '{"id":"r","store":false}')])
    expect(tap.fail(new GatewayError('provider_error', 'It broke.'))).toContain('"store":true')
  })

  test('changes nothing that agrees with it', () => {
    const agreed = event('created', '{"id":"r","created":5,"store":false,"background":false}')
    const chunk = Buffer.from(agreed)
    const tap = new UsageTap({
      previousId: null,
      isStored: false,
      isBackground: false,
      conversationId: null,
    })
    expect(tap.push(chunk)).toBe(chunk)
  })

  test('is written into an empty object', () => {
    const { output } = forwardThrough(new UsageTap(shown), [event('created', '{}')])
    expect(JSON.parse(output.replace(/^.*data: /s, '')).response).toEqual({
      store: true,
      previous_response_id: 'resp_1',
      background: true,
    })
  })

  test('is not written into an object with the same name twice', () => {
    const doubtful = event('created', '{"created":5,"store":false,"store":false}')
    expect(forwardThrough(new UsageTap(shown), [doubtful]).output).toBe(doubtful)
  })
})

describe('failures', () => {
  const begun = `${lines.slice(0, 6).join('\n\n')}\n\n`
  const error = new GatewayError('provider_error', 'It broke.')

  test.each([
    [
      'an error event',
      'event: error\ndata: {"type":"error","code":"server_error","message":"secret of theirs"}\n\n',
    ],
    [
      'a failed response',
      'data: {"type":"response.failed","response":{"id":"resp_s1","error":{"message":"secret of theirs"}}}\n\n',
    ],
    ['bytes that are not an event', '<html>secret of theirs\n\n'],
    ['an event that is not an object', 'data: "secret of theirs"\n\n'],
  ])('%s is replaced by our own error, and nothing follows', (_name, bad) => {
    const { tap, output } = forward(begun, bad, lines.slice(6).join('\n\n'))
    expect(withoutCreated(output)).toBe(begun)
    expect(tap.failure).not.toBeNull()
    expect(tap.isComplete).toBe(false)
    const frames = tap.fail(error)
    expect(frames).not.toContain('secret')
    const [failed, flat] = [...frames.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ''))
    expect(failed).toMatchObject({
      type: 'response.failed',
      sequence_number: 6,
      response: {
        id: 'resp_s1',
        status: 'failed',
        created: 1763200000,
        error: { code: 'server_error', message: 'It broke.' },
      },
    })
    expect(flat).toEqual({
      type: 'error',
      sequence_number: 7,
      code: 'provider_error',
      message: 'It broke.',
      param: null,
      error: { type: 'provider_error', code: 'provider_error', message: 'It broke.', param: null },
    })
  })

  test('begins with the response when nothing was sent before its end was withheld', () => {
    const types = (tap: UsageTap) => tap.fail(error, true).match(/(?<=^event: ).*$/gm)
    expect(types(forward(EVERYTHING).tap)).toEqual(['response.created', 'response.failed', 'error'])
    const [first = '', ...rest] = text.split(/(?<=\n\n)/)
    expect(types(forward(first, rest.join('')).tap)).toEqual(['response.failed', 'error'])
  })

  test('before any response only the error event is sent', () => {
    const frames = new UsageTap().fail(error)
    expect(frames.match(/^event: .*$/gm)).toEqual(['event: error'])
  })

  test('a stream without an end is not complete', () => {
    const { tap, output } = forward(begun)
    expect(tap).toMatchObject({ isComplete: false, failure: null })
    expect(withoutCreated(output)).toBe(begun)
  })
})

test('removes whatever follows the end, and [DONE]', () => {
  const { tap, output } = forward(EVERYTHING, 'data: [DONE]\n\n', 'data: {"type":"error"}\n\n')
  expect(withoutCreated(output)).toBe(text)
  expect(tap.failure).toBeNull()
})

test('counts the whole response when a supplier sends nothing else', () => {
  const { tap } = forward(
    'data: {"type":"response.incomplete","response":{"status":"incomplete","output":[{"type":"message","content":[{"type":"output_text","text":"abcd"}]}]}}\n\n',
  )
  expect(tap).toMatchObject({ outputCharacters: 4, isTerminated: true, usage: null })
})
