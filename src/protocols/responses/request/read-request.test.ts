import { describe, expect, test } from 'bun:test'
import { sealProof } from '../../../conversation/proof.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import { readCount, readRequest } from './read-request.ts'

const read = (body: object, text = JSON.stringify(body)) => readRequest(JSON.parse(text), text)
const factsOf = (fields: object) => read({ model: 'm', input: 'hi', ...fields }).facts

describe('facts', () => {
  test('reads the smallest request', () =>
    expect(factsOf({})).toEqual({
      model: 'm',
      stream: false,
      promptCharacters: 2,
      mediaParts: 0,
      maxOutputTokens: null,
      choices: 1,
    }))

  test('reads stream and the output limit', () =>
    expect(factsOf({ stream: true, max_output_tokens: 5 })).toMatchObject({
      stream: true,
      maxOutputTokens: 5,
    }))

  const tools = [{ type: 'function', name: 'f', parameters: { type: 'object' } }]
  const text = { format: { type: 'json_schema', name: 'n', schema: { type: 'object' } } }
  test.each([
    ['instructions', { instructions: 'four' }, 6],
    ['tools as they are written', { tools }, 2 + JSON.stringify(tools).length],
    ['no tools', { tools: [] }, 2],
    ['a schema', { text }, 2 + JSON.stringify(text).length],
    ['no schema', { text: { verbosity: 'low' } }, 2],
    ['a message', { input: [{ role: 'user', id: 'x', content: [{ type: 'input_text', text: 'abc' }] }] }, 3],
    [
      'calls and results',
      {
        input: [
          { type: 'function_call', call_id: 'c', name: 'ab', arguments: '{}', status: 'completed' },
          { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: 'xyz' }] },
        ],
      },
      7,
    ],
    [
      'thoughts but not their signatures',
      {
        input: [
          {
            type: 'reasoning',
            id: 'r',
            summary: [{ type: 'summary_text', text: 'hm' }],
            encrypted_content: 'AAAA',
          },
        ],
      },
      2,
    ],
    ['items of unknown kinds', { input: [{ type: 'new', deep: [{ text: 'abc' }, ['d']] }] }, 4],
  ])('counts the characters of %s', (_name, fields, characters) =>
    expect(factsOf(fields).promptCharacters).toBe(characters),
  )

  test('counts media anywhere, whatever their length', () => {
    const image = { type: 'input_image', image_url: `data:image/png;base64,${'A'.repeat(1000)}` }
    const input = [
      { role: 'user', content: [image, { type: 'input_file', file_data: 'x' }] },
      { type: 'function_call_output', call_id: 'c', output: [image] },
      { type: 'image_generation_call', result: 'AAAA' },
    ]
    expect(factsOf({ input })).toMatchObject({ mediaParts: 4, promptCharacters: 0 })
  })

  test('refuses a body nested deeper than the stack', () => {
    const deep = `${'['.repeat(20_000)}"abc"${']'.repeat(20_000)}`
    const body = { model: 'm', input: [{ type: 'new', deep: JSON.parse(deep) }] }
    const text = `{"model":"m","input":[{"type":"new","deep":${deep}}]}`
    expect(() => readRequest(body, text)).toThrow('nested more than')
  })
})

describe('relay', () => {
  const relay = (text: string, model = 'up') => readRequest(JSON.parse(text), text).relayBody(model).join('')

  test.each([
    ['{"model":"m","input":"hi"}', '{"store":false,"model":"up","input":"hi"}'],
    ['{"model":"m","store":true,"input":"hi"}', '{"model":"up","store":false,"input":"hi"}'],
    [
      '{ "store" : false , "model":"m","input":"h\\u0069"}',
      '{ "store" : false , "model":"up","input":"h\\u0069"}',
    ],
    ['{"store":null,"model":"m","input":"hi"}', '{"store":false,"model":"up","input":"hi"}'],
    [
      '{"previous_response_id":"resp_1","model":"m","input":"hi"}',
      '{"store":false,"model":"up","input":"hi"}',
    ],
    [
      '{"model":"m","store":false,"previous_response_id" : "a\\",b" , "input":"hi"}',
      '{"model":"up","store":false, "input":"hi"}',
    ],
    [
      '{"store":false,"model":"m","input":"a,b" , "previous\\u005fresponse_id": "resp_1" }',
      '{"store":false,"model":"up","input":"a,b"  }',
    ],
    [
      '{"store":false,"model":"m","input":"hi","reasoning":{"effort":"low"}}',
      '{"include":["reasoning.encrypted_content"],"store":false,"model":"up","input":"hi","reasoning":{"effort":"low"}}',
    ],
    [
      '{"previous_response_id":"r","model":"m","input":"hi","include":["x"],"reasoning":{"summary":"auto"}}',
      '{"store":false,"model":"up","input":"hi","include":["x","reasoning.encrypted_content"],"reasoning":{"summary":"auto"}}',
    ],
    [
      '{"previous_response_id":"r","model":"m","input":[{"type":"reasoning","summary":[]}]}',
      '{"store":false,"include":["reasoning.encrypted_content"],"model":"up","input":[{"type":"reasoning","summary":[]}]}',
    ],
    [
      '{"store":false,"include":["reasoning.encrypted_content"],"model":"m","input":"hi","reasoning":{"effort":"low"}}',
      '{"store":false,"include":["reasoning.encrypted_content"],"model":"up","input":"hi","reasoning":{"effort":"low"}}',
    ],
  ])('%s', (given, expected) => {
    expect(relay(given)).toBe(expected)
    expect(() => JSON.parse(relay(given))).not.toThrow()
  })

  test('keeps the text when the model name is the same', () => {
    const text = '{"model":"m","store":false,"input":"hi","x":1.0}'
    expect(relay(text, 'm')).toBe(text)
  })

  test('refuses a repeated member', () =>
    expect(() => relay('{"model":"m","input":"hi","model":"n"}')).toThrow(GatewayError))

  const withThought = (encrypted_content: string) =>
    read({ model: 'm', input: [{ type: 'reasoning', summary: [], encrypted_content }] }).isRelayable
  test('relays reasoning signed by a supplier, but not reasoning in the gateway’s envelope', () => {
    const proof = {
      origin: 'messages',
      model: 'm',
      route: 'r',
      on: 'thinking' as const,
      value: 'x',
      itemId: null,
    }
    expect(withThought('gAAAAB')).toBe(true)
    expect(withThought(sealProof(proof))).toBe(false)
    expect(read({ model: 'm', input: 'hi' }).isRelayable).toBe(true)
  })
})

test('a token count reads the size of the same prompt', () => {
  const body = { model: 'm', input: 'hello', instructions: 'be brief' }
  const count = readCount(body, JSON.stringify(body))
  expect(count.facts).toEqual({ model: 'm', promptCharacters: 13, mediaParts: 0 })
  expect(count.encode(4)).toEqual({ object: 'response.input_tokens', input_tokens: 4 })
})
