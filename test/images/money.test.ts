import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { balanceOf, createKey, createLoneKey, openAccount } from '../support/accounts.ts'
import { limitsOf, readError, refusalOf } from '../support/chat.ts'
import { eventually } from '../support/eventually.ts'
import { onlySettlementOf, settlementsOf } from '../support/settlements.ts'
import { addSupplier } from '../support/supply.ts'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { addImageModel, asFile, EDIT, edit, generate, type Images, PHOTO } from './image-requests.ts'

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startTestGateway()
  await addImageModel(gateway, 'by-parts', { suppliers: ['sandbox-google'], formats: ['content-generation'] })
})
afterEach(() => gateway.sandbox.faults.clear())
afterAll(() => gateway.stop())

/** A separate model with two suppliers, since routing remembers what a supplier did in another test. */
async function addPair(id: string): Promise<void> {
  const suppliers = [`${id}-first`, `${id}-second`]
  for (const supplier of suppliers) {
    await addSupplier(gateway, { id: supplier, sandbox: gateway.sandbox })
    await gateway.operator('PUT', `/suppliers/${supplier}`, {
      type: 'openai-compatible',
      base_url: `${gateway.sandbox.url}/v1`,
      formats: ['images'],
      enabled: true,
    })
  }
  await addImageModel(gateway, id, { suppliers })
}

describe('what images cost', () => {
  test('each at its price, counted by us when no tokens are reported', async () => {
    const key = await createLoneKey(gateway)
    await generate(gateway, { n: 3 }, { key: key.secret })
    expect(await onlySettlementOf(gateway, key.id)).toMatchObject({
      supplier: 'sandbox-openai',
      client_format: 'images',
      supplier_format: 'images',
      stream: false,
      outcome: 'completed',
      provenance: 'counted',
      usage: { input: 0, output: 0, images: 3 },
      amount: '0.06',
    })
  })

  test('by the size and quality that the supplier names, else those requested', async () => {
    await addImageModel(gateway, 'by-look', { suppliers: ['sandbox-openai'] })
    await gateway.operator('PUT', '/models/by-look/routes/sandbox-openai', {
      upstream_model: 'sandbox-image',
      formats: ['images'],
      enabled: true,
      price: {
        image: '0.5',
        images: [
          { size: '256x256', quality: 'hd', price: '0.08' },
          { size: '256x256', price: '0.04' },
        ],
      },
    })
    const costs: (readonly [object, string, object])[] = [
      [{ size: '256x256', quality: 'hd', n: 2 }, '0.16', { image_size: '256x256', image_quality: 'hd' }],
      [{ size: '256x256' }, '0.04', { image_size: '256x256' }],
      [{ size: '512x512' }, '0.5', { image_size: '512x512' }],
    ]
    for (const [fields, amount, details] of costs) {
      const key = await createLoneKey(gateway)
      await generate(gateway, { model: 'by-look', ...fields }, { key: key.secret })
      const settlement = await onlySettlementOf(gateway, key.id)
      expect(settlement).toMatchObject({ provenance: 'counted', amount, usage: { details } })
    }
  })

  test('reported tokens at their prices', async () => {
    const key = await createLoneKey(gateway)
    const response = await edit(
      gateway,
      [
        ['model', 'sandbox-image-base64'],
        ['prompt', 'x'],
        ['image', asFile(PHOTO)],
      ],
      { key: key.secret },
    )
    const { usage } = (await response.json()) as Images
    const { input_tokens: input = 0, output_tokens: output = 0 } = usage ?? {}
    expect(output).toBeGreaterThan(0)
    expect(await onlySettlementOf(gateway, key.id)).toMatchObject({
      provenance: 'supplier',
      usage: { input, output, images: 1 },
      amount: String((input * 5 + output * 30) / 1_000_000),
    })
  })

  test('one call per image through content generation', async () => {
    const key = await createLoneKey(gateway)
    const before = gateway.sandbox.calls.length
    await generate(gateway, { model: 'by-parts', n: 2, size: '1024x1024' }, { key: key.secret })
    expect(gateway.sandbox.calls.length - before).toBe(2)
    expect(await onlySettlementOf(gateway, key.id)).toMatchObject({
      supplier_format: 'content-generation',
      usage: { images: 2 },
      amount: '0.04',
    })
  })

  test('the highest possible cost is held, so no request exceeds the balance', async () => {
    const account = await openAccount(gateway, '0.05')
    const { secret } = await createKey(gateway, account)
    expect(await refusalOf(await generate(gateway, { n: 3 }, { key: secret }))).toEqual([
      403,
      'spending_limit_exceeded',
    ])
    expect((await generate(gateway, { n: 2 }, { key: secret })).status).toBe(200)
    expect((await generate(gateway, {}, { key: secret })).status).toBe(403)
    expect(await balanceOf(gateway, account)).toBe('-0.04')
  })
})

describe('a request without a result costs nothing', () => {
  test('when every supplier failed', async () => {
    await addPair('failing')
    const key = await createLoneKey(gateway)
    gateway.sandbox.faults.set({ fault: { type: 'status', status: 500 } })
    expect(await refusalOf(await generate(gateway, { model: 'failing' }, { key: key.secret }))).toEqual([
      502,
      'provider_error',
    ])
    const settlement = await onlySettlementOf(gateway, key.id)
    expect(settlement).toMatchObject({ outcome: 'supplier_failed', amount: '0', usage: { images: 0 } })
    expect(settlement.attempts.map(({ supplier }) => supplier)).toEqual(['failing-first', 'failing-second'])
  })

  test('when the client left before the first byte', async () => {
    const key = await createLoneKey(gateway)
    gateway.sandbox.faults.set({ times: 1, fault: { type: 'hang' } })
    const leaving = new AbortController()
    const callsBefore = gateway.sandbox.calls.at(-1)?.number
    const aborted = gateway.sandbox.nextAbort()
    const call = edit(gateway, [...EDIT, ['image', asFile(PHOTO)]], {
      key: key.secret,
      signal: leaving.signal,
    })
    await eventually('the call of the supplier', async () => {
      return gateway.sandbox.calls.at(-1)?.number !== callsBefore
    })
    leaving.abort()
    await call.catch(() => undefined)
    await aborted
    expect(await onlySettlementOf(gateway, key.id)).toMatchObject({ outcome: 'client_left', amount: '0' })
    await eventually(
      'the upload to be gone',
      async () => readdirSync(join(gateway.dataFolder, 'uploads')).length === 0,
    )
  })
})

test('an image that cannot be stored costs nothing, and the error says what to do', async () => {
  const key = await createLoneKey(gateway)
  const assets = join(gateway.dataFolder, 'assets')
  renameSync(assets, `${assets}-moved`)
  writeFileSync(assets, 'not a folder')
  try {
    const response = await generate(gateway, {}, { key: key.secret })
    const error = await readError(response)
    expect([response.status, error.code]).toEqual([500, 'internal_error'])
    expect(error.message).toContain('b64_json')
    expect(error.message).not.toContain(gateway.dataFolder)
    expect(response.headers.get('x-should-retry')).toBe('false')
    expect(await onlySettlementOf(gateway, key.id)).toMatchObject({ amount: '0', usage: { images: 0 } })
    const inside = await generate(gateway, { response_format: 'b64_json' }, { key: key.secret })
    expect(inside.status).toBe(200)
  } finally {
    rmSync(assets)
    renameSync(`${assets}-moved`, assets)
  }
})

describe('before the first byte, the next supplier is tried', () => {
  test.each([
    ['fails', 'a', { type: 'status', status: 500 }],
    ['is rate-limited', 'b', { type: 'status', status: 429 }],
    ['closes the connection', 'c', { type: 'refuse' }],
    ['answers nonsense', 'd', { type: 'garbage' }],
  ] as const)('when the first one %s, with the same upload again', async (_how, model, fault) => {
    await addPair(model)
    const key = await createLoneKey(gateway)
    gateway.sandbox.faults.set({ times: 1, fault })
    const fields = [
      ['model', model],
      ['prompt', 'x'],
      ['size', '256x256'],
      ['image', asFile(PHOTO)],
    ] as const
    const response = await edit(gateway, fields, { key: key.secret })
    expect([response.status, response.headers.get('x-gateway-route')]).toEqual([200, `${model}-second`])
    expect(response.headers.get('x-gateway-attempts')).toBe('2')
    const [settlement] = await settlementsOf(gateway, key.id, 1)
    expect(settlement).toMatchObject({ supplier: `${model}-second`, amount: '0.02', outcome: 'completed' })
  })
})

describe('limits (spec 8.4)', () => {
  test('only requests are counted', async () => {
    const key = await createLoneKey(gateway, { rpm: 2, tpm: 1 })
    const first = await generate(gateway, {}, { key: key.secret })
    expect([first.status, limitsOf(first, 'requests').slice(0, 2)]).toEqual([200, [2, 1]])
    expect(limitsOf(first, 'tokens')).toEqual([null, null, null])
    expect((await generate(gateway, {}, { key: key.secret })).status).toBe(200)
    const third = await edit(gateway, [...EDIT, ['image', asFile(PHOTO)]], { key: key.secret })
    expect(third.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(await refusalOf(third)).toEqual([429, 'rate_limit_exceeded'])
  })
})
