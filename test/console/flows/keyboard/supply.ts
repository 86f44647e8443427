import { test } from 'bun:test'
import { Hands } from '../../support/hands.ts'
import { type Stage, TEST_MS } from '../../support/stage.ts'
import { leave, see } from '../../support/visible.ts'

/** Suppliers, models, routes and prices. */
export function describeSupplyByKeyboard(stage: Stage): void {
  test(
    'a supplier, its credential, a model and a route are made, changed after a preview, tested and disabled',
    async () => {
      const { base_url: address } = await stage.gateway.operator<{ base_url: string }>(
        'GET',
        '/suppliers/sandbox-openai',
      )
      const visitor = await stage.enter('operator', '/operator/suppliers')
      const { page } = visitor
      const hands = await Hands.inContent(page)
      await hands.press(/^Add supplier$/)
      await page.getByRole('dialog', { name: 'Add a supplier' }).waitFor()
      await hands.choose(/^Type/, /^OpenAI-compatible$/)
      await hands.type(/^Id/, 'handcraft')
      await hands.type(/^Base URL/, `${address}/v1`)
      await hands.key('Enter')
      await page.getByRole('dialog', { name: 'Add a credential to handcraft' }).waitFor()
      await hands.type(/^Secret/, 'sk-sandbox-handcraft')
      await hands.type(/^Label/, 'first')
      await hands.press(/^Add credential$/)
      const credentials = page.getByRole('region', { name: 'Credentials' })
      await see(credentials, 'first')

      await hands.press(/^Models and prices$/)
      await page.getByRole('heading', { level: 1, name: 'Models and prices' }).waitFor()
      await hands.press(/^Add model$/)
      await page.getByRole('dialog', { name: 'Add a model' }).waitFor()
      await hands.type(/^Id/, 'hand/large')
      await hands.type(/^Made by/, 'Handcraft')
      await hands.press(/^Review changes$/)
      await hands.expectAt(/^Back to the form$/)
      await hands.key('Enter')
      await hands.expectAt(/^Id/)
      await hands.press(/^Review changes$/)
      await hands.press(/^Create$/)
      await page.getByRole('dialog', { name: /^Add a route to hand\/large/ }).waitFor()
      await hands.choose(/^Supplier/, /^handcraft$/)
      await hands.type(/^Name at the supplier/, 'sandbox-chat')
      await hands.type(/^Input, per million/, '1')
      await hands.type(/^Output, per million/, '4')
      await hands.key('Enter')
      await hands.press(/^Create$/)
      await see(page.getByRole('region', { name: 'Routes' }), 'handcraft')

      await hands.press(/^handcraft/)
      const change = page.getByRole('dialog', { name: 'Route by handcraft' })
      await change.waitFor()
      await hands.type(/^Output, per million/, '8')
      await hands.key('Enter')
      await see(change.getByRole('row', { name: /output/i }), '8')
      await hands.press(/^Save changes$/)
      await change.waitFor({ state: 'hidden' })
      await hands.expectAt(/^handcraft/)
      await hands.tabTo(/^Edit model$/, 'Shift+Tab')
      await hands.key('Enter')
      await page.getByRole('dialog', { name: 'Edit hand/large' }).waitFor()
      await hands.key('Escape')
      await hands.expectAt(/^Edit model$/)

      await hands.press(/^Suppliers$/)
      await hands.press(/^handcraft/)
      await page.getByRole('heading', { level: 1, name: /handcraft/ }).waitFor()
      await hands.press(/^Test$/)
      await page.getByRole('heading', { name: 'Test', exact: true }).waitFor()
      await see(page.getByRole('region', { name: 'Results of the test' }), 'works')
      const actions = /^Actions for first$/
      await hands.pick(actions, /^Disable$/)
      await see(credentials, 'disabled')
      await hands.expectAt(actions)
      await hands.pick(actions, /^Delete$/)
      await page.getByRole('dialog', { name: 'Delete first?' }).waitFor()
      await hands.press(/^Delete$/)
      await see(page, 'The credential was deleted.')
      await hands.press(/^Used for requests/, 'Space')
      await see(page.getByRole('heading', { level: 1 }), 'disabled')
      await leave(visitor)
    },
    TEST_MS,
  )
}
