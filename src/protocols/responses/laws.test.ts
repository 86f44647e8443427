import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  arbitraryAnswer,
  arbitraryConversation,
  arbitraryStreamedAnswer,
} from '../../../test/support/arbitrary-conversation.ts'
import { departures, grammarFaults } from '../../../test/support/normal-form.ts'
import { usageFaults } from '../../../test/support/usage-faults.ts'
import type { AnswerEvent } from '../../conversation/answer-event.ts'
import type { Conversation } from '../../conversation/conversation.ts'
import { fold } from '../../conversation/fold.ts'
import { DEFAULT_PARAMETERS } from '../../conversation/parameters.ts'
import { type Part, textPart } from '../../conversation/part.ts'
import type { Tool } from '../../conversation/tool.ts'
import { GatewayError } from '../../errors/gateway-error.ts'
import type { ReplyContext, SupplyContext } from '../translation.ts'
import { responses } from './index.ts'
import { readRequest } from './request/read-request.ts'
import type { ResponsesRequest } from './schema.ts'
import { ResponsesDecoder } from './stream/decode-stream.ts'
import { ResponsesEncoder } from './stream/encode-stream.ts'

const REQUEST: ResponsesRequest = { model: 'm', input: 'hi' }
const { supplier } = responses
if (supplier === undefined) throw new Error('responses has no supplier side')
const SUPPLY: SupplyContext = {
  upstreamModel: 'up-1',
  route: 'sup_1',
  traits: supplier.traits,
  outputTokenLimit: null,
}

function replyContext(): ReplyContext {
  let count = 0
  return {
    requestId: 'req_1',
    model: 'm',
    createdAtMs: 1_763_200_000_123,
    nowMs: () => 1_763_200_000_123,
    promptTokens: 7,
    newId: (prefix) => `${prefix}${++count}`,
  }
}

function decodeBody(body: unknown): Conversation {
  const { client } = readRequest(body, JSON.stringify(body))
  if (client === undefined) throw new Error('responses has no client side')
  return client.decode()
}

function decodeFrames(bytes: Uint8Array, cuts: readonly number[] = []) {
  const decoder = new ResponsesDecoder(SUPPLY)
  const events: AnswerEvent[] = []
  let start = 0
  for (const cut of [...cuts, bytes.length]) {
    events.push(...decoder.push(bytes.subarray(start, cut)))
    start = cut
  }
  events.push(...decoder.end())
  return { events, failure: decoder.failure }
}

function encodeFrames(events: readonly AnswerEvent[]): string {
  const encoder = new ResponsesEncoder(REQUEST, replyContext())
  return events.map((event) => encoder.push(event)).join('')
}

interface WireEvent {
  readonly type: string
  readonly sequence_number: number
  readonly output_index: number
  readonly item: { readonly id: string; readonly type: string }
  readonly response: { readonly output: unknown }
}

function wireEvents(frames: string): WireEvent[] {
  const whole = frames.split('\n\n').slice(0, -1)
  return whole.map((frame) => {
    const [name = '', data = '', ...rest] = frame.split('\n')
    const event: WireEvent = JSON.parse(data.replace(/^data: /, ''))
    expect([name, rest]).toEqual([`event: ${event.type}`, []])
    return event
  })
}

/** Replaces what this format cannot express by what it decodes to. */
function asExpressible(conversation: Conversation): Conversation {
  const { instructions, reasoning, output, cacheKey, endUser, tools } = conversation
  return {
    ...conversation,
    ...DEFAULT_PARAMETERS,
    temperature: conversation.temperature,
    topP: conversation.topP,
    maxOutputTokens: conversation.maxOutputTokens,
    topLogprobs: conversation.topLogprobs,
    parallelTools: conversation.parallelTools,
    verbosity: conversation.verbosity,
    metadata: conversation.metadata,
    endUser,
    cacheKey: cacheKey ?? endUser,
    model: SUPPLY.upstreamModel,
    instructions:
      instructions.length === 0
        ? []
        : [{ text: instructions.map(({ text }) => text).join('\n\n'), cache: null }],
    turns: conversation.turns.map((turn) => ({ ...turn, parts: turn.parts.map(asExpressiblePart) })),
    tools: tools.map(asExpressibleTool).sort(byName),
    reasoning: asExpressibleReasoning(reasoning),
    output,
  }
}

function asExpressiblePart(part: Part): Part {
  if (part.type !== 'tool-result') return part
  const [first, ...rest] = part.parts
  const isText = part.parts.every(({ type }) => type === 'text')
  const marked =
    !part.isError || first === undefined
      ? part.isError
        ? [textPart('Error')]
        : part.parts
      : first.type === 'text'
        ? [{ ...first, text: `Error: ${first.text}` }, ...rest]
        : [textPart('Error'), ...part.parts]
  const text = marked.flatMap((each) => (each.type === 'text' ? [each.text] : [])).join('\n')
  return { ...part, isError: false, parts: isText ? (text === '' ? [] : [textPart(text)]) : marked }
}

function asExpressibleTool(tool: Tool): Tool {
  if (tool.type === 'web-search') return { ...tool, original: null }
  if (tool.type !== 'function') return tool
  return {
    ...tool,
    schema: tool.schema ?? { type: 'object', properties: {} },
    strict: tool.strict ?? false,
  }
}

function byName(one: Tool, other: Tool): number {
  const name = (tool: Tool) => ('name' in tool ? tool.name : '')
  return name(one) < name(other) ? -1 : 1
}

function asExpressibleReasoning(reasoning: Conversation['reasoning']): Conversation['reasoning'] {
  if (reasoning === null) return null
  const { control } = reasoning
  const budgets = { 0: 'none', 1024: 'low', 8192: 'medium', 24576: 'high', 32768: 'xhigh' } as const
  const effort =
    control.type === 'effort'
      ? control.effort
      : control.type === 'budget'
        ? budgets[control.tokens as keyof typeof budgets]
        : null
  const showThoughts = reasoning.showThoughts && effort !== 'none' ? true : null
  if (effort === null && showThoughts === null) return null
  return { control: effort === null ? { type: 'unspecified' } : { type: 'effort', effort }, showThoughts }
}

test('an encoded request decodes to the same conversation', () => {
  const conversations = arbitraryConversation({
    // This format has no signatures on calls and texts, and no thinking without one. Cache marks need a trait.
    without: [
      'unsigned-thinking',
      'redacted-thinking',
      'call-proofs',
      'text-proofs',
      'cache-hints',
      'many-choices',
    ],
    proofs: { origin: 'responses', model: '', route: '' },
  }).filter(({ output }) => output.type !== 'json')
  fc.assert(
    fc.property(conversations, (conversation) => {
      const { body } = supplier.encodeRequest(conversation, SUPPLY)
      const decoded = decodeBody(JSON.parse(JSON.stringify(body)))
      const tools = decoded.tools.map(
        (tool): Tool => (tool.type === 'web-search' ? { ...tool, original: null } : tool),
      )
      const readBack: Conversation = { ...decoded, tools: tools.sort(byName) }
      expect(readBack).toEqual(asExpressible(conversation))
      expect(departures(decoded)).toEqual([])
    }),
    { numRuns: 120, seed: 31 },
  )
}, 300_000)

test('a stream folds to the answer of the whole reply, which equals its last response object', () => {
  const answers = arbitraryStreamedAnswer({ without: ['call-proofs', 'text-proofs', 'many-choices'] })
  fc.assert(
    fc.property(answers, ({ answer, events }) => {
      const frames = encodeFrames(events)
      const reply = JSON.parse(
        JSON.stringify(
          readRequest(REQUEST, JSON.stringify(REQUEST)).client?.encodeReply(answer, replyContext()),
        ),
      )
      const { events: decoded, failure } = decodeFrames(new TextEncoder().encode(frames))
      expect(failure).toBeNull()
      expect(grammarFaults(decoded)).toEqual([])
      expect(fold(decoded)).toEqual(
        supplier.decodeReply(reply, SUPPLY) ?? { id: 'none', choices: [], usage: null },
      )
      expect(wireEvents(frames).at(-1)?.response).toEqual(reply)
    }),
    { numRuns: 400, seed: 32 },
  )
})

test('events are numbered, items are balanced, ids are unique, and there is one end', () => {
  fc.assert(
    fc.property(arbitraryStreamedAnswer(), ({ events }) => {
      const wire = wireEvents(encodeFrames(events))
      expect(wire.map(({ sequence_number }) => sequence_number)).toEqual(wire.map((_, index) => index))
      const ofType = (type: string) => wire.filter((event) => event.type === type)
      const added = ofType('response.output_item.added')
      const done = ofType('response.output_item.done')
      expect(added.map(({ output_index, item }) => [output_index, item.id, item.type])).toEqual(
        done.map(({ output_index, item }) => [output_index, item.id, item.type]),
      )
      expect(new Set(added.map(({ item }) => item.id)).size).toBe(added.length)
      const ends = wire.filter(({ type }) => /^response\.(completed|incomplete)$/.test(type))
      expect(ends).toEqual(wire.slice(-1))
      expect(wire.at(-1)?.response.output).toEqual(done.map(({ item }) => item))
    }),
    { numRuns: 300, seed: 33 },
  )
})

test('a supplier stream decodes alike however its bytes are split', () => {
  fc.assert(
    fc.property(arbitraryStreamedAnswer(), fc.array(fc.nat(5000), { maxLength: 8 }), ({ events }, places) => {
      const bytes = new TextEncoder().encode(encodeFrames(events))
      const cuts = places.map((place) => place % bytes.length).sort((a, b) => a - b)
      expect(decodeFrames(bytes, cuts)).toEqual(decodeFrames(bytes))
    }),
    { numRuns: 200, seed: 34 },
  )
})

test('nothing follows a failure, wherever it occurs', () => {
  const error = new GatewayError('provider_error', 'gone')
  fc.assert(
    fc.property(arbitraryStreamedAnswer(), fc.nat(50), ({ events }, place) => {
      const encoder = new ResponsesEncoder(REQUEST, replyContext())
      const before = events.slice(0, place % events.length)
      const frames = before.map((event) => encoder.push(event)).join('') + encoder.fail(error)
      expect(events.map((event) => encoder.push(event)).join('') + encoder.fail(error)).toBe('')
      const types = [...frames.matchAll(/^event: (.*)$/gm)].map(([, type]) => type)
      expect(types[0]).toBe('response.created')
      expect(types.slice(-2)).toEqual(['response.failed', 'error'])
      const numbers = [...frames.matchAll(/"sequence_number":(\d+)/g)].map(([, number]) => Number(number))
      expect(numbers).toEqual(numbers.map((_, index) => index))
    }),
    { numRuns: 200, seed: 35 },
  )
})

test('usage is never negative and never counted twice', () => {
  const count = fc.oneof(fc.nat(1000), fc.constantFrom(-5, 1.5, null, 'x', undefined, 2 ** 60))
  const usage = fc.record({
    input_tokens: count,
    output_tokens: count,
    total_tokens: count,
    input_tokens_details: fc.option(fc.record({ cached_tokens: count, cache_write_tokens: count })),
    output_tokens_details: fc.option(fc.record({ reasoning_tokens: count })),
  })
  fc.assert(
    fc.property(usage, (wire) => {
      const read = responses.readReply({ output: [], usage: wire })?.usage
      if (read) expect(usageFaults(read)).toEqual([])
    }),
    { numRuns: 500, seed: 36 },
  )
})

test('mutated supplier streams and replies give events, a failure or null, never an exception', () => {
  const junk = fc.constantFrom(
    '',
    '{',
    '}',
    '"',
    'null',
    '[]',
    '{}',
    ':',
    ',',
    '\n',
    'data: ',
    '0',
    'é',
    'response.',
  )
  const cuts = fc.tuple(fc.nat(100_000), fc.nat(12), junk)
  fc.assert(
    fc.property(
      arbitraryStreamedAnswer(),
      fc.array(cuts, { minLength: 1, maxLength: 4 }),
      ({ events, answer }, edits) => {
        const mutate = (text: string) =>
          edits.reduce((mutated, [at, length, insert]) => {
            const place = at % (mutated.length + 1)
            return mutated.slice(0, place) + insert + mutated.slice(place + length)
          }, text)
        const { events: decoded, failure } = decodeFrames(
          new TextEncoder().encode(mutate(encodeFrames(events))),
        )
        expect(failure !== null || decoded.at(-1)?.type === 'answer-end').toBe(true)
        const reply = mutateJson(
          JSON.parse(JSON.stringify(answerBody(answer))),
          edits.map(([at]) => at),
        )
        expect(() => supplier.decodeReply(reply, SUPPLY)).not.toThrow()
        expect(() => responses.readReply(reply)).not.toThrow()
      },
    ),
    { numRuns: 400, seed: 37 },
  )
})

function answerBody(
  answer: Parameters<NonNullable<ReturnType<typeof readRequest>['client']>['encodeReply']>[0],
) {
  return readRequest(REQUEST, JSON.stringify(REQUEST)).client?.encodeReply(answer, replyContext())
}

test('reads mutated requests or throws a GatewayError', () => {
  fc.assert(
    fc.property(
      arbitraryConversation(),
      fc.array(fc.nat(100_000), { minLength: 1, maxLength: 3 }),
      (conversation, picks) => {
        const { body } = supplier.encodeRequest({ ...conversation, choices: 1 }, SUPPLY)
        const mutated = mutateJson(JSON.parse(JSON.stringify(body)), picks)
        try {
          expect(departures(decodeBody(mutated))).toEqual([])
        } catch (error) {
          expect(error).toBeInstanceOf(GatewayError)
        }
      },
    ),
    { numRuns: 150, seed: 38 },
  )
}, 300_000)

const ODD_VALUES = [null, '', 'x', 0, -1, true, [], {}, [null], [[]], { type: 'zzz' }, { type: 7 }]

/** Replaces or removes members at places picked by the numbers. */
function mutateJson(value: unknown, picks: readonly number[]): unknown {
  const holders: { holder: Record<string, unknown>; name: string }[] = []
  const walk = (node: unknown) => {
    if (typeof node !== 'object' || node === null) return
    for (const name of Object.keys(node)) {
      holders.push({ holder: node as Record<string, unknown>, name })
      walk((node as Record<string, unknown>)[name])
    }
  }
  walk(value)
  for (const pick of picks) {
    const place = holders[pick % Math.max(1, holders.length)]
    if (place === undefined) continue
    if (pick % 7 === 0 && !Array.isArray(place.holder)) delete place.holder[place.name]
    else place.holder[place.name] = ODD_VALUES[pick % ODD_VALUES.length]
  }
  return value
}

test('whole replies have what clients rely on', () => {
  fc.assert(
    fc.property(arbitraryAnswer({ without: ['many-choices'] }), (answer) => {
      const reply = answerBody(answer) ?? {}
      expect(reply.created).toBe(1_763_200_000)
      expect(reply.created_at).toBe(1_763_200_000)
      expect(reply.object).toBe('response')
      for (const item of reply.output as { type: string; content?: unknown }[]) {
        if (item.type === 'message') expect(Array.isArray(item.content)).toBe(true)
      }
    }),
    { numRuns: 100, seed: 39 },
  )
})
