import { expect, test } from 'bun:test'
import { addHousehold } from '../../console-api/support/account-stage.ts'
import { type Stage, TEST_MS } from '../support/stage.ts'
import { field, leave, press, see } from '../support/visible.ts'

/** Each format and the path of its requests. */
const FORMATS = [
  ['chat-completion', '/v1/chat/completions'],
  ['responses', '/v1/responses'],
  ['messages', '/v1/messages'],
  ['content-generation', 'streamGenerateContent'],
] as const

export function describePlayground(stage: Stage): void {
  test(
    'streams a chat in all four formats, with cost, route and raw exchange',
    async () => {
      const visitor = await stage.enter('owner', '/playground?model=sandbox-chat')
      const { page } = visitor
      for (const [format, address] of FORMATS) {
        await page.getByLabel('Format').first().selectOption(format)
        await field(page, 'Message').fill(`say: greetings in ${format}`)
        await press(page, 'Send')
        const exchange = page.getByRole('article', { name: new RegExp(`greetings in ${format}`) })
        await see(exchange, new RegExp(`^greetings in ${format}$`))
        await see(exchange, 'Cost')
        await see(exchange, /sandbox-\w+, 1 attempt/)
        await press(exchange, 'As sent')
        const wire = page.getByRole('dialog')
        await see(wire, new RegExp(address.replaceAll('/', '\\/')))
        await page.keyboard.press('Escape')
        await wire.waitFor({ state: 'hidden' })
      }
      await press(page, 'Copy as code')
      await page.getByRole('dialog').getByText('sandbox-chat').first().waitFor()
      await page.keyboard.press('Escape')
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'shows text as it streams and keeps it when stopped',
    async () => {
      const visitor = await stage.enter('owner', '/playground?model=sandbox-slow')
      const { page } = visitor
      await field(page, 'Message').fill('Tell me a long story about a lighthouse, please.')
      await page.keyboard.press('Enter')
      await page.locator('.exchange-text').first().waitFor()
      await press(page, 'Stop')
      await see(page, 'Stopped by you.')
      expect((await page.locator('.exchange-text').first().innerText()).length).toBeGreaterThan(0)
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'generates and edits an image',
    async () => {
      const visitor = await stage.enter('owner', '/playground?mode=images&model=sandbox-image-base64')
      const { page } = visitor
      await field(page, 'Prompt').fill('A lighthouse at dawn')
      await press(page, 'Generate')
      await page.getByRole('img', { name: 'A lighthouse at dawn (1)' }).waitFor()
      await see(page, 'Cost')
      await press(page.locator('figure'), 'Edit')
      await field(page, 'Prompt').fill('Make the sky orange')
      await press(page, 'Edit image')
      await page.getByRole('img', { name: 'Make the sky orange (1)' }).waitFor()
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'explains a refused request and what to do',
    async () => {
      const house = await addHousehold(stage.gateway, 'Penniless')
      await stage.gateway.operator('PATCH', `/accounts/${house.accountId}`, { credit_line: '0' })
      const visitor = await stage.enterHome(house, '/playground?model=sandbox-chat')
      await field(visitor.page, 'Message').fill('Hello')
      await press(visitor.page, 'Send')
      await visitor.page
        .getByRole('alert')
        .getByText(/Add funds/)
        .waitFor()
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'tests the connection on the connect page',
    async () => {
      const visitor = await stage.enter('owner', '/connect')
      const { page } = visitor
      await page
        .getByRole('navigation', { name: 'Programs' })
        .getByRole('button', { name: 'Claude Code' })
        .click()
      await see(page, /ANTHROPIC_BASE_URL/)
      await see(page, new RegExp(stage.url))
      await press(page, 'Test connection')
      await see(page, 'The connection works.')
      await page.getByLabel('Secret of the key').fill('sk-not-a-key')
      await press(page, 'Test connection')
      await page
        .getByText(/: Failed$/)
        .first()
        .waitFor()
      await leave(visitor)
    },
    TEST_MS,
  )
}
