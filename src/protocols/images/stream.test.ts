import { expect, test } from 'bun:test'
import { NO_USAGE } from '../../conversation/usage.ts'
import { GatewayError } from '../../errors/gateway-error.ts'
import { ImageStreamTap } from './stream.ts'

const event = (type: string, fields: object = {}) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, b64_json: 'AAAA', ...fields })}\n\n`
const PARTIAL = event('image_generation.partial_image', { partial_image_index: 0 })
const USAGE = { input_tokens: 5, output_tokens: 300, total_tokens: 305 }
const FINAL = event('image_generation.completed', { usage: USAGE, size: '1024x1024', quality: 'low' })

function open(count = 1) {
  const tap = new ImageStreamTap({ count, look: null, quality: 'low', promptTokens: 7 })
  let forwarded = ''
  const push = (text: string, step = text.length) => {
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; at += step) {
      forwarded += Buffer.from(tap.push(bytes.subarray(at, at + step)) ?? []).toString()
    }
    return forwarded
  }
  return { tap, push }
}

test.each([1, 7, 10_000])('events are forwarded as they are, in pieces of %p bytes', (step) => {
  const { tap, push } = open()
  expect(push(PARTIAL + FINAL, step)).toBe(PARTIAL + FINAL)
  expect(tap).toMatchObject({ hasContent: true, isTerminated: true, isComplete: true, images: 1 })
  expect(tap.usage).toEqual({
    ...NO_USAGE,
    input: 5,
    output: 300,
    images: 1,
    details: { imageSize: '1024x1024', imageQuality: 'low' },
  })
  expect(tap.unfinished).toBeNull()
})

test('a partial image is not an image yet, but a client that leaves pays for it', () => {
  const { tap, push } = open()
  push(PARTIAL + PARTIAL)
  expect(tap).toMatchObject({ hasContent: true, isComplete: false, images: 0, usage: null })
  expect(tap.unfinished).toEqual({ ...NO_USAGE, input: 7, output: 272 + 200, images: 1 })
})

test('several images add up, and more than requested are removed', () => {
  const { tap, push } = open(2)
  expect(push(FINAL + PARTIAL + FINAL + FINAL + PARTIAL)).toBe(FINAL + PARTIAL + FINAL)
  expect(tap).toMatchObject({ images: 2, isTerminated: true, usage: { output: 600, images: 2 } })
})

test('fewer images than requested are an answer when the supplier ends it', () => {
  const { tap, push } = open(2)
  push(FINAL)
  expect(tap.isComplete).toBe(false)
  tap.end()
  expect(tap).toMatchObject({ isComplete: true, isTerminated: true, images: 1 })
})

test('a connection that breaks off is no end', () => {
  const { tap, push } = open(2)
  push(FINAL)
  tap.end(true)
  expect(tap.isComplete).toBe(false)
})

test('an error event stops the stream', () => {
  const { tap, push } = open()
  const error = 'event: error\ndata: {"type":"error","error":{"message":"no","code":"server_error"}}\n\n'
  expect(push(PARTIAL + error + FINAL)).toBe(PARTIAL)
  expect(tap.failure?.message).toBe('no')
  expect(tap.fail(new GatewayError('provider_error', 'It failed.'))).toBe(
    'event: error\ndata: {"type":"error","error":{"message":"It failed.","type":"provider_error","code":"provider_error","param":null}}\n\n',
  )
})

test('an image by address is malformed', () => {
  const { tap, push } = open()
  expect(push(event('image_generation.completed', { b64_json: null, url: 'https://x.test/a.png' }))).toBe('')
  expect(tap.failure?.kind).toBe('malformed')
})
