import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type ApiError, GoogleGenAI } from '@google/genai'
import { GENAI_SDKS } from '../conformance/drivers/content-generation.ts'
import { createLoneKey, type IssuedKey } from '../support/accounts.ts'
import { createMovableClock } from '../support/movable-clock.ts'
import { addModel, addSupplier } from '../support/supply.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'

const MODEL = 'acme/small'

let gateway: TestGateway
let key: IssuedKey
beforeAll(async () => {
  gateway = await startTestGateway({ clock: createMovableClock() })
  await addSupplier(gateway, { id: 'acme', sandbox: gateway.sandbox })
  await addModel(gateway, MODEL, { suppliers: ['acme'] })
  key = await createLoneKey(gateway)
})
afterAll(() => gateway.stop())

describe.each(GENAI_SDKS)('%s on /v1', (_sdk, connect) => {
  const open = () => {
    const httpOptions = { baseUrl: gateway.url, apiVersion: 'v1' }
    return connect({ apiKey: key.secret, httpOptions })
  }

  test('lists and shows models in its own format, also ids with a slash', async () => {
    const pager = await open().models.list({ config: { pageSize: 2 } })
    expect(pager.page).toHaveLength(2)
    expect((await Array.fromAsync(pager)).map(({ name }) => name)).toContain(`models/${MODEL}`)
    expect(await open().models.get({ model: `models/${MODEL}` })).toMatchObject({ name: `models/${MODEL}` })
  })

  test('answers, whole and streamed', async () => {
    const asking = { model: `models/${MODEL}`, contents: 'count to 10' }
    const whole = await open().models.generateContent(asking)
    expect(whole.text).toContain('10')
    const chunks = await Array.fromAsync(await open().models.generateContentStream(asking))
    expect(chunks.length).toBeGreaterThan(1)
    expect(chunks.map(({ text }) => text ?? '').join('')).toBe(whole.text ?? '')
  })

  test('counts tokens, of which none are cached', async () => {
    const count = await open().models.countTokens({ model: `models/${MODEL}`, contents: 'hi' })
    expect(count.totalTokens).toBeGreaterThan(0)
    expect(count.cachedContentTokenCount).toBe(0)
  })

  test('reads errors as on /v1beta', async () => {
    const ask = (apiVersion: string) =>
      new GoogleGenAI({ apiKey: key.secret, httpOptions: { baseUrl: gateway.url, apiVersion } }).models
        .generateContent({ model: 'acme/none', contents: 'hi' })
        .catch((error: ApiError) => ({ status: error.status, message: error.message }))
    const refused = await ask('v1')
    expect(refused).toMatchObject({ status: 404, message: expect.stringContaining('model_not_found') })
    expect(refused).toEqual(await ask('v1beta'))
  })
})

describe('the model list of /v1', () => {
  const list = async (headers: Record<string, string>, path = '/v1/models') => {
    const response = await fetch(`${gateway.url}${path}`, { headers })
    return (await response.json()) as Record<string, unknown>
  }
  const bearer = () => ({ authorization: `Bearer ${key.secret}` })

  test.each(['authorization', 'x-api-key', 'x-vendor-api-key'])(
    'is that of spec 2.2 with %s',
    async (name) => {
      const value = name === 'authorization' ? `Bearer ${key.secret}` : key.secret
      expect(await list({ [name]: value })).toMatchObject({ object: 'list' })
      expect(await list({ [name]: value }, `/v1/models/${MODEL}`)).toMatchObject({
        id: MODEL,
        object: 'model',
      })
    },
  )

  test('is the one of /v1beta for content-generation clients, however they send the key', async () => {
    const expected = await list(bearer(), '/v1beta/models')
    expect(expected.models).toBeArray()
    expect(await list({ 'x-goog-api-key': key.secret })).toEqual(expected)
    expect(await list({ ...bearer(), 'x-goog-api-client': 'google-genai-sdk/3.1.0' })).toEqual(expected)
  })
})

test('an unknown method on /v1 is named', async () => {
  const response = await fetch(`${gateway.url}/v1/models/${MODEL}:drawContent?key=${key.secret}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  expect(response.status).toBe(404)
  expect(await response.json()).toMatchObject({
    error: { code: 'not_found', message: expect.stringContaining('"drawContent" does not exist') },
  })
})
