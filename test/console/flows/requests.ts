import { expect, test } from 'bun:test'
import { addHousehold, askModel } from '../../console-api/support/account-stage.ts'
import { chat, say } from '../../support/chat.ts'
import { findAccessibilityIssues } from '../support/browser.ts'
import { KeyboardUser } from '../support/keyboard-user.ts'
import { type Stage, TEST_MS } from '../support/stage.ts'
import { leave, see } from '../support/visible.ts'

/** Requests of a customer: found by what is known of them, read as conversations, and seen as sessions. */
export function describeRequests(stage: Stage): void {
  test(
    'finds a request by its error, its id, its text and its session',
    async () => {
      const house = await addHousehold(stage.gateway, 'Seekers')
      await house.owner.call(`PUT /accounts/${house.accountId}/body-storage`, { body: { enabled: true } })
      stage.gateway.sandbox.faults.set({ fault: { type: 'status', status: 500 }, model: 'sandbox-flaky' })
      const headers = { 'x-session-id': 'run-7' }
      const failed = await askModel(stage.gateway, house, { model: 'sandbox-flaky', headers })
      const said = say('the lighthouse keeper sleeps')
      const streamed = await askModel(stage.gateway, house, { ...said, stream: true, headers })
      const refused = await chat(stage.gateway.url, { model: 'no-such-model' }, { key: house.secret })
      await refused.text()

      const visitor = await stage.enterHome(house, '/requests')
      const { page } = visitor
      const row = (id: string) => page.locator(`[data-request="${id}"]`)
      await row(streamed).waitFor()
      const keyboard = await KeyboardUser.inContent(page)
      await keyboard.press(/^More filters$/)
      await keyboard.choose(/^Error code$/, /^provider_error$/)
      await row(streamed).waitFor({ state: 'detached' })
      await row(failed).waitFor()
      expect(page.url()).toContain('code=provider_error')
      expect(await findAccessibilityIssues(page)).toEqual([])
      const href = (await page.getByRole('link', { name: 'Export CSV' }).getAttribute('href')) ?? ''
      expect(href).toContain('code=provider_error')
      await page.getByRole('search').getByRole('button', { name: 'Clear' }).click()

      await page.getByLabel('Search').fill(streamed.slice(0, 24))
      await page.getByLabel('Search').press('Enter')
      await row(failed).waitFor({ state: 'detached' })
      await row(streamed).waitFor()

      await page.getByLabel('Search').fill('lighthouse keeper')
      await page.getByLabel('Search').press('Enter')
      await see(page, 'Searched 2 of 2 stored requests, newest first.')
      expect(await findAccessibilityIssues(page)).toEqual([])
      await page.getByRole('region', { name: 'Found requests' }).getByRole('link').click()
      const answer = page.getByRole('region', { name: 'Answer' })
      await see(answer, 'the lighthouse keeper sleeps')
      await see(page, 'Admission')
      expect(await findAccessibilityIssues(page)).toEqual([])
      const link = page.getByRole('link', { name: 'Open in playground' })
      expect(await link.getAttribute('href')).toContain(`from=${streamed}`)
      await page.getByText('As sent', { exact: true }).click()
      await see(page, /chat\.completion\.chunk/)
      await page.goBack()
      await see(page, 'Searched 2 of 2 stored requests, newest first.')

      await page.getByText('Refused', { exact: true }).click()
      await page.getByLabel('Search').fill('')
      await page.getByLabel('Search').press('Enter')
      await row(refused.headers.get('x-request-id') ?? '').waitFor()
      expect(await findAccessibilityIssues(page)).toEqual([])

      await page.getByText('Sessions', { exact: true }).click()
      const sessions = page.getByRole('region', { name: 'Sessions' })
      await sessions.getByRole('row', { name: /run-7.*1 error.*2/ }).waitFor()
      expect(await findAccessibilityIssues(page)).toEqual([])
      const again = await KeyboardUser.inContent(page)
      await again.press(/^run-7/)
      await page.waitForURL(/session=run-7/)
      await row(failed).waitFor()
      await row(streamed).waitFor()
      await page.goBack()
      await sessions.getByRole('link', { name: /^run-7/ }).waitFor()
      await leave(visitor)
    },
    TEST_MS,
  )
}
