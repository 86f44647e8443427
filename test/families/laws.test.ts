import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { createKey, createLoneKey, openAccount } from '../support/accounts.ts'
import { limitsOf, refusalOf } from '../support/chat.ts'
import { eventually } from '../support/eventually.ts'
import { onlySettlementOf, settlementsOf } from '../support/settlements.ts'
import { FAMILY_DRIVERS } from './drivers/index.ts'
import type { FamilyDriver, FamilySupplier } from './family-driver.ts'
import { type FamilyStage, openFamilyStage } from './family-stage.ts'

// What holds for every family: each is served with the same limits, admission, attempts and settlement.

let stage: FamilyStage

beforeAll(async () => {
  stage = await openFamilyStage()
  for (const driver of FAMILY_DRIVERS) {
    const { first, second } = namesOf(driver)
    await stage.addSupplier(first, usualSupplier(driver), { more: { aborts: 'free' } })
    await stage.addSupplier(second, usualSupplier(driver), { sandbox: stage.second })
    await stage.addModel(modelOf(driver), driver, [first, second])
  }
})
afterEach(() => stage.first.faults.clear())
afterAll(() => stage.stop())

// A path of its own within the operator API, whatever the driver is called.
const plainName = ({ name }: FamilyDriver) => name.replaceAll(/[^a-z0-9]+/gi, '-')
const modelOf = (driver: FamilyDriver) => `pair-${plainName(driver)}`
const namesOf = (driver: FamilyDriver) => ({
  first: `first-${plainName(driver)}`,
  second: `second-${plainName(driver)}`,
})

function usualSupplier({ name, suppliers }: FamilyDriver): FamilySupplier {
  const [usual] = suppliers
  if (usual === undefined) throw new Error(`${name} has no supplier`)
  return usual
}

const callsOf = (sandbox: FamilyStage['first']) => sandbox.calls.at(-1)?.number ?? 0

function ask(
  driver: FamilyDriver,
  { secret }: { readonly secret: string },
  { fields = {}, ...options }: Asking = {},
): Promise<Response> {
  return stage.send(driver.request({ model: modelOf(driver), ...fields }), { key: secret, ...options })
}

interface Asking {
  readonly fields?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

describe.each(FAMILY_DRIVERS.map((driver) => [driver.name, driver] as const))('%s', (_name, driver) => {
  const { first, second } = namesOf(driver)

  test('is answered and settled once', async () => {
    const key = await createLoneKey(stage.gateway)
    const response = await ask(driver, key)
    expect([response.status, response.headers.get('x-gateway-route')]).toEqual([200, first])
    await driver.check(response)
    const settlement = await onlySettlementOf(stage.gateway, key.id)
    expect(settlement).toMatchObject({ outcome: 'completed', supplier: first })
    expect(Number(settlement.amount)).toBeGreaterThan(0)
  })

  test.each([
    ['fails', '500', { type: 'status', status: 500 }],
    ['is rate-limited', '429', { type: 'status', status: 429 }],
    ['breaks the connection', 'cut', { type: 'cut', afterPieces: 0 }],
  ] as const)('goes to the second supplier when the first one %s', async (_how, name, fault) => {
    const suppliers = [`${first}-${name}`, `${second}-${name}`]
    const [failing = '', other = ''] = suppliers
    // Routing remembers failures, so each has its own suppliers.
    await stage.addSupplier(failing, usualSupplier(driver))
    await stage.addSupplier(other, usualSupplier(driver), { sandbox: stage.second })
    const model = `${modelOf(driver)}-${name}`
    await stage.addModel(model, driver, suppliers)
    stage.first.faults.set({ times: 1, fault })
    const key = await createLoneKey(stage.gateway)
    const response = await ask(driver, key, { fields: { model } })
    expect([response.status, response.headers.get('x-gateway-route')]).toEqual([200, other])
    expect(response.headers.get('x-gateway-attempts')).toBe('2')
    await driver.check(response)
    const { attempts, supplier, outcome } = await onlySettlementOf(stage.gateway, key.id)
    expect([supplier, outcome]).toEqual([other, 'completed'])
    expect(attempts.map(({ result }) => result)).toEqual(['failed', 'answered'])
  })

  test('stops at the requests per minute of the key', async () => {
    const key = await createLoneKey(stage.gateway, { rpm: 1 })
    expect((await ask(driver, key)).status).toBe(200)
    const calls = callsOf(stage.first)
    const refused = await ask(driver, key)
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(await refusalOf(refused)).toEqual([429, 'rate_limit_exceeded'])
    expect(callsOf(stage.first)).toBe(calls)
    await settlementsOf(stage.gateway, key.id, 1)
  })

  const countsTokens = !driver.kind.startsWith('image')
  test(
    countsTokens ? 'stops at the tokens per minute of the key' : 'counts no tokens per minute',
    async () => {
      const key = await createLoneKey(stage.gateway, { tpm: 1 })
      const calls = callsOf(stage.first)
      const response = await ask(driver, key)
      if (!countsTokens) {
        expect([response.status, limitsOf(response, 'tokens')[0]]).toEqual([200, null])
        return
      }
      expect(await refusalOf(response)).toEqual([429, 'rate_limit_exceeded'])
      expect(callsOf(stage.first)).toBe(calls)
    },
  )

  test('is refused when the balance does not cover it', async () => {
    // More than nothing, so that it is refused for what it would cost and not before it is read.
    const account = await openAccount(stage.gateway, '0.000000001')
    const key = await createKey(stage.gateway, account)
    const calls = callsOf(stage.first)
    expect(await refusalOf(await ask(driver, key))).toEqual([403, 'spending_limit_exceeded'])
    expect(callsOf(stage.first)).toBe(calls)
  })

  test('does not exist for a key that may not use the model', async () => {
    const key = await createLoneKey(stage.gateway, { model_allowlist: ['another-model'] })
    expect(await refusalOf(await ask(driver, key))).toEqual([404, 'model_not_found'])
  })

  test('is served by the account’s own supplier without a charge', async () => {
    const account = await openAccount(stage.gateway, '0')
    const own = `own-${plainName(driver)}`
    const more = { source: 'byok', account_id: account }
    await stage.addSupplier(own, usualSupplier(driver), { sandbox: stage.second, more })
    const key = await createKey(stage.gateway, account)
    const response = await ask(driver, key)
    expect([response.status, response.headers.get('x-gateway-route')]).toEqual([200, own])
    await driver.check(response)
    expect(await onlySettlementOf(stage.gateway, key.id)).toMatchObject({ supplier: own, amount: '0' })
  })

  test('lets go of the supplier when the client leaves, and is settled once', async () => {
    const key = await createLoneKey(stage.gateway)
    stage.first.faults.set({ times: 1, fault: { type: 'hang' } })
    const leaving = new AbortController()
    const calls = callsOf(stage.first)
    const aborted = stage.first.nextAbort()
    const asked = ask(driver, key, { signal: leaving.signal })
    await eventually('the call of the supplier', () => callsOf(stage.first) !== calls)
    leaving.abort()
    await expect(asked).rejects.toThrow()
    expect((await aborted).number).toBe(calls + 1)
    expect(await onlySettlementOf(stage.gateway, key.id)).toMatchObject({
      outcome: 'client_left',
      amount: '0',
    })
  })

  const { dropped } = driver
  if (dropped === null) return

  describe('a parameter that the supplier cannot take', () => {
    const model = `dropping-${plainName(driver)}`
    beforeAll(async () => {
      await stage.addSupplier(model, dropped.supplier)
      await stage.addModel(model, driver, [model])
    })

    test('is left out and named', async () => {
      const key = await createLoneKey(stage.gateway)
      const response = await ask(driver, key, { fields: { model, ...dropped.fields } })
      expect([response.status, response.headers.get('x-gateway-dropped-params')]).toEqual([
        200,
        dropped.names.join(', '),
      ])
      await driver.check(response)
    })

    test('is refused when the client is strict', async () => {
      const key = await createLoneKey(stage.gateway)
      const calls = callsOf(stage.first)
      const headers = { 'x-gateway-strict': 'true' }
      const response = await ask(driver, key, { fields: { model, ...dropped.fields }, headers })
      expect(await refusalOf(response)).toEqual([400, 'unsupported_parameter'])
      expect(callsOf(stage.first)).toBe(calls)
    })
  })
})
