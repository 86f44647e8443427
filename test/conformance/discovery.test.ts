import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { OPENAI_SDKS } from '../support/sdk-clients.ts'
import { BOOTSTRAP_KEY } from '../support/test-gateway.ts'
import { GENAI_SDKS } from './drivers/content-generation.ts'
import { ANTHROPIC_SDKS } from './drivers/messages.ts'
import { openStage, type Stage } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.stop())

const MODELS = [
  'sandbox-chat',
  'sandbox-completion',
  'sandbox-embedding',
  'sandbox-flaky',
  'sandbox-image',
  'sandbox-image-base64',
  'sandbox-moderation',
  'sandbox-reasoner',
  'sandbox-rerank',
  'sandbox-slow',
  'sandbox-speech',
  'sandbox-speech-tokens',
  'sandbox-tools',
  'sandbox-transcribe',
  'sandbox-transcribe-tokens',
]

// The content-generation format has no way to ask for the others.
const LISTED_MODELS = MODELS.filter(
  (id) => !/^sandbox-(?:image|moderation|rerank|speech|transcribe)/.test(id),
)

describe.each(OPENAI_SDKS)('%s', (_sdk, _classes, connect) => {
  test('lists the models', async () => {
    const client = connect({ apiKey: BOOTSTRAP_KEY, baseURL: `${stage.gateway.url}/v1`, maxRetries: 0 })
    expect((await Array.fromAsync(client.models.list())).map(({ id }) => id)).toEqual(MODELS)
    expect(await client.models.retrieve('sandbox-chat')).toMatchObject({ id: 'sandbox-chat' })
  })
})

describe.each(ANTHROPIC_SDKS)('%s', (_sdk, { NotFoundError }, connect) => {
  const open = () => connect({ apiKey: BOOTSTRAP_KEY, baseURL: stage.gateway.url, maxRetries: 0 })

  test('lists the models, with paging if the SDK supports it', async () => {
    expect((await Array.fromAsync(open().models.list())).map(({ id }) => id)).toEqual(MODELS)
    const page = await open().models.list({ limit: 2 })
    expect(page.data.length).toBeGreaterThan(0)
    expect((await Array.fromAsync(page)).map(({ id }) => id)).toEqual(MODELS)
  })

  test('describes one model, and says when there is none', async () => {
    const model = await open().models.retrieve('sandbox-chat')
    expect(model).toMatchObject({ id: 'sandbox-chat', type: 'model', display_name: 'sandbox-chat' })
    expect(Date.parse(model.created_at)).toBeGreaterThan(0)
    const missing = await open()
      .models.retrieve('claude-none')
      .catch((error: unknown) => error)
    expect(missing).toBeInstanceOf(NotFoundError)
  })
})

describe.each(GENAI_SDKS)('%s', (_sdk, connect) => {
  const open = () => connect({ apiKey: BOOTSTRAP_KEY, httpOptions: { baseUrl: stage.gateway.url } })
  const RESOURCES = LISTED_MODELS.map((id) => `models/${id}`)

  test.each([1, 2, 5, 50])('its pager finds every model once in pages of %i', async (pageSize) => {
    const pager = await open().models.list({ config: { pageSize } })
    expect(pager.page).toHaveLength(Math.min(pageSize, LISTED_MODELS.length))
    expect((await Array.fromAsync(pager)).map(({ name }) => name)).toEqual(RESOURCES)
  })

  test('its pager can be advanced by hand to the end', async () => {
    const pager = await open().models.list({ config: { pageSize: 4 } })
    expect(pager.page.map(({ name }) => name)).toEqual(RESOURCES.slice(0, 4))
    expect((await pager.nextPage()).map(({ name }) => name)).toEqual(RESOURCES.slice(4))
    expect(pager.hasNextPage()).toBe(false)
  })

  test('describes one model, and says when there is none', async () => {
    const model = await open().models.get({ model: 'sandbox-chat' })
    expect(model).toMatchObject({ name: 'models/sandbox-chat', displayName: 'sandbox-chat' })
    expect(model.supportedActions).toEqual(['generateContent', 'countTokens', 'streamGenerateContent'])
    const missing = await open()
      .models.get({ model: 'gemini-none' })
      .catch((error: unknown) => error)
    expect(missing).toMatchObject({ status: 404, message: expect.stringContaining('model_not_found') })
  })
})
