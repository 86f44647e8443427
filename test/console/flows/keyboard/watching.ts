import { test } from 'bun:test'
import { KeyboardUser } from '../../support/keyboard-user.ts'
import { type Stage, TEST_MS } from '../../support/stage.ts'
import { leave, see } from '../../support/visible.ts'

/** Sinks, and the channels of alerts. */
export function describeWatchingByKeyboard(stage: Stage): void {
  test(
    'adds and disables a sink, and adds, disables and deletes a channel',
    async () => {
      const visitor = await stage.enter('operator', '/operator/sinks')
      const { page } = visitor
      const keyboard = await KeyboardUser.inContent(page)
      await keyboard.press(/^Add sink$/)
      await page.getByRole('dialog', { name: 'Add a sink' }).waitFor()
      await keyboard.type(/^ID/, 'typed')
      await keyboard.type(/^Target/, 'http://127.0.0.1:9/')
      await keyboard.key('Enter')
      await page.getByRole('dialog', { name: 'The secret of the sink' }).waitFor()
      await keyboard.key('Tab')
      await keyboard.press(/^Close$/)
      await keyboard.expectAt(/^Add sink$/)
      await keyboard.pick(/^Actions for typed$/, /^Disable$/)
      await page.getByRole('dialog', { name: 'Disable typed?' }).waitFor()
      await keyboard.press(/^Disable$/)
      await see(page.getByRole('row', { name: /typed/ }), 'disabled')
      await keyboard.expectAt(/^Actions for typed$/)

      await keyboard.press(/^Alerts$/)
      await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor()
      await keyboard.press(/^Add channel$/)
      await page.getByRole('dialog', { name: 'Add a channel' }).waitFor()
      await keyboard.type(/^ID/, 'mail')
      await keyboard.choose(/^Type/, /^E-mail$/)
      await keyboard.type(/^E-mail address/, 'on-call@example.com')
      await keyboard.key('Enter')
      await see(page, 'The channel was added.')
      await keyboard.pick(/^Actions for mail$/, /^Disable$/)
      await see(page.getByRole('row', { name: /mail/ }), 'disabled')
      await keyboard.pick(/^Actions for mail$/, /^Delete$/)
      await page.getByRole('dialog', { name: 'Delete mail?' }).waitFor()
      await keyboard.press(/^Delete$/)
      await see(page, 'No channels yet')
      await leave(visitor)
    },
    TEST_MS,
  )
}
