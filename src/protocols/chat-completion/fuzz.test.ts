import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { arbitraryAnswer } from '../../../test/support/arbitrary-conversation.ts'
import { mutate } from '../../../test/support/mutate.ts'
import { departures, grammarFaults } from '../../../test/support/normal-form.ts'
import { replyContext, supplyContext } from '../../../test/support/translation-contexts.ts'
import type { AnswerEvent } from '../../conversation/answer-event.ts'
import { fold } from '../../conversation/fold.ts'
import { GatewayError } from '../../errors/gateway-error.ts'
import { CHAT_TRAITS } from './format.ts'
import { decodeReply } from './reply/decode-reply.ts'
import { encodeReply } from './reply/encode-reply.ts'
import { decodeRequest } from './request/decode-request.ts'
import { encodeRequest } from './request/encode-request.ts'
import { validateRequest } from './request/validate.ts'
import { ChatStreamDecoder } from './stream/decode-stream.ts'

const context = supplyContext({}, CHAT_TRAITS)
const numbers = fc.array(fc.nat(100_000), { minLength: 1, maxLength: 4 })

const REQUEST = {
  model: 'm',
  messages: [
    { role: 'system', content: [{ type: 'text', text: 's', cache_control: { type: 'ephemeral' } }] },
    {
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AA', detail: 'low' } },
        { type: 'file', file: {} },
      ],
    },
    {
      role: 'assistant',
      content: 'a',
      refusal: 'r',
      thinking_blocks: [{ type: 'thinking', thinking: 't', signature: 's' }],
      reasoning_details: [{ text: 'x' }],
      tool_calls: [
        {
          id: 'a',
          type: 'function',
          function: { name: 'f', arguments: '{}' },
          extra_content: { google: { thought_signature: 's' } },
        },
        { id: 'b', type: 'custom', custom: { name: 'g', input: 'x' } },
      ],
    },
    { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'r' }] },
    { role: 'assistant', content: null, function_call: { name: 'f', arguments: '' } },
    { role: 'function', name: 'f', content: 'x' },
    { role: 'developer', content: 'late' },
  ],
  tools: [
    { type: 'function', function: { name: 'f', parameters: {} } },
    {
      type: 'custom',
      custom: { name: 'g', format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'd' } } },
    },
    { type: 'other' },
  ],
  tool_choice: {
    type: 'allowed_tools',
    allowed_tools: { mode: 'auto', tools: [{ function: { name: 'f' } }] },
  },
  response_format: { type: 'json_schema', json_schema: { name: 'n', schema: {} } },
  web_search_options: { user_location: { type: 'approximate', approximate: {} } },
  logprobs: true,
  top_logprobs: 2,
  stop: ['a'],
  metadata: { a: 'b' },
  reasoning_effort: 'low',
}

test('a corrupted request is refused with its field, or decodes to normal form and encodes again', () => {
  let accepted = 0
  fc.assert(
    fc.property(numbers, (whims) => {
      try {
        const conversation = decodeRequest(validateRequest(mutate(REQUEST, whims)))
        expect(departures(conversation)).toEqual([])
        JSON.stringify(encodeRequest(conversation, context).body)
        accepted++
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error
      }
    }),
    { numRuns: 3000, seed: 21 },
  )
  expect(accepted).toBeGreaterThan(200)
})

test('a corrupted reply is refused, or decodes to an answer without negative usage', () => {
  const replies = arbitraryAnswer().map((answer) =>
    encodeReply(answer, replyContext(), { wantsFunctionCall: false, wantsUsage: true }),
  )
  fc.assert(
    fc.property(replies, numbers, (reply, whims) => {
      const answer = decodeReply(mutate(reply, whims), context)
      for (const count of Object.values(answer?.usage ?? {})) expect(count).toBeGreaterThanOrEqual(0)
    }),
    { numRuns: 1000, seed: 22 },
  )
})

const CASES = join(import.meta.dirname, 'cases')
const STREAMS = readdirSync(CASES)
  .filter((name) => name.endsWith('.stream.sse'))
  .map((name) => readFileSync(join(CASES, name), 'utf8'))
const DATA = /^data: (?<json>\{.*\})\r?$/gm

function spoil(stream: string, whims: readonly number[]): string {
  const [chosen = 0, ...rest] = whims
  const count = [...stream.matchAll(DATA)].length
  let place = 0
  return stream.replace(DATA, (line, json: string) => {
    const isChosen = place++ === chosen % count
    return isChosen
      ? `data: ${JSON.stringify(mutate(JSON.parse(json), rest.length > 0 ? rest : whims))}`
      : line
  })
}

function decodeAll(bytes: Uint8Array): { events: AnswerEvent[]; hasFailed: boolean } {
  const decoder = new ChatStreamDecoder(context)
  const events = decoder.push(bytes)
  for (const event of decoder.end()) events.push(event)
  return { events, hasFailed: decoder.failure !== null }
}

test('a corrupted stream fails, or decodes to well-formed events', () => {
  fc.assert(
    fc.property(fc.constantFrom(...STREAMS), numbers, (stream, whims) => {
      const { events, hasFailed } = decodeAll(new TextEncoder().encode(spoil(stream, whims)))
      if (!hasFailed) expect(grammarFaults(events)).toEqual([])
      fold(events)
    }),
    { numRuns: 2000, seed: 23 },
  )
})

test('corrupted bytes fail, or decode to well-formed events', () => {
  fc.assert(
    fc.property(fc.constantFrom(...STREAMS), fc.nat(), fc.nat(255), (stream, place, byte) => {
      const bytes = new TextEncoder().encode(stream)
      bytes[place % bytes.length] = byte
      const { events, hasFailed } = decodeAll(bytes)
      if (!hasFailed) expect(grammarFaults(events)).toEqual([])
    }),
    { numRuns: 2000, seed: 24 },
  )
})
