import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { FunctionCallingConfigMode, type GenerateContentResponse, GoogleGenAI, Type } from '@google/genai'
import { GoogleGenAI as GoogleGenAi1 } from 'genai-1'
import { Compile } from 'typebox/schema'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { failureOf, IMAGE, WEATHER_SCHEMA } from './materials.ts'

const SDKS = [
  ['genai 2', (baseUrl: string, apiKey: string) => new GoogleGenAI({ apiKey, httpOptions: { baseUrl } })],
  [
    'genai 1',
    // The versions differ in types these tests do not touch.
    (baseUrl: string, apiKey: string) =>
      new GoogleGenAi1({ apiKey, httpOptions: { baseUrl } }) as unknown as GoogleGenAI,
  ],
] as const

let sandbox: Sandbox
beforeAll(() => {
  sandbox = startSandbox()
})
afterAll(() => sandbox.stop())

const weather = { name: 'get_weather', parametersJsonSchema: WEATHER_SCHEMA }
const time = { name: 'get_time' }

describe.each(SDKS)('%s', (name, createClient) => {
  let client: GoogleGenAI
  beforeAll(() => {
    client = createClient(sandbox.url, 'sk-sandbox-test')
  })
  const chat = (contents: string) => ({ model: 'sandbox-chat', contents })

  test('lists the models', async () => {
    const models = await Array.fromAsync(await client.models.list())
    expect(models.map((model) => model.name)).toContain('models/sandbox-reasoner')
    expect(await client.models.get({ model: 'sandbox-chat' })).toMatchObject({ name: 'models/sandbox-chat' })
  })

  test('gets a whole answer', async () => {
    const response = await client.models.generateContent({
      ...chat('Tell me a story'),
      config: { systemInstruction: 'Be brief.' },
    })
    expect(response.text).toBe('You said: "Tell me a story". I follow 1 instruction.')
    expect(response.candidates?.[0]).toMatchObject({ finishReason: 'STOP', index: 0 })
    const usage = response.usageMetadata
    expect(usage?.totalTokenCount).toBe((usage?.promptTokenCount ?? 0) + (usage?.candidatesTokenCount ?? 0))
  })

  test('gets the same answer as a stream with growing usage', async () => {
    const chunks = await Array.fromAsync(await client.models.generateContentStream(chat('count to 30')))
    const whole = await client.models.generateContent(chat('count to 30'))
    expect(chunks.map((chunk) => partsOf(chunk)[0]?.text ?? '').join('')).toBe(whole.text ?? '')
    expect(chunks.at(-1)?.usageMetadata).toEqual(whole.usageMetadata)
    const totals = chunks.map((chunk) => chunk.usageMetadata?.totalTokenCount ?? 0)
    expect(totals).toEqual(totals.toSorted((one, other) => one - other))
    expect(chunks.slice(0, -1).every((chunk) => chunk.candidates?.[0]?.finishReason === undefined)).toBe(true)
  })

  test('continues with the chat helper, with thoughts and signatures in its history', async () => {
    const conversation = client.chats.create({
      model: 'sandbox-reasoner',
      config: { thinkingConfig: { includeThoughts: true } },
    })
    const chunks = await Array.fromAsync(await conversation.sendMessageStream({ message: 'Why?' }))
    expect(chunks.some((chunk) => partsOf(chunk)[0]?.thought === true)).toBe(true)
    expect(partsOf(chunks.at(-1))[0]?.thoughtSignature).toBeString()
    const answer = await conversation.sendMessage({ message: 'Say: and then' })
    expect(partsOf(answer).filter((part) => part.thought !== true)[0]?.text).toBe('and then')
    expect(answer.usageMetadata?.thoughtsTokenCount).toBeGreaterThan(0)
  })

  test('goes through a tool loop with its signed call, whole and streamed', async () => {
    const config = { tools: [{ functionDeclarations: [weather, time] }] }
    for (const isStreamed of [false, true]) {
      const conversation = client.chats.create({ model: 'sandbox-reasoner', config })
      const question = { message: 'Both in parallel' }
      const parts = isStreamed
        ? (await Array.fromAsync(await conversation.sendMessageStream(question))).flatMap(partsOf)
        : partsOf(await conversation.sendMessage(question))
      const calls = parts.filter((part) => part.functionCall !== undefined)
      expect(calls.map((part) => part.functionCall?.name)).toEqual(['get_weather', 'get_time'])
      expect(calls.map((part) => typeof part.thoughtSignature)).toEqual(['string', 'undefined'])
      const message = calls.map(({ functionCall }) => ({
        functionResponse: {
          id: functionCall?.id ?? '',
          name: functionCall?.name ?? '',
          response: { output: 'fine' },
        },
      }))
      const answer = await conversation.sendMessage({ message })
      expect(partsOf(answer)[0]?.text).toBe('get_weather returned: fine\nget_time returned: fine')
    }
  })

  test('respects the mode of calling', async () => {
    const called = async (functionCallingConfig: object) => {
      const response = await client.models.generateContent({
        model: 'sandbox-tools',
        contents: 'Both in parallel',
        config: {
          tools: [{ functionDeclarations: [weather, time] }],
          toolConfig: { functionCallingConfig },
        },
      })
      return response.functionCalls?.map((call) => call.name) ?? []
    }
    expect(await called({ mode: FunctionCallingConfigMode.AUTO })).toEqual(['get_weather', 'get_time'])
    expect(await called({ mode: FunctionCallingConfigMode.NONE })).toEqual([])
    const only = { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: ['get_time'] }
    expect(await called(only)).toEqual(['get_time'])
  })

  test('sees images, also those a tool returns', async () => {
    const inlineData = { mimeType: 'image/png', data: IMAGE.data }
    const seen = await client.models.generateContent({
      model: 'sandbox-chat',
      contents: [{ role: 'user', parts: [{ text: 'What is this?' }, { inlineData }] }],
    })
    expect(seen.text).toBe(`You said: "What is this?". I see 1 image: ${IMAGE.remark}.`)
    const returned = await client.models.generateContent({
      model: 'sandbox-tools',
      contents: [
        { role: 'user', parts: [{ text: 'Look' }] },
        { role: 'model', parts: [{ functionCall: { name: 'camera', args: {} } }] },
        {
          role: 'user',
          parts: [{ functionResponse: { name: 'camera', response: { error: 'blurred' } } }, { inlineData }],
        },
      ],
    })
    expect(returned.text).toBe(`camera failed: blurred\nI see 1 image: ${IMAGE.remark}.`)
  })

  test('gets several candidates: cut off, stopped and refused', async () => {
    const several = await client.models.generateContent({ ...chat('Hi'), config: { candidateCount: 2 } })
    expect(several.candidates?.map((candidate) => candidate.index)).toEqual([0, 1])
    expect(several.candidates?.[1]?.content?.parts?.[0]?.text).toContain('This is choice 2.')
    const cut = await client.models.generateContent({
      ...chat('count to 1000'),
      config: { maxOutputTokens: 5 },
    })
    expect(cut.candidates?.[0]?.finishReason).toBe('MAX_TOKENS' as never)
    expect(cut.usageMetadata?.candidatesTokenCount).toBe(5)
    const stopped = await client.models.generateContent({
      ...chat('count to 100'),
      config: { stopSequences: [' 4'] },
    })
    expect(stopped.text).toBe('1 2 3')
    const refused = await client.models.generateContent(chat('Please refuse this'))
    expect(refused.candidates?.[0]).toMatchObject({ finishReason: 'SAFETY' })
    expect(refused.candidates?.[0]?.content).toBeUndefined()
  })

  test('gets structured output by either kind of schema', async () => {
    const open = {
      type: Type.OBJECT,
      properties: { city: { type: Type.STRING, nullable: true } },
      required: ['city'],
    }
    for (const schema of [{ responseJsonSchema: WEATHER_SCHEMA }, { responseSchema: open }]) {
      const { text } = await client.models.generateContent({
        ...chat('Weather, please'),
        config: { responseMimeType: 'application/json', ...schema },
      })
      const fits = 'responseSchema' in schema ? { required: ['city'] } : WEATHER_SCHEMA
      expect(Compile(fits).Check(JSON.parse(text ?? ''))).toBe(true)
    }
  })

  test('counts tokens, cached ones within the prompt', async () => {
    const request = chat(`${name} `.repeat(600))
    const { totalTokens } = await client.models.countTokens(request)
    const first = await client.models.generateContent(request)
    const second = await client.models.generateContent(request)
    expect(first.usageMetadata?.promptTokenCount).toBe(totalTokens ?? 0)
    expect(first.usageMetadata?.cachedContentTokenCount).toBeUndefined()
    expect(second.usageMetadata?.promptTokenCount).toBe(totalTokens ?? 0)
    expect(second.usageMetadata?.cachedContentTokenCount).toBeGreaterThanOrEqual(1024)
  })

  test('gets the errors Google would send', async () => {
    expect(await failureOf(client.models.generateContent({ ...chat('Hi'), model: 'gpt-9' }))).toMatchObject({
      status: 404,
      message: expect.stringContaining('NOT_FOUND'),
    })
    const stranger = createClient(sandbox.url, 'not-a-key')
    expect(await failureOf(stranger.models.generateContent(chat('Hi')))).toMatchObject({
      status: 400,
      message: expect.stringContaining('API_KEY_INVALID'),
    })
  })
})

test('the newer client sees an error in mid-stream', async () => {
  const client = new GoogleGenAI({ apiKey: 'sk-sandbox-test', httpOptions: { baseUrl: sandbox.url } })
  sandbox.faults.set({ fault: { type: 'error-in-stream', afterPieces: 2 }, times: 1 })
  const stream = await client.models.generateContentStream({ model: 'sandbox-chat', contents: 'count to 9' })
  expect(await failureOf(Array.fromAsync(stream))).toMatchObject({ status: 500 })
})

function partsOf(response: GenerateContentResponse | undefined) {
  return response?.candidates?.[0]?.content?.parts ?? []
}
