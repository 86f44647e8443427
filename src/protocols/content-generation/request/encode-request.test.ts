import { describe, expect, test } from 'bun:test'
import { PLAIN_CONVERSATION } from '../../../../test/support/plain-conversation.ts'
import type { Conversation, Turn } from '../../../conversation/conversation.ts'
import { type Part, type ToolResultPart, textPart } from '../../../conversation/part.ts'
import type { Proof } from '../../../conversation/proof.ts'
import type { Tool } from '../../../conversation/tool.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import { DEFAULT_TRAITS, type ThinkingControl, type Traits } from '../../../vocabulary/runtime/traits.ts'
import { encodeRequest } from './encode-request.ts'

const LEVELS: ThinkingControl = { type: 'level', levels: ['low', 'high'] }
const EXCUSE = 'skip_thought_signature_validator'
const BUDGET: ThinkingControl = { type: 'budget', least: 128, most: 24_576, canDisable: false }

const HI: Turn = { role: 'user', parts: [textPart('hi')] }

const PLAIN: Conversation = { ...PLAIN_CONVERSATION, model: 'm', turns: [HI] }

function encode(conversation: Partial<Conversation>, traits: Partial<Traits> = {}) {
  const context = {
    upstreamModel: 'deep-1',
    route: 'sup_1',
    traits: { ...DEFAULT_TRAITS, thinking: BUDGET, ...traits },
    outputTokenLimit: 8192,
  }
  return encodeRequest({ ...PLAIN, ...conversation }, context)
}

function encodeTurns(turns: readonly Turn[], traits: Partial<Traits> = {}) {
  return encode({ turns }, traits).body.contents
}

function proofOf(on: Proof['on'], overrides: Partial<Proof> = {}): Proof {
  const own = { origin: 'content-generation', model: 'deep-1', route: 'sup_1', itemId: null }
  return { ...own, on, value: `sig-${on}`, ...overrides }
}

function call(id: string, overrides: object = {}): Part {
  const rest = { kind: 'function', namespace: null, proof: null, input: '{"a":1}' } as const
  return { type: 'tool-call', id, name: `do_${id}`, ...rest, ...overrides }
}

function result(callId: string, parts: ToolResultPart['parts'], overrides: object = {}): Part {
  const rest = { name: null, kind: 'function', isError: false, cache: null } as const
  return { type: 'tool-result', callId, parts, ...rest, ...overrides }
}

const F: Tool = {
  type: 'function',
  name: 'f',
  namespace: null,
  description: 'does f',
  schema: { $schema: 'x', type: 'object', properties: { a: { type: 'string', format: 'uri' } } },
  strict: true,
  cache: null,
}
const SEARCH: Tool = {
  type: 'web-search',
  allowedDomains: ['a.example'],
  blockedDomains: null,
  maxUses: null,
  contextSize: null,
  userLocation: null,
  original: null,
}

function codeOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof GatewayError) return error.code
    throw error
  }
  return 'not refused'
}

describe('turns', () => {
  test('separates instructions and keeps later ones in place', () => {
    const { body } = encode({
      instructions: [
        { text: 'one', cache: null },
        { text: 'two', cache: { ttl: '1h' } },
      ],
      turns: [
        HI,
        { role: 'system', parts: [textPart('be brief')] },
        { role: 'user', parts: [textPart('go')] },
      ],
    })
    expect(body).toEqual({
      systemInstruction: { parts: [{ text: 'one' }, { text: 'two' }] },
      contents: [
        {
          role: 'user',
          parts: [
            { text: 'hi' },
            { text: '<system-reminder>\nbe brief\n</system-reminder>' },
            { text: 'go' },
          ],
        },
      ],
    })
  })

  test('turns instructions alone into a user turn', () => {
    const { body } = encode({ turns: [], instructions: [{ text: 'say hi', cache: null }] })
    expect(body).toEqual({ contents: [{ role: 'user', parts: [{ text: 'say hi' }] }] })
  })

  test('starts and ends with a user turn', () => {
    const said: Turn = { role: 'assistant', parts: [textPart('hello')] }
    expect(encodeTurns([said, HI])).toEqual([
      { role: 'user', parts: [{ text: '(continue)' }] },
      { role: 'model', parts: [{ text: 'hello' }] },
      { role: 'user', parts: [{ text: 'hi' }] },
    ])
    expect(encode({ turns: [HI, said] })).toEqual({
      body: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
      dropped: ['prefill'],
    })
    expect(encode({ turns: [HI, said] }, { prefill: true }).dropped).toEqual([])
    expect(encodeTurns([HI, { role: 'assistant', parts: [call('a')] }])).toHaveLength(2)
  })

  test('drops and reports unknown parts, and turns that have only those', () => {
    const document: Part = { type: 'opaque', format: 'messages', kind: 'document', value: {} }
    const { body, dropped } = encode({ turns: [HI, { role: 'assistant', parts: [document] }, HI] })
    expect(dropped).toEqual(['document'])
    expect(body.contents).toEqual([{ role: 'user', parts: [{ text: 'hi' }, { text: 'hi' }] }])
  })
})

describe('calls and results', () => {
  test('puts results first, under the name of their call', () => {
    const contents = encodeTurns([
      HI,
      { role: 'assistant', parts: [call('a'), call('b', { input: '' }), call('c', { input: '{"a":' })] },
      {
        role: 'user',
        parts: [
          result('a', [textPart('sunny')]),
          result('b', [textPart('{"deg":3}')]),
          result('c', [textPart('no')], { isError: true }),
          textPart('and?'),
        ],
      },
    ])
    expect(contents).toEqual([
      { role: 'user', parts: [{ text: 'hi' }] },
      {
        role: 'model',
        parts: [
          { functionCall: { id: 'a', name: 'do_a', args: { a: 1 } }, thoughtSignature: EXCUSE },
          { functionCall: { id: 'b', name: 'do_b', args: {} } },
          { functionCall: { id: 'c', name: 'do_c', args: { _raw: '{"a":' } } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'a', name: 'do_a', response: { output: 'sunny' } } },
          { functionResponse: { id: 'b', name: 'do_b', response: { deg: 3 } } },
          { functionResponse: { id: 'c', name: 'do_c', response: { error: 'no' } } },
          { text: 'and?' },
        ],
      },
    ])
  })

  test('wraps a result that looks like a wrapper', () => {
    for (const text of ['{"output":1}', '{"error":"x"}', '{"name":"n","content":1}']) {
      const turns: Turn[] = [
        HI,
        { role: 'assistant', parts: [call('a')] },
        { role: 'user', parts: [result('a', [textPart(text)])] },
      ]
      expect(JSON.stringify(encodeTurns(turns))).toContain(JSON.stringify({ output: text }))
    }
  })

  test('keeps system text from separating calls and results', () => {
    const contents = encodeTurns([
      HI,
      { role: 'assistant', parts: [call('a')] },
      { role: 'system', parts: [textPart('careful')] },
      { role: 'user', parts: [result('a', [textPart('x')])] },
    ])
    expect(Object.keys((contents as { parts: object[] }[])[2]?.parts[0] ?? {})).toEqual(['functionResponse'])
  })

  test('puts images inside results where the model accepts them, else after them', () => {
    const image: ToolResultPart['parts'][number] = {
      type: 'image',
      source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' },
      detail: null,
      cache: null,
    }
    const turns: Turn[] = [
      HI,
      { role: 'assistant', parts: [call('a')] },
      { role: 'user', parts: [result('a', [image])] },
    ]
    const inlineData = { mimeType: 'image/png', data: 'AAAA' }
    const response = (rest: object) => ({ functionResponse: { id: 'a', name: 'do_a', ...rest } })
    expect((encodeTurns(turns, { toolResultImages: true }) as object[])[2]).toEqual({
      role: 'user',
      parts: [response({ response: { output: '' }, parts: [{ inlineData }] })],
    })
    expect((encodeTurns(turns, { toolResultImages: false }) as object[])[2]).toEqual({
      role: 'user',
      parts: [response({ response: { output: 'The result is the image that follows.' } }), { inlineData }],
    })
  })

  test('refuses calls without results and results without calls', () => {
    const asked: Turn = { role: 'assistant', parts: [call('a'), call('b')] }
    const half: Turn = { role: 'user', parts: [result('a', [])] }
    expect(codeOf(() => encodeTurns([HI, asked, half]))).toBe('invalid_request')
    expect(codeOf(() => encodeTurns([{ role: 'user', parts: [result('x', [])] }]))).toBe('invalid_request')
  })
})

describe('signatures', () => {
  const partsOf = (parts: readonly Part[], traits: Partial<Traits> = {}) => {
    const results = parts.flatMap((part) => (part.type === 'tool-call' ? [result(part.id, [])] : []))
    const turns: Turn[] = [
      HI,
      { role: 'assistant', parts },
      { role: 'user', parts: [...results, textPart('go')] },
    ]
    return (encodeTurns(turns, traits) as { parts: object[] }[])[1]?.parts
  }
  const thought = (text: string, proof: Proof | null): Part => ({
    type: 'thinking',
    text,
    proof,
    isRedacted: false,
  })
  const functionCall = (id: string) => ({ id, name: `do_${id}`, args: { a: 1 } })

  test('are restored on their part', () => {
    const parts = [
      thought('plan', proofOf('thinking')),
      { ...textPart('so'), proof: proofOf('text') },
      call('a', { proof: proofOf('tool-call') }),
    ]
    expect(partsOf(parts)).toEqual([
      { text: 'plan', thought: true, thoughtSignature: 'sig-thinking' },
      { text: 'so', thoughtSignature: 'sig-text' },
      { functionCall: functionCall('a'), thoughtSignature: 'sig-tool-call' },
    ])
  })

  test('of a call that were sent as a thought move to the next call', () => {
    const parts = [thought('', proofOf('tool-call')), call('a'), call('b')]
    expect(partsOf(parts)).toEqual([
      { functionCall: functionCall('a'), thoughtSignature: 'sig-tool-call' },
      { functionCall: functionCall('b') },
    ])
  })

  test('of an empty text are restored on an empty text', () => {
    expect(partsOf([thought('', proofOf('text')), call('a')])?.[0]).toEqual({
      text: '',
      thoughtSignature: 'sig-text',
    })
  })

  test('of other suppliers are dropped together with their thoughts', () => {
    const parts = [
      thought('x', proofOf('thinking', { origin: 'messages' })),
      thought('y', proofOf('thinking', { route: 'sup_2' })),
      thought('z', null),
      { ...textPart('so'), proof: proofOf('text', { origin: 'responses' }) },
      call('a', { proof: proofOf('tool-call', { route: 'sup_2' }) }),
    ]
    expect(partsOf(parts)).toEqual([
      { text: 'so' },
      { functionCall: functionCall('a'), thoughtSignature: EXCUSE },
    ])
  })

  test('get a placeholder only on the first call', () => {
    for (const thinking of [BUDGET, LEVELS]) {
      expect(partsOf([call('a'), call('b')], { thinking })).toEqual([
        { functionCall: functionCall('a'), thoughtSignature: EXCUSE },
        { functionCall: functionCall('b') },
      ])
    }
  })
})

describe('tools', () => {
  test('are declared with the supported keywords', () => {
    const { body } = encode({ tools: [F], toolChoice: { type: 'named', name: 'f', namespace: null } })
    expect(body).toMatchObject({
      tools: [
        {
          functionDeclarations: [
            {
              name: 'f',
              description: 'does f',
              parametersJsonSchema: { type: 'object', properties: { a: { type: 'string' } } },
            },
          ],
        },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
    })
  })

  test('without arguments have no schema', () => {
    for (const schema of [null, {}, { type: 'object', properties: {} }])
      expect(JSON.stringify(encode({ tools: [{ ...F, schema }] }).body)).not.toContain('JsonSchema')
  })

  test('choices', () => {
    const choose = (toolChoice: Conversation['toolChoice']) =>
      encode({ tools: [F], toolChoice }).body.toolConfig
    const names = ['f', 'g']
    expect(choose(null)).toBeUndefined()
    expect(choose({ type: 'auto' })).toEqual({ functionCallingConfig: { mode: 'AUTO' } })
    expect(choose({ type: 'none' })).toEqual({ functionCallingConfig: { mode: 'NONE' } })
    expect(choose({ type: 'required' })).toEqual({ functionCallingConfig: { mode: 'ANY' } })
    expect(choose({ type: 'allowed', names, isRequired: true })).toEqual({
      functionCallingConfig: { mode: 'ANY', allowedFunctionNames: names },
    })
    expect(choose({ type: 'allowed', names, isRequired: false })).toEqual({
      functionCallingConfig: { mode: 'VALIDATED', allowedFunctionNames: names },
    })
    expect(encode({ toolChoice: { type: 'none' } }).body.toolConfig).toBeUndefined()
  })

  test('allows search beside functions only where the model supports both', () => {
    const older = encode({ tools: [F, SEARCH] })
    expect([older.body.tools, older.dropped]).toEqual([
      [{ functionDeclarations: [expect.anything()] }],
      ['web_search'],
    ])
    const newer = encode({ tools: [F, SEARCH] }, { thinking: LEVELS })
    expect(newer.body.tools).toEqual([{ functionDeclarations: [expect.anything()] }, { googleSearch: {} }])
    expect(newer.body.toolConfig).toEqual({
      functionCallingConfig: { mode: 'VALIDATED' },
      includeServerSideToolInvocations: true,
    })
    expect(newer.dropped).toEqual(['web_search.allowed_domains'])
    expect(encode({ tools: [SEARCH] }).body.tools).toEqual([{ googleSearch: {} }])
  })

  test('of other formats are refused, those of this format restored', () => {
    const hosted: Tool = { type: 'hosted', format: 'responses', kind: 'code_interpreter', value: {} }
    const own: Tool = { ...hosted, format: 'content-generation', value: { codeExecution: {} } }
    expect(codeOf(() => encode({ tools: [hosted] }))).toBe('unsupported_parameter')
    expect(encode({ tools: [own] }).body.tools).toEqual([{ codeExecution: {} }])
  })
})

describe('settings', () => {
  const configOf = (conversation: Partial<Conversation>, traits: Partial<Traits> = {}) =>
    encode(conversation, traits).body.generationConfig

  test('encodes every supported setting', () => {
    const sampling = {
      temperature: 0,
      topP: 0.5,
      topK: 3,
      seed: 2 ** 32 + 5,
      presencePenalty: 0,
      frequencyPenalty: -1,
      stop: ['X'],
    }
    expect(configOf({ ...sampling, maxOutputTokens: 50_000, choices: 3, topLogprobs: 2 })).toEqual({
      temperature: 0,
      topP: 0.5,
      topK: 3,
      seed: 5,
      presencePenalty: 0,
      frequencyPenalty: -1,
      maxOutputTokens: 8192,
      stopSequences: ['X'],
      candidateCount: 3,
      responseLogprobs: true,
      logprobs: 2,
    })
  })

  test('refuses more than five stop sequences and unsupported log probabilities', () => {
    const stop = ['1', '2', '3', '4', '5', '6']
    expect(codeOf(() => encode({ stop }))).toBe('unsupported_parameter')
    expect(codeOf(() => encode({ topLogprobs: 0 }, { logprobs: false }))).toBe('unsupported_parameter')
    expect(configOf({ stop }, { stop: false })).toBeUndefined()
  })

  test('drops and reports what the model rejects', () => {
    const sampling = { temperature: 1, topP: 1, topK: -1, presencePenalty: 1 }
    const { body, dropped } = encode(sampling, { sampling: 'rejected', penalties: false })
    expect([body.generationConfig, dropped]).toEqual([
      undefined,
      ['temperature', 'top_p', 'presence_penalty'],
    ])
    expect(encode(sampling, { isTemperatureOrTopP: true }).dropped).toEqual(['top_p'])
  })

  test('drops and reports parameters without a field', () => {
    const { dropped } = encode({
      parallelTools: false,
      verbosity: 'low',
      endUser: 'u',
      cacheKey: 'k',
      metadata: { a: 'b' },
      extras: { 'chat-completion': { logit_bias: {} }, 'content-generation': { labels: {} } },
    })
    const names = ['parallel_tool_calls', 'verbosity', 'user', 'prompt_cache_key', 'metadata', 'logit_bias']
    expect(dropped).toEqual(names)
    expect(encode({ parallelTools: true }).dropped).toEqual([])
  })

  test('restores fields of this format', () => {
    const own = { safetySettings: [{ threshold: 'BLOCK_NONE' }], 'generationConfig.speechConfig': {} }
    const { body } = encode({ maxOutputTokens: 5, extras: { 'content-generation': own } })
    expect(body).toMatchObject({
      safetySettings: own.safetySettings,
      generationConfig: { speechConfig: {}, maxOutputTokens: 5 },
    })
  })

  test('sends a response schema, or asks for it in the prompt where unsupported', () => {
    const schema = { type: 'object', properties: { a: { const: 'x' } }, $schema: 's' }
    const output = { type: 'schema', name: 'n', description: null, schema, strict: true } as const
    const responseJsonSchema = { type: 'object', properties: { a: { enum: ['x'] } } }
    const forced = { responseMimeType: 'application/json', responseJsonSchema }
    expect(configOf({ output })).toEqual(forced)
    expect(configOf({ output, tools: [F] }, { thinking: LEVELS })).toEqual(forced)
    const inWords = encode({ output, tools: [F], instructions: [{ text: 'sys', cache: null }] })
    expect(inWords.body.generationConfig).toBeUndefined()
    expect(JSON.stringify(inWords.body.systemInstruction)).toContain('JSON Schema')
    expect(configOf({ output: { type: 'json' } })).toEqual({ responseMimeType: 'application/json' })
    expect(configOf({ output }, { structured: 'json' })).toEqual({ responseMimeType: 'application/json' })
  })
})

describe('thinking', () => {
  type Control = NonNullable<Conversation['reasoning']>['control']
  const configOf = (control: Control, thinking: ThinkingControl, showThoughts: boolean | null = null) =>
    (
      encode({ reasoning: { control, showThoughts } }, { thinking }).body.generationConfig as
        | { thinkingConfig?: object }
        | undefined
    )?.thinkingConfig

  const flash: ThinkingControl = { type: 'budget', least: 0, most: 24_576, canDisable: true }

  test('uses a budget within the bounds of the model', () => {
    const budget = (control: Control, thinking = BUDGET) => configOf(control, thinking)
    expect(budget({ type: 'effort', effort: 'none' })).toEqual({ thinkingBudget: 128 })
    expect(budget({ type: 'effort', effort: 'none' }, flash)).toEqual({ thinkingBudget: 0 })
    expect(budget({ type: 'effort', effort: 'low' })).toEqual({ thinkingBudget: 1024 })
    expect(budget({ type: 'effort', effort: 'max' })).toEqual({ thinkingBudget: 24_576 })
    expect(budget({ type: 'budget', tokens: 5 })).toEqual({ thinkingBudget: 128 })
    expect(budget({ type: 'budget', tokens: 0 }, flash)).toEqual({ thinkingBudget: 0 })
    expect(budget({ type: 'adaptive' })).toEqual({ thinkingBudget: -1 })
    expect(budget({ type: 'unspecified' })).toBeUndefined()
  })

  test('uses the lowest sufficient level', () => {
    const level = (control: Control) => configOf(control, LEVELS)
    expect(level({ type: 'effort', effort: 'none' })).toEqual({ thinkingLevel: 'LOW' })
    expect(level({ type: 'effort', effort: 'medium' })).toEqual({ thinkingLevel: 'HIGH' })
    expect(level({ type: 'effort', effort: 'max' })).toEqual({ thinkingLevel: 'HIGH' })
    expect(level({ type: 'budget', tokens: 1000 })).toEqual({ thinkingLevel: 'LOW' })
    expect(level({ type: 'budget', tokens: 20_000 })).toEqual({ thinkingLevel: 'HIGH' })
    expect(level({ type: 'adaptive' })).toBeUndefined()
  })

  test('is shown if the client asks for it', () => {
    expect(configOf({ type: 'unspecified' }, LEVELS, true)).toEqual({ includeThoughts: true })
    expect(configOf({ type: 'adaptive' }, BUDGET, false)).toEqual({
      includeThoughts: false,
      thinkingBudget: -1,
    })
  })

  test('is dropped and reported for a model without thinking', () => {
    const reasoning = { control: { type: 'adaptive' }, showThoughts: true } as const
    const { body, dropped } = encode({ reasoning }, { thinking: { type: 'none' } })
    expect([body.generationConfig, dropped]).toEqual([undefined, ['reasoning']])
  })
})
