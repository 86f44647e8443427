import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createWebhookSender, webhookRules } from '../../src/edges/alert-webhook/send-webhook.ts'
import { openAt, type Site, testedEngines } from '../../src/edges/storage/testing/engines.ts'
import { ACCOUNT, auditEvent, WEBHOOK } from '../../src/edges/storage/testing/samples.ts'
import { AlertDelivery } from '../../src/manage/alerts/deliver-alerts.ts'
import type { Storage } from '../../src/manage/ports/storage.ts'
import { createCollectedLog } from '../support/collected-log.ts'
import { createMovableClock, type MovableClock } from '../support/movable-clock.ts'
import { type Receiver, startReceiver } from './receiver.ts'

const ALERTS = 15

for (const engine of testedEngines()) {
  describe(`two nodes that deliver from one database on ${engine.name}`, () => {
    let site: Site
    let stores: Storage[]
    let deliveries: AlertDelivery[]
    let clock: MovableClock
    let receiver: Receiver
    const log = createCollectedLog()

    beforeEach(async () => {
      site = await engine.makeSite()
      clock = createMovableClock()
      receiver = startReceiver()
      stores = [await openAt(site), await openAt(site)]
      const [storage] = stores
      await storage?.saveAccount(ACCOUNT, auditEvent('evt_1'))
      await storage?.saveWebhook({ ...WEBHOOK, url: receiver.url }, auditEvent('evt_2'))
      const send = createWebhookSender(webhookRules({ allowsPrivate: true }))
      deliveries = stores.map(
        (store) => new AlertDelivery({ storage: store, send, clock, random: () => 0.5, log }),
      )
      for (let number = 0; number < ALERTS; number += 1) {
        const alert = {
          id: `alt_${number}`,
          kind: 'balance.low',
          accountId: ACCOUNT.id,
          subject: ACCOUNT.id,
          occasion: null,
          atMs: clock.nowMs(),
          data: { number },
        } as const
        await storage?.raiseAlert(alert, auditEvent(`evt_alt_${number}`))
      }
    })
    afterEach(async () => {
      await Promise.all(deliveries.map((delivery) => delivery.stop()))
      await Promise.all(stores.map((store) => store.close()))
      await receiver.stop()
      await site.remove()
    })

    const deliverTogether = () =>
      Promise.all(deliveries.map((delivery) => delivery.deliverDue(clock.nowMs())))
    const countsById = () => {
      const calls = Map.groupBy(receiver.calls, ({ body }) => body.id)
      return [...calls.values()].map(({ length }) => length)
    }

    test('deliver each alert once', async () => {
      await deliverTogether()
      expect(countsById()).toEqual(Array.from({ length: ALERTS }, () => 1))
      expect(log.troubles).toEqual([])
    })

    test('make each attempt once', async () => {
      receiver.answerWith(() => new Response(null, { status: 500 }))
      await deliverTogether()
      clock.advance(15_000)
      await deliverTogether()
      expect(countsById()).toEqual(Array.from({ length: ALERTS }, () => 2))
      clock.advance(45_000)
      receiver.answerWith(() => new Response())
      await deliverTogether()
      clock.advance(3_600_000)
      await deliverTogether()
      expect(countsById()).toEqual(Array.from({ length: ALERTS }, () => 3))
    })
  })
}
