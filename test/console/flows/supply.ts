import { expect, test } from 'bun:test'
import { SUPPLIER_TYPES_SERVED } from '../../../src/suppliers/index.ts'
import { addHousehold, askModel } from '../../console-api/support/account-stage.ts'
import { addPerson, browserOf } from '../../console-api/support/people.ts'
import { type Stage, TEST_MS } from '../support/stage.ts'
import { choose, field, leave, press, readCode, see } from '../support/visible.ts'

const SUPPLIER_FORMATS = SUPPLIER_TYPES_SERVED.find(({ name }) => name === 'cohere')?.formats ?? []

/** Suppliers, models, routes, users and members. */
export function describeSupply(stage: Stage): void {
  test(
    'creates a supplier, credential, model and route with a preview, then tests and uses them',
    async () => {
      const { base_url } = await stage.gateway.operator<{ base_url: string }>(
        'GET',
        '/suppliers/sandbox-openai',
      )
      const visitor = await stage.enter('operator', '/operator/suppliers')
      const { page } = visitor
      await press(page, 'Add supplier')
      const drawer = page.getByRole('dialog', { name: 'Add a supplier' })
      await drawer.getByLabel('Type').selectOption('openai-compatible')
      await field(drawer, 'ID').fill('initech')
      await field(drawer, 'Base URL').fill(`${base_url}/v1`)
      await press(drawer, 'Add supplier')

      const credential = page.getByRole('dialog', { name: 'Add a credential to initech' })
      await credential
        .getByLabel(/^Secret/)
        .first()
        .fill('sk-sandbox-initech')
      await field(credential, 'Label').fill('first')
      await press(credential, 'Add credential')
      await see(page.getByRole('region', { name: 'Credentials' }), 'first')

      await stage.walk(page, '/operator/models')
      await press(page, 'Add model')
      const model = page.getByRole('dialog', { name: 'Add a model' })
      await field(model, 'ID').fill('initech/large')
      await field(model, 'Made by').fill('Initech')
      await press(model, 'Review changes')
      await see(model.getByRole('region', { name: 'Changes' }).or(model), 'Initech')
      await press(model, 'Create')

      const route = page.getByRole('dialog', { name: /^Add a route to initech\/large/ })
      await route.getByRole('combobox', { name: 'Supplier' }).selectOption('initech')
      await field(route, 'Name at the supplier').fill('sandbox-chat')
      await field(route, 'Input, per million tokens').fill('1')
      await field(route, 'Output, per million tokens').fill('4')
      await press(route, 'Review changes')
      await press(route, 'Create')
      await page
        .getByRole('region', { name: 'Routes' })
        .getByRole('button', { name: /initech/ })
        .click()
      const change = page.getByRole('dialog', { name: 'Edit route: initech' })
      await field(change, 'Output, per million tokens').fill('8')
      await press(change, 'Review changes')
      const preview = change.getByRole('row', { name: /output/i })
      await see(preview, '4')
      await see(preview, '8')
      await press(change, 'Save changes')
      await change.waitFor({ state: 'hidden' })

      const id = await askModel(stage.gateway, stage.home, { model: 'initech/large' })
      await stage.walk(page, '/operator/suppliers/initech')
      await press(page, 'Test')
      await page.getByRole('heading', { name: 'Test', exact: true }).waitFor()
      await choose(page, 'Actions for first', 'Disable')
      await see(page.getByRole('region', { name: 'Credentials' }), 'disabled')

      await stage.walk(page, `/operator/settlements/${id}`)
      await see(page, /Chosen because/)
      await page.getByRole('link', { name: 'initech', exact: true }).waitFor()
      const total = page.getByRole('region', { name: 'Price, line by line' })
      await total.getByRole('row', { name: /^Total/ }).waitFor()
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'prices a route with all rates, variants and the cost of the supplier, and keeps what is not changed',
    async () => {
      const at = '/models/sandbox-slow/routes/sandbox-openai'
      const images = [{ size: '1024x1024', quality: 'high', price: '0.167' }]
      const variants = [
        { when: { tier: 'flex' }, input: '0.5' },
        { when: { prompt_above: 200_000 }, input: '2', output: '6' },
      ]
      const price = { input: '1', output: '4', cache_write_1h: '2', images, variants }
      await stage.gateway.operator('PUT', at, { upstream_model: 'sandbox-slow', price })
      const visitor = await stage.enter('operator', '/operator/models/sandbox-slow?route=sandbox-openai')
      const { page } = visitor
      const form = page.getByRole('dialog', { name: 'Edit route: sandbox-openai' })
      expect(await field(form, 'Cache write 1h, per million tokens').inputValue()).toBe('2')
      expect(await field(form, 'Audio input, per million tokens').count()).toBe(0)
      await press(form, 'Review changes')
      await see(form, 'No changes.')
      await press(form, 'Back to the form')

      await press(form, 'More rates')
      await field(form, 'Audio input, per million tokens').fill('3')
      await press(form, 'Remove variant 1')
      await press(form, 'Add a variant')
      const added = form.locator('.price-variant').last()
      await added.getByLabel('From, UTC').fill('2099-01-01T00:00')
      await field(added, 'Output, per million tokens').fill('nonsense')
      await press(form, 'Review changes')
      await see(added, 'Enter an amount such as 1.25')
      await field(added, 'Output, per million tokens').fill('3.5')
      await see(added, 'From 1 Jan 2099: output 3.50')
      await form.getByLabel('My cost differs from this price').check()
      const cost = form.getByRole('group', { name: 'Cost, in USDT' })
      await field(cost, 'Input, per million tokens').fill('0.8')
      await field(cost, 'Output, per million tokens').fill('3')
      await form.getByLabel('The price changes').selectOption('catalog')
      await press(form, 'Review changes')
      await see(form.getByRole('row', { name: /^Price › variants 2 › output/ }), '3.5')
      await press(form, 'Save changes')
      await form.waitFor({ state: 'hidden' })

      const { data } = await stage.gateway.operator<{ data: Record<string, unknown>[] }>('GET', '/routes')
      const route = data.find(
        ({ model, supplier }) => model === 'sandbox-slow' && supplier === 'sandbox-openai',
      )
      expect(route).toMatchObject({
        price: {
          input: '1',
          output: '4',
          cache_read: '1',
          cache_write: '1',
          cache_write_1h: '2',
          audio_input: '3',
          images,
          variants: [variants[1], { when: { from: '2099-01-01T00:00:00Z' }, output: '3.5' }],
        },
        cost: { input: '0.8', output: '3' },
        price_source: 'catalog',
      })
      const details = page.locator('.panel', { hasText: 'Price by sandbox-openai' })
      await see(details, 'Above 200,000 tokens: input 2.00, output 6.00')
      await see(details, 'From 1 Jan 2099: output 3.50')
      await see(details, 'scheduled')
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'adds a model that ranks, at a supplier of its own type, sold by search units',
    async () => {
      const visitor = await stage.enter('operator', '/operator/suppliers?do=create')
      const { page } = visitor
      const drawer = page.getByRole('dialog', { name: 'Add a supplier' })
      await drawer.getByLabel('Type').selectOption('cohere')
      const formats = drawer.getByRole('checkbox', { checked: true })
      await drawer.getByRole('checkbox', { name: 'Rerank', checked: true }).waitFor()
      expect(await formats.count()).toBe(SUPPLIER_FORMATS.length)
      await field(drawer, 'ID').fill('rankers')
      await field(drawer, 'Base URL').fill('http://127.0.0.1:9')
      await press(drawer, 'Add supplier')
      await page.getByRole('dialog', { name: 'Add a credential to rankers' }).waitFor()

      await stage.walk(page, '/operator/models?do=create')
      const model = page.getByRole('dialog', { name: 'Add a model' })
      await field(model, 'ID').fill('rankers/best')
      await field(model, 'Made by').fill('Rankers')
      await model.getByRole('checkbox', { name: 'Text' }).uncheck()
      await model.getByRole('checkbox', { name: 'Rerank' }).check()
      await press(model, 'Review changes')
      await press(model, 'Create')

      const route = page.getByRole('dialog', { name: /^Add a route to rankers/ })
      await route.getByRole('combobox', { name: 'Supplier' }).selectOption('rankers')
      expect(await field(route, 'Input, per million tokens').inputValue()).toBe('0')
      await field(route, 'Per search unit').fill('0.002')
      await press(route, 'Review changes')
      await press(route, 'Create')
      await route.waitFor({ state: 'hidden' })
      const saved = page.getByRole('region', { name: 'Routes' })
      await see(saved, 'per search unit')
      await see(saved, '0.002')
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'adds users, makes them operators and disables them',
    async () => {
      const visitor = await stage.enter('operator', '/operator/users')
      const { page } = visitor
      await press(page, 'Add user')
      const drawer = page.getByRole('dialog', { name: 'Add a user' })
      await field(drawer, 'E-mail').fill('peter@initech.example')
      await field(drawer, 'Name').fill('Peter')
      await press(drawer, 'Add user')
      const issued = page.getByRole('dialog', { name: 'The new password' })
      const password = await readCode(issued)
      await press(issued, 'Close')
      const peter = await browserOf(stage.gateway, 'peter@initech.example', password)
      await choose(page, 'Actions for peter@initech.example', 'Make operator')
      const question = page.getByRole('dialog', { name: 'Make Peter an operator?' })
      const answer = Promise.withResolvers<void>()
      await page.route('**/users/*', (route) => answer.promise.then(() => route.continue()), { times: 1 })
      await press(question, 'Make operator')
      // The row changes before the gateway confirms. The open dialog must keep its text.
      await page.getByText('Operator', { exact: true }).nth(1).waitFor()
      expect(await question.isVisible()).toBe(true)
      answer.resolve()
      await question.waitFor({ state: 'hidden' })
      await see(page.getByRole('row', { name: /Peter/ }), 'Operator')
      await choose(page, 'Actions for peter@initech.example', 'Disable')
      await see(page.getByRole('row', { name: /Peter/ }), 'disabled')
      expect((await peter.call('GET /sessions')).status).toBe(401)
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'works in a browser that reports being offline',
    async () => {
      const visitor = await stage.enter('operator', '/operator/users')
      const { page } = visitor
      // As when a laptop leaves its network: a gateway on the same machine is still reachable.
      await page.evaluate("window.dispatchEvent(new Event('offline'))")
      await page.getByRole('link', { name: 'Suppliers', exact: true }).click()
      await press(page, 'Test all')
      await see(page.getByRole('region', { name: 'Results of the test' }), 'works')
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'lets an owner add and remove members',
    async () => {
      const house = await addHousehold(stage.gateway, 'Club')
      await addPerson(stage.gateway, 'newcomer@club.example')
      const visitor = await stage.enterHome(house, '/settings?tab=members')
      const { page } = visitor
      await press(page, 'Add member')
      const drawer = page.getByRole('dialog', { name: 'Add a member' })
      await field(drawer, 'E-mail').fill('newcomer@club.example')
      await press(drawer, 'Add')
      await press(page, 'Remove newcomer@club.example')
      await press(page.getByRole('dialog'), 'Remove')
      await see(page, 'The member was removed.')
      await leave(visitor)
    },
    TEST_MS,
  )
}
