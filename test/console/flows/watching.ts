import { expect, test } from 'bun:test'
import { isSignedWith, startReceiver } from '../../alerts/receiver.ts'
import { type Stage, TEST_MS } from '../support/stage.ts'
import { choose, field, leave, press, readCode, see } from '../support/visible.ts'

/** Alerts, the channels on which operators are told of them, and sinks. */
export function describeWatching(stage: Stage): void {
  test(
    'adds a channel, tests it, shows whom an alert was told to, and changes and deletes the channel',
    async () => {
      const receiver = startReceiver()
      const visitor = await stage.enter('operator', '/operator/alerts')
      const { page } = visitor
      await see(page, 'Nobody is told of alerts')
      await press(page, 'Add channel')
      const drawer = page.getByRole('dialog', { name: 'Add a channel' })
      await drawer.getByLabel('Type').selectOption('webhook')
      await field(drawer, 'ID').fill('hook')
      await field(drawer, 'Address').fill(`${receiver.url}?token=hidden`)
      await press(drawer, 'Add channel')
      const issued = page.getByRole('dialog', { name: 'The secret of the channel' })
      const secret = await readCode(issued)
      await press(issued, 'Close')
      await choose(page, 'Actions for hook', 'Send a test')
      await see(page, 'hook accepted the test.')
      const [call] = receiver.calls
      expect(call !== undefined && isSignedWith(call, secret)).toBe(true)

      await stage.gateway.operator('PUT', '/models/watched', { owned_by: 'tests' })
      await stage.gateway.operator('PUT', '/models/watched/routes/sandbox-openai', {
        upstream_model: 'sandbox-chat',
      })
      await stage.gateway.alerts.lookAtPlatform()
      await stage.gateway.alerts.deliverDue(Date.now())
      await page.getByRole('tab', { name: 'Recent' }).click()
      const title = 'The route of watched to sandbox-openai has no price'
      const alert = page.getByRole('row', { name: new RegExp(title) })
      await see(alert, 'open')
      await see(alert, 'delivered')
      await stage.gateway.operator('DELETE', '/models/watched/routes/sandbox-openai')
      await stage.gateway.alerts.lookAtPlatform()
      await alert.getByText('resolved').waitFor()

      await page.getByRole('tab', { name: 'Channels' }).click()
      await choose(page, 'Actions for hook', 'Edit')
      const edit = page.getByRole('dialog', { name: 'Edit hook' })
      await edit.getByLabel('A node is lost').uncheck()
      await press(edit, 'Save')
      await edit.waitFor({ state: 'hidden' })
      await see(page, '7 of 10 kinds')
      await choose(page, 'Actions for hook', 'Disable')
      await see(page.getByRole('row', { name: /hook/ }), 'disabled')
      await stage.gateway.operator('POST', '/alert-channels/hook/test')
      expect(receiver.calls.at(-1)?.path).toBe('/alerts?token=hidden')
      await choose(page, 'Actions for hook', 'Delete')
      await press(page.getByRole('dialog', { name: 'Delete hook?' }), 'Delete')
      await see(page, 'No channels yet')
      await leave(visitor)
      await receiver.stop()
    },
    TEST_MS,
  )

  test(
    'adds a sink, shows that it fails, and refuses its id to another',
    async () => {
      const visitor = await stage.enter('operator', '/operator/sinks?do=create')
      const { page } = visitor
      const drawer = page.getByRole('dialog', { name: 'Add a sink' })
      const fill = async (target: string) => {
        await field(drawer, 'ID').fill('warehouse')
        await field(drawer, 'Target').fill(target)
        await press(drawer, 'Add sink')
      }
      await fill('http://127.0.0.1:9/lines')
      const issued = page.getByRole('dialog', { name: 'The secret of the sink' })
      expect(await readCode(issued)).toStartWith('whsec_')
      await press(issued, 'Close')
      await stage.gateway.operator('PATCH', '/sinks/warehouse', { wait_seconds: 0 })
      await stage.gateway.sinks.send()
      await see(page.getByRole('row', { name: /warehouse/ }), 'failing')
      await press(page, 'Add sink')
      await fill('folder://other')
      await see(drawer, 'There is already a sink with this id.')
      await page.keyboard.press('Escape')
      await press(page.getByRole('dialog', { name: 'Discard your changes?' }), 'Discard')
      await choose(page, 'Actions for warehouse', 'Delete')
      await press(page.getByRole('dialog', { name: 'Delete warehouse?' }), 'Delete')
      await see(page, 'No sinks yet')
      await leave(visitor)
    },
    TEST_MS,
  )
}
