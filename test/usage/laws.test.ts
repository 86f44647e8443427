import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Answer, finishOf } from '../../src/conversation/answer.ts'
import { fold, unfold } from '../../src/conversation/fold.ts'
import { textPart } from '../../src/conversation/part.ts'
import type { Usage } from '../../src/conversation/usage.ts'
import { NO_PARTS, settleReport } from '../../src/conversation/usage-report.ts'
import { PROTOCOLS, protocolOf } from '../../src/protocols/index.ts'
import type { Format } from '../../src/vocabulary/supply.ts'
import type { JsonObject } from '../../src/wire/json-values.ts'
import { usageFaults } from '../support/usage-faults.ts'
import * as reports from './reports.ts'
import { type TrueUsage, trueUsages, usageOf, without } from './true-usage.ts'

function read(format: Format, reply: JsonObject): Usage | null {
  const protocol = protocolOf(format)
  if (protocol === undefined) throw new Error(`no format ${format}`)
  return protocol.readReply(reply)?.usage ?? null
}

interface Dialect {
  readonly name: string
  readonly format: Format
  readonly report: (truth: TrueUsage) => JsonObject
  /** The truth as far as the dialect can tell it. */
  readonly told: (truth: TrueUsage) => TrueUsage
}

const all = (truth: TrueUsage) => truth

const DIALECTS: readonly Dialect[] = [
  { name: 'chat', format: 'chat-completion', report: reports.chatReply, told: all },
  {
    name: 'chat, thinking outside the completion',
    format: 'chat-completion',
    report: reports.chatReplyWithThinkingOutside,
    told: all,
  },
  {
    name: 'chat, thinking only in the total',
    format: 'chat-completion',
    report: reports.chatReplyWithHiddenThinking,
    told: (truth) => ({
      ...without(truth, 'media', 'writes', 'searches', 'executions', 'tier'),
      cachedText: 0,
    }),
  },
  {
    name: 'chat, cached tokens outside the prompt',
    format: 'chat-completion',
    report: reports.chatReplyWithCacheOutside,
    // With both outside, a total could be read in two ways.
    told: (truth) => without(truth, 'thought'),
  },
  {
    name: 'chat, hits and misses',
    format: 'chat-completion',
    report: reports.chatReplyWithHits,
    told: (truth) => without(truth, 'media', 'writes', 'searches', 'executions', 'tier'),
  },
  { name: 'responses', format: 'responses', report: reports.responsesReply, told: all },
  {
    name: 'messages',
    format: 'messages',
    report: reports.messagesReply,
    told: (truth) => without(truth, 'media'),
  },
  {
    name: 'content generation',
    format: 'content-generation',
    report: reports.generationReply,
    told: (truth) => without(truth, 'writes', 'executions'),
  },
]

describe('every reader finds each token in its class', () => {
  for (const { name, format, report, told } of DIALECTS) {
    test(name, () => {
      fc.assert(
        fc.property(trueUsages, (truth) => {
          const known = told(truth)
          const usage = read(format, report(known))
          expect(usage).toEqual(usageOf(known))
        }),
        { numRuns: 500, seed: 51 },
      )
    })
  }
})

/** What each format can tell a client. */
const WRITTEN: Readonly<Record<string, (truth: TrueUsage) => TrueUsage>> = {
  'chat-completion': all,
  responses: all,
  messages: (truth) => {
    const { tier } = truth
    return { ...without(truth, 'media'), tier: tier === 'flex' ? null : tier }
  },
  'content-generation': (truth) => {
    const { tier } = truth
    const isTold = tier === 'flex' || tier === 'priority'
    return { ...without(truth, 'writes', 'searches', 'executions'), tier: isTold ? tier : null }
  },
}

const REQUESTS: Readonly<Record<string, JsonObject>> = {
  'chat-completion': {
    model: 'm',
    messages: [{ role: 'user', content: 'x' }],
    stream: true,
    stream_options: { include_usage: true },
  },
  responses: { model: 'm', input: 'x' },
  messages: { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] },
  'content-generation': { contents: [{ role: 'user', parts: [{ text: 'x' }] }] },
}

const REPLY = {
  model: 'm',
  createdAtMs: 0,
  nowMs: () => 0,
  promptTokens: 7,
  requestId: 'req_1',
  newId: (prefix: string) => `${prefix}1`,
}

function answerWith(usage: Usage): Answer {
  const choice = { index: 0, parts: [textPart('Hello.')], finish: finishOf('stop'), logprobs: null }
  return { id: 'a', choices: [choice], usage }
}

describe('a client sees the classes that the supplier reports', () => {
  for (const protocol of PROTOCOLS) {
    const { name, supplier } = protocol
    const body = REQUESTS[name] ?? {}
    const address = { rest: 'm:streamGenerateContent', query: new URLSearchParams('alt=sse') }
    const { client } = protocol.readRequest(body, JSON.stringify(body), address)
    const seenUsages = trueUsages.map(WRITTEN[name] ?? all).map(usageOf)

    test(`${name}, whole`, () => {
      fc.assert(
        fc.property(seenUsages, (usage) => {
          expect(read(name, client.encodeReply(answerWith(usage), REPLY))).toEqual(usage)
        }),
        { numRuns: 200, seed: 52 },
      )
    })

    test(`${name}, streamed`, () => {
      fc.assert(
        fc.property(seenUsages, (usage) => {
          const encoder = client.openEncoder(REPLY)
          const frames = unfold(answerWith(usage)).map((event) => encoder.push(event))
          const decoder = supplier?.openDecoder({
            upstreamModel: 'm',
            route: 'r',
            traits: supplier.traits,
            outputTokenLimit: null,
          })
          const events = decoder?.push(new TextEncoder().encode(frames.join(''))) ?? []
          expect(fold([...events, ...(decoder?.end() ?? [])]).usage).toEqual(usage)
        }),
        { numRuns: 100, seed: 53 },
      )
    })
  }
})

describe('reports that do not add up', () => {
  const count = fc.oneof(fc.nat(40), fc.nat(3_000), fc.constantFrom(-1, 0.5, null, 'x', undefined, 2 ** 60))
  const media = fc.record({ audio_tokens: count, image_tokens: count, reasoning_tokens: count })
  const prompt = fc.record({
    cached_tokens: count,
    cache_write_tokens: count,
    audio_tokens: count,
    image_tokens: count,
    cached_tokens_details: fc.option(media),
    cache_creation: fc.option(
      fc.record({
        ephemeral_5m_input_tokens: count,
        ephemeral_1h_input_tokens: count,
        ephemeral_12h_input_tokens: count,
      }),
    ),
  })
  const modalities = fc.option(
    fc.array(
      fc.record({ modality: fc.constantFrom('TEXT', 'AUDIO', 'IMAGE', 'VIDEO', 7), tokenCount: count }),
    ),
  )
  const wires: Readonly<Record<string, fc.Arbitrary<JsonObject>>> = {
    'chat-completion': fc.record({
      prompt_tokens: count,
      completion_tokens: count,
      total_tokens: count,
      prompt_tokens_details: fc.option(prompt),
      completion_tokens_details: fc.option(media),
      prompt_cache_hit_tokens: count,
      cache_creation_input_tokens: count,
      citation_tokens: count,
      prompt_audio_seconds: count,
      num_search_queries: count,
    }),
    responses: fc.record({
      input_tokens: count,
      output_tokens: count,
      total_tokens: count,
      input_tokens_details: fc.option(prompt),
      output_tokens_details: fc.option(media),
    }),
    messages: fc.record({
      input_tokens: count,
      output_tokens: count,
      cache_read_input_tokens: count,
      cache_creation_input_tokens: count,
      cache_creation: prompt.map(({ cache_creation }) => cache_creation),
      output_tokens_details: fc.record({ thinking_tokens: count }),
      server_tool_use: fc.option(fc.record({ web_search_requests: count })),
      iterations: fc.option(
        fc.array(
          fc.record({
            type: fc.constantFrom('message', 'compaction'),
            input_tokens: count,
            output_tokens: count,
          }),
        ),
      ),
    }),
    'content-generation': fc.record({
      promptTokenCount: count,
      candidatesTokenCount: count,
      thoughtsTokenCount: count,
      cachedContentTokenCount: count,
      toolUsePromptTokenCount: count,
      totalTokenCount: count,
      promptTokensDetails: modalities,
      cacheTokensDetails: modalities,
      candidatesTokensDetails: modalities,
    }),
  }
  for (const { name } of PROTOCOLS) {
    test(`${name}: no token is counted twice or below zero`, () => {
      const seen = { contradictory: 0, plain: 0 }
      fc.assert(
        fc.property(wires[name] ?? fc.constant({}), (usage) => {
          const reply = { ...EMPTY_REPLIES[name], usage, usageMetadata: usage }
          const known = read(name, reply)
          if (known === null) return
          expect(usageFaults(known)).toEqual([])
          seen[known.details?.isContradictory ? 'contradictory' : 'plain']++
        }),
        { numRuns: 2_000, seed: 54 },
      )
      expect(Math.min(seen.contradictory, seen.plain)).toBeGreaterThan(20)
    })
  }

  test('keep the sums of the supplier, and are flagged when they cannot be true', () => {
    const part = fc.nat(200)
    const report = fc.record({
      prompt: part,
      cacheRead: part,
      cacheWrite: part,
      output: part,
      reasoning: part,
    })
    const parts = fc.record({
      audio: part,
      image: part,
      cachedAudio: part,
      cachedImage: part,
      cacheWrite30m: part,
      cacheWrite1h: part,
      cacheWrite12h: part,
      audioOutput: part,
      imageOutput: part,
    })
    fc.assert(
      fc.property(report, fc.option(parts), (counts, some) => {
        const usage = settleReport(counts, some, null)
        expect(usageFaults(usage)).toEqual([])
        expect(usage.input + usage.cacheRead + usage.cacheWrite).toBe(counts.prompt)
        expect(usage.output).toBe(counts.output)
        const isImpossible = counts.cacheRead + counts.cacheWrite > counts.prompt
        if (isImpossible) expect(usage.details?.isContradictory).toBe(true)
        // Whatever is not flagged is kept, up to rounding.
        if (usage.details?.isContradictory) return
        expect([usage.cacheRead, usage.cacheWrite]).toEqual([counts.cacheRead, counts.cacheWrite])
        expect(counts.reasoning - usage.reasoning).toBeLessThanOrEqual(12)
      }),
      { numRuns: 2_000, seed: 55 },
    )
  })

  test('media of which no cached part is told was cached as little as possible', () => {
    const tokens = { prompt: 100, cacheRead: 60, cacheWrite: 0, output: 0, reasoning: 0 }
    const place = (audio: number) => settleReport(tokens, { ...NO_PARTS, audio }, null).details
    expect(place(30)).toEqual({ audioInput: 30 })
    expect(place(70)).toEqual({ audioInput: 40, audioCacheRead: 30 })
    expect(place(104)).toEqual({ audioInput: 40, audioCacheRead: 60 })
    expect(place(111)).toEqual({ audioInput: 40, audioCacheRead: 60, isContradictory: true })
  })
})

const EMPTY_REPLIES: Readonly<Record<string, JsonObject>> = {
  'chat-completion': { choices: [{ message: {} }] },
  responses: { output: [] },
  messages: { content: [] },
  'content-generation': { candidates: [{}] },
}
