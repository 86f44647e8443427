import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  arbitraryConversation,
  arbitraryStreamedAnswer,
  type Feature,
} from '../../../test/support/arbitrary-conversation.ts'
import { departures, grammarFaults } from '../../../test/support/normal-form.ts'
import { replyContext, supplyContext } from '../../../test/support/translation-contexts.ts'
import type { Answer } from '../../conversation/answer.ts'
import type { AnswerEvent } from '../../conversation/answer-event.ts'
import type { Conversation, Instruction } from '../../conversation/conversation.ts'
import { fold } from '../../conversation/fold.ts'
import type { Tool } from '../../conversation/tool.ts'
import { GatewayError } from '../../errors/gateway-error.ts'
import { CHAT_TRAITS, FORMAT } from './format.ts'
import { decodeReply } from './reply/decode-reply.ts'
import { encodeReply } from './reply/encode-reply.ts'
import { decodeRequest } from './request/decode-request.ts'
import { encodeRequest } from './request/encode-request.ts'
import { validateRequest } from './request/validate.ts'
import { ChatStreamDecoder } from './stream/decode-stream.ts'
import { ChatStreamEncoder } from './stream/encode-stream.ts'

const context = supplyContext({}, CHAT_TRAITS)
const OPTIONS = { wantsFunctionCall: false, wantsUsage: true }

describe('decoding an encoded request returns the same conversation', () => {
  /** What a chat-completion request cannot say, or says in another way. */
  const without: readonly Feature[] = [
    // Thoughts are sent only to models that want them back, and without their signatures.
    'thinking',
    'call-proofs',
    'text-proofs',
    'citations',
    // A refusal goes out as plain text: few suppliers take it as anything else.
    'refusals',
    // Results are plain text. Images move to a user message and errors become text.
    'result-images',
    'result-errors',
    'result-parts',
    'namespaces',
    'cache-hints',
    // An assistant message is thinking, text, calls.
    'mixed-order',
  ]

  function expected(conversation: Conversation): Conversation {
    const { toolChoice, reasoning } = conversation
    const isAllowed = (tool: Tool) =>
      toolChoice?.type !== 'allowed' || !('name' in tool) || toolChoice.names.includes(tool.name)
    const effort = reasoning?.control.type === 'effort' ? reasoning.control.effort : null
    return {
      ...conversation,
      model: context.upstreamModel,
      instructions: joined(conversation.instructions),
      tools: conversation.tools.filter(isAllowed).map(asSent),
      toolChoice:
        toolChoice?.type === 'allowed' ? { type: toolChoice.isRequired ? 'required' : 'auto' } : toolChoice,
      // This format can only set an effort, and then shows thinking.
      reasoning:
        effort === null ? null : { control: { type: 'effort', effort }, showThoughts: effort !== 'none' },
      topK: null,
      metadata: null,
    }
  }

  function joined(instructions: readonly Instruction[]): readonly Instruction[] {
    if (instructions.length === 0) return []
    return [{ text: instructions.map(({ text }) => text).join('\n\n'), cache: null }]
  }

  function asSent(tool: Tool): Tool {
    if (tool.type === 'function')
      return { ...tool, schema: tool.schema ?? { type: 'object', properties: {} } }
    if (tool.type !== 'web-search') return tool
    const value = {
      ...(tool.contextSize !== null && { search_context_size: tool.contextSize }),
      ...(tool.userLocation !== null && {
        user_location: { type: 'approximate', approximate: tool.userLocation },
      }),
    }
    return { ...tool, original: { format: FORMAT, value } }
  }

  const conversations = arbitraryConversation({ without }).map((conversation) => ({
    ...conversation,
    // Budgets become efforts, which is another law.
    reasoning: conversation.reasoning?.control.type === 'budget' ? null : conversation.reasoning,
    // The word is demanded by suppliers, so it stands there already.
    instructions: [...conversation.instructions, { text: 'Speak JSON.', cache: null }],
  }))

  test('for everything the format can express', () => {
    fc.assert(
      fc.property(conversations, (conversation) => {
        const { body } = encodeRequest(conversation, context)
        const decoded = decodeRequest(validateRequest(JSON.parse(JSON.stringify(body))))
        expect(decoded).toEqual(expected(conversation))
      }),
      { numRuns: 300, seed: 11 },
    )
  })
})

test('any conversation encodes to a valid request that decodes to normal form', () => {
  fc.assert(
    fc.property(arbitraryConversation(), (conversation) => {
      const { body } = encodeRequest(conversation, context)
      const decoded = decodeRequest(validateRequest(JSON.parse(JSON.stringify(body))))
      expect(departures(decoded)).toEqual([])
    }),
    { numRuns: 300, seed: 12 },
  )
})

function encodeFrames(events: readonly AnswerEvent[]): string {
  const encoder = new ChatStreamEncoder(replyContext(), OPTIONS)
  return events.map((event) => encoder.push(event)).join('')
}

function decodePieces(pieces: readonly Uint8Array[]): AnswerEvent[] {
  const decoder = new ChatStreamDecoder(context)
  const events = pieces.flatMap((piece) => decoder.push(piece))
  events.push(...decoder.end())
  expect(decoder.failure).toBeNull()
  return events
}

const decodeText = (text: string) => decodePieces([new TextEncoder().encode(text)])

function throughReply(answer: Answer): Answer | null {
  return decodeReply(JSON.parse(JSON.stringify(encodeReply(answer, replyContext(), OPTIONS))), context)
}

describe('a stream and a whole reply decode to the same answer', () => {
  test('for answers in the usual order', () => {
    // An explanation comes at the end of a stream, and among the texts of a reply.
    const without: readonly Feature[] = ['mixed-order', 'explanations']
    fc.assert(
      fc.property(arbitraryStreamedAnswer({ without }), ({ answer, events }) => {
        expect(fold(decodeText(encodeFrames(events)))).toEqual(throughReply(answer) as Answer)
      }),
      { numRuns: 300, seed: 13 },
    )
  })

  test('for answers in any order, except for the position of calls among texts', () => {
    fc.assert(
      fc.property(arbitraryStreamedAnswer({ without: ['explanations'] }), ({ answer, events }) => {
        const streamed = fold(decodeText(encodeFrames(events)))
        expect(summary(streamed)).toEqual(summary(throughReply(answer)))
      }),
      { numRuns: 300, seed: 14 },
    )
  })

  function summary(answer: Answer | null): unknown {
    return answer?.choices.map(({ parts, finish, logprobs }) => ({
      finish,
      logprobs,
      calls: parts.filter(({ type }) => type === 'tool-call'),
      images: parts.filter(({ type }) => type === 'image'),
      text: parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(''),
      thinking: parts.flatMap((part) => (part.type === 'thinking' ? [part.text] : [])).join(''),
      refusal: parts.flatMap((part) => (part.type === 'refusal' ? [part.text] : [])).join(''),
    }))
  }
})

test('an encoded reply decodes to the same answer', () => {
  const without: readonly Feature[] = [
    'mixed-order',
    'thinking',
    'text-proofs',
    'call-proofs',
    'namespaces',
    'rare-finishes',
    'stop-sequences',
    'explanations',
    // A model that declined has not simply stopped.
    'refusals',
  ]
  fc.assert(
    fc.property(arbitraryStreamedAnswer({ without }), ({ answer }) => {
      expect(throughReply(answer)).toEqual({ ...answer, id: `chatcmpl-${'1'.padStart(24, '0')}` })
    }),
    { numRuns: 300, seed: 15 },
  )
})

test('events are the same and well-formed however the bytes are split', () => {
  const cuts = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(arbitraryStreamedAnswer(), cuts, ({ events }, sizes) => {
      const bytes = new TextEncoder().encode(encodeFrames(events))
      const whole = decodePieces([bytes])
      expect(grammarFaults(whole)).toEqual([])
      expect(decodePieces(cut(bytes, sizes))).toEqual(whole)
    }),
    { numRuns: 200, seed: 16 },
  )
})

function cut(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = []
  for (let start = 0, turn = 0; start < bytes.length; turn++) {
    const end = start + (sizes[turn % sizes.length] ?? 1)
    pieces.push(bytes.slice(start, end))
    start = end
  }
  return pieces
}

describe('every stream the encoder writes', () => {
  interface WireChoice {
    readonly index: number
    readonly delta: { readonly role?: string; readonly tool_calls?: readonly { readonly index: number }[] }
    readonly finish_reason: string | null
  }
  const chunksOf = (text: string): { choices: readonly WireChoice[]; usage: unknown; id: string }[] =>
    text
      .split('\n\n')
      .filter((frame) => frame.startsWith('data: {'))
      .map((frame) => JSON.parse(frame.slice('data: '.length)))

  test('has one role first and one finish last per choice, increasing call indices, one id and one end', () => {
    fc.assert(
      fc.property(arbitraryStreamedAnswer(), ({ answer, events }) => {
        const text = encodeFrames(events)
        const chunks = chunksOf(text)
        expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
        expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)
        for (const { index } of answer.choices) {
          const entries = chunks.flatMap(({ choices }) => choices.filter((choice) => choice.index === index))
          expect(entries.map(({ delta }) => delta.role ?? null)).toEqual(
            entries.map((_, place) => (place === 0 ? 'assistant' : null)),
          )
          expect(entries.map(({ finish_reason }) => finish_reason !== null)).toEqual(
            entries.map((_, place) => place === entries.length - 1),
          )
          const indices = entries.flatMap(({ delta }) => delta.tool_calls ?? []).map((call) => call.index)
          expect(indices).toEqual([...indices].sort((one, other) => one - other))
        }
        const usages = chunks.filter(({ usage }) => usage !== null)
        expect(usages.length).toBe(answer.usage === null ? 0 : 1)
      }),
      { numRuns: 200, seed: 17 },
    )
  })

  test('can fail at any point, with one error frame and no [DONE]', () => {
    fc.assert(
      fc.property(arbitraryStreamedAnswer(), fc.nat(30), ({ events }, place) => {
        const encoder = new ChatStreamEncoder(replyContext(), OPTIONS)
        const before = events.slice(0, Math.min(place, events.length - 1)).map((event) => encoder.push(event))
        const failed = encoder.fail(new GatewayError('provider_error', 'It broke.'))
        expect(failed).toBe(
          'data: {"error":{"message":"It broke.","type":"provider_error","code":"provider_error","param":null}}\n\n',
        )
        const decoder = new ChatStreamDecoder(context)
        decoder.push(new TextEncoder().encode(before.join('') + failed))
        expect(decoder.failure?.message).toBe('It broke.')
        expect(decoder.end()).toEqual([])
      }),
      { numRuns: 100, seed: 18 },
    )
  })
})
