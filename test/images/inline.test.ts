import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { GoogleGenAI, Modality } from '@google/genai'
import { OpenAI } from 'openai'
import { createKey, createLoneKey, openAccount } from '../support/accounts.ts'
import { readError } from '../support/chat.ts'
import { onlySettlementOf } from '../support/settlements.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'

/** Answers with words and one image, whether it was asked for one or not, and reports no usage if told so. */
function startPainter() {
  let isSilent = false
  const image = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }
  const chunk = (parts: readonly object[], more: object) => ({
    candidates: [{ index: 0, content: { role: 'model', parts }, ...more }],
    ...(!isSilent && {
      usageMetadata: {
        promptTokenCount: 10,
        candidatesTokenCount: 1_300,
        totalTokenCount: 1_310,
        candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1_290 }],
      },
    }),
  })
  const draft = { ...image, thought: true }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) => {
      if (!url.includes('streamGenerateContent'))
        return Response.json(chunk([draft, { text: 'A fox:' }, image], { finishReason: 'STOP' }))
      const chunks = [chunk([{ text: 'A fox:' }], {}), chunk([image], { finishReason: 'STOP' })]
      const body = chunks.map((each) => `data: ${JSON.stringify(each)}\n\n`).join('')
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    report: (isReporting: boolean) => {
      isSilent = !isReporting
    },
    stop: () => server.stop(true),
  }
}

let gateway: TestGateway
const painter = startPainter()

beforeAll(async () => {
  gateway = await startTestGateway()
  await gateway.operator('PUT', '/suppliers/painter', {
    type: 'google',
    base_url: painter.url,
    formats: ['content-generation'],
    enabled: true,
  })
  await gateway.operator('POST', '/suppliers/painter/credentials', { secret: 'k' })
  for (const [id, supplier] of [
    ['fox', 'painter'],
    ['sandbox-fox', 'sandbox-google'],
  ]) {
    await gateway.operator('PUT', `/models/${id}`, { owned_by: 'tests', kinds: ['text', 'image'] })
    await gateway.operator('PUT', `/models/${id}/routes/${supplier}`, {
      upstream_model: 'sandbox-image',
      formats: ['content-generation'],
      enabled: true,
      price: { input: '0', output: '1', image_output: '30', image: '0.04' },
    })
  }
})
afterAll(async () => {
  await gateway.stop()
  await painter.stop()
})

const CLIENTS = {
  'content-generation, whole': (apiKey: string, model: string) => google(apiKey).generateContent(ask(model)),
  'content-generation, streamed': async (apiKey: string, model: string) =>
    Array.fromAsync(await google(apiKey).generateContentStream(ask(model))),
  'chat-completion, whole': (apiKey: string, model: string) =>
    openai(apiKey).create({ model, messages: [{ role: 'user', content: 'a fox' }] }),
  'chat-completion, streamed': async (apiKey: string, model: string) =>
    Array.fromAsync(
      await openai(apiKey).create({ model, messages: [{ role: 'user', content: 'a fox' }], stream: true }),
    ),
}

const ask = (model: string) => ({
  model,
  contents: 'a fox',
  config: { responseModalities: [Modality.TEXT, Modality.IMAGE] },
})
const google = (apiKey: string) => new GoogleGenAI({ apiKey, httpOptions: { baseUrl: gateway.url } }).models
const openai = (apiKey: string) =>
  new OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 }).chat.completions

describe.each(Object.entries(CLIENTS))('an image within an answer (%s)', (_name, call) => {
  test('is counted as an image, beside the tokens that the supplier reports', async () => {
    painter.report(true)
    const key = await createLoneKey(gateway)
    await call(key.secret, 'fox')
    expect(await onlySettlementOf(gateway, key.id)).toMatchObject({
      provenance: 'supplier',
      usage: { input: 10, output: 1_300, images: 1, details: { image_output: 1_290 } },
      // 10 tokens of text, 1,290 of an image, and one image.
      amount: '0.07871',
    })
  })

  test('is charged when the supplier reports nothing', async () => {
    painter.report(false)
    const key = await createLoneKey(gateway)
    await call(key.secret, 'fox')
    const { provenance, usage, amount } = await onlySettlementOf(gateway, key.id)
    expect(usage).toMatchObject({ images: 1 })
    expect(provenance).toBe('counted')
    expect(Number(amount)).toBeGreaterThanOrEqual(0.04)
  })
})

test('the sandbox makes one too', async () => {
  const key = await createLoneKey(gateway)
  const { candidates } = await google(key.secret).generateContent(ask('sandbox-fox'))
  expect(candidates?.[0]?.content?.parts?.some(({ inlineData }) => inlineData !== undefined)).toBe(true)
  expect(await onlySettlementOf(gateway, key.id)).toMatchObject({ usage: { images: 1 } })
})

test('an image that the balance cannot pay for is not made', async () => {
  const id = await openAccount(gateway, '0.03')
  const key = await createKey(gateway, id)
  const response = await fetch(`${gateway.url}/v1/models/fox:generateContent`, {
    method: 'POST',
    headers: { 'x-goog-api-key': key.secret, 'content-type': 'application/json' },
    body: JSON.stringify({
      contents: [{ parts: [{ text: 'a fox' }] }],
      generationConfig: { responseModalities: ['TEXT', 'IMAGE'], maxOutputTokens: 1 },
    }),
  })
  expect([response.status, (await readError(response)).code]).toEqual([403, 'spending_limit_exceeded'])
})
