import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { OpenAI } from 'openai'
import { wavFile } from '../../../src/wire/audio/testing/audio-files.ts'
import { createKey, createLoneKey, openAccount } from '../../support/accounts.ts'
import { onlySettlementOf } from '../../support/settlements.ts'
import { startTestGateway, type TestGateway } from '../../support/test-gateway.ts'
import {
  addAudioModel,
  addAudioSupplier,
  type ScriptedAudio,
  startScriptedAudio,
} from './support/scripted-audio.ts'

let gateway: TestGateway
let supplier: ScriptedAudio

beforeAll(async () => {
  gateway = await startTestGateway()
  supplier = startScriptedAudio()
  await addAudioSupplier(gateway, 'scripted', supplier.url)
  const price = { input: '2.5', output: '10', audio_input: '40', audio_output: '80' }
  await addAudioModel(gateway, 'talking', { kind: 'text', suppliers: ['scripted'], price })
  await gateway.operator('PUT', '/models/talking', { owned_by: 'tests', output_token_limit: 1_000 })
  // A model whose supplier speaks another format.
  await gateway.operator('PUT', '/models/silent', { owned_by: 'tests' })
  await gateway.operator('PUT', '/models/silent/routes/sandbox-anthropic', {
    upstream_model: 'sandbox-chat',
    price: { input: '1', output: '1' },
    enabled: true,
  })
})
afterAll(async () => {
  await gateway.stop()
  await supplier.stop()
})

const clientWith = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 })

const QUESTION = {
  model: 'talking',
  modalities: ['text', 'audio'],
  audio: { voice: 'alloy', format: 'wav' },
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is said here?' },
        {
          type: 'input_audio',
          input_audio: { data: Buffer.from(wavFile(100)).toString('base64'), format: 'wav' },
        },
      ],
    },
  ],
} satisfies OpenAI.Chat.ChatCompletionCreateParamsNonStreaming

const USAGE = {
  prompt_tokens: 30,
  completion_tokens: 50,
  total_tokens: 80,
  prompt_tokens_details: { audio_tokens: 10, text_tokens: 20, cached_tokens: 0 },
  completion_tokens_details: { audio_tokens: 40, text_tokens: 10, reasoning_tokens: 0 },
}
const METERED = { input: 30, output: 50, details: { audio_input: 10, audio_output: 40 } }

test('a spoken answer is relayed unchanged, and charged in audio tokens', async () => {
  const audio = { id: 'audio_1', data: 'UklGRg==', expires_at: 1_900_000_000, transcript: 'Nothing.' }
  const message = { role: 'assistant', content: null, refusal: null, audio }
  const reply = {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'upstream',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage: USAGE,
  }
  supplier.answer = () => Response.json(reply)
  const key = await createLoneKey(gateway)
  const answer = await clientWith(key.secret).chat.completions.create(QUESTION)
  expect(answer.choices[0]?.message.audio).toEqual(audio)
  expect(JSON.parse(supplier.calls.at(-1)?.body ?? '')).toEqual({ ...QUESTION, model: 'upstream-talking' })
  expect(await onlySettlementOf(gateway, key.id)).toMatchObject({
    provenance: 'supplier',
    usage: METERED,
    // 20 × 2.5 + 10 × 40 + 10 × 10 + 40 × 80, for a million.
    amount: '0.00375',
  })
})

test('a spoken stream is relayed unchanged', async () => {
  const chunk = (delta: object, more: object = {}) => ({
    id: 'chatcmpl-2',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'upstream',
    choices: [{ index: 0, delta, finish_reason: null }],
    ...more,
  })
  const chunks = [
    chunk({ role: 'assistant', audio: { id: 'audio_2', transcript: 'No' } }),
    chunk({ audio: { data: 'AAEC' } }),
    chunk({ audio: { transcript: 'thing.', expires_at: 1_900_000_000 } }),
    chunk({}, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
    chunk({}, { choices: [], usage: USAGE }),
  ]
  const text = [...chunks.map((value) => JSON.stringify(value)), '[DONE]']
    .map((data) => `data: ${data}\n\n`)
    .join('')
  supplier.answer = () => new Response(text, { headers: { 'content-type': 'text/event-stream' } })
  const key = await createLoneKey(gateway)
  const stream = await clientWith(key.secret).chat.completions.create({
    ...QUESTION,
    stream: true,
    stream_options: { include_usage: true },
    audio: { voice: 'alloy', format: 'pcm16' },
  })
  const received: unknown[] = []
  for await (const piece of stream) received.push(piece)
  expect(received).toEqual(chunks)
  expect(await onlySettlementOf(gateway, key.id)).toMatchObject({ provenance: 'supplier', usage: METERED })
})

describe('a limited balance', () => {
  const statusWith = async (balance: string) => {
    supplier.answer = () =>
      Response.json({
        id: 'c',
        choices: [{ message: { content: 'x' }, finish_reason: 'stop' }],
        usage: USAGE,
      })
    const { secret } = await createKey(gateway, await openAccount(gateway, balance))
    const result = clientWith(secret).chat.completions.create(QUESTION)
    return await result.then(
      () => 200,
      (error: { status: number; code: string }) => error.code,
    )
  }

  test('must cover all that a spoken answer may cost, because it cannot be shortened', async () => {
    // A thousand tokens at 80 a million, and the prompt.
    expect(await statusWith('0.08')).toBe('spending_limit_exceeded')
    expect(await statusWith('0.5')).toBe(200)
  })
})

test('a supplier of another format is not asked to speak or to listen', async () => {
  const client = clientWith((await createLoneKey(gateway)).secret)
  const codeOf = (question: OpenAI.Chat.ChatCompletionCreateParamsNonStreaming) =>
    client.chat.completions.create(question).then(
      () => null,
      (error: { code: string; param: string }) => [error.code, error.param],
    )
  expect(await codeOf({ ...QUESTION, model: 'silent' })).toEqual(['unsupported_parameter', 'modalities'])
  const { modalities: _m, audio: _a, ...listening } = QUESTION
  expect(await codeOf({ ...listening, model: 'silent' })).toEqual(['unsupported_parameter', 'input_audio'])
})
