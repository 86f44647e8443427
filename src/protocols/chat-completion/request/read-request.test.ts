import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { GatewayError } from '../../../errors/gateway-error.ts'
import { parseJson } from '../../../wire/parse-json.ts'
import { readRequest } from './read-request.ts'

const read = (text: string) => readRequest(parseJson(text), text)
const readBody = (body: unknown) => read(JSON.stringify(body))

describe('facts', () => {
  const base = { model: 'm', messages: [{ role: 'user', content: 'four' }] }

  test('reads the smallest request', () => {
    expect(readBody(base).facts).toEqual({
      model: 'm',
      stream: false,
      promptCharacters: 4,
      mediaParts: 0,
      maxOutputTokens: null,
      choices: 1,
    })
  })

  test.each([
    [{ max_tokens: 5 }, 5],
    [{ max_completion_tokens: 6 }, 6],
    [{ max_tokens: 5, max_completion_tokens: 6 }, 6],
    [{ max_tokens: null }, null],
  ])('reads the output limit of %j', (fields, limit) =>
    expect(readBody({ ...base, ...fields }).facts.maxOutputTokens).toBe(limit),
  )

  test('reads choices and stream', () => {
    expect(readBody({ ...base, n: 3, stream: true }).facts).toMatchObject({ choices: 3, stream: true })
    expect(readBody({ ...base, n: null, stream: null }).facts).toMatchObject({ choices: 1, stream: false })
  })

  test('counts all text of a conversation', () => {
    const messages = [
      { role: 'system', content: 'abc', name: 'nm' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'de' },
          { type: 'text', text: 'é😀' },
        ],
      },
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'think',
        tool_calls: [
          { id: 'x', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
          { id: 'y', type: 'custom', custom: { name: 'gg', input: 'in' } },
        ],
      },
      { role: 'tool', tool_call_id: 'x', content: 'result' },
      {
        role: 'assistant',
        content: [
          { type: 'refusal', refusal: 'no' },
          { type: 'text', text: 'ok' },
        ],
      },
      { role: 'assistant', content: 'x', function_call: { name: 'h', arguments: '12' } },
      { role: 'function', name: 'h', content: 'out' },
    ]
    const expected = 3 + 2 + 2 + 3 + 5 + (1 + 7) + (2 + 2) + 6 + 2 + 2 + 1 + (1 + 2) + 1 + 3
    expect(readBody({ model: 'm', messages }).facts.promptCharacters).toBe(expected)
  })

  test('counts definitions by the length of their JSON', () => {
    const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }]
    const functions = [{ name: 'old' }]
    const response_format = { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' } } }
    const { facts } = readBody({ ...base, tools, functions, response_format })
    const lengths = [tools, functions, response_format].map((value) => JSON.stringify(value).length)
    expect(facts.promptCharacters).toBe(4 + lengths.reduce((a, b) => a + b))
  })

  test('spec 8.3: counts media as parts, whatever their base64 length', () => {
    const content = [
      { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(100_000)}` } },
      { type: 'image_url', image_url: { url: 'https://e.example/a.png' } },
      { type: 'input_audio', input_audio: { data: 'A'.repeat(5000), format: 'wav' } },
      { type: 'file', file: { file_data: 'A'.repeat(5000), filename: 'a.pdf' } },
      { type: 'text', text: 'hi' },
    ]
    const { facts } = readBody({ model: 'm', messages: [{ role: 'user', content }] })
    expect(facts).toMatchObject({ mediaParts: 4, promptCharacters: 2 })
  })
})

describe('relayed body', () => {
  const messages = '"messages":[{"role":"user","content":"\\u0068i \\/ é"}]'

  test.each([
    ['same model', `{ "model" : "m", ${messages} }`, 'm', `{ "model" : "m", ${messages} }`],
    ['other model', `{ "model" : "m", ${messages} }`, 'up/"x', `{ "model" : "up/\\"x", ${messages} }`],
    ['escaped name', `{"mod\\u0065l":"m",${messages}}`, 'u', `{"mod\\u0065l":"u",${messages}}`],
    [
      'numbers as written',
      `{"model":"m",${messages},"seed":12345678901234567890,"temperature":1.0}`,
      'u',
      `{"model":"u",${messages},"seed":12345678901234567890,"temperature":1.0}`,
    ],
    [
      'stream without options',
      `{"stream":true,"model":"m",${messages}}`,
      'm',
      `{"stream_options":{"include_usage":true},"stream":true,"model":"m",${messages}}`,
    ],
    [
      'stream and other model',
      `{"stream":true,"model":"m",${messages}}`,
      'u',
      `{"stream_options":{"include_usage":true},"stream":true,"model":"u",${messages}}`,
    ],
    [
      'stream with null options',
      `{"stream":true,"stream_options":null,"model":"m",${messages}}`,
      'm',
      `{"stream":true,"stream_options":{"include_usage":true},"model":"m",${messages}}`,
    ],
    [
      'stream with empty options',
      `{"stream":true,"stream_options":{ },"model":"m",${messages}}`,
      'm',
      `{"stream":true,"stream_options":{"include_usage":true },"model":"m",${messages}}`,
    ],
    [
      'usage refused',
      `{"stream":true,"stream_options":{"x":1, "include_usage" : false},"model":"m",${messages}}`,
      'm',
      `{"stream":true,"stream_options":{"x":1, "include_usage" : true},"model":"m",${messages}}`,
    ],
    [
      'other options kept',
      `{"stream":true,"stream_options":{"include_obfuscation":false},"model":"m",${messages}}`,
      'm',
      `{"stream":true,"stream_options":{"include_usage":true,"include_obfuscation":false},"model":"m",${messages}}`,
    ],
    [
      'usage asked for',
      `{"stream":true,"stream_options":{"include_usage":true},"model":"m",${messages}}`,
      'm',
      `{"stream":true,"stream_options":{"include_usage":true},"model":"m",${messages}}`,
    ],
    [
      'no stream, usage asked for',
      `{"stream_options":{"include_usage":false},"model":"m",${messages}}`,
      'm',
      `{"stream_options":{"include_usage":false},"model":"m",${messages}}`,
    ],
  ])('%s', (...[, text, upstreamModel, expected]) => {
    expect(read(text).relayBody(upstreamModel).join('')).toBe(expected)
  })

  test('sends what was read, whatever the spacing and order', () => {
    const options = fc.option(
      fc.record({ include_usage: fc.boolean(), x: fc.jsonValue() }, { requiredKeys: [] }),
    )
    const request = fc.record(
      { stream: fc.boolean(), stream_options: options, extra: fc.jsonValue() },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(request, fc.string(), fc.constantFrom(0, 2), (fields, upstreamModel, space) => {
        const body = { ...fields, model: 'm', messages: [{ role: 'user', content: 'x' }] }
        const text = JSON.stringify(body, null, space)
        const sent: unknown = JSON.parse(read(text).relayBody(upstreamModel).join(''))
        const usage =
          body.stream === true ? { stream_options: { ...body.stream_options, include_usage: true } } : {}
        expect(sent).toEqual(JSON.parse(JSON.stringify({ ...body, ...usage, model: upstreamModel })))
      }),
      { numRuns: 300, seed: 8 },
    )
  })
})

describe('hostile bodies', () => {
  const start = '{"model":"m","messages":[{"role":"user","content":"x"}]'

  test.each(['"model":"n"', '"mod\\u0065l":"n"', '"n":1,"n":128', '"max_tokens":1,"max_tokens":9'])(
    'repeated name: %s',
    (member) => expect(() => read(`${start},${member}}`)).toThrow('more than once'),
  )

  test('accepts deep nesting, even in an unknown field', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    expect(() => read(`${start},"x":${deep}}`)).toThrow(GatewayError)
  })

  test('reads mutated bytes or throws a GatewayError', () => {
    const seedText = JSON.stringify({
      model: 'm',
      messages: [
        {
          role: 'assistant',
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
      ],
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
      stream: true,
      stream_options: { include_obfuscation: true },
      stop: ['a'],
      logit_bias: { 5: 1 },
    })
    const mutation = fc.tuple(fc.nat(seedText.length - 1), fc.integer({ min: 1, max: 126 }))
    let readCount = 0
    fc.assert(
      fc.property(fc.array(mutation, { minLength: 1, maxLength: 3 }), (mutations) => {
        const bytes = new TextEncoder().encode(seedText)
        for (const [at, byte] of mutations) bytes[at] = byte
        try {
          JSON.parse(read(new TextDecoder().decode(bytes)).relayBody('u').join(''))
          readCount++
        } catch (error) {
          expect(error).toBeInstanceOf(GatewayError)
        }
      }),
      { numRuns: 3000, seed: 9 },
    )
    expect(readCount).toBeGreaterThan(100)
  })
})

test('the tap removes the usage chunk exactly when the client did not ask for it', () => {
  const base = { model: 'm', messages: [{ role: 'user', content: 'x' }], stream: true }
  const chunk = new TextEncoder().encode('data: {"choices":[],"usage":{"prompt_tokens":1}}\n\n')
  expect(readBody(base).openTap().push(chunk)).toBeNull()
  expect(
    readBody({ ...base, stream_options: { include_usage: true } })
      .openTap()
      .push(chunk),
  ).toBe(chunk)
})
