import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { arbitraryConversation } from '../../../../test/support/arbitrary-conversation.ts'
import { departures } from '../../../../test/support/normal-form.ts'
import { PLAIN_CONVERSATION } from '../../../../test/support/plain-conversation.ts'
import type { Conversation, Turn } from '../../../conversation/conversation.ts'
import type { ReasoningRequest } from '../../../conversation/effort.ts'
import { DEFAULT_PARAMETERS } from '../../../conversation/parameters.ts'
import { type Part, type ToolCallPart, type ToolResultPart, textPart } from '../../../conversation/part.ts'
import type { Proof } from '../../../conversation/proof.ts'
import type { FunctionTool, Tool } from '../../../conversation/tool.ts'
import type { Traits } from '../../../vocabulary/runtime/traits.ts'
import { asArray, asObject, type JsonObject } from '../../../wire/json-values.ts'
import type { SupplyContext } from '../../translation.ts'
import { MESSAGES_TRAITS } from '../traits.ts'
import { encodeRequest } from './encode-request.ts'
import { readRequest } from './read-request.ts'
import { toSchemaDialect } from './schema-dialect.ts'

const BASE = PLAIN_CONVERSATION
const BUDGETED: Traits['thinking'] = { type: 'budget', least: 1024, most: 63_999, canDisable: true }
const OPEN: Traits = {
  ...MESSAGES_TRAITS,
  thinking: { type: 'adaptive', efforts: ['low', 'medium', 'high', 'max'], canDisable: true },
  sampling: 'ok',
  isTemperatureOrTopP: false,
  inlineSystem: true,
  prefill: true,
}

function contextOf(traits: Partial<Traits> = {}, outputTokenLimit: number | null = null): SupplyContext {
  return { upstreamModel: 'deep-1', route: 'sup_1', traits: { ...OPEN, ...traits }, outputTokenLimit }
}

function encode(
  fields: Partial<Conversation>,
  context = contextOf(),
): { body: JsonObject; dropped: readonly string[] } {
  return encodeRequest({ ...BASE, ...fields }, context)
}

const user = (...parts: Part[]): Turn => ({ role: 'user', parts })
const assistant = (...parts: Part[]): Turn => ({ role: 'assistant', parts })
const call = (id: string, input = '{}'): ToolCallPart => ({
  type: 'tool-call',
  id,
  name: 'f',
  kind: 'function',
  input,
  namespace: null,
  proof: null,
})
const result = (callId: string, ...parts: ToolResultPart['parts']): ToolResultPart => ({
  type: 'tool-result',
  callId,
  name: 'f',
  kind: 'function',
  parts,
  isError: false,
  cache: null,
})
const proofOf = (fields: Partial<Proof> = {}): Proof => ({
  origin: 'messages',
  model: 'deep-1',
  route: 'sup_1',
  on: 'thinking',
  value: 'SIG',
  itemId: null,
  ...fields,
})
const thought = (proof: Proof | null): Part => ({ type: 'thinking', text: 'hm', proof, isRedacted: false })
const tool: FunctionTool = {
  type: 'function',
  name: 'f',
  namespace: null,
  description: null,
  schema: null,
  strict: null,
  cache: null,
}

describe('round trip', () => {
  const conversations = arbitraryConversation({
    // A supplier's own signature does not carry its origin.
    proofs: { origin: 'messages', model: '', route: '' },
    without: [
      // The gateway replaces these before it encodes a request.
      'custom-tools',
      'namespaces',
      // This format has no field for these.
      'unsigned-thinking',
      'call-proofs',
      'text-proofs',
      'citations',
      'refusals',
      'image-details',
      'many-choices',
      'logprobs',
      // The encoder reorders and merges these; separate tests below cover that.
      'mixed-order',
      'assistant-first',
      'cache-hints',
    ],
  })

  test('restores everything the format supports', () => {
    fc.assert(
      fc.property(conversations, (generated) => {
        // These depend on the model, not on the format.
        const conversation = { ...generated, reasoning: null, temperature: null, topP: null, topK: null }
        const { body } = encodeRequest(conversation, contextOf({ sampling: 'ok' }))
        const text = JSON.stringify(body)
        const decoded = readRequest(JSON.parse(text), text).client?.decode()
        expect(decoded && departures(decoded)).toEqual([])
        expect(decoded).toEqual(expected(conversation))
      }),
      { numRuns: 120, seed: 41 },
    )
  })

  function expected(conversation: Conversation): Conversation {
    const { output, tools, endUser, maxOutputTokens, toolChoice, parallelTools } = conversation
    const allowed = toolChoice?.type === 'allowed' ? toolChoice.names : null
    const isAlone = tools.length === 0
    const mode =
      toolChoice?.type === 'allowed' ? { type: toolChoice.isRequired ? 'required' : 'auto' } : toolChoice
    const isSequential = parallelTools === false && toolChoice?.type !== 'none' && !isAlone
    return {
      ...conversation,
      ...DEFAULT_PARAMETERS,
      stop: conversation.stop,
      endUser,
      cacheKey: endUser,
      model: 'deep-1',
      instructions:
        output.type === 'json'
          ? [
              ...conversation.instructions,
              { text: 'Answer with one JSON object only, without any text around it.', cache: null },
            ]
          : conversation.instructions,
      tools: tools
        .filter((each) => allowed === null || ('name' in each && allowed.includes(each.name)))
        .map(expectedTool),
      toolChoice: isSequential
        ? ((mode as Conversation['toolChoice']) ?? { type: 'auto' })
        : (mode as Conversation['toolChoice']),
      parallelTools: isSequential ? false : null,
      maxOutputTokens: maxOutputTokens ?? 32_000,
      output:
        output.type === 'schema'
          ? {
              ...output,
              schema: toSchemaDialect(output.schema),
              name: 'response',
              description: null,
              strict: null,
            }
          : { type: 'text' },
    }
  }

  function expectedTool(each: Tool): Tool {
    if (each.type === 'web-search') {
      const userLocation = each.userLocation && { type: 'approximate', ...each.userLocation }
      const value = {
        type: 'web_search_20250305',
        name: 'web_search',
        ...(userLocation && { user_location: userLocation }),
      }
      return { ...each, contextSize: null, userLocation, original: { format: 'messages', value } }
    }
    if (each.type !== 'function') return each
    const isStrict = each.strict === true
    const schema = isStrict && each.schema !== null ? toSchemaDialect(each.schema) : each.schema
    return { ...each, schema, strict: isStrict ? true : null }
  }
})

describe('turns', () => {
  test('keeps later instructions in place: inline, or as a reminder in a user turn', () => {
    const turns: Turn[] = [
      user(textPart('a')),
      { role: 'system', parts: [textPart('be kind')] },
      assistant(textPart('b')),
      user(textPart('c')),
    ]
    expect(encode({ turns }).body.messages).toMatchObject([
      { role: 'user' },
      { role: 'system', content: [{ text: 'be kind' }] },
      { role: 'assistant' },
      { role: 'user' },
    ])
    expect(encode({ turns }, contextOf({ inlineSystem: false })).body.messages).toMatchObject([
      { role: 'user', content: [{ text: 'a' }, { text: '<system-reminder>\nbe kind\n</system-reminder>' }] },
      { role: 'assistant' },
      { role: 'user' },
    ])
  })

  test('keeps instructions from separating calls and results', () => {
    const turns: Turn[] = [
      user(textPart('a')),
      assistant(call('c1')),
      { role: 'system', parts: [textPart('s')] },
      user(result('c1', textPart('r'))),
    ]
    expect(encode({ turns, tools: [tool] }).body.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant' },
      {
        role: 'user',
        content: [{ type: 'tool_result' }, { text: '<system-reminder>\ns\n</system-reminder>' }],
      },
    ])
  })

  test('turns instructions alone into a user turn', () => {
    const { body } = encode({ turns: [], instructions: [{ text: 'do it', cache: null }] })
    expect(body.system).toBeUndefined()
    expect(body.messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'do it' }] }])
    expect(() => encode({ turns: [] })).toThrow('no content')
  })

  test('starts with a user turn', () => {
    expect(
      encode({ turns: [assistant(textPart('hello')), user(textPart('hi'))] }).body.messages,
    ).toMatchObject([
      { role: 'user', content: [{ text: '(continue)' }] },
      { role: 'assistant' },
      { role: 'user' },
    ])
  })

  test('trims a prefill, or drops it for models without prefill', () => {
    const turns = [user(textPart('a')), assistant(textPart('So: \n'))]
    expect(encode({ turns }).body.messages).toMatchObject([
      {},
      { role: 'assistant', content: [{ text: 'So:' }] },
    ])
    const { body, dropped } = encode({ turns }, contextOf({ prefill: false }))
    expect(body.messages).toHaveLength(1)
    expect(dropped).toEqual(['prefill'])
    const open = {
      type: 'opaque',
      format: 'messages',
      kind: 'server_tool_use',
      value: { type: 'server_tool_use' },
    } as const
    const paused = [user(textPart('a')), assistant(textPart('b'), open)]
    expect(encode({ turns: paused }, contextOf({ prefill: false })).body.messages).toHaveLength(2)
  })

  test('skips blank texts and empty turns', () => {
    const turns = [user(textPart('a')), assistant(textPart(' \n')), user(textPart('b'))]
    expect(encode({ turns }).body.messages).toMatchObject([
      { role: 'user', content: [{ text: 'a' }, { text: 'b' }] },
    ])
  })

  test('puts results first, once each, in the order of the calls', () => {
    const turns = [
      user(textPart('a')),
      assistant(call('c1'), call('c2')),
      user(textPart('and'), result('c2', textPart('old')), result('c1'), {
        ...result('c2', textPart('new')),
        isError: true,
      }),
    ]
    expect(asArray(encode({ turns, tools: [tool] }).body.messages)[2]).toEqual({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'c1' },
        { type: 'tool_result', tool_use_id: 'c2', content: [{ type: 'text', text: 'new' }], is_error: true },
        { type: 'text', text: 'and' },
      ],
    })
  })

  test('refuses results without calls and calls without results', () => {
    const orphan = [user(textPart('a')), assistant(textPart('b')), user(result('c9', textPart('r')))]
    expect(() => encode({ turns: orphan })).toThrow('matches no tool call')
    const open = [user(textPart('a')), assistant(call('c1')), user(textPart('b'))]
    expect(() => encode({ turns: open })).toThrow('"c1" has no result')
  })

  test('keeps input that is not an object as _raw', () => {
    const turns = [
      user(textPart('a')),
      assistant(call('c1', '[1]'), call('c2', '')),
      user(result('c1'), result('c2')),
    ]
    expect(asArray(encode({ turns }).body.messages)[1]).toMatchObject({
      content: [{ input: { _raw: '[1]' } }, { input: {} }],
    })
  })

  test("sends back only the supplier's own signed thoughts, first in the turn", () => {
    const foreign = [
      proofOf({ origin: 'responses' }),
      proofOf({ route: 'sup_2' }),
      proofOf({ on: 'tool-call' }),
      proofOf({ value: '' }),
      null,
    ]
    for (const proof of foreign) {
      const { body } = encode({
        turns: [user(textPart('a')), assistant(thought(proof), textPart('b')), user(textPart('c'))],
      })
      expect(JSON.stringify(body)).not.toContain('"thinking"')
    }
    for (const proof of [proofOf(), proofOf({ route: '' })]) {
      const turns = [user(textPart('a')), assistant(textPart('b'), thought(proof)), user(textPart('c'))]
      expect(asArray(encode({ turns }).body.messages)[1]).toEqual({
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 'SIG' },
          { type: 'text', text: 'b' },
        ],
      })
    }
  })

  test('checks image types and vision, and moves images out of results where needed', () => {
    const image = (mediaType: string) =>
      ({
        type: 'image',
        source: { type: 'base64', mediaType, data: 'AAAA' },
        detail: 'low',
        cache: null,
      }) as const
    expect(encode({ turns: [user(image('image/png'))] }).dropped).toEqual(['detail'])
    expect(() => encode({ turns: [user(image('image/tiff'))] })).toThrow('must be of type')
    expect(() => encode({ turns: [user(image('image/png'))] }, contextOf({ vision: false }))).toThrow(
      'does not accept images',
    )
    const turns = [user(textPart('a')), assistant(call('c1')), user(result('c1', image('image/png')))]
    expect(asArray(encode({ turns }, contextOf({ toolResultImages: false })).body.messages)[2]).toMatchObject(
      {
        content: [{ type: 'tool_result', content: [{ type: 'text' }] }, { type: 'image' }],
      },
    )
  })

  test('keeps opaque blocks of this format and drops those of others', () => {
    const value = { type: 'document', source: { type: 'text', data: 'x' } }
    const opaque = (format: string): Part => ({ type: 'opaque', format, kind: 'document', value })
    const { body, dropped } = encode({
      turns: [user(textPart('a'), opaque('messages'), opaque('responses'))],
    })
    expect(asObject(asArray(body.messages)[0])?.content).toEqual([{ type: 'text', text: 'a' }, value])
    expect(dropped).toEqual(['document'])
  })
})

describe('tools', () => {
  test('recreates tools from the history and forbids calling them', () => {
    const turns = [user(textPart('a')), assistant(call('c1')), user(result('c1'))]
    expect(encode({ turns }).body).toMatchObject({
      tools: [{ name: 'f', input_schema: { type: 'object' } }],
      tool_choice: { type: 'none' },
    })
  })

  const choices: readonly (readonly [Conversation['toolChoice'], boolean | null, unknown])[] = [
    [null, null, undefined],
    [null, true, undefined],
    [null, false, { type: 'auto', disable_parallel_tool_use: true }],
    [{ type: 'auto' }, null, { type: 'auto' }],
    [{ type: 'none' }, false, { type: 'none' }],
    [{ type: 'required' }, false, { type: 'any', disable_parallel_tool_use: true }],
    [{ type: 'named', name: 'f', namespace: null }, null, { type: 'tool', name: 'f' }],
    [{ type: 'allowed', names: ['f'], isRequired: true }, null, { type: 'any' }],
  ]
  for (const [toolChoice, parallelTools, wire] of choices) {
    test(`choice ${JSON.stringify([toolChoice, parallelTools])}`, () => {
      const tools = [tool, { ...tool, name: 'g' }]
      const { body } = encode({ tools, toolChoice, parallelTools })
      expect(body.tool_choice).toEqual(wire)
      expect(asArray(body.tools)).toHaveLength(toolChoice?.type === 'allowed' ? 1 : 2)
      expect(encode({ toolChoice, parallelTools }).body.tool_choice).toBeUndefined()
    })
  }

  test('refuses a choice of an unknown tool', () => {
    expect(() =>
      encode({ tools: [tool], toolChoice: { type: 'named', name: 'g', namespace: null } }),
    ).toThrow('tool_choice')
    expect(() =>
      encode({ tools: [tool], toolChoice: { type: 'allowed', names: ['g'], isRequired: false } }),
    ).toThrow('tool_choice')
  })

  test("refuses another format's hosted tool and keeps this format's", () => {
    const hosted = (format: string): Tool => ({
      type: 'hosted',
      format,
      kind: 'code',
      value: { type: 'code_execution_1', name: 'code' },
    })
    expect(encode({ tools: [hosted('messages')] }).body.tools).toEqual([
      { type: 'code_execution_1', name: 'code' },
    ])
    expect(() => encode({ tools: [hosted('responses')] })).toThrow('"code"')
  })

  test('merges alternatives at the root into one object', () => {
    const schema = {
      anyOf: [
        { type: 'object', properties: { a: { type: 'string' }, c: {} }, required: ['a', 'c'] },
        { type: 'object', properties: { b: { type: 'string' }, c: {} }, required: ['b', 'c'] },
      ],
    }
    expect(encode({ tools: [{ ...tool, schema }] }).body.tools).toMatchObject([
      { input_schema: { type: 'object', properties: { a: {}, b: {}, c: {} }, required: ['c'] } },
    ])
  })
})

describe('thinking', () => {
  const effort = (name: 'none' | 'minimal' | 'low' | 'high' | 'xhigh' | 'max'): ReasoningRequest => ({
    control: { type: 'effort', effort: name },
    showThoughts: null,
  })
  const budget = (tokens: number): ReasoningRequest => ({
    control: { type: 'budget', tokens },
    showThoughts: true,
  })
  const shown = { display: 'summarized' }
  const said = (reasoning: ReasoningRequest, thinking: Traits['thinking'], maxOutputTokens = 32_000) => {
    const { body } = encode({ reasoning, maxOutputTokens }, contextOf({ thinking }, 64_000))
    const { thinking: member, output_config, max_tokens } = body
    return { thinking: member, output_config, max_tokens }
  }

  const fixed: Traits['thinking'] = { type: 'adaptive', efforts: ['low', 'high'], canDisable: false }
  const adaptive: readonly (readonly [ReasoningRequest, Traits['thinking'], unknown, unknown])[] = [
    [effort('none'), OPEN.thinking, { type: 'disabled' }, undefined],
    [effort('none'), fixed, undefined, undefined],
    [effort('minimal'), fixed, { type: 'adaptive' }, { effort: 'low' }],
    [effort('high'), fixed, { type: 'adaptive' }, { effort: 'high' }],
    [effort('xhigh'), fixed, { type: 'adaptive' }, { effort: 'high' }],
    [effort('max'), OPEN.thinking, { type: 'adaptive' }, { effort: 'max' }],
    [budget(0), OPEN.thinking, { type: 'disabled' }, undefined],
    [budget(500), OPEN.thinking, { type: 'adaptive', ...shown }, { effort: 'low' }],
    [budget(8192), OPEN.thinking, { type: 'adaptive', ...shown }, { effort: 'medium' }],
    [budget(8193), OPEN.thinking, { type: 'adaptive', ...shown }, { effort: 'high' }],
    [budget(30_000), OPEN.thinking, { type: 'adaptive', ...shown }, { effort: 'high' }],
    [
      { control: { type: 'adaptive' }, showThoughts: false },
      fixed,
      { type: 'adaptive', display: 'omitted' },
      undefined,
    ],
    [
      { control: { type: 'unspecified' }, showThoughts: true },
      fixed,
      { type: 'adaptive', ...shown },
      undefined,
    ],
    [{ control: { type: 'unspecified' }, showThoughts: false }, fixed, undefined, undefined],
    [effort('high'), { type: 'none' }, undefined, undefined],
    [effort('xhigh'), { type: 'effort', efforts: ['low', 'high'] }, undefined, { effort: 'high' }],
  ]
  for (const [reasoning, control, thinking, output_config] of adaptive) {
    test(`${JSON.stringify(reasoning.control)} for ${JSON.stringify(control)}`, () =>
      expect(said(reasoning, control)).toEqual({ thinking, output_config, max_tokens: 32_000 }))
  }

  const budgeted: readonly (readonly [ReasoningRequest, number, number | null, number])[] = [
    [effort('none'), 32_000, null, 32_000],
    [effort('minimal'), 32_000, 1024, 32_000],
    [effort('high'), 32_000, 24_576, 32_000],
    [effort('max'), 32_000, 32_000, 64_000],
    [budget(500), 32_000, 1024, 32_000],
    [budget(31_999), 32_000, 31_999, 32_000],
    [budget(8192), 1000, 8192, 9192],
    [budget(60_000), 10_000, 54_000, 64_000],
    [budget(64_000), 64_000, 63_999, 64_000],
    [{ control: { type: 'adaptive' }, showThoughts: null }, 32_000, 8192, 32_000],
  ]
  for (const [reasoning, maxTokens, tokens, raised] of budgeted) {
    test(`${JSON.stringify(reasoning.control)} within ${maxTokens} tokens`, () => {
      const { thinking, max_tokens } = said(reasoning, BUDGETED, maxTokens)
      expect(asObject(thinking)?.budget_tokens ?? null).toBe(tokens)
      expect(max_tokens).toBe(raised)
    })
  }

  test("keeps the budget below max_tokens, and max_tokens within the model's limit", () => {
    const tokens = fc.integer({ min: 1, max: 70_000 })
    fc.assert(
      fc.property(tokens, tokens, fc.option(tokens), (asked, maxOutputTokens, limit) => {
        const context = contextOf({ thinking: BUDGETED }, limit)
        const { body } = encode({ reasoning: budget(asked), maxOutputTokens }, context)
        const spent = asObject(body.thinking)?.budget_tokens
        const max = Number(body.max_tokens)
        if (spent !== undefined) expect(Number(spent)).toBeLessThan(max)
        if (spent !== undefined) expect(Number(spent)).toBeGreaterThanOrEqual(1024)
        expect(max).toBeGreaterThanOrEqual(maxOutputTokens)
        if (limit !== null) expect(max).toBeLessThanOrEqual(Math.max(limit, maxOutputTokens))
      }),
      { numRuns: 500, seed: 43 },
    )
  })

  test('is off for a forced tool, an unsigned tool loop and a prefill', () => {
    const loop = (first: Part[]) => [user(textPart('a')), assistant(...first, call('c1')), user(result('c1'))]
    const traits = { thinking: BUDGETED }
    const said = (fields: Partial<Conversation>) =>
      encode({ reasoning: budget(2048), tools: [tool], ...fields }, contextOf(traits))
    expect(said({}).body.thinking).toBeDefined()
    expect(said({ turns: loop([thought(proofOf())]) }).body.thinking).toBeDefined()
    const off = [
      said({ toolChoice: { type: 'required' } }),
      said({ turns: loop([]) }),
      said({ turns: [user(textPart('a')), assistant(textPart('b'))] }),
    ]
    for (const { body, dropped } of off) {
      expect(body.thinking).toBeUndefined()
      expect(dropped).toEqual(['reasoning'])
    }
    expect(
      encode({ reasoning: effort('high'), tools: [tool], toolChoice: { type: 'required' } }).body,
    ).toMatchObject({
      thinking: { type: 'disabled' },
      output_config: { effort: 'high' },
    })
  })
})

describe('other parameters', () => {
  const sampling = { temperature: 1.5, topP: 0.5, topK: 4 }

  test('caps the temperature and drops what the model rejects', () => {
    expect(encode(sampling)).toMatchObject({
      body: { temperature: 1, top_p: 0.5, top_k: 4 },
      dropped: ['temperature'],
    })
    const either = encode({ ...sampling, temperature: 0 }, contextOf({ isTemperatureOrTopP: true }))
    expect(either.body).toMatchObject({ temperature: 0, top_k: 4 })
    expect(either.dropped).toEqual(['top_p'])
    const refused = encode(sampling, contextOf({ sampling: 'rejected' }))
    expect(refused.dropped).toEqual(['temperature', 'top_p', 'top_k'])
    expect(refused.body).not.toHaveProperty('top_k')
  })

  test('keeps only a high top_p with thinking', () => {
    const reasoning: ReasoningRequest = { control: { type: 'adaptive' }, showThoughts: null }
    expect(encode({ reasoning, ...sampling }).dropped).toEqual(['temperature', 'top_p', 'top_k'])
    const high = encode({ reasoning, temperature: 1, topP: 0.95 })
    expect(high.body.top_p).toBe(0.95)
    expect(high.dropped).toEqual([])
  })

  test('drops blank stop sequences', () => {
    const { body, dropped } = encode({ stop: ['END', ' \n'] })
    expect(body.stop_sequences).toEqual(['END'])
    expect(dropped).toEqual(['stop'])
  })

  test('reports parameters without an equivalent', () => {
    const { dropped } = encode({
      seed: 0,
      presencePenalty: 0,
      frequencyPenalty: 0,
      verbosity: 'low',
      metadata: { a: 'b' },
      extras: { 'chat-completion': { logit_bias: {} } },
    })
    expect(dropped).toEqual(
      ['seed', 'presence_penalty', 'frequency_penalty', 'verbosity', 'metadata', 'logit_bias'].sort(
        (a, b) => dropped.indexOf(a) - dropped.indexOf(b),
      ),
    )
  })

  test('refuses unsupported parameters that change the contract of the answer', () => {
    expect(() => encode({ topLogprobs: 0 })).toThrow('log probabilities')
    expect(() => encode({ choices: 2 })).toThrow('one answer')
    expect(() => encode({ extras: { 'content-generation': { cachedContent: 'x' } } })).toThrow(
      'Cached content',
    )
  })

  test("takes max_tokens from the client, else the model's limit, else a default", () => {
    expect(encode({ maxOutputTokens: 5 }).body.max_tokens).toBe(5)
    expect(encode({}, contextOf({}, 64_000)).body.max_tokens).toBe(64_000)
    expect(encode({}).body.max_tokens).toBe(32_000)
  })

  test('sends the user id, but not an e-mail address', () => {
    expect(encode({ endUser: 'u1' }).body.metadata).toEqual({ user_id: 'u1' })
    expect(JSON.stringify(encode({ endUser: 'a@b.example' }).body)).not.toContain('@')
  })

  test('sends a schema as output format, or asks for it in the prompt', () => {
    const schema = { type: 'object', properties: { a: { type: 'integer', minimum: 1 } } }
    const output = { type: 'schema', name: 'n', description: null, schema, strict: true } as const
    expect(encode({ output }).body.output_config).toEqual({
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          properties: { a: { type: 'integer', description: '(minimum: 1)' } },
          additionalProperties: false,
        },
      },
    })
    const asked = encode({ output }, contextOf({ structured: 'json' }))
    expect(JSON.stringify(asked.body.system)).toContain('minimum')
    expect(asked.dropped).toEqual(['response_format'])
  })
})

describe('cache marks', () => {
  const cache = { ttl: '1h' } as const
  const marked = {
    tools: [{ ...tool, cache }],
    instructions: [
      { text: 'a', cache },
      { text: 'b', cache },
    ],
    turns: [
      user(textPart('c', cache)),
      assistant(call('c1')),
      user({ ...result('c1', textPart('d', cache)), cache }),
    ],
  }
  const marksIn = (body: JsonObject) => JSON.stringify(body).match(/"cache_control"/g)?.length ?? 0

  test('keeps the last four', () => {
    const { body } = encode(marked)
    expect(marksIn(body)).toBe(4)
    expect(body.tools).toEqual([{ name: 'f', input_schema: { type: 'object' } }])
    expect(body.system).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b', cache_control: { type: 'ephemeral', ttl: '1h' } },
    ])
  })

  test('keeps three beside a mark for the body, and none for a model without caching', () => {
    expect(
      marksIn(encode({ ...marked, extras: { messages: { cache_control: { type: 'ephemeral' } } } }).body),
    ).toBe(4)
    expect(marksIn(encode(marked, contextOf({ cacheBreakpoints: false })).body)).toBe(0)
  })
})

test('restores fields of this format in their place', () => {
  const sent = {
    model: 'm',
    max_tokens: 0,
    messages: [{ role: 'user', content: 'hi' }],
    system: [{ type: 'novelty', x: 1 }],
    tools: [
      { name: 'late', input_schema: { type: 'object' }, defer_loading: true },
      { type: 'bash_20250124', name: 'bash', cache_control: { type: 'ephemeral' } },
    ],
    thinking: { type: 'between_tools' },
    output_config: { task_budget: 5 },
    metadata: { user_id: 'u', team: 't' },
    context_management: { edits: [] },
    container: null,
  }
  const text = JSON.stringify(sent)
  const conversation = readRequest(JSON.parse(text), text).client?.decode()
  expect(conversation?.tools).toMatchObject([
    { type: 'function', name: 'late' },
    { type: 'function', name: 'bash', schema: { properties: { command: {} } } },
  ])
  const { body, dropped } = encodeRequest({ ...BASE, ...conversation }, contextOf())
  const { container: _absent, ...kept } = sent
  expect(body).toEqual({
    ...kept,
    model: 'deep-1',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
  })
  expect(dropped).toEqual([])
})
