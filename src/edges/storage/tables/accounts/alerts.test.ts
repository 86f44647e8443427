import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Storage } from '../../../../manage/ports/storage.ts'
import type { Alert } from '../../../../vocabulary/alert.ts'
import type { AlertChannel } from '../../../../vocabulary/observability/alert-channel.ts'
import { openAt, type Site, testedEngines } from '../../testing/engines.ts'
import { ACCOUNT, auditEvent, START_MS, WEBHOOK } from '../../testing/samples.ts'

let lastId = 0
function anAlert(fields: Partial<Alert> = {}): Alert {
  lastId += 1
  return {
    id: `alt_${String(lastId).padStart(4, '0')}`,
    kind: 'budget.threshold',
    accountId: ACCOUNT.id,
    subject: 'key_1',
    occasion: `occasion ${lastId}`,
    atMs: START_MS + lastId,
    data: { spent: '0.5', threshold: 50 },
    ...fields,
  }
}

for (const engine of testedEngines()) {
  describe(`alerts on ${engine.name}`, () => {
    let site: Site
    let storage: Storage
    beforeEach(async () => {
      site = await engine.makeSite()
      storage = await openAt(site)
      await storage.saveAccount(ACCOUNT, auditEvent('evt_account'))
    })
    afterEach(async () => {
      await storage.close()
      await site.remove()
    })

    const raise = (alert: Alert) => storage.raiseAlert(alert, auditEvent(`evt_${alert.id}`))
    const list = async (accountId?: string) =>
      (await storage.listAlerts(accountId === undefined ? {} : { accountId }, { limit: 100, cursor: null }))
        .data
    const due = (nowMs: number) => storage.loadDueDeliveries(nowMs, 10)

    test('are listed as they were raised, newest first, page by page', async () => {
      const oldest = anAlert()
      const unowned = anAlert({ accountId: null, occasion: null, kind: 'credential.disabled' })
      const newest = anAlert()
      for (const alert of [oldest, unowned, newest]) expect(await raise(alert)).toBe(true)
      expect((await list()).map(({ delivery, ...alert }) => alert)).toEqual([newest, unowned, oldest])
      expect((await list(ACCOUNT.id)).map(({ delivery, ...alert }) => alert)).toEqual([newest, oldest])
      const first = await storage.listAlerts({ accountId: ACCOUNT.id }, { limit: 1, cursor: null })
      const second = await storage.listAlerts(
        { accountId: ACCOUNT.id },
        { limit: 1, cursor: first.nextCursor },
      )
      expect([first, second].map(({ data }) => data[0])).toMatchObject([newest, oldest])
      expect(second.nextCursor).toBeNull()
    })

    test('are listed with the channels that were told', async () => {
      const channel: AlertChannel = {
        id: 'on-call',
        type: 'email',
        address: 'on-call@example.com',
        enabled: true,
        kinds: ['node.lost'],
        secret: 'whsec_x',
        createdAtMs: START_MS,
      }
      await storage.saveChannel(channel, auditEvent('evt_channel'))
      const wanted = anAlert({ kind: 'node.lost' })
      const other = anAlert()
      for (const alert of [wanted, other]) await raise(alert)
      const [due] = await storage.loadDueMessages(wanted.atMs, 10)
      if (due !== undefined) {
        await storage.claimMessage(due, wanted.atMs + 1)
        await storage.endMessage(due, { state: 'failed', failure: 'Nobody answered.' })
      }
      const told = await storage.loadChannelDeliveries([wanted, other])
      expect([...told.keys()]).toEqual([wanted.id])
      const delivery = { channelId: 'on-call', state: 'failed', lastFailure: 'Nobody answered.' }
      expect(told.get(wanted.id)).toMatchObject([delivery])
      expect((await storage.loadChannelDeliveries([])).size).toBe(0)
    })

    test('of one occasion are raised once, even concurrently, until the occasion has ended', async () => {
      const occasion = 'balance.low acc_1'
      const offers = Array.from({ length: 8 }, () => anAlert({ occasion, kind: 'balance.low' }))
      const results = await Promise.all(offers.map(raise))
      expect(results.filter(Boolean)).toHaveLength(1)
      expect(await storage.loadLowBalances()).toEqual([ACCOUNT.id])
      const events = (await storage.listAuditEvents({ limit: 100, cursor: null })).data
      expect(events.filter(({ id }) => id.startsWith('evt_alt'))).toHaveLength(1)

      await storage.endOccasion(occasion, START_MS)
      expect(await storage.loadLowBalances()).toEqual([])
      expect(await raise(anAlert({ occasion, kind: 'balance.low' }))).toBe(true)
      expect(await list()).toHaveLength(2)
    })

    test('wait for delivery only where a webhook is enabled', async () => {
      await raise(anAlert())
      await storage.saveWebhook({ ...WEBHOOK, enabled: false }, auditEvent('evt_off'))
      await raise(anAlert())
      await storage.saveWebhook(WEBHOOK, auditEvent('evt_on'))
      const raised = anAlert()
      await raise(raised)
      await raise(anAlert({ accountId: null }))
      expect((await list()).map(({ delivery }) => delivery.state)).toEqual([
        'none',
        'pending',
        'none',
        'none',
      ])
      expect(await due(raised.atMs - 1)).toEqual([])
      expect(await due(raised.atMs)).toEqual([{ alert: raised, tries: 0 }])
      await storage.deleteWebhook(ACCOUNT.id, auditEvent('evt_gone'))
      expect(await storage.findWebhook(ACCOUNT.id)).toBeNull()
    })

    test('are claimed by one process, and again once the claim expires', async () => {
      await storage.saveWebhook(WEBHOOK, auditEvent('evt_on'))
      const alert = anAlert()
      await raise(alert)
      const untilMs = alert.atMs + 60_000
      const first = { alert, tries: 0 }
      const claims = await Promise.all(Array.from({ length: 8 }, () => storage.claimDelivery(first, untilMs)))
      expect(claims.filter(Boolean)).toHaveLength(1)
      expect(await due(untilMs - 1)).toEqual([])
      const second = { alert, tries: 1 }
      expect(await due(untilMs)).toEqual([second])
      expect(await storage.claimDelivery(second, untilMs * 2)).toBe(true)

      await storage.endDelivery(first, { state: 'failed', failure: 'Too late to say so.' })
      expect((await list())[0]?.delivery).toMatchObject({ state: 'pending', tries: 2, lastFailure: null })
      await storage.endDelivery(second, { state: 'delivered' })
      expect((await list())[0]?.delivery).toEqual({
        state: 'delivered',
        tries: 2,
        dueAtMs: null,
        lastFailure: null,
      })
      expect(await storage.claimDelivery({ alert, tries: 2 }, untilMs * 3)).toBe(false)
    })
  })
}
