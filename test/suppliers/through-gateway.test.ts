import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Anthropic } from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import { OpenAI } from 'openai'
import { writeException } from '../../src/suppliers/bedrock/testing/write-frame.ts'
import { createKey, type IssuedKey, openAccount } from '../support/accounts.ts'
import { type SettlementBody, settlementsOf } from '../support/settlements.ts'
import { TEST_PRICE } from '../support/supply.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import {
  AZURE_KEY,
  BEDROCK_API_KEY,
  BEDROCK_KEYS,
  BEDROCK_REGION,
  type Clouds,
  SESSION_TOKEN,
  startClouds,
} from './support/clouds.ts'

const MODEL = 'cloud-chat'
const TEXT = 'pong ünd 👋'
const PROFILE = 'arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.sandbox-chat-v1:0'

let clouds: Clouds
let gateway: TestGateway
const keys = new Map<string, IssuedKey>()

beforeAll(async () => {
  clouds = await startClouds()
  gateway = await startTestGateway({ clock: clouds.clock })
  await gateway.operator('PUT', `/models/${MODEL}`, { owned_by: 'tests', output_token_limit: 4096 })
  const { azure, bedrock, vertex } = clouds
  const atAzure = { type: 'azure-openai', base_url: azure.url, formats: ['chat-completion', 'responses'] }
  await supply('azure', atAzure, { secret: AZURE_KEY })
  await supply('azure-dated', { ...atAzure, options: { api_version: '2024-10-21' } }, { secret: AZURE_KEY })
  const options = { region: BEDROCK_REGION }
  const atBedrock = { type: 'bedrock', base_url: bedrock.url, formats: ['messages'], options }
  await supply('bedrock', atBedrock, { secret: BEDROCK_KEYS, upstreamModel: PROFILE })
  const otherKeys = BEDROCK_KEYS.replace(/:[^:]+:/, ':other:')
  await supply('bedrock-other', atBedrock, { secret: otherKeys, upstreamModel: PROFILE })
  const withKey = { type: 'bedrock', base_url: bedrock.url, formats: ['chat-completion'] }
  await supply('bedrock-key', withKey, { secret: BEDROCK_API_KEY })
  const place = { location: 'us-east5', token_uri: vertex.tokenUri }
  const atVertex = { type: 'vertex', base_url: vertex.url, options: place }
  await supply('vertex', { ...atVertex, formats: ['content-generation'] }, { secret: vertex.secret })
  await supply('vertex-claude', { ...atVertex, formats: ['messages'] }, { secret: vertex.secret })
})

afterAll(async () => {
  await gateway.stop()
  await clouds.stop()
})

interface Route {
  readonly secret: string
  readonly upstreamModel?: string
}

/** Registers a supplier as an operator does, with a key whose requests go nowhere else. */
async function supply(
  id: string,
  supplier: object,
  { secret, upstreamModel = 'sandbox-chat' }: Route,
): Promise<void> {
  await gateway.operator('PUT', `/suppliers/${id}`, { ...supplier, enabled: true })
  await gateway.operator('POST', `/suppliers/${id}/credentials`, { secret })
  const route = { upstream_model: upstreamModel, price: TEST_PRICE, enabled: true }
  await gateway.operator('PUT', `/models/${MODEL}/routes/${id}`, route)
  const policy = { route_policy: { mode: 'specified_provider', provider: id } }
  keys.set(id, await createKey(gateway, await openAccount(gateway), policy))
}

function keyFor(supplier: string): IssuedKey {
  const key = keys.get(supplier)
  if (key === undefined) throw new Error(`no key for ${supplier}`)
  return key
}

type Say = (supplier: string, mode: 'whole' | 'streamed') => Promise<string>

const sayInChat: Say = async (supplier, mode) => {
  const client = new OpenAI({ apiKey: keyFor(supplier).secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
  const request = { model: MODEL, messages: [{ role: 'user', content: `say: ${TEXT}` }] } as const
  if (mode === 'whole') {
    const reply = await client.chat.completions.create({ ...request, messages: [...request.messages] })
    return reply.choices[0]?.message.content ?? ''
  }
  const stream = client.chat.completions.stream({ ...request, messages: [...request.messages] })
  return (await stream.finalChatCompletion()).choices[0]?.message.content ?? ''
}

const sayInResponses: Say = async (supplier, mode) => {
  const client = new OpenAI({ apiKey: keyFor(supplier).secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
  const request = { model: MODEL, input: `say: ${TEXT}` }
  if (mode === 'whole') return (await client.responses.create(request)).output_text
  return (await client.responses.stream(request).finalResponse()).output_text
}

const sayInMessages: Say = async (supplier, mode) => {
  const client = new Anthropic({ apiKey: keyFor(supplier).secret, baseURL: gateway.url, maxRetries: 0 })
  const request: Anthropic.MessageCreateParamsNonStreaming = {
    model: MODEL,
    max_tokens: 100,
    messages: [{ role: 'user', content: `say: ${TEXT}` }],
  }
  const message =
    mode === 'whole'
      ? await client.messages.create(request)
      : await client.messages.stream(request).finalMessage()
  return message.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
}

const sayInContents: Say = async (supplier, mode) => {
  const client = new GoogleGenAI({ apiKey: keyFor(supplier).secret, httpOptions: { baseUrl: gateway.url } })
  const request = { model: MODEL, contents: `say: ${TEXT}` }
  if (mode === 'whole') return (await client.models.generateContent(request)).text ?? ''
  let text = ''
  for await (const chunk of await client.models.generateContentStream(request)) text += chunk.text ?? ''
  return text
}

const SAYINGS: readonly [format: string, say: Say, suppliers: readonly string[]][] = [
  [
    'chat completions',
    sayInChat,
    ['azure', 'azure-dated', 'bedrock', 'bedrock-key', 'vertex', 'vertex-claude'],
  ],
  ['responses', sayInResponses, ['azure', 'azure-dated', 'bedrock', 'vertex']],
  ['messages', sayInMessages, ['bedrock', 'vertex-claude', 'azure', 'vertex']],
  ['content generation', sayInContents, ['vertex', 'bedrock', 'azure']],
]

describe('the official client of', () => {
  for (const [format, say, suppliers] of SAYINGS) {
    for (const supplier of suppliers) {
      for (const mode of ['whole', 'streamed'] as const) {
        test(`${format} is answered by ${supplier}, ${mode}`, async () =>
          expect(await say(supplier, mode)).toBe(TEXT))
      }
    }
  }
})

test('the settled usage is what the supplier reported, streamed and not', async () => {
  for (const supplier of ['bedrock', 'vertex-claude', 'vertex', 'azure']) {
    const { id } = keyFor(supplier)
    const settlements = await settlementsOf(gateway, id, 2)
    for (const { provenance, outcome, usage } of settlements) {
      expect([supplier, provenance, outcome]).toEqual([supplier, 'supplier', 'completed'])
      expect(usage.output).toBeGreaterThan(0)
    }
  }
})

test('one token serves the calls of a credential until it expires', async () => {
  const fetched = clouds.vertex.assertions.length
  await sayInContents('vertex', 'whole')
  expect(clouds.vertex.assertions.length).toBe(fetched)
  clouds.clock.advance(3_600_000)
  expect(await sayInContents('vertex', 'whole')).toBe(TEXT)
  expect(clouds.vertex.assertions.length).toBe(fetched + 1)
})

interface Heard {
  readonly text: string
  /** Of the error that ended it. */
  readonly code: string | null
}

/** What a client has heard of a streamed answer when it fails. */
async function hear(supplier: string, onText: () => void = () => undefined): Promise<Heard> {
  const client = new Anthropic({ apiKey: keyFor(supplier).secret, baseURL: gateway.url, maxRetries: 0 })
  const messages = [{ role: 'user', content: `say: ${TEXT}` } as const]
  let text = ''
  try {
    const stream = client.messages.stream({ model: MODEL, max_tokens: 100, messages })
    stream.on('text', (delta) => {
      text += delta
      onText()
    })
    await stream.finalMessage()
  } catch (error) {
    return { text, code: error instanceof Anthropic.APIError ? (error.type ?? null) : String(error) }
  }
  throw new Error('the answer did not fail')
}

describe('a stream of Bedrock', () => {
  /** What comes after the first four frames, which hold the beginning of the text. */
  const endings: Readonly<Record<string, (next: Uint8Array) => readonly Uint8Array[]>> = {
    'that is cut inside a frame': (next) => [next.subarray(0, 20)],
    'that is cut between two frames': () => [],
    'with a frame that was changed on its way': (next) => [Buffer.from(next).fill(0, 40, 50)],
    'that an exception ends': () => [writeException('modelStreamErrorException', 'The model broke off.')],
  }

  for (const [name, end] of Object.entries(endings)) {
    test(`${name} ends in an error after the text so far`, async () => {
      const { id } = keyFor('bedrock')
      const before = await settlementsOf(gateway, id, 0)
      const { promise: isHeard, resolve } = Promise.withResolvers<void>()
      clouds.bedrock.disturb(([a, b, c, d, next]) =>
        [a, b, c, d, isHeard, ...end(next ?? new Uint8Array())].filter((cue) => cue !== undefined),
      )
      const { text, code } = await hear('bedrock', resolve)
      clouds.bedrock.disturb(null)
      expect(code).toBe('provider_error')
      expect(text).not.toBe('')
      expect(TEXT).toStartWith(text)
      const after = await settlementsOf(gateway, id, before.length + 1)
      expect(countFailed(after)).toBe(countFailed(before) + 1)
    })
  }

  function countFailed(settlements: readonly SettlementBody[]): number {
    return settlements.filter(({ outcome }) => outcome === 'supplier_failed').length
  }

  test('that begins with an exception is an ordinary refusal', async () => {
    clouds.bedrock.disturb(() => [writeException('throttlingException', 'Too many tokens, please wait.')])
    expect(await hear('bedrock')).toEqual({ text: '', code: 'supplier_rate_limited' })
    clouds.bedrock.disturb(null)
  })
})

test('a refused signature leaks no secret to the client, the log or the settlement', async () => {
  const error = await sayInMessages('bedrock-other', 'whole').catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(Anthropic.APIError)
  expect((error as Error).message).toContain('provider_error')
  const [settlement] = await settlementsOf(gateway, keyFor('bedrock-other').id, 1)
  const records = [(error as Error).message, settlement, gateway.log.failedAttempts].map((each) =>
    JSON.stringify(each),
  )
  expect(records[2]).toContain('signature we calculated does not match')
  for (const text of records) {
    for (const piece of [SESSION_TOKEN, ...BEDROCK_KEYS.split(':')]) expect(text).not.toContain(piece)
  }
})

test('an invalid supplier configuration is refused when it is saved', async () => {
  const put = (id: string, supplier: object) => gateway.operator('PUT', `/suppliers/${id}`, supplier)
  const at = { base_url: 'https://up.example', enabled: true }
  await expect(put('x-azure', { ...at, type: 'azure-openai', formats: ['messages'] })).rejects.toThrow(
    'formats[0]',
  )
  const entra = { ...at, type: 'azure-openai', formats: ['responses'], options: { auth: 'entra' } }
  await expect(put('x-azure', entra)).rejects.toThrow('options.auth')
  for (const [id, secret] of [
    ['bedrock', 'ASIATESTTESTTESTTEST'],
    ['vertex', 'AIzaSyNotAServiceAccount'],
  ]) {
    await expect(gateway.operator('POST', `/suppliers/${id}/credentials`, { secret })).rejects.toThrow(
      'secret',
    )
  }
})
