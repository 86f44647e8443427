import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { OpenAI } from 'openai'
import { createLoneKey } from '../support/accounts.ts'
import { readError, refusalOf } from '../support/chat.ts'
import { onlySettlementOf } from '../support/settlements.ts'
import { openUnlimitedKey } from '../support/two-suppliers.ts'
import { moderations } from './drivers/moderations.ts'
import { type FamilyStage, openFamilyStage } from './family-stage.ts'

const GENERAL = { type: 'openai-compatible', format: 'moderations', path: '/v1' } as const
const IMAGE = 'https://example.com/violence.png'

let stage: FamilyStage
let scripted: ReturnType<typeof Bun.serve>
/** What the scripted supplier was sent last, and what it answers. */
let seen = ''
let reply = ''
let key = ''
let client: OpenAI

beforeAll(async () => {
  stage = await openFamilyStage()
  scripted = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      seen = await request.text()
      return new Response(reply)
    },
  })
  await stage.addSupplier('general', GENERAL)
  await stage.addSupplier('scripted', GENERAL, { more: { base_url: `http://127.0.0.1:${scripted.port}` } })
  await stage.addModel('judge', moderations, ['general'])
  await stage.addModel('scripted', moderations, ['scripted'])
  key = (await openUnlimitedKey(stage.gateway)).secret
  client = new OpenAI({ apiKey: key, baseURL: `${stage.gateway.url}/v1`, maxRetries: 0 })
})
afterAll(async () => {
  await stage.stop()
  await scripted.stop(true)
})

const ask = (fields: Readonly<Record<string, unknown>>, asker = key) =>
  stage.send({ path: '/v1/moderations', body: JSON.stringify(fields) }, { key: asker })

describe('the OpenAI SDK', () => {
  test('has a text judged', async () => {
    const { results, model } = await client.moderations.create({ model: 'judge', input: 'hate' })
    expect(model).toBe('sandbox-moderation')
    expect(results.map(({ flagged, categories }) => [flagged, categories.hate, categories.violence])).toEqual(
      [[true, true, false]],
    )
  })

  test('has each text of a list judged', async () => {
    const { results } = await client.moderations.create({ model: 'judge', input: ['calm', 'violence'] })
    expect(results.map(({ flagged }) => flagged)).toEqual([false, true])
  })

  test('has texts and images judged together', async () => {
    const { results } = await client.moderations.create({
      model: 'judge',
      input: [
        { type: 'text', text: 'a picture' },
        { type: 'image_url', image_url: { url: IMAGE } },
      ],
    })
    expect(results.map(({ category_applied_input_types: types }) => types.violence)).toEqual([['image']])
  })
})

describe('a request without a model', () => {
  test('goes to the first model for moderation', async () => {
    const { model } = await client.moderations.create({ input: 'calm' })
    expect(model).toBe('sandbox-moderation')
  })

  test('goes to the usual one where there is one', async () => {
    await stage.addModel('omni-moderation-latest', moderations, ['scripted'])
    reply = '{"id":"modr-1","model":"omni-moderation-2024-09-26","results":[]}'
    const response = await ask({ input: 'calm' })
    expect(response.headers.get('x-gateway-route')).toBe('scripted')
    const left = await createLoneKey(stage.gateway, { model_allowlist: ['judge', 'sandbox-chat'] })
    const other = await ask({ input: 'calm' }, left.secret)
    expect(other.headers.get('x-gateway-route')).toBe('general')
  })

  test('is refused when the key may use none', async () => {
    const { secret } = await createLoneKey(stage.gateway, { model_allowlist: ['sandbox-chat'] })
    const error = await readError(await ask({ input: 'calm' }, secret))
    expect([error.code, error.param]).toEqual(['model_not_found', 'model'])
    expect(error.message).toContain('names no model')
  })
})

test('bodies and replies are relayed unchanged but for the model', async () => {
  reply = '{ "id":"modr-1", "model": "m", "results": [ {"flagged":false, "score": 1.50} ], "new": 1 }'
  const body = '{"input": ["\\u0061"],"model":"scripted","big":12345678901234567890}'
  const response = await stage.send({ path: '/v1/moderations', body }, { key })
  expect(await response.text()).toBe(reply)
  expect(seen).toBe('{"model":"sandbox-moderation","input": ["\\u0061"],"big":12345678901234567890}')
})

test('a reply without verdicts is a failure of the supplier', async () => {
  reply = '{"id":"modr-1"}'
  expect(await refusalOf(await ask({ model: 'scripted', input: 'x' }))).toEqual([502, 'provider_error'])
})

test('tokens are counted, because suppliers do not report them', async () => {
  const { id, secret } = await createLoneKey(stage.gateway)
  expect((await ask({ model: 'judge', input: 'word '.repeat(400) }, secret)).status).toBe(200)
  const settlement = await onlySettlementOf(stage.gateway, id)
  expect(settlement).toMatchObject({ provenance: 'counted', usage: { output: 0 } })
  expect(settlement.usage.input).toBeGreaterThan(350)
  expect(settlement.usage.input).toBeLessThan(600)
})

test.each([
  [{}, 'input'],
  [{ input: [] }, 'input'],
  [{ input: 7 }, 'input'],
  [{ input: ['a', 7] }, 'input[1]'],
  [{ input: [{ type: 'text' }] }, 'input[0]'],
  [{ input: Array(10_001).fill('x') }, 'input'],
])('%j is refused', async (fields, param) => {
  const error = await readError(await ask({ model: 'judge', ...fields }))
  expect([error.code, error.param]).toEqual(['invalid_request', param])
})
