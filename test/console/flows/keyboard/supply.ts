import { test } from 'bun:test'
import { KeyboardUser } from '../../support/keyboard-user.ts'
import { type Stage, TEST_MS } from '../../support/stage.ts'
import { leave, see } from '../../support/visible.ts'

/** Suppliers, models, routes and prices. */
export function describeSupplyByKeyboard(stage: Stage): void {
  test(
    'creates a supplier, credential, model and route, changes them after a preview, tests and disables them',
    async () => {
      const { base_url: address } = await stage.gateway.operator<{ base_url: string }>(
        'GET',
        '/suppliers/sandbox-openai',
      )
      const visitor = await stage.enter('operator', '/operator/suppliers')
      const { page } = visitor
      const keyboard = await KeyboardUser.inContent(page)
      await keyboard.press(/^Add supplier$/)
      await page.getByRole('dialog', { name: 'Add a supplier' }).waitFor()
      await keyboard.choose(/^Type/, /^OpenAI-compatible$/)
      await keyboard.type(/^ID/, 'handcraft')
      await keyboard.type(/^Base URL/, `${address}/v1`)
      await keyboard.key('Enter')
      await page.getByRole('dialog', { name: 'Add a credential to handcraft' }).waitFor()
      await keyboard.type(/^Secret/, 'sk-sandbox-handcraft')
      await keyboard.type(/^Label/, 'first')
      await keyboard.press(/^Add credential$/)
      const credentials = page.getByRole('region', { name: 'Credentials' })
      await see(credentials, 'first')
      // Offered next, but this supplier gets its model by hand.
      await page.getByRole('dialog', { name: /^Import models/ }).waitFor()
      await keyboard.key('Escape')
      await page.locator('[role="dialog"]').waitFor({ state: 'detached' })

      await keyboard.press(/^Models and prices$/)
      await page.getByRole('heading', { level: 1, name: 'Models and prices' }).waitFor()
      await keyboard.press(/^Add model$/)
      await page.getByRole('dialog', { name: 'Add a model' }).waitFor()
      await keyboard.type(/^ID/, 'hand/large')
      await keyboard.type(/^Made by/, 'Handcraft')
      await keyboard.press(/^Review changes$/)
      await keyboard.expectAt(/^Back to the form$/)
      await keyboard.key('Enter')
      await keyboard.expectAt(/^ID/)
      await keyboard.press(/^Review changes$/)
      await keyboard.press(/^Create$/)
      await page.getByRole('dialog', { name: /^Add a route to hand\/large/ }).waitFor()
      await keyboard.choose(/^Supplier/, /^handcraft$/)
      await keyboard.type(/^Name at the supplier/, 'sandbox-chat')
      await keyboard.type(/^Input, per million/, '1')
      await keyboard.type(/^Output, per million/, '4')
      await keyboard.key('Enter')
      await keyboard.press(/^Create$/)
      await see(page.getByRole('region', { name: 'Routes' }), 'handcraft')

      await keyboard.press(/^handcraft/)
      const change = page.getByRole('dialog', { name: 'Edit route: handcraft' })
      await change.waitFor()
      await keyboard.type(/^Output, per million/, '8')
      await keyboard.press(/^Add a variant$/)
      await keyboard.expectAt(/^Prompt above, tokens/)
      await keyboard.strike('200000')
      await keyboard.type(/^Input, per million/, '2')
      await keyboard.press(/^Add a variant$/)
      await keyboard.tabTo(/^Remove variant 2$/, 'Shift+Tab')
      await keyboard.key('Enter')
      await keyboard.expectAt(/^Add a variant$/)
      await keyboard.press(/^Review changes$/)
      await see(change.getByRole('row', { name: /^Price › output/ }), '8')
      await see(change.getByRole('row', { name: /prompt above/ }), '200000')
      await keyboard.press(/^Save changes$/)
      await change.waitFor({ state: 'hidden' })
      await keyboard.expectAt(/^handcraft/)
      await keyboard.tabTo(/^Edit model$/, 'Shift+Tab')
      await keyboard.key('Enter')
      await page.getByRole('dialog', { name: 'Edit hand/large' }).waitFor()
      await keyboard.key('Escape')
      await keyboard.expectAt(/^Edit model$/)

      await keyboard.press(/^Suppliers$/)
      await keyboard.press(/^handcraft/)
      await page.getByRole('heading', { level: 1, name: /handcraft/ }).waitFor()
      await keyboard.press(/^Test$/)
      await page.getByRole('heading', { name: 'Test', exact: true }).waitFor()
      await see(page.getByRole('region', { name: 'Results of the test' }), 'works')
      const actions = /^Actions for first$/
      await keyboard.pick(actions, /^Disable$/)
      await see(credentials, 'disabled')
      await keyboard.expectAt(actions)
      await keyboard.pick(actions, /^Delete$/)
      await page.getByRole('dialog', { name: 'Delete first?' }).waitFor()
      await keyboard.press(/^Delete$/)
      await see(page, 'The credential was deleted.')
      await keyboard.press(/^Used for requests/, 'Space')
      await see(page.getByRole('heading', { level: 1 }), 'disabled')
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'takes the price of a route from the catalog',
    async () => {
      const address = { type: 'openai-compatible', base_url: 'https://api.groq.com/openai/v1' }
      await stage.gateway.operator('PUT', '/suppliers/groq', { ...address, formats: ['chat-completion'] })
      await stage.gateway.operator('PUT', '/models/hand-listed', { owned_by: 'meta' })
      const route = { upstream_model: 'llama-3.3-70b-versatile', price: { input: '9', output: '9' } }
      await stage.gateway.operator('PUT', '/models/hand-listed/routes/groq', route)
      const visitor = await stage.enter('operator', '/operator/prices')
      const { page } = visitor
      const keyboard = await KeyboardUser.inContent(page)
      await keyboard.press(/^hand-listed/)
      const drawer = page.getByRole('dialog', { name: 'hand-listed by groq' })
      await drawer.waitFor()
      await keyboard.press(/^Follow the catalog from now on$/, 'Space')
      await keyboard.press(/^Apply now$/)
      await see(page, 'The route has the price of the catalog.')
      await drawer.waitFor({ state: 'hidden' })
      await keyboard.choose(/^State$/, /^Same$/)
      await see(page.getByRole('region', { name: 'Prices' }), 'hand-listed')
      await leave(visitor)
    },
    TEST_MS,
  )
}
