import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { departures } from '../../../../test/support/normal-form.ts'
import type { Conversation } from '../../../conversation/conversation.ts'
import type { ToolCallPart } from '../../../conversation/part.ts'
import { type Proof, sealProof } from '../../../conversation/proof.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { ClientRequest } from '../../protocol.ts'
import { contentGeneration, operationOf } from '../index.ts'
import { showCall } from '../reply/encode-reply.ts'
import { readRequest } from './read-request.ts'

const HI = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }

function read(body: unknown, rest = 'model-1:generateContent', query = ''): ClientRequest {
  return readRequest(body, JSON.stringify(body), { rest, query: new URLSearchParams(query) })
}

function refusalOf(run: () => unknown): GatewayError {
  try {
    run()
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
  throw new Error('it was not refused')
}

function decode(body: unknown): Conversation {
  const conversation = read(body).client?.decode()
  if (conversation === undefined) throw new Error('no client side')
  expect(departures(conversation)).toEqual([])
  return conversation
}

describe('the address', () => {
  test('is split at the last colon, because model names may contain slashes and colons', () => {
    const models = ['vendor/model-1', 'm:free', 'vendor/a:b:c', 'models/x']
    for (const model of models) {
      expect(read(HI, `${model}:generateContent`).facts).toMatchObject({ model, stream: false })
      expect(read(HI, `${model}:streamGenerateContent`).facts).toMatchObject({ model, stream: true })
      expect(operationOf(`${model}:streamGenerateContent`)).toBe('generate')
      expect(operationOf(`${model}:countTokens`)).toBe('count-tokens')
    }
  })

  test('is not found with an unknown or missing method', () => {
    for (const rest of ['model-1:embedContent', 'model-1', ':generateContent', 'model-1:', 'm:countTokens']) {
      const error = refusalOf(() => read(HI, rest))
      expect(error.code).toBe('not_found')
      expect(error.message).toContain('generateContent, streamGenerateContent, countTokens')
    }
    for (const rest of ['model-1:embedContent', 'model-1', ':countTokens', 'm:toString'])
      expect(operationOf(rest)).toBeNull()
  })

  test('alt selects the framing of a stream', () => {
    const stream = 'model-1:streamGenerateContent'
    for (const query of ['', 'alt=sse', 'key=secret&alt=sse']) {
      expect(read(HI, stream, query).isRelayable).toBeUndefined()
      expect(read(HI, stream, query).streamContentType).toBeUndefined()
    }
    const list = read(HI, stream, 'alt=json')
    expect([list.isRelayable, list.streamContentType]).toEqual([false, 'application/json'])
    expect(read(HI, 'model-1:generateContent', 'alt=json').isRelayable).toBeUndefined()
    expect(refusalOf(() => read(HI, stream, 'alt=proto'))).toMatchObject({
      code: 'invalid_request',
      param: 'alt',
    })
  })
})

/** Every turn with its parts, then the number of tools. */
const SUMMARIES: Readonly<Record<string, string>> = {
  'agent-first-turn': 'user text text; 4 tools',
  'agent-routing': 'user text text; 0 tools',
  'agent-tool-loop': 'user text text; assistant tool-call; user tool-result; 3 tools',
  'ai-sdk-tools': 'user text; 1 tools',
  'ai-sdk-tool-loop': 'user text; assistant tool-call; user tool-result; 1 tools',
  'sdk-image': 'user text image; 0 tools',
  'sdk-settings': 'user text; 0 tools',
  'sdk-stream': 'user text; 0 tools',
  'sdk-tools': 'user text; 1 tools',
  'sdk-tool-loop-without-ids': 'user text; assistant tool-call; user tool-result; 1 tools',
}

function summaryOf({ turns, tools }: Conversation): string {
  const described = turns.map(({ role, parts }) => [role, ...parts.map(({ type }) => type)].join(' '))
  return [...described, `${tools.length} tools`].join('; ')
}

test('does not relay a request with a sealed signature', () => {
  const proof: Proof = { origin: 'messages', model: 'd', route: 's', on: 'text', value: 'v', itemId: null }
  const said = (thoughtSignature: string) => ({
    contents: [...HI.contents, { role: 'model', parts: [{ text: 'x', thoughtSignature }] }],
  })
  expect(read(said(sealProof(proof))).isRelayable).toBe(false)
  expect(read(said('c3VwcGxpZXI=')).isRelayable).toBeUndefined()
})

test('does not relay a request with a placeholder signature', () => {
  const call: ToolCallPart = {
    type: 'tool-call',
    id: 'call_1',
    name: 'f',
    kind: 'function',
    input: '{}',
    namespace: null,
    proof: null,
  }
  const body = { contents: [...HI.contents, { role: 'model', parts: [showCall(call)] }] }
  expect(read(body).isRelayable).toBe(false)
  expect(decode(body).turns.at(-1)?.parts).toEqual([call])
})

describe('requests recorded from real clients', () => {
  const folder = join(import.meta.dirname, '..', 'cases')
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.request.json'))) {
    test(name, () => {
      const { rest, query, body } = JSON.parse(readFileSync(join(folder, name), 'utf8'))
      const text = JSON.stringify(body)
      const address = { rest, query: new URLSearchParams(query) }
      if (operationOf(rest) === 'count-tokens') {
        expect(contentGeneration.tokenCounting?.read(body, text, address).facts.model).toBe('model-1')
        return
      }
      const request = readRequest(body, text, address)
      expect(request.relayBody('other').join('')).toBe(text)
      const conversation = request.client?.decode()
      if (conversation === undefined) throw new Error('no client side')
      expect(departures(conversation)).toEqual([])
      expect(summaryOf(conversation)).toBe(SUMMARIES[name.replace('.request.json', '')] ?? 'none expected')
    })
  }
})

describe('both spellings of a name', () => {
  test('have the same meaning', () => {
    const camel = {
      contents: [
        { role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: 'AA==' } }, { text: 'x' }] },
        {
          role: 'model',
          parts: [{ functionCall: { name: 'f', args: { snake_case: 1 } }, thoughtSignature: 'cw==' }],
        },
        { role: 'user', parts: [{ functionResponse: { name: 'f', response: { some_key: 2 } } }] },
        {
          role: 'user',
          parts: [{ fileData: { mimeType: 'image/png', fileUri: 'https://a.example/b.png' } }],
        },
      ],
      systemInstruction: { parts: [{ text: 'be brief' }] },
      generationConfig: { maxOutputTokens: 5, topK: 3, thinkingConfig: { thinkingBudget: 0 } },
      tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: { type: 'object' } }] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
    }
    const snake = {
      contents: [
        { role: 'user', parts: [{ inline_data: { mime_type: 'image/png', data: 'AA==' } }, { text: 'x' }] },
        {
          role: 'model',
          parts: [{ function_call: { name: 'f', args: { snake_case: 1 } }, thought_signature: 'cw==' }],
        },
        { role: 'user', parts: [{ function_response: { name: 'f', response: { some_key: 2 } } }] },
        {
          role: 'user',
          parts: [{ file_data: { mime_type: 'image/png', file_uri: 'https://a.example/b.png' } }],
        },
      ],
      system_instruction: { parts: { text: 'be brief' } },
      generation_config: { max_output_tokens: 5, top_k: 3, thinking_config: { thinking_budget: 0 } },
      tools: { function_declarations: { name: 'f', parameters_json_schema: { type: 'object' } } },
      tool_config: { function_calling_config: { mode: 'any', allowed_function_names: ['f'] } },
    }
    expect(decode(snake)).toEqual(decode(camel))
    expect(read(snake).facts).toMatchObject({ maxOutputTokens: 5, mediaParts: 2 })
    expect(read(snake).relayBody('m').join('')).toBe(JSON.stringify(snake))
  })

  test('are refused when both are given', () => {
    const body = { ...HI, generationConfig: { maxOutputTokens: 5, max_output_tokens: 500 } }
    expect(refusalOf(() => read(body)).param).toBe('generationConfig.maxOutputTokens')
    expect(refusalOf(() => read({ ...HI, generationConfig: {}, generation_config: {} })).code).toBe(
      'invalid_request',
    )
  })

  test('refuses a limit that is given twice', () => {
    const text =
      '{"contents":[{"parts":[{"text":"hi"}]}],"generationConfig":{"candidateCount":1,"candidateCount":8}}'
    const address = { rest: 'm:generateContent', query: new URLSearchParams() }
    expect(refusalOf(() => readRequest(JSON.parse(text), text, address)).param).toBe('candidateCount')
  })

  test('reads a single object as an array of one', () => {
    expect(decode({ contents: { parts: { text: 'hi' } } }).turns).toEqual(decode(HI).turns)
  })
})

describe('refuses a field out of bounds by name', () => {
  const config = (settings: object) => ({ ...HI, generationConfig: settings })
  const parts = (...wanted: object[]) => ({ contents: [{ role: 'user', parts: wanted }] })
  const cases: readonly (readonly [string, unknown])[] = [
    ['contents', {}],
    ['contents', { contents: [] }],
    ['contents[0].role', { contents: [{ role: 'system', parts: [{ text: 'x' }] }] }],
    ['contents[0].parts[0].text', parts({ text: 7 })],
    ['generationConfig.temperature', config({ temperature: 2.1 })],
    ['generationConfig.topP', config({ topP: -0.1 })],
    ['generationConfig.topK', config({ topK: 1.5 })],
    ['generationConfig.maxOutputTokens', config({ maxOutputTokens: 0 })],
    ['generationConfig.candidateCount', config({ candidateCount: 9 })],
    ['generationConfig.stopSequences', config({ stopSequences: ['1', '2', '3', '4', '5', '6'] })],
    ['generationConfig.presencePenalty', config({ presencePenalty: 3 })],
    [
      'generationConfig.thinkingConfig',
      config({ thinkingConfig: { thinkingBudget: 1, thinkingLevel: 'LOW' } }),
    ],
    ['generationConfig.thinkingConfig.thinkingLevel', config({ thinkingConfig: { thinkingLevel: 'huge' } })],
    ['generationConfig.logprobs', config({ logprobs: 3 })],
    [
      'contents[0].parts[1].inlineData.mimeType',
      parts({ text: 'x' }, { inlineData: { mimeType: 'application/pdf', data: 'AA==' } }),
    ],
    [
      'contents[0].parts[0].fileData.mimeType',
      parts({ file_data: { mime_type: 'video/mp4', file_uri: 'https://a.example/b' } }),
    ],
    ['contents[0].parts[0].fileData.fileUri', parts({ fileData: { fileUri: 'http://a.example/b.png' } })],
    ['contents[0].parts[0].functionCall', parts({ functionCall: { name: 'f' } })],
    [
      'contents[0].parts[0].functionResponse.parts[0].inlineData.mimeType',
      parts({
        functionResponse: { name: 'f', parts: [{ inlineData: { mimeType: 'audio/wav', data: '' } }] },
      }),
    ],
  ]
  for (const [param, body] of cases) {
    test(param, () => {
      const error = refusalOf(() => read(body))
      expect([error.code, error.param]).toEqual(['invalid_request', param])
      expect(error.message).toContain(param)
    })
  }

  test('treats null as absent', () => {
    const absent = {
      systemInstruction: null,
      tools: null,
      generationConfig: { temperature: null, seed: null },
    }
    expect(decode({ ...HI, ...absent })).toEqual(decode(HI))
  })
})

describe('facts', () => {
  test('count all text, and images by number', () => {
    const inlineData = { mimeType: 'image/png', data: 'A'.repeat(1000) }
    const { facts } = read({
      contents: [
        { role: 'user', parts: [{ text: '12345' }, { inlineData }] },
        { role: 'model', parts: [{ text: 'thought', thought: true, thoughtSignature: 'x'.repeat(500) }] },
        {
          role: 'function',
          parts: [{ functionResponse: { name: 'f', response: { a: 'b' }, parts: [{ inlineData }] } }],
        },
      ],
      systemInstruction: 'be brief',
      generationConfig: { candidateCount: 2, maxOutputTokens: 10 },
    })
    expect(facts).toEqual({
      model: 'model-1',
      stream: false,
      promptCharacters: 5 + 7 + (1 + 9) + 8,
      mediaParts: 2,
      maxOutputTokens: 10,
      choices: 2,
    })
  })

  test('count definitions of tools and of the answer', () => {
    const tools = [{ functionDeclarations: [{ name: 'f' }] }]
    const responseSchema = { type: 'OBJECT' }
    const { facts } = read({ ...HI, tools, generationConfig: { responseSchema } })
    const length = JSON.stringify(tools).length + JSON.stringify(responseSchema).length
    expect(facts.promptCharacters).toBe(2 + length)
  })

  test('refuses arguments that are nested deeper than the stack', () => {
    const depth = 60_000
    const text = `{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f","args":{"a":${'['.repeat(depth)}${']'.repeat(depth)}}}}]}]}`
    const address = { rest: 'm:generateContent', query: new URLSearchParams() }
    expect(refusalOf(() => readRequest(JSON.parse(text), text, address)).code).toBe('invalid_request')
  })
})
