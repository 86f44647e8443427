import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  type ArbitraryOptions,
  arbitraryConversation,
  arbitraryStreamedAnswer,
} from '../../../test/support/arbitrary-conversation.ts'
import { departures, grammarFaults } from '../../../test/support/normal-form.ts'
import type { Answer } from '../../conversation/answer.ts'
import type { Conversation, OutputFormat, Turn } from '../../conversation/conversation.ts'
import type { ReasoningRequest } from '../../conversation/effort.ts'
import { fold } from '../../conversation/fold.ts'
import { DEFAULT_PARAMETERS } from '../../conversation/parameters.ts'
import { type Part, textPart } from '../../conversation/part.ts'
import type { Tool, ToolChoice } from '../../conversation/tool.ts'
import { GatewayError } from '../../errors/gateway-error.ts'
import type { ReplyContext, SupplyContext } from '../translation.ts'
import { contentGeneration } from './index.ts'
import { decodeReply } from './reply/decode-reply.ts'
import { encodeReply } from './reply/encode-reply.ts'
import { decodeRequest } from './request/decode-request.ts'
import { encodeRequest } from './request/encode-request.ts'
import { validateRequest } from './request/validate.ts'
import { GenerationDecoder } from './stream/decode-stream.ts'
import { GenerationEncoder } from './stream/encode-stream.ts'

const OWN_PROOFS = { origin: 'content-generation', model: 'deep-1', route: 'sup_1' }

const supply: SupplyContext = {
  upstreamModel: 'deep-1',
  route: 'sup_1',
  traits: {
    ...(contentGeneration.supplier?.traits ?? fail('no supplier side')),
    thinking: { type: 'level', levels: ['minimal', 'low', 'medium', 'high'] },
    toolResultImages: true,
  },
  outputTokenLimit: null,
}

const reply: ReplyContext = {
  requestId: 'req_1',
  model: 'public-1',
  createdAtMs: 0,
  nowMs: () => 0,
  promptTokens: 7,
  newId: (prefix) => `${prefix}id`,
}

function fail(message: string): never {
  throw new Error(message)
}

/** What this format does not support. */
const ASKING: ArbitraryOptions = {
  without: [
    'unsigned-thinking',
    'redacted-thinking',
    'custom-tools',
    'namespaces',
    'cache-hints',
    'image-details',
    'citations',
    'refusals',
    'system-turns',
    'prefill',
    'assistant-first',
  ],
  proofs: OWN_PROOFS,
}

describe('a conversation', () => {
  test('is restored as far as the format supports it', () => {
    fc.assert(
      fc.property(arbitraryConversation(ASKING), (conversation) => {
        const { body } = encodeRequest(conversation, supply)
        const sent: unknown = JSON.parse(JSON.stringify(body))
        const decoded = decodeRequest(validateRequest(sent), conversation)
        expect(departures(decoded)).toEqual([])
        expect(decoded).toEqual(expected(conversation))
      }),
      { numRuns: 400, seed: 21 },
    )
  })

  test('is either encoded to a valid request or refused with a reason', () => {
    const seen = { encoded: 0, refused: 0 }
    fc.assert(
      fc.property(arbitraryConversation(), (conversation) => {
        try {
          const { body } = encodeRequest(conversation, supply)
          validateRequest(JSON.parse(JSON.stringify(body)))
          const contents = body.contents as readonly { role: string; parts: readonly unknown[] }[]
          contents.forEach(({ role, parts }, index) => {
            expect(role).toBe(index % 2 === 0 ? 'user' : 'model')
            expect(parts).not.toBeEmpty()
          })
          seen.encoded++
        } catch (error) {
          expect(error).toBeInstanceOf(GatewayError)
          seen.refused++
        }
      }),
      { numRuns: 400, seed: 22 },
    )
    expect(Math.min(seen.encoded, seen.refused)).toBeGreaterThan(20)
  })
})

/** The exceptions; everything else must survive. */
function expected(conversation: Conversation): Conversation {
  const hasFunctions = conversation.tools.some(({ type }) => type === 'function')
  const hasSearch = conversation.tools.some(({ type }) => type === 'web-search')
  const choice = hasFunctions ? expectedChoice(conversation.toolChoice, hasSearch) : null
  return {
    ...conversation,
    turns: conversation.turns.map(expectedTurn),
    tools: conversation.tools.map(expectedTool),
    toolChoice: choice,
    // The format has no field for other parameters.
    ...DEFAULT_PARAMETERS,
    temperature: conversation.temperature,
    topP: conversation.topP,
    topK: conversation.topK,
    seed: conversation.seed,
    presencePenalty: conversation.presencePenalty,
    frequencyPenalty: conversation.frequencyPenalty,
    stop: conversation.stop,
    maxOutputTokens: conversation.maxOutputTokens,
    choices: conversation.choices,
    topLogprobs: conversation.topLogprobs,
    reasoning: expectedReasoning(conversation.reasoning),
    output: expectedOutput(conversation.output),
    extras: hasFunctions && hasSearch ? MIXED_TOOLS : {},
  }
}

/** Extras that the encoder adds when functions are sent beside hosted tools. */
const MIXED_TOOLS = { 'content-generation': { 'toolConfig.includeServerSideToolInvocations': true } }

function expectedTurn({ role, parts }: Turn): Turn {
  return { role, parts: parts.map(expectedPart) }
}

function expectedPart(part: Part): Part {
  // A supplier's own signature does not carry its origin.
  if ('proof' in part && part.proof !== null) {
    return { ...part, proof: { ...part.proof, model: '', route: '' } }
  }
  if (part.type !== 'tool-result') return part
  // Texts of one result are joined, and images follow them.
  const text = part.parts.flatMap((inner) => (inner.type === 'text' ? [inner.text] : [])).join('\n')
  const texts = text === '' ? [] : [textPart(text)]
  return { ...part, parts: [...texts, ...part.parts.filter(({ type }) => type === 'image')] }
}

function expectedTool(tool: Tool): Tool {
  if (tool.type === 'function') return { ...tool, strict: null }
  if (tool.type !== 'web-search') return tool
  const original = { format: 'content-generation', value: { googleSearch: {} } }
  return { ...tool, contextSize: null, userLocation: null, original }
}

// One required allowed tool equals a named tool, and a free choice among all tools equals none.
function expectedChoice(choice: ToolChoice | null, isMixed: boolean): ToolChoice | null {
  if (choice === null) return isMixed ? { type: 'auto' } : null
  if (choice.type !== 'allowed' || choice.names.length > 1 || !choice.isRequired) return choice
  return { type: 'named', name: choice.names[0] ?? '', namespace: null }
}

function expectedReasoning(reasoning: ReasoningRequest | null): ReasoningRequest | null {
  if (reasoning === null) return null
  const { control, showThoughts } = reasoning
  const isNamed = control.type === 'effort' || control.type === 'budget'
  if (!isNamed) return showThoughts === null ? null : { control: { type: 'unspecified' }, showThoughts }
  return { control: { type: 'effort', effort: levelFor(control) }, showThoughts }
}

function levelFor(control: ReasoningRequest['control'] & { type: 'effort' | 'budget' }) {
  const levels = { 0: 'minimal', 1024: 'low', 8192: 'medium' } as const
  if (control.type === 'budget') return levels[control.tokens as keyof typeof levels] ?? 'high'
  const { effort } = control
  if (effort === 'none') return 'minimal'
  return effort === 'xhigh' || effort === 'max' ? 'high' : effort
}

function expectedOutput(output: OutputFormat): OutputFormat {
  return output.type === 'schema' ? { ...output, name: 'response', description: null, strict: null } : output
}

describe('an answer', () => {
  for (const shape of ['sse', 'json'] as const) {
    test(`streamed as ${shape} equals the whole reply`, () => {
      fc.assert(
        fc.property(
          arbitraryStreamedAnswer(),
          fc.array(fc.nat(40), { minLength: 1 }),
          ({ answer, events }, cuts) => {
            const encoder = new GenerationEncoder(reply, shape)
            const frames = events.map((event) => encoder.push(event)).join('')
            const decoded = decodeInPieces(frames, cuts)
            const whole = decodeReply(JSON.parse(JSON.stringify(encodeReply(answer, reply))), supply)
            expect(decoded).toEqual(whole ?? fail('no reply'))
          },
        ),
        { numRuns: 400, seed: 23 },
      )
    })
  }

  test('keeps everything the format supports', () => {
    fc.assert(
      fc.property(arbitraryStreamedAnswer(SIMPLE), ({ answer }) => {
        const whole = decodeReply(JSON.parse(JSON.stringify(encodeReply(answer, reply))), supply)
        expect(whole === null ? null : withoutCallProofs(whole)).toEqual(expectedAnswer(answer))
      }),
      { numRuns: 300, seed: 24 },
    )
  })

  test('is framed as official clients expect', () => {
    fc.assert(
      fc.property(arbitraryStreamedAnswer(), ({ events }) => {
        const encoder = new GenerationEncoder(reply, 'sse')
        const frames = events.map((event) => encoder.push(event)).join('')
        const chunks = frames.split('\n\n')
        expect(chunks.pop()).toBe('')
        const parsed = chunks.map((chunk) => {
          expect(chunk).toMatch(/^data: \{[^\n]*\}$/)
          return JSON.parse(chunk.slice(6))
        })
        const last = parsed.pop()
        expect(JSON.stringify(parsed)).not.toContain('"finishReason"')
        for (const candidate of last.candidates) expect(candidate.finishReason).toBeString()
        for (const { candidates } of [...parsed, last])
          for (const { content } of candidates)
            for (const part of content.parts) expect(part).not.toBeEmptyObject()
        for (const count of Object.values(last.usageMetadata)) expect(count).toBeGreaterThanOrEqual(0)
        expect(encoder.push({ type: 'answer-end' })).toBe('')
        expect(encoder.fail(new GatewayError('provider_error', 'late'))).toBe('')
      }),
      { numRuns: 200, seed: 25 },
    )
  })
})

/** No citations (their text is filled in), one text at most, no proof of another format to be sealed. */
const SIMPLE: ArbitraryOptions = {
  without: [
    'thinking',
    'call-proofs',
    'text-proofs',
    'redacted-thinking',
    'url-images',
    'image-details',
    'custom-tools',
    'namespaces',
    'citations',
    'refusals',
    'rare-finishes',
    'stop-sequences',
    'logprobs',
  ],
}

/** An unsigned call gets a placeholder signature. */
function withoutCallProofs(answer: Answer): Answer {
  const choices = answer.choices.map((choice) => ({
    ...choice,
    parts: choice.parts.map((part) => (part.type === 'tool-call' ? { ...part, proof: null } : part)),
  }))
  return { ...answer, choices }
}

function expectedAnswer(answer: Answer): Answer {
  const usage =
    answer.usage === null
      ? null
      : {
          ...answer.usage,
          // The format does not report cache writes.
          input: answer.usage.input + answer.usage.cacheWrite,
          cacheWrite: 0,
        }
  return {
    id: 'id',
    choices: answer.choices.map((choice) => ({ ...choice, logprobs: null })),
    usage: usage ?? expect.anything(),
  }
}

function decodeInPieces(frames: string, cuts: readonly number[]): Answer {
  const bytes = new TextEncoder().encode(frames)
  const decoder = new GenerationDecoder(supply)
  const events = []
  for (let at = 0, index = 0; at < bytes.length; index++) {
    const length = 1 + (cuts[index % cuts.length] ?? 0)
    events.push(...decoder.push(bytes.subarray(at, at + length)))
    at += length
  }
  events.push(...decoder.end())
  expect(decoder.failure).toBeNull()
  expect(grammarFaults(events)).toEqual([])
  return fold(events)
}
