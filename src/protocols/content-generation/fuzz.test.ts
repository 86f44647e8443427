import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { usageFaults } from '../../../test/support/usage-faults.ts'
import { GatewayError } from '../../errors/gateway-error.ts'
import { contentGeneration, operationOf } from './index.ts'
import { GenerationTap } from './stream/tap-usage.ts'

const CASES = join(import.meta.dirname, 'cases')
const supplier = contentGeneration.supplier ?? fail()
const context = { upstreamModel: 'm', route: 'r', traits: supplier.traits, outputTokenLimit: null }

function fail(): never {
  throw new Error('no supplier side')
}

function filesEndingIn(suffix: string): readonly string[] {
  return readdirSync(CASES)
    .filter((name) => name.endsWith(suffix))
    .map((name) => readFileSync(join(CASES, name), 'utf8'))
}

/** Values that violate expectations anywhere. */
const oddity = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e300, '', 'x', [], {}, [[]], [null], { a: 1 }),
  fc.jsonValue(),
)

interface Mutation {
  readonly at: number
  readonly value: unknown
  readonly isRemoved: boolean
}

const mutations = fc.array(fc.record({ at: fc.nat(10_000), value: oddity, isRemoved: fc.boolean() }), {
  minLength: 1,
  maxLength: 4,
})

/** The same JSON with some values replaced or removed. */
function mutate(value: unknown, steps: readonly Mutation[]): unknown {
  const copy: unknown = structuredClone(value)
  for (const { at, value: odd, isRemoved } of steps) {
    const places = placesIn(copy)
    const place = places[at % Math.max(1, places.length)]
    if (place === undefined) continue
    if (isRemoved) delete place.holder[place.name]
    else place.holder[place.name] = odd
  }
  return JSON.parse(JSON.stringify(copy))
}

function placesIn(value: unknown): { holder: Record<string, unknown>; name: string }[] {
  if (typeof value !== 'object' || value === null) return []
  const holder = value as Record<string, unknown>
  return Object.keys(holder).flatMap((name) => [{ holder, name }, ...placesIn(holder[name])])
}

describe('hostile input', () => {
  const requests = filesEndingIn('.request.json').map((text) => JSON.parse(text))

  test('reads a request or refuses it with a reason', () => {
    const seen = { read: 0, refused: 0 }
    fc.assert(
      fc.property(fc.constantFrom(...requests), mutations, ({ rest, query, body }, steps) => {
        const text = JSON.stringify(mutate(body, steps))
        const address = { rest, query: new URLSearchParams(query) }
        try {
          if (operationOf(rest) === 'count-tokens') {
            contentGeneration.tokenCounting?.read(JSON.parse(text), text, address)
            return
          }
          const request = contentGeneration.readRequest(JSON.parse(text), text, address)
          const conversation = request.client?.decode()
          if (conversation !== undefined) supplier.encodeRequest(conversation, context)
          seen.read++
        } catch (error) {
          expect(error).toBeInstanceOf(GatewayError)
          seen.refused++
        }
      }),
      { numRuns: 1500, seed: 31 },
    )
    expect(Math.min(seen.read, seen.refused)).toBeGreaterThan(100)
  })

  test('decodes a reply or returns null', () => {
    const chunks = filesEndingIn('.sse').flatMap((text) =>
      [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? '')),
    )
    fc.assert(
      fc.property(fc.constantFrom(...chunks), mutations, (chunk, steps) => {
        const reply = mutate(chunk, steps)
        const answer = supplier.decodeReply(reply, context)
        const facts = contentGeneration.readReply(reply)
        expect(answer === null).toBe(facts === null)
        if (answer?.usage) expect(usageFaults(answer.usage)).toEqual([])
      }),
      { numRuns: 1500, seed: 32 },
    )
  })

  test('completes or fails a stream, and the tap agrees', () => {
    const streams = filesEndingIn('.sse').map((text) =>
      [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data ?? ''),
    )
    const seen = { whole: 0, failed: 0 }
    fc.assert(
      fc.property(fc.constantFrom(...streams), fc.nat(9), mutations, (events, at, steps) => {
        const index = at % events.length
        const mutated = events.map((data, place) =>
          place === index ? JSON.stringify(mutate(JSON.parse(data), steps)) : data,
        )
        const bytes = new TextEncoder().encode(mutated.map((data) => `data: ${data}\n\n`).join(''))
        const decoder = supplier.openDecoder(context)
        const decoded = [...decoder.push(bytes), ...decoder.end()]
        const isWhole = decoded.at(-1)?.type === 'answer-end'
        expect(isWhole).toBe(decoder.failure === null)
        const tap = new GenerationTap()
        tap.push(bytes)
        tap.end()
        if (isWhole) expect(tap.failure).toBeNull()
        seen[isWhole ? 'whole' : 'failed']++
      }),
      { numRuns: 1500, seed: 33 },
    )
    expect(Math.min(seen.whole, seen.failed)).toBeGreaterThan(100)
  })

  test('fails cleanly on damaged bytes', () => {
    const files = [...filesEndingIn('.sse'), ...filesEndingIn('.stream.json')].map((text) =>
      Buffer.from(text),
    )
    const damage = fc.array(fc.tuple(fc.nat(5000), fc.nat(255)), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(fc.constantFrom(...files), damage, (file, hits) => {
        const bytes = new Uint8Array(file)
        for (const [at, byte] of hits) bytes[at % bytes.length] = byte
        const decoder = supplier.openDecoder(context)
        const events = [...decoder.push(bytes), ...decoder.end()]
        expect(events.at(-1)?.type === 'answer-end').toBe(decoder.failure === null)
      }),
      { numRuns: 1500, seed: 34 },
    )
  })

  test('decodes an error body to a failure', () => {
    const error = {
      error: { code: 429, message: 'm', status: 'RESOURCE_EXHAUSTED', details: [{ reason: 'r' }] },
    }
    fc.assert(
      fc.property(fc.integer({ min: 400, max: 599 }), mutations, (status, steps) => {
        const body = JSON.stringify(mutate(error, steps))
        expect(contentGeneration.decodeError(status, body).message).toBeString()
      }),
      { numRuns: 500, seed: 35 },
    )
  })
})
