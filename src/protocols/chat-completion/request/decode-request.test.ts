import { describe, expect, test } from 'bun:test'
import { departures } from '../../../../test/support/normal-form.ts'
import { type Conversation, newConversation, type Turn } from '../../../conversation/conversation.ts'
import { textPart } from '../../../conversation/part.ts'
import { sealProof } from '../../../conversation/proof.ts'
import { decodeRequest } from './decode-request.ts'
import { validateRequest } from './validate.ts'

function decode(fields: object): Conversation {
  const body = { model: 'm', messages: [{ role: 'user', content: 'hi' }], ...fields }
  const conversation = decodeRequest(validateRequest(body))
  expect(departures(conversation)).toEqual([])
  return conversation
}

const decodeMessages = (...messages: unknown[]) => decode({ messages })
const turnsOf = (...messages: unknown[]): readonly Turn[] => decodeMessages(...messages).turns
const shape = (turns: readonly Turn[]) =>
  turns.map(({ role, parts }) => [role, ...parts.map(({ type }) => type)])

const call = (id: string, name = 'f') => ({ id, type: 'function', function: { name, arguments: '{}' } })
const result = (tool_call_id: string, content: unknown = 'r') => ({ role: 'tool', tool_call_id, content })

describe('system and developer messages', () => {
  test('are instructions before the first turn and system turns after it', () => {
    const { instructions, turns } = decodeMessages(
      { role: 'system', content: 'one' },
      {
        role: 'developer',
        content: [
          { type: 'text', text: 'two' },
          { type: 'text', text: '' },
        ],
      },
      { role: 'user', content: 'hi' },
      { role: 'system', content: 'three' },
      { role: 'developer', content: 'four' },
      { role: 'assistant', content: 'ho' },
    )
    expect(instructions.map(({ text }) => text)).toEqual(['one', 'two'])
    expect(turns).toEqual([
      { role: 'user', parts: [textPart('hi')] },
      { role: 'system', parts: [textPart('three'), textPart('four')] },
      { role: 'assistant', parts: [textPart('ho')] },
    ])
  })

  test('move parts other than text to a user turn', () => {
    const image = { type: 'image_url', image_url: { url: 'https://e.example/a.png' } }
    const { instructions, turns } = decodeMessages(
      { role: 'system', content: [{ type: 'text', text: 'look' }, image] },
      { role: 'user', content: 'hi' },
    )
    expect(instructions.map(({ text }) => text)).toEqual(['look'])
    expect(shape(turns)).toEqual([['user', 'image', 'text']])
  })
})

describe('tool results', () => {
  test('come first in the user turn after their calls, in call order, without duplicates', () => {
    const turns = turnsOf(
      { role: 'user', content: 'go' },
      { role: 'assistant', content: null, tool_calls: [call('a'), call('b', 'g')] },
      result('b', 'of b'),
      result('a', 'early'),
      result('a', [{ type: 'text', text: 'of a' }]),
      { role: 'user', content: 'and?' },
    )
    expect(turns[2]?.parts).toEqual([
      {
        type: 'tool-result',
        callId: 'a',
        name: 'f',
        kind: 'function',
        parts: [textPart('of a')],
        isError: false,
        cache: null,
      },
      {
        type: 'tool-result',
        callId: 'b',
        name: 'g',
        kind: 'function',
        parts: [textPart('of b')],
        isError: false,
        cache: null,
      },
      textPart('and?'),
    ])
  })

  test('separate two consecutive assistant messages', () =>
    expect(
      shape(
        turnsOf(
          { role: 'user', content: 'go' },
          { role: 'assistant', tool_calls: [call('a')] },
          result('a'),
          { role: 'assistant', tool_calls: [call('a')] },
          result('a', ''),
          { role: 'assistant', content: 'done' },
        ),
      ),
    ).toEqual([
      ['user', 'text'],
      ['assistant', 'tool-call'],
      ['user', 'tool-result'],
      ['assistant', 'tool-call'],
      ['user', 'tool-result'],
      ['assistant', 'text'],
    ]))

  test('follow their calls even if other messages come between', () =>
    expect(
      shape(
        turnsOf(
          { role: 'user', content: 'go' },
          { role: 'assistant', tool_calls: [call('a'), call('b')] },
          { role: 'system', content: 'note' },
          result('a'),
          { role: 'user', content: 'wait' },
          result('b'),
        ),
      ),
    ).toEqual([
      ['user', 'text'],
      ['assistant', 'tool-call', 'tool-call'],
      ['user', 'tool-result', 'tool-result'],
      ['system', 'text'],
      ['user', 'text'],
    ]))

  test('for an unknown call are kept without a name', () => {
    const [turn] = turnsOf(result('nowhere'), { role: 'user', content: 'hi' })
    expect(turn?.parts[0]).toMatchObject({ type: 'tool-result', callId: 'nowhere', name: null })
  })

  test('of deprecated function calls are matched by name, in order', () => {
    const turns = turnsOf(
      { role: 'user', content: 'go' },
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"a":1}' } },
      { role: 'function', name: 'f', content: 'one' },
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
      { role: 'function', name: 'f', content: null },
    )
    const ids = turns.flatMap(({ parts }) =>
      parts.flatMap((part) => {
        if (part.type === 'tool-call') return [part.id]
        return part.type === 'tool-result' ? [part.callId] : []
      }),
    )
    expect(ids).toEqual(['call_function_1', 'call_function_1', 'call_function_2', 'call_function_2'])
  })
})

describe('content', () => {
  test('of every kind', () => {
    const file = { type: 'file', file: { file_id: 'file-1' } }
    const video = { type: 'video_url', video_url: { url: 'https://e.example/a.mp4' } }
    const [turn] = turnsOf({
      role: 'user',
      name: 'ann',
      content: [
        { type: 'text', text: 'a', cache_control: { type: 'ephemeral', ttl: '1h' } },
        { type: 'text', text: 'b', prompt_cache_breakpoint: { mode: 'explicit', ttl: '30m' } },
        { type: 'image_url', image_url: { url: 'data:image/jpg;base64,/9j/', detail: 'low' } },
        { type: 'image_url', image_url: { url: 'https://e.example/a.png', detail: 'enormous' } },
        file,
        video,
      ],
    })
    expect(turn?.parts).toEqual([
      textPart('a', { ttl: '1h' }),
      textPart('b', { ttl: '5m' }),
      {
        type: 'image',
        source: { type: 'base64', mediaType: 'image/jpeg', data: '/9j/' },
        detail: 'low',
        cache: null,
      },
      {
        type: 'image',
        source: { type: 'url', url: 'https://e.example/a.png', mediaType: null },
        detail: null,
        cache: null,
      },
      { type: 'opaque', format: 'chat-completion', kind: 'file', value: file },
      { type: 'opaque', format: 'chat-completion', kind: 'video_url', value: video },
    ])
  })

  test('takes the cache mark of the message at its last part', () => {
    const [turn] = turnsOf({
      role: 'user',
      cache_control: { type: 'ephemeral' },
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    })
    expect(turn?.parts).toEqual([textPart('a'), textPart('b', { ttl: null })])
  })

  test('that is empty adds no turn', () =>
    expect(
      shape(
        turnsOf(
          { role: 'user', content: 'a' },
          { role: 'assistant', content: '' },
          { role: 'user', content: 'b' },
        ),
      ),
    ).toEqual([['user', 'text', 'text']]))

  test('may have 100,000 parts', () => {
    const content = Array.from({ length: 150_000 }, () => ({ type: 'text', text: 'x' }))
    expect(turnsOf({ role: 'user', content: 'a' }, { role: 'user', content })[0]?.parts.length).toBe(150_001)
  })
})

describe('assistant messages', () => {
  const proof = {
    origin: 'messages',
    model: 'deep-1',
    route: 'sup_1',
    on: 'thinking',
    value: 'sig',
    itemId: null,
  } as const

  test('decode to thinking, text, refusal and calls, in this order', () => {
    const [, turn] = turnsOf(
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'a' },
          { type: 'refusal', refusal: 'b' },
        ],
        refusal: 'c',
        reasoning_content: 'hm',
        tool_calls: [call('x'), { id: 'y', type: 'custom', custom: { name: 'g', input: 'free' } }],
      },
    )
    expect(turn?.parts).toEqual([
      { type: 'thinking', text: 'hm', proof: null, isRedacted: false },
      textPart('a'),
      { type: 'refusal', text: 'b' },
      { type: 'refusal', text: 'c' },
      { type: 'tool-call', id: 'x', name: 'f', kind: 'function', input: '{}', namespace: null, proof: null },
      { type: 'tool-call', id: 'y', name: 'g', kind: 'custom', input: 'free', namespace: null, proof: null },
    ])
  })

  const carriers: readonly (readonly [name: string, fields: object, part: object])[] = [
    ['reasoning', { reasoning: 'hm' }, { text: 'hm', proof: null, isRedacted: false }],
    [
      'reasoning_details',
      {
        reasoning_details: [
          { type: 'reasoning.text', text: 'h' },
          { type: 'reasoning.summary', summary: 'm' },
        ],
      },
      { text: 'hm', proof: null, isRedacted: false },
    ],
    [
      'sealed thinking_blocks',
      {
        reasoning_content: 'hm',
        thinking_blocks: [{ type: 'thinking', thinking: 'hm', signature: sealProof(proof) }],
      },
      { text: 'hm', proof, isRedacted: false },
    ],
    [
      'bare thinking_blocks',
      { thinking_blocks: [{ type: 'thinking', thinking: 'hm', signature: 'sig' }] },
      { text: 'hm', proof: { ...proof, model: '', route: '' }, isRedacted: false },
    ],
    [
      'redacted thinking_blocks',
      { thinking_blocks: [{ type: 'redacted_thinking', data: sealProof(proof) }] },
      { text: '', proof, isRedacted: true },
    ],
    [
      'thinking_blocks that never had a signature',
      {
        thinking_blocks: [
          { type: 'thinking', thinking: 'hm', signature: sealProof({ ...proof, origin: 'none' }) },
        ],
      },
      { text: 'hm', proof: null, isRedacted: false },
    ],
  ]
  test.each(carriers)('thinking in %s', (_name, fields, part) => {
    const [, turn] = turnsOf({ role: 'user', content: 'go' }, { role: 'assistant', content: 'x', ...fields })
    expect(turn?.parts[0]).toEqual({ type: 'thinking', ...part } as never)
  })

  test('read a call signature, sealed or bare', () => {
    const signed = (thought_signature: string) => ({
      ...call('a'),
      extra_content: { google: { thought_signature } },
    })
    const onCall = { ...proof, origin: 'content-generation', on: 'tool-call' } as const
    const [, turn] = turnsOf(
      { role: 'user', content: 'go' },
      { role: 'assistant', tool_calls: [signed(sealProof(onCall)), signed('sig')] },
    )
    expect(turn?.parts.map((part) => ('proof' in part ? part.proof : null))).toEqual([
      onCall,
      { ...onCall, model: '', route: '' },
    ])
  })

  test('keep a call of an unknown kind', () => {
    const odd = { type: 'server_search', id: 'x', query: 'y' }
    const [, turn] = turnsOf({ role: 'user', content: 'go' }, { role: 'assistant', tool_calls: [odd] })
    expect(turn?.parts).toEqual([
      { type: 'opaque', format: 'chat-completion', kind: 'tool_calls.server_search', value: odd },
    ])
  })
})

describe('tools', () => {
  test('of every kind', () => {
    const hosted = { type: 'code_interpreter', container: 'auto' }
    const options = {
      search_context_size: 'low',
      user_location: { type: 'approximate', approximate: { city: 'Oslo' } },
    }
    const { tools } = decode({
      tools: [
        {
          type: 'function',
          function: { name: 'f', description: 'd', parameters: { type: 'object' }, strict: true },
        },
        {
          type: 'custom',
          custom: { name: 'g', format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'x' } } },
        },
        hosted,
      ],
      web_search_options: options,
    })
    expect(tools).toEqual([
      {
        type: 'function',
        name: 'f',
        namespace: null,
        description: 'd',
        schema: { type: 'object' },
        strict: true,
        cache: null,
      },
      {
        type: 'custom',
        name: 'g',
        namespace: null,
        description: null,
        grammar: { syntax: 'lark', definition: 'x' },
        cache: null,
      },
      { type: 'hosted', format: 'chat-completion', kind: 'code_interpreter', value: hosted },
      {
        type: 'web-search',
        allowedDomains: null,
        blockedDomains: null,
        maxUses: null,
        contextSize: 'low',
        userLocation: { city: 'Oslo' },
        original: { format: 'chat-completion', value: options },
      },
    ])
  })

  test('in the deprecated form allow one call at a time', () => {
    const { tools, toolChoice, parallelTools } = decode({
      functions: [{ name: 'f' }],
      function_call: { name: 'f' },
    })
    expect(tools).toEqual([
      {
        type: 'function',
        name: 'f',
        namespace: null,
        description: null,
        schema: null,
        strict: null,
        cache: null,
      },
    ])
    expect(toolChoice).toEqual({ type: 'named', name: 'f', namespace: null })
    expect(parallelTools).toBe(false)
  })

  const choices: readonly (readonly [sent: unknown, decoded: unknown])[] = [
    ['auto', { type: 'auto' }],
    ['none', { type: 'none' }],
    ['required', { type: 'required' }],
    [
      { type: 'function', function: { name: 'f' } },
      { type: 'named', name: 'f', namespace: null },
    ],
    [
      { type: 'custom', custom: { name: 'g' } },
      { type: 'named', name: 'g', namespace: null },
    ],
    [
      {
        type: 'allowed_tools',
        allowed_tools: {
          mode: 'required',
          tools: [
            { type: 'function', function: { name: 'f' } },
            { type: 'custom', custom: { name: 'g' } },
            {},
          ],
        },
      },
      { type: 'allowed', names: ['f', 'g'], isRequired: true },
    ],
  ]
  test.each(choices)('tool_choice %p', (tool_choice, decoded) =>
    expect(decode({ tool_choice }).toolChoice).toEqual(decoded as never),
  )
})

describe('parameters', () => {
  test('are null when absent', () => {
    const { turns, ...rest } = decode({ temperature: null, n: null, stop: null, metadata: null })
    expect({ ...rest, turns }).toEqual(newConversation({ model: 'm', turns }))
  })

  const sent: readonly (readonly [fields: object, decoded: Partial<Conversation>])[] = [
    [
      { stream: true, stream_options: { include_usage: true } },
      { stream: true, extras: {} },
    ],
    [{ max_tokens: 5, max_completion_tokens: 7 }, { maxOutputTokens: 7 }],
    [{ max_tokens: 5 }, { maxOutputTokens: 5 }],
    [{ n: 3 }, { choices: 3 }],
    [
      { reasoning_effort: 'low' },
      { reasoning: { control: { type: 'effort', effort: 'low' }, showThoughts: true } },
    ],
    [
      { reasoning_effort: 'none' },
      { reasoning: { control: { type: 'effort', effort: 'none' }, showThoughts: false } },
    ],
    [{ response_format: { type: 'json_object' } }, { output: { type: 'json' } }],
    [
      { response_format: { type: 'json_schema', json_schema: { name: 'n' } } },
      { output: { type: 'schema', name: 'n', description: null, schema: {}, strict: null } },
    ],
    [{ logprobs: true }, { topLogprobs: 0 }],
    [{ logprobs: true, top_logprobs: 4 }, { topLogprobs: 4 }],
    [{ logprobs: false }, { topLogprobs: null }],
    [{ user: 'u' }, { endUser: 'u' }],
    [{ user: 'u', safety_identifier: 's' }, { endUser: 's' }],
    [{ prompt_cache_key: 'k' }, { cacheKey: 'k' }],
    [{ verbosity: 'low' }, { verbosity: 'low' }],
    [{ metadata: { a: 'b', c: 4 } }, { metadata: { a: 'b' } }],
    [
      { logit_bias: { 5: 1 }, service_tier: 'flex', store: false, future: { x: 1 }, modalities: ['text'] },
      {
        extras: {
          'chat-completion': { logit_bias: { 5: 1 }, service_tier: 'flex', store: false, future: { x: 1 } },
        },
      },
    ],
  ]
  test.each(sent)('%p', (fields, decoded) => expect(decode(fields)).toMatchObject(decoded))

  test('keep explicit zeros', () =>
    expect(
      decode({ temperature: 0, top_p: 0, top_k: 0, seed: 0, presence_penalty: 0, stop: 'x' }),
    ).toMatchObject({
      temperature: 0,
      topP: 0,
      topK: 0,
      seed: 0,
      presencePenalty: 0,
      frequencyPenalty: null,
      stop: ['x'],
    }))
})
