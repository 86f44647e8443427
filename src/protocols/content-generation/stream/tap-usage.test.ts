import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { GatewayError } from '../../../errors/gateway-error.ts'
import { GenerationTap } from './tap-usage.ts'

const CASES = join(import.meta.dirname, '..', 'cases')
const encoder = new TextEncoder()

function readCase(name: string): Uint8Array {
  return readFileSync(join(CASES, name))
}

/** Everything a tap forwards of these pieces, as text. */
function forward(tap: GenerationTap, pieces: readonly Uint8Array[]): string {
  const forwarded = [...pieces.map((piece) => tap.push(piece)), tap.end()]
  return Buffer.concat(forwarded.flatMap((bytes) => bytes ?? [])).toString()
}

function tapCase(name: string) {
  const tap = new GenerationTap()
  const text = forward(tap, [readCase(name)])
  return { tap, text }
}

describe('a relayed stream', () => {
  const names = readdirSync(CASES).filter((name) => name.endsWith('.sse') && !name.startsWith('error'))
  for (const name of names) {
    test(`${name} passes byte for byte, however it is cut`, () => {
      const bytes = readCase(name)
      const { tap: whole, text } = tapCase(name)
      expect(text).toBe(new TextDecoder().decode(bytes))
      expect(whole.isComplete).toBe(true)
      expect(whole.isTerminated).toBe(false)
      for (let cut = 1; cut < bytes.length; cut += 7) {
        const tap = new GenerationTap()
        expect(forward(tap, [bytes.subarray(0, cut), bytes.subarray(cut)])).toBe(text)
        expect([tap.usage, tap.outputCharacters]).toEqual([whole.usage, whole.outputCharacters])
      }
    })
  }

  test('is forwarded as the same array', () => {
    const bytes = readCase('text.stream.sse')
    expect(new GenerationTap().push(bytes)).toBe(bytes)
  })

  test('reports usage and characters', () => {
    const { tap } = tapCase('thinking-tools.stream.sse')
    expect(tap.usage).toEqual({ input: 5, cacheRead: 4, cacheWrite: 0, output: 25, reasoning: 20, images: 0 })
    const said = 'I need two calls.Let me see.get_weatherget_timeget_time'.length
    expect(tap.outputCharacters).toBeGreaterThan(said)
    expect(tapCase('text.stream.sse').tap.outputCharacters).toBe('Hello, wörld 😀'.length)
  })

  test('has content after its first part, and is complete once every candidate has ended', () => {
    const tap = new GenerationTap()
    tap.push(encoder.encode('data: {"usageMetadata":{"promptTokenCount":3},"responseId":"r"}\n\n'))
    expect([tap.hasContent, tap.isComplete]).toEqual([false, false])
    tap.push(encoder.encode('data: {"candidates":[{"content":{"parts":[{"text":"a"}]},"index":0}]}\n\n'))
    tap.push(encoder.encode('data: {"candidates":[{"finishReason":"STOP","index":1}]}\n\n'))
    expect([tap.hasContent, tap.isComplete]).toEqual([true, false])
    tap.push(encoder.encode('data: {"candidates":[{"finishReason":"STOP","index":0}]}\n\n'))
    expect(tap.isComplete).toBe(true)
  })

  test('drops events that clients cannot read', () => {
    const text = new TextDecoder().decode(readCase('text.stream.sse'))
    const tap = new GenerationTap()
    expect(forward(tap, [encoder.encode(`: wait\n\n${text}data: [DONE]\n\n`)])).toBe(text)
    expect(tap.failure).toBeNull()
  })

  test('completes a last event without its blank line', () => {
    const bytes = readCase('text.stream.sse')
    const tap = new GenerationTap()
    expect(forward(tap, [bytes.subarray(0, -2)])).toBe(new TextDecoder().decode(bytes))
    expect(tap.isComplete).toBe(true)
    const cut = new GenerationTap()
    forward(cut, [bytes.subarray(0, -20)])
    expect(cut.isComplete).toBe(false)
  })

  test('stops at an error without forwarding it', () => {
    const { tap, text } = tapCase('error.stream.sse')
    expect(tap.failure).toMatchObject({ kind: 'overloaded', status: 503 })
    expect(text).not.toContain('overloaded')
    expect(text).toContain('Hel')
    expect(tap.isComplete).toBe(false)
    expect(tap.push(readCase('text.stream.sse'))).toBeNull()
  })

  test('fails on bytes of another format', () => {
    for (const text of ['<html>\n\n', 'data: [1]\n\n', '[{"candidates":[]}]\n\n']) {
      const tap = new GenerationTap()
      expect(tap.push(encoder.encode(text))).toBeNull()
      expect(tap.failure?.kind).toBe('malformed')
    }
  })
})

test('starts a stream error with `error` and a numeric code', () => {
  const frame = new GenerationTap().fail(new GatewayError('provider_error', 'The supplier failed.'))
  const reason = 'provider_error'
  const error = {
    code: 502,
    message: 'The supplier failed.',
    status: 'UNAVAILABLE',
    type: reason,
    details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'gateway' }],
  }
  expect(frame).toBe(`data: ${JSON.stringify({ error })}\n\n`)
})
