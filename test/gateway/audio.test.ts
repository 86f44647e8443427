import { afterAll, beforeAll, expect, test } from 'bun:test'
import { OpenAI } from 'openai'
import { createLoneKey } from '../support/accounts.ts'
import { onlySettlementOf } from '../support/settlements.ts'
import { addModel, addSupplier } from '../support/supply.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'

/** A supplier whose answers are spoken. */
const sent: unknown[] = []
const AUDIO = { id: 'audio_1', data: 'AAAA', expires_at: 1, transcript: 'Hello!' }
const speaker = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: async (request) => {
    sent.push(await request.json())
    return Response.json({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [
        { index: 0, message: { role: 'assistant', content: null, audio: AUDIO }, finish_reason: 'stop' },
      ],
      usage: {
        prompt_tokens: 20,
        completion_tokens: 40,
        total_tokens: 60,
        prompt_tokens_details: { audio_tokens: 15 },
        completion_tokens_details: { audio_tokens: 30 },
      },
    })
  },
})

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
  await addSupplier(gateway, { id: 'speaker', sandbox: { url: `http://127.0.0.1:${speaker.port}` } })
  await addModel(gateway, 'speaks', { suppliers: ['speaker'] })
  await addModel(gateway, 'writes', { suppliers: ['sandbox-anthropic'] })
})
afterAll(async () => {
  await gateway.stop()
  await speaker.stop(true)
})

const SPOKEN = {
  modalities: ['text' as const, 'audio' as const],
  audio: { voice: 'alloy', format: 'wav' as const },
  messages: [
    {
      role: 'user' as const,
      content: [
        { type: 'input_audio' as const, input_audio: { data: 'AAAA', format: 'wav' as const } },
        { type: 'text' as const, text: 'Answer this.' },
      ],
    },
  ],
}
const connect = (apiKey: string) =>
  new OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 }).chat.completions

test('audio is relayed both ways, and its tokens are settled apart', async () => {
  const key = await createLoneKey(gateway)
  const { choices } = await connect(key.secret).create({ model: 'speaks', ...SPOKEN })
  expect(choices[0]?.message.audio).toEqual(AUDIO)
  expect(sent).toEqual([expect.objectContaining(SPOKEN)])
  expect(await onlySettlementOf(gateway, key.id)).toMatchObject({
    provenance: 'supplier',
    usage: { input: 20, output: 40, details: { audio_input: 15, audio_output: 30 } },
  })
})

test('audio is refused by a supplier of another format', async () => {
  const key = await createLoneKey(gateway)
  const refused = await connect(key.secret)
    .create({ model: 'writes', ...SPOKEN })
    .catch((error: unknown) => error)
  expect(refused).toMatchObject({ status: 400, code: 'unsupported_parameter', param: 'modalities' })
})
