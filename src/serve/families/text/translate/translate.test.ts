import { describe, expect, test } from 'bun:test'
import { createMovableClock } from '../../../../../test/support/movable-clock.ts'
import { replyContext, supplyContext } from '../../../../../test/support/translation-contexts.ts'
import { GatewayError } from '../../../../errors/gateway-error.ts'
import { protocolOf } from '../../../../protocols/index.ts'
import type { Protocol } from '../../../../protocols/protocol.ts'
import type { Traits } from '../../../../vocabulary/runtime/traits.ts'
import type { Format } from '../../../../vocabulary/supply.ts'
import type { LanePlan } from '../lanes/lane-plan.ts'
import { ThinkingMemory } from './thinking-memory.ts'
import { planTranslation, type TranslationParts, unfoldReply } from './translate.ts'

const clock = createMovableClock()
const ADDRESS = { rest: '', query: new URLSearchParams() }
const IMAGE = { type: 'base64', mediaType: 'image/png', data: 'iVBORw0KGgo=' } as const

function speaking(format: Format): Protocol {
  const protocol = protocolOf(format)
  if (protocol === undefined) throw new Error(`no protocol is named ${format}`)
  return protocol
}

interface Wanted {
  readonly from: Format
  readonly to: Format
  readonly body: object
  readonly traits?: Partial<Traits>
  readonly parts?: Partial<TranslationParts>
}

function partsFor({ from, to, body, traits = {}, parts = {} }: Wanted): TranslationParts {
  const text = JSON.stringify(body)
  const { supplier } = speaking(to)
  return {
    client: speaking(from).readRequest(JSON.parse(text), text, ADDRESS).client,
    supplier,
    supply: supplyContext(traits, supplier.traits),
    reply: replyContext(),
    supplierProtocol: speaking(to),
    accountId: 'acc_1',
    memory: new ThinkingMemory(clock),
    fetchImage: async () => IMAGE,
    isStrict: false,
    isProofless: false,
    source: { text, value: JSON.parse(text) },
    ...parts,
  }
}

const plan = (wanted: Wanted): Promise<LanePlan> => planTranslation(partsFor(wanted))
const sentIn = ({ body }: LanePlan) => JSON.parse(body) as Record<string, unknown>

/** A reply of the responses format that says this. */
function said(text: string, usage: object | null = { input_tokens: 5, output_tokens: 7, total_tokens: 12 }) {
  return JSON.stringify({
    id: 'resp_up',
    object: 'response',
    created_at: 1,
    status: 'completed',
    output: [
      {
        id: 'msg_up',
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text, annotations: [] }],
      },
    ],
    usage,
  })
}

const CHAT = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] }
const toResponses = (fields: object, more: Partial<Wanted> = {}): Wanted => ({
  from: 'chat-completion',
  to: 'responses',
  body: { ...CHAT, ...fields },
  ...more,
})

interface ChatReply {
  readonly choices: readonly {
    readonly index: number
    readonly finish_reason: string
    readonly message: { readonly content: string }
  }[]
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number }
}

const replyOf = (plan: LanePlan, ...replies: string[]) => {
  const whole = plan.readWhole(replies)
  if (whole === null) throw new Error('no reply')
  return { ...whole, chat: whole.reply as ChatReply }
}

describe('several answers from a supplier that returns one at a time', () => {
  test('are requested one by one, never as a stream', async () => {
    const lane = await plan(toResponses({ n: 3, stream: true }))
    expect([lane.copies, lane.isStreamed, sentIn(lane).stream ?? false]).toEqual([3, false, false])
    expect((await plan(toResponses({ n: 1, stream: true }))).isStreamed).toBe(true)
  })

  test('become the choices of one reply with the summed usage', async () => {
    const lane = await plan(toResponses({ n: 3 }))
    const { chat, facts } = replyOf(lane, said('one'), said('two'), said('three'))
    expect(chat.choices.map(({ index, message }) => [index, message.content])).toEqual([
      [0, 'one'],
      [1, 'two'],
      [2, 'three'],
    ])
    expect(facts.usage).toMatchObject({ input: 15, output: 21 })
    expect(chat.usage).toMatchObject({ prompt_tokens: 15, completion_tokens: 21 })
  })

  test('are no reply when one of them is not', async () => {
    const lane = await plan(toResponses({ n: 2 }))
    expect(lane.readWhole([said('one'), 'not JSON'])).toBeNull()
  })

  test('are charged by delivered output when one reports no usage', async () => {
    const { facts } = replyOf(await plan(toResponses({ n: 2 })), said('one'), said('two', null))
    expect(facts).toEqual({ usage: null, outputCharacters: 6, inlineImages: 0 })
  })
})

describe('a supplier that reports no usage', () => {
  const counted = { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 }

  test('leaves the client with our own count', async () => {
    const { chat, facts } = replyOf(await plan(toResponses({})), said('Hello there', null))
    expect(chat.usage).toMatchObject(counted)
    expect(facts.usage).toBeNull()
  })

  test('also when it sends a whole reply to a client that wants a stream with usage', async () => {
    const wanted = { stream: true, stream_options: { include_usage: true } }
    const whole = (await plan(toResponses(wanted))).readWhole([said('Hello there', null)])
    const chunks = (whole?.body ?? '').split('\n\n').filter((frame) => frame.startsWith('data: {'))
    expect(JSON.parse(chunks.at(-1)?.slice('data: '.length) ?? '').usage).toMatchObject(counted)
  })
})

test('unknown dropped fields are encoded for use in a header', async () => {
  const { dropped } = await plan(toResponses({ 'ключ\r\n': 1 }))
  expect(dropped).toEqual(['%D0%BA%D0%BB%D1%8E%D1%87%0D%0A'])
})

describe('stop sequences of a supplier that has none', () => {
  test('are not sent to it', async () => {
    expect(sentIn(await plan(toResponses({ stop: ['END'] })))).not.toHaveProperty('stop')
    const other = await plan(toResponses({ stop: ['END'] }, { to: 'messages' }))
    expect(sentIn(other).stop_sequences).toEqual(['END'])
  })

  test('cut each choice of a whole reply, and its usage is kept', async () => {
    const lane = await plan(toResponses({ stop: ['END'], n: 2 }))
    const { chat, facts } = replyOf(lane, said('one END two'), said('three'))
    expect(chat.choices.map(({ message, finish_reason }) => [message.content, finish_reason])).toEqual([
      ['one ', 'stop'],
      ['three', 'stop'],
    ])
    expect(facts.usage).toMatchObject({ output: 14 })
  })

  test('end a stream at once', async () => {
    const lane = await plan(toResponses({ stop: ['END'], stream: true }))
    const tap = lane.openTap()
    const frame = (type: string, fields: object) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
    const item = { id: 'msg_up', type: 'message', role: 'assistant', content: [] }
    const place = { item_id: 'msg_up', output_index: 0, content_index: 0 }
    const part = { type: 'output_text', text: '', annotations: [] }
    const output = tap.push(
      new TextEncoder().encode(
        frame('response.created', { response: { id: 'resp_up', output: [] } }) +
          frame('response.output_item.added', { output_index: 0, item }) +
          frame('response.content_part.added', { ...place, part }) +
          frame('response.output_text.delta', { ...place, delta: 'one EN' }) +
          frame('response.output_text.delta', { ...place, delta: 'D two' }),
      ),
    )
    expect(tap.isComplete).toBe(true)
    const text = new TextDecoder().decode(output ?? new Uint8Array())
    expect(text).toContain('"content":"one "')
    expect(text).not.toContain('two')
    expect(text).toEndWith('data: [DONE]\n\n')
  })
})

describe('images by URL', () => {
  const body = {
    ...CHAT,
    messages: [
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://pages.test/a.png' } }] },
    ],
  }

  test('are fetched for suppliers that want bytes, and only for those', async () => {
    const asked: string[] = []
    const fetchImage = async (url: string) => {
      asked.push(url)
      return IMAGE
    }
    const wanted: Wanted = { from: 'chat-completion', to: 'messages', body, parts: { fetchImage } }
    expect((await plan({ ...wanted, traits: { urlImages: true } })).body).toContain(
      'https://pages.test/a.png',
    )
    expect(asked).toEqual([])
    expect((await plan({ ...wanted, traits: { urlImages: false } })).body).toContain(IMAGE.data)
    expect(asked).toEqual(['https://pages.test/a.png'])
  })

  test('that cannot be fetched are a client error', async () => {
    const fetchImage = () => Promise.reject(new GatewayError('invalid_request', 'not public'))
    const wanted = { from: 'chat-completion', to: 'messages', body, traits: { urlImages: false } } as const
    await expect(plan({ ...wanted, parts: { fetchImage } })).rejects.toThrow('not public')
  })
})

describe('a parameter the supplier does not support', () => {
  test('is reported as dropped', async () => {
    expect((await plan(toResponses({ seed: 7 }))).dropped).toContain('seed')
  })

  test('is refused when the client is strict', async () => {
    const strict = plan(toResponses({ seed: 7 }, { parts: { isStrict: true } }))
    await expect(strict).rejects.toMatchObject({ code: 'unsupported_parameter', param: 'seed' })
    expect((await plan(toResponses({}, { parts: { isStrict: true } }))).dropped).toEqual([])
  })
})

describe('a whole reply to a request for a stream', () => {
  const streamed = { model: 'm', input: 'Hi', stream: true }

  test('is sent as the stream, and is exactly the reply that is stored', async () => {
    const lane = await plan({ from: 'responses', to: 'responses', body: streamed })
    const { body, reply } = replyOf(lane, said('Hello'))
    expect(body).toStartWith('event: response.created')
    expect(reply).toMatchObject({ object: 'response', status: 'completed', output_text: 'Hello' })
    expect(body).toContain(JSON.stringify(reply))
  })

  test('is so without translation too', () => {
    const parts = partsFor({ from: 'responses', to: 'responses', body: streamed })
    const { body, reply, facts } = unfoldReply(said('Hello'), parts) ?? {}
    expect(body).toContain(JSON.stringify(reply))
    expect(reply).toMatchObject({ id: expect.stringMatching(/^resp_/), output_text: 'Hello' })
    expect(facts).toMatchObject({ outputCharacters: 5, usage: { output: 7 } })
    expect(unfoldReply('not JSON', parts)).toBeNull()
  })
})

test('tool calls have the client’s names, and thoughts are remembered for the next turn', async () => {
  const name = `mcp.${'long '.repeat(20)}tool`
  const tools = [{ type: 'function', function: { name, parameters: { type: 'object' } } }]
  const memory = new ThinkingMemory(clock)
  const lane = await plan({
    from: 'chat-completion',
    to: 'messages',
    body: { ...CHAT, tools },
    parts: { memory },
  })
  const [tool] = sentIn(lane).tools as { name: string }[]
  const content = [
    { type: 'thinking', thinking: 'Look.', signature: 'signed' },
    { type: 'tool_use', id: 'toolu_1', name: tool?.name, input: {} },
  ]
  const supplierReply = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content }
  const { reply } = replyOf(
    lane,
    JSON.stringify({
      ...supplierReply,
      stop_reason: 'tool_use',
      usage: { input_tokens: 1, output_tokens: 1 },
    }),
  )
  const [choice] = (reply as { choices: { message: { tool_calls: { function: object }[] } }[] }).choices
  expect(choice?.message.tool_calls[0]?.function).toMatchObject({ name })
  const { tool_calls } = choice?.message ?? {}
  const next = [
    ...CHAT.messages,
    { role: 'assistant', content: null, tool_calls },
    { role: 'tool', tool_call_id: 'toolu_1', content: '1' },
  ]
  const body = { ...CHAT, messages: next, tools }
  const wanted = { from: 'chat-completion', to: 'messages', body, parts: { memory } } as const
  expect((await plan(wanted)).body).toContain('"signature":"signed"')
  const stranger = { memory, accountId: 'acc_2' }
  expect((await plan({ ...wanted, parts: stranger })).body).not.toContain('signed')
})
