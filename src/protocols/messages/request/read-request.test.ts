import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { departures } from '../../../../test/support/normal-form.ts'
import type { Conversation } from '../../../conversation/conversation.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { ClientRequest } from '../../protocol.ts'
import { MESSAGES_TRAITS } from '../traits.ts'
import { encodeRequest } from './encode-request.ts'
import { readRequest, tokenCounting } from './read-request.ts'

const CASES = join(import.meta.dirname, '..', 'cases')
const REQUESTS = readdirSync(CASES).filter((name) => name.endsWith('.request.json'))
const SUPPLY = { upstreamModel: 'u', route: 'r', traits: MESSAGES_TRAITS, outputTokenLimit: null }

const textOf = (name: string) => readFileSync(join(CASES, name), 'utf8')
const read = (text: string): ClientRequest => readRequest(JSON.parse(text), text)
const decode = (body: object): Conversation => {
  const client = read(
    JSON.stringify({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }], ...body }),
  ).client
  if (client === undefined) throw new Error('nothing to decode with')
  return client.decode()
}

describe('recorded requests', () => {
  for (const name of REQUESTS) {
    test(`${name} is read, decoded in normal form, and encoded again`, () => {
      const request = read(textOf(name))
      const conversation = request.client?.decode()
      expect(conversation && departures(conversation)).toEqual([])
      expect(JSON.parse(request.relayBody('u').join(''))).toEqual({ ...JSON.parse(textOf(name)), model: 'u' })
      if (conversation) expect(() => encodeRequest(conversation, SUPPLY)).not.toThrow()
    })
  }

  const decodeCase = (name: string) => read(textOf(`${name}.request.json`)).client?.decode()

  test('an agent with instructions between its turns', () => {
    const conversation = decodeCase('agent-inline-system')
    expect(conversation?.turns.map(({ role }) => role)).toEqual(['user', 'system'])
    expect(conversation?.instructions).toHaveLength(3)
    expect(conversation?.instructions[1]?.cache).toEqual({ ttl: null })
    expect(conversation?.reasoning).toEqual({
      control: { type: 'effort', effort: 'high' },
      showThoughts: true,
    })
    expect(conversation?.extras.messages).toHaveProperty('context_management')
    expect(conversation?.cacheKey?.length).toBe(43)
  })

  test('an agent in a tool loop', () => {
    const conversation = decodeCase('agent-tool-loop')
    expect(conversation?.turns.at(-1)?.parts).toMatchObject([
      {
        type: 'tool-result',
        name: 'Bash',
        isError: false,
        cache: { ttl: null },
        parts: [{ text: 'tool-ran-42' }],
      },
    ])
    expect(conversation?.reasoning?.control).toEqual({ type: 'budget', tokens: 31_999 })
  })

  test('a schema for the answer', () => {
    const conversation = decodeCase('agent-title-schema')
    expect(conversation?.output).toMatchObject({ type: 'schema', name: 'response', strict: null })
    expect(conversation?.reasoning?.control).toEqual({ type: 'effort', effort: 'none' })
    expect(conversation?.tools).toEqual([])
  })
})

describe('facts', () => {
  test('counts all prompt text, and every image as one', () => {
    const body = {
      model: 'm',
      max_tokens: 7,
      stream: true,
      system: [{ type: 'text', text: 'abc' }],
      messages: [
        { role: 'user', content: 'de' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'f', signature: 'long' },
            { type: 'tool_use', id: 'x', name: 'gh', input: { i: 1 } },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'x',
              content: [
                { type: 'text', text: 'jkl' },
                { type: 'image', source: { type: 'url', url: 'https://a.example' } },
              ],
            },
            { type: 'document', title: 'mn', source: { type: 'base64', data: 'AAAA' } },
          ],
        },
      ],
      tools: [{ name: 'gh', input_schema: {} }],
    }
    const tools = JSON.stringify(body.tools).length
    // The input {"i":1} counts by its length as JSON.
    expect(read(JSON.stringify(body)).facts).toEqual({
      model: 'm',
      stream: true,
      promptCharacters: 3 + 2 + 1 + 2 + 8 + 3 + 2 + tools,
      mediaParts: 2,
      maxOutputTokens: 7,
      choices: 1,
    })
  })

  test('spec 4.4: a count takes system, tools and messages into account', () => {
    const text = textOf('sdk-count.count.json')
    const request = tokenCounting.read(JSON.parse(text), text, { rest: '', query: new URLSearchParams() })
    const compact = JSON.stringify(JSON.parse(text).tools).length
    expect(request.facts.promptCharacters).toBeGreaterThan(compact)
    expect(JSON.parse(request.relayBody('u').join(''))).toEqual({ ...JSON.parse(text), model: 'u' })
    expect(request.encode(12)).toEqual({ input_tokens: 12 })
    expect(tokenCounting.asksSupplier).toBe(true)
    expect(
      [{ input_tokens: 4 }, { input_tokens: -1 }, { input_tokens: '4' }, null].map(tokenCounting.decode),
    ).toEqual([4, null, null, null])
  })
})

describe('decoding', () => {
  test('sorts and names results, merges adjacent turns, and reads leading system messages as instructions', () => {
    const conversation = decode({
      system: 'one',
      messages: [
        { role: 'system', content: 'two' },
        { role: 'user', content: '' },
        { role: 'user', content: 'a' },
        {
          role: 'user',
          content: [{ type: 'text', text: 'b', cache_control: { type: 'ephemeral', ttl: '1h' } }],
        },
        {
          role: 'assistant',
          content: [
            { type: 'tool_use', id: 'x', name: 'f', input: { a: 1 } },
            { type: 'tool_use', id: 'y', name: 'g' },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'c' },
            { type: 'tool_result', tool_use_id: 'y', is_error: true },
            { type: 'tool_result', tool_use_id: 'x', content: 'old' },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'x', content: 'new' },
            { type: 'tool_result', tool_use_id: 'z' },
          ],
        },
      ],
    })
    expect(departures(conversation)).toEqual([])
    expect(conversation.instructions.map(({ text }) => text)).toEqual(['one', 'two'])
    expect(conversation.turns).toMatchObject([
      {
        role: 'user',
        parts: [
          { text: 'a', cache: null },
          { text: 'b', cache: { ttl: '1h' } },
        ],
      },
      {
        role: 'assistant',
        parts: [
          { id: 'x', input: '{"a":1}' },
          { id: 'y', input: '{}' },
        ],
      },
      {
        role: 'user',
        parts: [
          { callId: 'x', name: 'f', parts: [{ text: 'new' }] },
          { callId: 'y', name: 'g', isError: true, parts: [] },
          { callId: 'z', name: null },
          { text: 'c' },
        ],
      },
    ])
  })

  test('keeps unknown blocks and blocks in the wrong role as they are', () => {
    const odd = [
      { type: 'document', source: { type: 'url', url: 'https://x.example/a.pdf' } },
      { type: 'tool_use', id: 'x', name: 'f', input: {} },
      { type: 'image', source: { type: 'file', file_id: 'f' } },
    ]
    const [turn] = decode({ messages: [{ role: 'user', content: odd }] }).turns
    expect(turn?.parts).toEqual(
      odd.map((value) => ({ type: 'opaque', format: 'messages', kind: value.type, value })),
    )
  })

  test('normalizes images', () => {
    const image = (source: object) => ({ type: 'image', source })
    const content = [
      image({ type: 'base64', media_type: 'image/JPG', data: 'AA\nAA' }),
      image({ type: 'url', url: 'data:image/PNG;base64,AAAA' }),
      image({ type: 'url', url: 'https://a.example/x' }),
    ]
    const [turn] = decode({ messages: [{ role: 'user', content }] }).turns
    expect(turn?.parts).toMatchObject([
      { source: { type: 'base64', mediaType: 'image/jpeg', data: 'AAAA' } },
      { source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' } },
      { source: { type: 'url', url: 'https://a.example/x' } },
    ])
  })

  const thinking: readonly (readonly [object, unknown])[] = [
    [
      { thinking: { type: 'enabled', budget_tokens: 500 } },
      { control: { type: 'budget', tokens: 500 }, showThoughts: true },
    ],
    [
      { thinking: { type: 'enabled', budget_tokens: 500, display: 'omitted' } },
      { control: { type: 'budget', tokens: 500 }, showThoughts: false },
    ],
    [{ thinking: { type: 'adaptive' } }, { control: { type: 'adaptive' }, showThoughts: true }],
    [
      { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
      { control: { type: 'effort', effort: 'low' }, showThoughts: true },
    ],
    [
      { thinking: { type: 'disabled' }, output_config: { effort: 'low' } },
      { control: { type: 'effort', effort: 'none' }, showThoughts: null },
    ],
    [
      { output_config: { effort: 'max' } },
      { control: { type: 'effort', effort: 'max' }, showThoughts: null },
    ],
    [{ output_config: { effort: 'odd' } }, null],
    [{}, null],
  ]
  for (const [body, reasoning] of thinking) {
    test(`thinking ${JSON.stringify(body)}`, () =>
      expect(decode(body).reasoning).toEqual(reasoning as Conversation['reasoning']))
  }

  test('decodes web search, and keeps other hosted tools opaque', () => {
    const search = {
      type: 'web_search_20260101',
      name: 'web_search',
      max_uses: 2,
      allowed_domains: ['a.example'],
    }
    const other = { type: 'code_execution_20250825', name: 'code_execution' }
    expect(decode({ tools: [search, other] }).tools).toMatchObject([
      {
        type: 'web-search',
        maxUses: 2,
        allowedDomains: ['a.example'],
        original: { format: 'messages', value: search },
      },
      { type: 'hosted', format: 'messages', kind: 'code_execution_20250825', value: other },
    ])
  })

  test('decodes max_tokens 0 as 1', () => {
    expect(decode({ max_tokens: 0 }).maxOutputTokens).toBe(1)
    expect(decode({ max_tokens: 0 }).extras).toEqual({ messages: { max_tokens: 0 } })
  })
})

describe('hostile bodies', () => {
  const start = '{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x"}]'

  test('refuses a repeated member name', () => {
    expect(() => read(`${start},"model":"n"}`)).toThrow('more than once')
  })

  test('refuses deep nesting', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const text = `{"model":"m","max_tokens":1,"x":${deep},"messages":[{"role":"user","content":"a"}]}`
    expect(() => read(text)).toThrow(GatewayError)
  })

  test('reads, decodes and encodes mutated bytes, or throws a GatewayError', () => {
    const texts = REQUESTS.map((name) => JSON.stringify(JSON.parse(textOf(name))))
    const mutation = fc.tuple(fc.nat(100_000), fc.integer({ min: 1, max: 126 }))
    let encoded = 0
    fc.assert(
      fc.property(
        fc.constantFrom(...texts),
        fc.array(mutation, { minLength: 1, maxLength: 4 }),
        (text, mutations) => {
          const bytes = new TextEncoder().encode(text)
          for (const [at, byte] of mutations) bytes[at % bytes.length] = byte
          const changed = new TextDecoder().decode(bytes)
          try {
            JSON.parse(changed)
          } catch {
            return
          }
          try {
            const conversation = read(changed).client?.decode()
            expect(conversation && departures(conversation)).toEqual([])
            if (conversation) encodeRequest(conversation, SUPPLY)
            encoded++
          } catch (error) {
            expect(error).toBeInstanceOf(GatewayError)
          }
        },
      ),
      { numRuns: 2000, seed: 51 },
    )
    expect(encoded).toBeGreaterThan(100)
  })
})
