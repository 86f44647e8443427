import { describe, expect, test } from 'bun:test'
import type { Conversation } from '../../../conversation/conversation.ts'
import { sealProof } from '../../../conversation/proof.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import { decodeRequest } from './decode-request.ts'
import { validateRequest } from './validate.ts'

function decode(body: object): Conversation {
  return decodeRequest(validateRequest(body), { model: 'm', stream: false })
}

function decodeContents(...contents: object[]) {
  return decode({ contents }).turns
}

const HI = { role: 'user', parts: [{ text: 'hi' }] }
const text = (words: string) => ({ type: 'text', text: words, cache: null, citations: [], proof: null })

function codeOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof GatewayError) return `${error.code} ${error.param}`
    throw error
  }
  return 'not refused'
}

describe('turns', () => {
  test('merges adjacent turns of one role and drops empty parts', () => {
    const turns = decodeContents(
      { parts: [{ text: 'a' }] },
      { role: 'user', parts: [{ text: '' }, { text: 'b' }, {}] },
      { role: 'model', parts: [] },
      { role: 'user', parts: [{ text: 'c' }] },
    )
    expect(turns).toEqual([{ role: 'user', parts: [text('a'), text('b'), text('c')] }] as never)
  })

  test('joins an answer that was sent in chunks', () => {
    const turns = decodeContents(
      HI,
      { role: 'model', parts: [{ text: 'pl', thought: true }] },
      { role: 'model', parts: [{ text: 'an', thought: true }, { text: 'Hel' }] },
      { role: 'model', parts: [{ text: 'lo' }, { text: '', thoughtSignature: 'c2ln' }] },
    )
    const proof = {
      origin: 'content-generation',
      model: '',
      route: '',
      on: 'text',
      value: 'c2ln',
      itemId: null,
    }
    expect(turns[1]?.parts).toEqual([
      { type: 'thinking', text: 'plan', proof: null, isRedacted: false },
      { ...text('Hello'), proof },
    ] as never)
  })

  test('refuses contents without parts', () => {
    expect(codeOf(() => decodeContents({ parts: [] }))).toBe('invalid_request contents')
  })

  test('keeps parts that only this format has', () => {
    const part = { executableCode: { code: '1' }, thoughtSignature: 'c2ln' }
    const [, turn] = decodeContents(HI, { role: 'model', parts: [part] })
    expect(turn?.parts).toEqual([
      { type: 'opaque', format: 'content-generation', kind: 'executableCode', value: part },
    ])
  })
})

describe('calls and results', () => {
  const call = (name: string, id?: string) => ({ functionCall: { name, args: {}, ...(id && { id }) } })
  const result = (name: string, output: unknown, id?: string) => ({
    functionResponse: { name, response: { output }, ...(id && { id }) },
  })

  test('are paired by id, else by name and order; results are in the order of calls', () => {
    const [, asked, answered] = decodeContents(
      HI,
      { role: 'model', parts: [call('f'), call('g', 'id_g'), call('f'), call('g', 'id_h')] },
      { role: 'user', parts: [{ text: 'here' }, result('g', 'h', 'id_h'), result('f', 1), result('f', 2)] },
      { role: 'function', parts: [result('g', 'g', 'id_g')] },
    )
    const ids = asked?.parts.map((part) => (part.type === 'tool-call' ? part.id : ''))
    const results = answered?.parts.map((part) =>
      part.type === 'tool-result' ? [part.callId, part.name, ...part.parts] : part,
    )
    expect(results).toEqual([
      [ids?.[0], 'f', text('1')],
      ['id_g', 'g', text('g')],
      [ids?.[2], 'f', text('2')],
      ['id_h', 'g', text('h')],
      text('here'),
    ] as never)
    expect(new Set(ids).size).toBe(4)
  })

  test('get the same ids each time the conversation is sent', () => {
    const history = [HI, { role: 'model', parts: [call('f')] }, { role: 'user', parts: [result('f', 1)] }]
    const later = [
      ...history,
      { role: 'model', parts: [call('f')] },
      { role: 'user', parts: [result('f', 2)] },
    ]
    const idsOf = (contents: object[]) =>
      decodeContents(...contents).flatMap(({ parts }) =>
        parts.flatMap((part) => (part.type === 'tool-call' ? [part.id] : [])),
      )
    const [first] = idsOf(history)
    expect(first).toMatch(/^call_[0-9a-f]{24}$/)
    expect(idsOf(later)[0]).toBe(first ?? '')
    expect(new Set(idsOf(later)).size).toBe(2)
  })

  test('uses the last answer to a call', () => {
    const [, , answered] = decodeContents(
      HI,
      { role: 'model', parts: [call('f', 'a')] },
      { role: 'user', parts: [result('f', 'old', 'a'), result('f', 'new', 'a')] },
    )
    expect(answered?.parts).toHaveLength(1)
    expect(answered?.parts[0]).toMatchObject({ callId: 'a', parts: [text('new')] })
  })

  test('refuses a result without a call', () => {
    const run = () => decodeContents(HI, { role: 'user', parts: [result('f', 1, 'nobody')] })
    expect(codeOf(run)).toBe('invalid_request contents[1].parts[0].functionResponse')
  })

  test('unwraps results', () => {
    const decoded = (response: object) => {
      const content = { role: 'user', parts: [{ functionResponse: { name: 'f', response } }] }
      const [, , answered] = decodeContents(HI, { role: 'model', parts: [call('f')] }, content)
      const [part] = answered?.parts ?? []
      if (part?.type !== 'tool-result') throw new Error('no result')
      return [part.isError, ...part.parts.map((inner) => ('text' in inner ? inner.text : inner.type))]
    }
    expect(decoded({ output: 'sunny' })).toEqual([false, 'sunny'])
    expect(decoded({ result: { a: 1 } })).toEqual([false, '{"a":1}'])
    expect(decoded({ error: 'broken' })).toEqual([true, 'broken'])
    expect(decoded({ error: { code: 1 }, output: 'x' })).toEqual([true, '{"error":{"code":1},"output":"x"}'])
    expect(decoded({ error: null, rows: [] })).toEqual([false, '{"error":null,"rows":[]}'])
    expect(decoded({ name: 'f', content: 'sunny' })).toEqual([false, 'sunny'])
    expect(decoded({ output: '' })).toEqual([false])
  })
})

describe('signatures', () => {
  const sealedThought = sealProof({
    origin: 'messages',
    model: 'deep',
    route: 'sup_9',
    on: 'thinking',
    value: 'v',
    itemId: null,
  })

  test('opens sealed signatures and keeps those of a supplier', () => {
    const [, turn] = decodeContents(HI, {
      role: 'model',
      parts: [
        { text: 'hm', thought: true, thoughtSignature: sealedThought },
        { functionCall: { name: 'f' }, thoughtSignature: 'cmF3' },
      ],
    })
    expect(turn?.parts.map((part) => ('proof' in part ? part.proof : null))).toMatchObject([
      { origin: 'messages', route: 'sup_9', on: 'thinking', value: 'v' },
      { origin: 'content-generation', route: '', on: 'tool-call', value: 'cmF3' },
    ])
  })

  test('ignores placeholders', () => {
    const none = sealProof({ origin: 'none', model: '', route: '', on: 'thinking', value: '', itemId: null })
    for (const thoughtSignature of [none, 'skip_thought_signature_validator', '']) {
      const [, turn] = decodeContents(HI, {
        role: 'model',
        parts: [{ functionCall: { name: 'f' }, thoughtSignature }],
      })
      expect(turn?.parts[0]).toMatchObject({ proof: null })
    }
  })
})

describe('settings', () => {
  const withConfig = (generationConfig: object) => decode({ contents: [HI], generationConfig })

  test('keeps explicit zeros', () => {
    const conversation = withConfig({
      temperature: 0,
      topP: 0,
      seed: 0,
      thinkingConfig: { thinkingBudget: 0, includeThoughts: false },
    })
    expect(conversation).toMatchObject({
      temperature: 0,
      topP: 0,
      seed: 0,
      topK: null,
      reasoning: { control: { type: 'budget', tokens: 0 }, showThoughts: false },
    })
  })

  test('decodes thinking settings', () => {
    const control = (thinkingConfig: object) => withConfig({ thinkingConfig }).reasoning?.control
    expect(control({ thinkingBudget: -1 })).toEqual({ type: 'adaptive' })
    expect(control({ thinkingBudget: 100 })).toEqual({ type: 'budget', tokens: 100 })
    expect(control({ thinkingLevel: 'HIGH' })).toEqual({ type: 'effort', effort: 'high' })
    expect(control({ thinkingLevel: 'minimal' })).toEqual({ type: 'effort', effort: 'minimal' })
    expect(control({ includeThoughts: true })).toEqual({ type: 'unspecified' })
    expect(control({})).toBeUndefined()
  })

  test('decodes output formats', () => {
    const schema = { type: 'OBJECT', properties: { a: { type: 'STRING', nullable: true } } }
    const lowered = { type: 'object', properties: { a: { type: ['string', 'null'] } } }
    for (const name of ['responseSchema', 'responseJsonSchema'])
      expect(withConfig({ responseMimeType: 'application/json', [name]: schema }).output).toEqual({
        type: 'schema',
        name: 'response',
        description: null,
        schema: lowered,
        strict: null,
      })
    expect(withConfig({ responseMimeType: 'application/json' }).output).toEqual({ type: 'json' })
    expect(withConfig({ responseMimeType: 'text/plain' }).output).toEqual({ type: 'text' })
  })

  test('log probabilities', () => {
    expect(withConfig({ responseLogprobs: true }).topLogprobs).toBe(0)
    expect(withConfig({ responseLogprobs: true, logprobs: 5 }).topLogprobs).toBe(5)
    expect(withConfig({ responseLogprobs: false }).topLogprobs).toBeNull()
  })

  test('refuses untranslatable parameters that change the answer', () => {
    const cases: readonly (readonly [string, object])[] = [
      ['cachedContent', { cachedContent: 'cachedContents/1' }],
      ['continuationToken', { continuationToken: 't' }],
      [
        'generationConfig.responseModalities',
        { generationConfig: { responseModalities: ['TEXT', 'AUDIO'] } },
      ],
      ['generationConfig.responseMimeType', { generationConfig: { responseMimeType: 'text/x.enum' } }],
    ]
    for (const [param, body] of cases)
      expect(codeOf(() => decode({ contents: [HI], ...body }))).toBe(`unsupported_parameter ${param}`)
    expect(withConfig({ responseModalities: ['TEXT'] }).output).toEqual({ type: 'text' })
  })

  test('keeps fields that only this format has as extras', () => {
    const safetySettings = [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }]
    const { extras } = decode({
      contents: [HI],
      safetySettings,
      labels: { team: 'a' },
      generationConfig: { mediaResolution: 'MEDIA_RESOLUTION_LOW', temperature: 1 },
      toolConfig: { retrievalConfig: { languageCode: 'de' } },
      somethingNew: 1,
    })
    expect(extras).toEqual({
      'content-generation': {
        safetySettings,
        labels: { team: 'a' },
        somethingNew: 1,
        'generationConfig.mediaResolution': 'MEDIA_RESOLUTION_LOW',
        'toolConfig.retrievalConfig': { languageCode: 'de' },
      },
    })
  })
})

describe('tools', () => {
  test('of every kind', () => {
    const { tools } = decode({
      contents: [HI],
      tools: [
        {
          functionDeclarations: [
            { name: 'f', description: 'd', parameters: { type: 'OBJECT' } },
            { name: 'g' },
          ],
        },
        { googleSearch: {} },
        { codeExecution: {} },
      ],
    })
    const plain = { namespace: null, strict: null, cache: null }
    expect(tools).toMatchObject([
      { type: 'function', name: 'f', description: 'd', schema: { type: 'object' }, ...plain },
      { type: 'function', name: 'g', description: null, schema: null, ...plain },
      { type: 'web-search', original: { format: 'content-generation', value: { googleSearch: {} } } },
      { type: 'hosted', format: 'content-generation', kind: 'codeExecution', value: { codeExecution: {} } },
    ])
  })

  test('choices', () => {
    const choice = (functionCallingConfig: object) =>
      decode({ contents: [HI], toolConfig: { functionCallingConfig } }).toolChoice
    expect(choice({ mode: 'auto' })).toEqual({ type: 'auto' })
    expect(choice({ mode: 'NONE' })).toEqual({ type: 'none' })
    expect(choice({ mode: 'ANY' })).toEqual({ type: 'required' })
    expect(choice({ mode: 'ANY', allowedFunctionNames: ['f'] })).toEqual({
      type: 'named',
      name: 'f',
      namespace: null,
    })
    expect(choice({ mode: 'ANY', allowedFunctionNames: ['f', 'g'] })).toEqual({
      type: 'allowed',
      names: ['f', 'g'],
      isRequired: true,
    })
    expect(choice({ mode: 'VALIDATED', allowedFunctionNames: ['f'] })).toEqual({
      type: 'allowed',
      names: ['f'],
      isRequired: false,
    })
    expect(choice({})).toBeNull()
    expect(codeOf(() => choice({ mode: 'SOMETIMES' }))).toBe(
      'invalid_request toolConfig.functionCallingConfig.mode',
    )
  })
})
