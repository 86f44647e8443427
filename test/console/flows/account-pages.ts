import { expect, test } from 'bun:test'
import { addHousehold, askModel } from '../../console-api/support/account-stage.ts'
import { settlementsOf } from '../../support/settlements.ts'
import { findAccessibilityIssues, PHONE } from '../support/browser.ts'
import { type Stage, TEST_MS } from '../support/stage.ts'
import { leave, press, see } from '../support/visible.ts'

/** The overview and the requests of a customer. */
export function describeAccountPages(stage: Stage): void {
  test(
    'shows first steps to a new account, then its first request',
    async () => {
      const house = await addHousehold(stage.gateway, 'Fresh')
      const visitor = await stage.enterHome(house, '/overview')
      const { page } = visitor
      const firstSteps = page.getByRole('heading', { name: 'First steps' })
      await firstSteps.waitFor()
      await see(page, new RegExp(`curl ${stage.url}/v1/chat/completions`))
      await see(page, 'Create an API key (done)')
      expect(await findAccessibilityIssues(page)).toEqual([])
      await page.getByRole('link', { name: 'Playground' }).last().click()
      await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor()
      await page.goBack()
      await firstSteps.waitFor()
      await askModel(stage.gateway, house)
      await page.getByRole('cell', { name: 'sandbox-chat' }).waitFor()
      expect(await firstSteps.count()).toBe(0)
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'shows spending, its breakdown and the next tier on the overview',
    async () => {
      await settlementsOf(stage.gateway, stage.home.keyId, 1)
      const visitor = await stage.enter('owner', '/overview')
      const { page } = visitor
      for (const label of ['Balance', 'Spent today', 'Spent this month', 'Error rate', 'First byte']) {
        await see(page, label)
      }
      await page.getByRole('region', { name: 'Usage by model' }).getByText('sandbox-chat').waitFor()
      await page.locator('figure.chart svg').first().waitFor()
      await page.getByRole('heading', { name: /tier/i }).first().waitFor()
      await page.getByLabel('Group by').selectOption('supplier')
      await page.getByRole('region', { name: 'Usage by supplier' }).waitFor()
      await page.getByRole('cell', { name: 'sandbox-openai' }).waitFor()
      await page.getByLabel('Time range').selectOption('24h')
      await page.waitForURL(/by=supplier.*span=24h|span=24h.*by=supplier/)
      await page.setViewportSize(PHONE)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width)
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'opens a key and its requests from the usage by key',
    async () => {
      const visitor = await stage.enter('owner', '/overview?by=key&metric=requests')
      const { page } = visitor
      await page.getByRole('link', { name: 'Acme key' }).click()
      await page.waitForURL(/\/keys\/key_/)
      await page.getByRole('cell', { name: 'sandbox-chat' }).waitFor()
      await page.getByRole('link', { name: 'All requests of this key' }).waitFor()
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'adds new requests live, filters them, and shows attempts and price',
    async () => {
      const visitor = await stage.enter('owner', '/requests')
      const { page } = visitor
      await page.getByRole('region', { name: 'Requests' }).getByRole('link').first().waitFor()
      const id = await askModel(stage.gateway, stage.home, { model: 'sandbox-reasoner' })
      const row = page.locator(`[data-request="${id}"]`)
      await row.waitFor()
      await page.getByLabel('Outcome').selectOption('interrupted')
      await see(page, 'No matching requests')
      await page.getByRole('search').getByRole('button', { name: 'Clear' }).click()
      await page.getByLabel('Model').selectOption('sandbox-reasoner')
      await row.click()
      await page.getByRole('heading', { level: 1, name: /sandbox-reasoner/ }).waitFor()
      await see(page, /Chosen because/)
      const price = page.getByRole('region', { name: 'Price, line by line' })
      await price.getByRole('row', { name: /^Total/ }).waitFor()
      await see(page, 'Prompts and responses are not stored')
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'finds the requests of a session and of an agent, and links from a request to both',
    async () => {
      const house = await addHousehold(stage.gateway, 'Agents')
      const headers = { 'x-session-id': 'session-1' }
      const main = await askModel(stage.gateway, house, { headers })
      const sub = await askModel(stage.gateway, house, { headers: { ...headers, 'x-agent-id': 'tester' } })
      const other = await askModel(stage.gateway, house)
      const visitor = await stage.enterHome(house, '/requests')
      const { page } = visitor
      const row = (id: string) => page.locator(`[data-request="${id}"]`)
      await row(other).waitFor()
      await page.getByRole('button', { name: 'More filters' }).click()
      await page.getByLabel('Session', { exact: true }).fill('session-1')
      await page.getByLabel('Session', { exact: true }).press('Enter')
      await row(other).waitFor({ state: 'detached' })
      await row(main).waitFor()
      expect(page.url()).toContain('session=session-1')
      await row(sub).click()
      await page.getByRole('link', { name: 'All requests of this agent' }).click()
      await row(sub).waitFor()
      await row(main).waitFor({ state: 'detached' })
      expect(await page.getByLabel('Agent', { exact: true }).inputValue()).toBe('tester')
      await row(sub).click()
      await page.getByRole('link', { name: 'All requests of this session' }).click()
      await row(main).waitFor()
      expect(await findAccessibilityIssues(page)).toEqual([])
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'explains an amount line by line, and what the supplier charges to operators only',
    async () => {
      const house = await addHousehold(stage.gateway, 'Abacus')
      const at = '/models/abacus%2Fchat'
      await stage.gateway.operator('PUT', at, { owned_by: 'Abacus' })
      await stage.gateway.operator('PUT', `${at}/routes/sandbox-openai`, {
        upstream_model: 'sandbox-chat',
        price: {
          input: '1000',
          output: '4000',
          request: '0.01',
          variants: [{ when: { prompt_part_above: 1 }, input: '2000' }],
        },
        cost: { input: '0', output: '0', request: '0.004' },
      })
      const markUp = { applies_to: 'account', name: house.accountId, percent: 10 }
      await stage.gateway.operator('PUT', '/mark-ups/abacus', markUp)
      const id = await askModel(stage.gateway, house, { model: 'abacus/chat' })
      const [settlement] = await settlementsOf(stage.gateway, house.keyId, 1)
      const amount = String(settlement?.amount)
      const visitor = await stage.enterHome(house, `/requests/${id}`)
      const { page } = visitor
      const lines = page.getByRole('region', { name: 'Price, line by line' })
      await lines.getByRole('row', { name: 'Request 1 × 0.01 each 0.01' }).waitFor()
      await lines.getByRole('row', { name: /^Input 1 × 1,000\.00 per million 0\.001$/ }).waitFor()
      await lines
        .getByRole('row', { name: /^Input, the part above 1 tokens \d+ × 2,000\.00 per million/ })
        .waitFor()
      await lines.getByRole('row', { name: /^Mark-up of 10%/ }).waitFor()
      await lines.getByRole('row', { name: `Total ${amount}` }).waitFor()
      expect(await page.getByText('Cost and margin').count()).toBe(0)
      await stage.walk(page, '/models?model=abacus%2Fchat')
      await see(page, 'The mark-up of 10% is included.')
      await see(page, 'For the part above 1 tokens: input 2,200.00')
      await leave(visitor)

      const operator = await stage.enter('operator', `/operator/settlements/${id}`)
      const panel = operator.page.locator('.panel', { hasText: 'Cost and margin' })
      await see(panel, '0.004')
      await see(panel, String(Number((Number(amount) - 0.004).toFixed(9))))
      await leave(operator)
    },
    TEST_MS,
  )

  test(
    'stores bodies once the account enables it, and shows them with the request',
    async () => {
      const house = await addHousehold(stage.gateway, 'Archive')
      const visitor = await stage.enterHome(house, '/billing?tab=bodies')
      const { page } = visitor
      await page.getByLabel('Keep requests and responses').press('Space')
      await press(page, 'Save')
      await see(page, /^Bodies are kept for/)
      const id = await askModel(stage.gateway, house, {
        messages: [{ role: 'user', content: 'remember the lighthouse' }],
      })
      await settlementsOf(stage.gateway, house.keyId, 1)
      await stage.go(page, `/requests/${id}`)
      await see(page, /remember the lighthouse/)
      await leave(visitor)
    },
    TEST_MS,
  )
}
