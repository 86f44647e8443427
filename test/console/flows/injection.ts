import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import {
  addHousehold,
  addOwnSupplier,
  askModel,
  type Household,
} from '../../console-api/support/account-stage.ts'
import { settlementsOf } from '../../support/settlements.ts'
import type { Visit } from '../support/browser.ts'
import {
  fillRoute,
  findIds,
  isEntry,
  listAddressNames,
  listRoutes,
  listViews,
  settle,
  withAccount,
} from '../support/pages.ts'
import { type Stage, TEST_MS } from '../support/stage.ts'
import { leave } from '../support/visible.ts'

/** Markup that runs a script in several ways, if any of it becomes an element. */
const MARKUP =
  '"\'><img src=/healthz?x onerror=alert(1) data-hostile><svg onload=alert(2) data-hostile><script data-hostile>alert(3)</script>'
const ADDRESS = 'javascript:alert(4)'
const MODEL = 'hostile/model'

/** Puts markup wherever somebody may store words. */
async function plant(stage: Stage): Promise<Household> {
  const { gateway } = stage
  const house = await addHousehold(gateway, 'Hostile')
  const { accountId, owner, keyId } = house
  const at = `/accounts/${accountId}`
  await owner.call('PATCH /profile', { body: { name: MARKUP } })
  await owner.call(`PATCH ${at}/keys/${keyId}`, { body: { name: MARKUP } })
  await addOwnSupplier(gateway, house, 'hostile-own')
  await owner.call(`POST ${at}/own-suppliers/hostile-own/credentials`, {
    body: { secret: 'sk-sandbox-hostile', label: MARKUP },
  })
  await gateway.operator('PATCH', at, { name: MARKUP })
  await gateway.operator('POST', `${at}/payments`, { amount: '1', reference: MARKUP, note: MARKUP })
  await gateway.operator('POST', `${at}/refunds`, { amount: '0.5', reference: MARKUP, reason: MARKUP })
  await gateway.operator('POST', `${at}/adjustments`, { amount: '0.25', reason: MARKUP })
  await gateway.operator('PUT', `${at}/tier`, { tier: 'Scale', reason: MARKUP })
  await plantSupply(stage)
  await owner.call(`PUT ${at}/body-storage`, { body: { enabled: true, days: 1 } })
  await askModel(gateway, house, { model: MODEL, messages: [{ role: 'user', content: `say: ${MARKUP}` }] })
  await settlementsOf(gateway, keyId, 1)
  return house
}

async function plantSupply({ gateway }: Stage): Promise<void> {
  const { base_url } = await gateway.operator<{ base_url: string }>('GET', '/suppliers/sandbox-openai')
  const supplier = { type: 'sandbox', base_url, formats: ['chat-completion'], enabled: true }
  await gateway.operator('PUT', '/suppliers/hostile', supplier)
  await gateway.operator('POST', '/suppliers/hostile/credentials', { secret: 'sk-sandbox-x', label: MARKUP })
  const model = { owned_by: MARKUP, display_name: MARKUP, description: MARKUP, kinds: ['text'] }
  await gateway.operator('PUT', `/models/${encodeURIComponent(MODEL)}`, model)
  await gateway.operator('PUT', `/models/${encodeURIComponent(MODEL)}/routes/hostile`, {
    upstream_model: 'sandbox-chat',
    price: { input: '1', output: '1' },
    priority: 1,
    enabled: true,
  })
}

/** What was planted, by the route that shows it. */
async function findPlanted({ gateway }: Stage, house: Household): Promise<Record<string, string>> {
  const [settlement] = await settlementsOf(gateway, house.keyId, 1)
  const requestId = settlement?.request_id ?? ''
  return {
    '/keys': house.keyId,
    '/requests': requestId,
    '/operator/accounts': house.accountId,
    '/operator/suppliers': 'hostile',
    '/operator/models': MODEL,
    '/operator/settlements': requestId,
  }
}

export function describeInjection(stage: Stage): void {
  let house: Household
  let visitor: Visit
  let ids: Record<string, string>
  beforeAll(async () => {
    house = await plant(stage)
    ids = { ...(await findIds(stage)), ...(await findPlanted(stage, house)) }
    visitor = await stage.enter('operator', `/models?account=${house.accountId}`)
  }, TEST_MS)
  afterAll(() => visitor?.page.context().close())

  async function expectHarmless(page: Page): Promise<void> {
    expect(await page.locator('[data-hostile]').count()).toBe(0)
    expect(await page.locator('a[href^="javascript:"]').count()).toBe(0)
    expect(visitor.complaints).toEqual([])
  }

  const insides = listRoutes().filter((route) => !isEntry(route))

  for (const route of [...insides, ...listViews()]) {
    test(
      `${route} shows words that were stored, or are typed, as words`,
      async () => {
        const { page, complaints } = visitor
        complaints.length = 0
        await stage.go(page, withAccount(fillRoute(route, ids), house.accountId))
        await settle(page)
        await expectHarmless(page)
        // Typed words come back as suggestions, previews and messages.
        const fields = page.locator('input[type="text"]:visible:enabled, textarea:visible:enabled')
        for (const input of await fields.all())
          await input.fill(MARKUP, { timeout: 500 }).catch(() => undefined)
        await expectHarmless(page)
      },
      TEST_MS,
    )
  }

  for (const route of insides) {
    test(
      `${route} shows words of its address as words`,
      async () => {
        const { page, complaints } = visitor
        complaints.length = 0
        const address = new URLSearchParams(
          listAddressNames().map((name): [string, string] => [name, MARKUP]),
        )
        await page.goto(`${stage.url}/console${fillRoute(route, ids)}?${address}`)
        await page.locator('#main').getByRole('heading').first().waitFor()
        await expectHarmless(page)
      },
      TEST_MS,
    )
  }

  test('the parameters of addresses were found', () => {
    for (const name of ['q', 'tab', 'model', 'do', 'span']) expect(listAddressNames()).toContain(name)
  })

  test(
    'nobody is led elsewhere after signing in',
    async () => {
      for (const target of [ADDRESS, 'https://evil.example/', '//evil.example/', '/\\evil.example']) {
        const led = await stage.visit()
        const { page } = led
        await page.goto(`${stage.url}/console/sign-in?return=${encodeURIComponent(target)}`)
        await page.getByLabel('E-mail').fill(stage.admin.email)
        await page.getByLabel('Password', { exact: true }).fill(stage.admin.password)
        await page.keyboard.press('Enter')
        await page.locator('#main').waitFor()
        expect(new URL(page.url()).origin).toBe(stage.url)
        await leave(led)
      }
    },
    TEST_MS,
  )

  test(
    'what a model answers is shown as text',
    async () => {
      const asked = await stage.enter('owner', '/playground?model=sandbox-chat')
      const { page } = asked
      await page.getByRole('textbox', { name: 'Message' }).fill(`say: ${MARKUP}`)
      await page.keyboard.press('Enter')
      await page.locator('.exchange-text').getByText('data-hostile').waitFor()
      await expectHarmless(page)
      await leave(asked)
    },
    TEST_MS,
  )
}
