import { describe, expect, test } from 'bun:test'
import { openScene, refusalOf } from '../testing/open-scene.ts'
import { contentGeneration, readAddress } from './index.ts'

const hello = { role: 'user', parts: [{ text: 'Hi' }] }
const call = (name: string, id?: string) => ({
  functionCall: { ...(id === undefined ? {} : { id }), name, args: {} },
})
const answer = (name: string, id?: string) => ({
  functionResponse: { ...(id === undefined ? {} : { id }), name, response: { output: 'ok' } },
})
const model = (...parts: object[]) => ({ role: 'model', parts })
const user = (...parts: object[]) => ({ role: 'user', parts })
const declare = (fields: object) => ({ tools: [{ functionDeclarations: [{ name: 'f', ...fields }] }] })

function read(fields: object) {
  const path = '/v1beta/models/m:generateContent'
  return openScene(contentGeneration, { contents: [hello], ...fields }, { path }).ask
}

test('finds model and method in the path', () => {
  const cases: [path: string, model: string | undefined][] = [
    ['/v1beta/models/a/b:generateContent', 'a/b'],
    ['/v1beta/models/a%2Fb:countTokens', 'a/b'],
    ['/v1beta/models/m:free:streamGenerateContent', 'm:free'],
    ['/v1beta/tunedModels/x:generateContent', 'x'],
    ['/v1beta/models/m', undefined],
    ['/v1beta/models/m:embedContent', undefined],
  ]
  for (const [path, name] of cases) expect(readAddress(path)?.model, path).toBe(name as string)
})

describe('reading a request', () => {
  test('takes both spellings of a name, but leaves the caller’s own names alone', () => {
    const ask = read({
      system_instruction: { parts: [{ text: 'Be brief.' }] },
      generation_config: { max_output_tokens: 7, stop_sequences: ['x'], candidate_count: 2 },
      tools: [
        {
          function_declarations: [
            { name: 'f', parameters: { type: 'OBJECT', properties: { user_name: { type: 'STRING' } } } },
          ],
        },
      ],
    })
    expect(ask).toMatchObject({
      instructions: ['Be brief.'],
      maxOutputTokens: 7,
      stopSequences: ['x'],
      choices: 2,
    })
    expect(ask.tools[0]?.input).toEqual({
      type: 'json',
      schema: { type: 'object', properties: { user_name: { type: 'string' } } },
    })
  })

  test('reads the words of a result in every way clients wrap them', () => {
    const told = (response: object) => {
      const result = { functionResponse: { name: 'f', response } }
      const turn = read({ contents: [hello, model(call('f')), user(result)] }).turns.at(-1)
      return [turn?.text, turn?.isError]
    }
    for (const wrapped of [{ output: 'ok' }, { result: 'ok' }, { name: 'f', content: 'ok' }])
      expect(told(wrapped)).toEqual(['ok', false])
    expect(told({ error: 'no' })).toEqual(['no', true])
    for (const given of [{ content: 'ok' }, { output: 1 }, { output: 'ok', more: 1 }, { name: 'f' }, {}])
      expect(told(given)).toEqual([JSON.stringify(given), false])
  })

  test('reads the pieces of a streamed answer as one turn', () => {
    const contents = [
      hello,
      model({ text: 'Hel' }),
      model({ text: 'lo' }),
      model({ text: 'plan', thought: true }),
      hello,
    ]
    expect(read({ contents }).turns.map(({ text }) => text)).toEqual(['Hi', 'Hello', 'Hi'])
  })

  test('lets a JSON Schema name its dialect at the root', () => {
    const ask = read(declare({ parametersJsonSchema: { $schema: 'x', type: 'OBJECT' } }))
    expect(ask.tools[0]?.input).toEqual({ type: 'json', schema: { type: 'object' } })
  })

  test('takes every keyword of JSON Schema for the arguments of a function', () => {
    const properties = { a: { const: 1 }, b: { $ref: '#/$defs/b', description: 'x' }, c: { not: {} } }
    const schema = { type: 'object', properties, $defs: { b: { exclusiveMinimum: 1 } }, allOf: [{}] }
    expect(read(declare({ parametersJsonSchema: schema })).tools[0]?.input).toEqual({ type: 'json', schema })
  })

  test('takes instructions of any role, and results without the id of their call', () => {
    for (const role of ['system', 'user', 'model', 'developer'])
      expect(read({ systemInstruction: { role, parts: [{ text: 'Be brief.' }] } }).instructions).toEqual([
        'Be brief.',
      ])
    const contents = [hello, model(call('f', '1'), call('g', '2')), user(answer('f'), answer('g'))]
    expect(read({ contents }).turns.slice(-2)).toMatchObject([{ toolName: 'f' }, { toolName: 'g' }])
  })

  test('knows what is wished of thinking', () => {
    const thinking = (thinkingConfig: object) => read({ generationConfig: { thinkingConfig } }).thinking
    expect(read({}).thinking).toBe('unsaid')
    expect(thinking({ thinkingBudget: 0 })).toBe('declined')
    expect(thinking({ thinkingBudget: -1 })).toBe('asked')
    expect(thinking({ thinkingLevel: 'LOW' })).toBe('asked')
  })
})

describe('refusing a request', () => {
  const output = (responseJsonSchema: object) => ({
    generationConfig: { responseMimeType: 'application/json', responseJsonSchema },
  })
  const WRONG: [message: string, fields: object][] = [
    ['Unknown name "stop": Cannot find field.', { stop: ['x'] }],
    [`Unknown name "type" at 'contents[0].parts[0]'`, { contents: [user({ type: 'text', text: 'Hi' })] }],
    ["Invalid value at 'contents[0].role'", { contents: [{ role: 'assistant', parts: [{ text: 'Hi' }] }] }],
    ["Invalid value at 'contents'", { contents: [] }],
    ['contents[0].parts: contents.parts must not be empty', { contents: [user()] }],
    ["required oneof field 'data'", { contents: [user({ thought: true })] }],
    ["required oneof field 'data'", { contents: [user({ text: 'a', ...call('f') })] }],
    ['end with a user turn', { contents: [hello, model({ text: 'Well' })] }],
    ['comes immediately after a user turn', { contents: [model(call('f')), user(answer('f'))] }],
    [
      'number of function response parts',
      { contents: [hello, model(call('f'), call('g')), user(answer('f'))] },
    ],
    ['number of function response parts', { contents: [hello, model(call('f')), hello] }],
    [
      'in the order of the function call parts',
      { contents: [hello, model(call('f'), call('g')), user(answer('g'), answer('f'))] },
    ],
    [
      'in the order of the function call parts',
      { contents: [hello, model(call('f', '1'), call('f', '2')), user(answer('f', '2'), answer('f', '1'))] },
    ],
    ['immediately after a function call turn', { contents: [user(answer('f'))] }],
    [
      'only one of thinking budget and thinking level',
      { generationConfig: { thinkingConfig: { thinkingBudget: 1, thinkingLevel: 'LOW' } } },
    ],
    [
      "Invalid value at 'generation_config.stop_sequences'",
      { generationConfig: { stopSequences: ['1', '2', '3', '4', '5', '6'] } },
    ],
    [
      'only one of parameters and parameters_json_schema',
      declare({ parameters: {}, parametersJsonSchema: {} }),
    ],
    [
      'Unknown name "additionalProperties"',
      declare({ parameters: { type: 'OBJECT', additionalProperties: false } }),
    ],
    ['cannot start list', declare({ parameters: { type: ['string', 'null'] } })],
    [
      'parameters.properties[a].items: missing field',
      declare({ parameters: { type: 'OBJECT', properties: { a: { type: 'ARRAY' } } } }),
    ],
    ["parameters.enum' (TYPE_STRING)", declare({ parameters: { type: 'INTEGER', enum: [1] } })],
    ['Unknown name "$schema"', declare({ parameters: { $schema: 'x', type: 'OBJECT' } })],
    [
      `Unknown name "const" at 'generation_config.response_json_schema.properties[a]'`,
      output({ type: 'object', properties: { a: { const: 1 } } }),
    ],
    ['Unknown name "exclusiveMinimum"', output({ type: 'object', $defs: { a: { exclusiveMinimum: 1 } } })],
    ['may not set "description" beside it', output({ $ref: '#/$defs/a', description: 'x' })],
    [
      'Unknown name "default"',
      { generationConfig: { responseMimeType: 'application/json', responseJsonSchema: { default: 1 } } },
    ],
    ['must be application/json', { generationConfig: { responseSchema: { type: 'STRING' } } }],
    [
      'only valid when the mode is ANY',
      {
        ...declare({}),
        toolConfig: { functionCallingConfig: { mode: 'AUTO', allowedFunctionNames: ['f'] } },
      },
    ],
    [
      "Invalid value at 'tools[0].function_declarations[0].name'",
      { tools: [{ functionDeclarations: [{ name: '1f' }] }] },
    ],
  ]
  for (const [message, fields] of WRONG) {
    test(`${message} for ${JSON.stringify(fields).slice(0, 60)}`, () => {
      expect(refusalOf(() => read(fields))).toMatchObject({
        kind: 'bad-request',
        message: expect.stringContaining(message),
      })
    })
  }

  test('a count of two prompts or none', () => {
    const count = (body: object) =>
      openScene(contentGeneration, body, { path: '/v1beta/models/m:countTokens' })
    const request = { model: 'models/m', contents: [hello], systemInstruction: hello }
    expect(count({ generateContentRequest: request }).ask.instructions).toEqual(['Hi'])
    expect(refusalOf(() => count({})).message).toContain('Exactly one')
    expect(refusalOf(() => count({ contents: [hello], generateContentRequest: request })).message).toContain(
      'Exactly one',
    )
  })
})
