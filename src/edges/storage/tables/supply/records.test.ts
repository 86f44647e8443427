import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Storage } from '../../../../manage/ports/storage.ts'
import { ALL_RECORDS } from '../../../../vocabulary/records/index.ts'
import { type MarkUp, MarkUps } from '../../../../vocabulary/records/mark-up.ts'
import { type PaymentMethod, PaymentMethods } from '../../../../vocabulary/records/payment-method.ts'
import { openAt, type Site, testedEngines } from '../../testing/engines.ts'
import { auditEvent } from '../../testing/samples.ts'

const TRANSFER: PaymentMethod = {
  id: 'bank-transfer',
  name: 'Überweisung',
  text: 'Put your account id\nin the reference.',
  link: null,
  position: 2_000_000_000,
  enabled: true,
}
const CARD: PaymentMethod = { ...TRANSFER, id: 'card', link: 'https://pay.example.com', enabled: false }

for (const engine of testedEngines()) {
  describe(`records on ${engine.name}`, () => {
    let site: Site
    let storage: Storage
    beforeEach(async () => {
      site = await engine.makeSite()
      storage = await openAt(site)
    })
    afterEach(async () => {
      await storage.close()
      await site.remove()
    })

    const events = async () =>
      (await storage.listAuditEvents({ limit: 100, cursor: null })).data.map(({ id }) => id).toSorted()

    test('are read as they were saved, each with its audit event', async () => {
      const methods = storage.records(PaymentMethods)
      await methods.save(TRANSFER, auditEvent('evt_1'))
      await methods.save(CARD, auditEvent('evt_2'))
      await methods.save({ ...CARD, name: 'Card' }, auditEvent('evt_3'))
      expect(await methods.list()).toEqual([TRANSFER, { ...CARD, name: 'Card' }])
      expect(await methods.find('bank-transfer')).toEqual(TRANSFER)
      expect(await methods.find('cash')).toBeNull()
      expect(await events()).toEqual(['evt_1', 'evt_2', 'evt_3'])
    })

    test('are removed with an event, and without one when there is nothing to remove', async () => {
      const methods = storage.records(PaymentMethods)
      await methods.save(TRANSFER, auditEvent('evt_1'))
      await methods.remove('card', auditEvent('evt_2'))
      expect(await methods.list()).toEqual([TRANSFER])
      await methods.remove('bank-transfer', auditEvent('evt_3'))
      expect(await methods.list()).toEqual([])
      expect(await events()).toEqual(['evt_1', 'evt_3'])
    })

    test('are not saved when their event cannot be written', async () => {
      const methods = storage.records(PaymentMethods)
      await methods.save(TRANSFER, auditEvent('evt_1'))
      await expect(methods.save(CARD, auditEvent('evt_1'))).rejects.toThrow()
      expect(await methods.list()).toEqual([TRANSFER])
    })

    test('raise the version of the configuration when they are part of it', async () => {
      const { version } = await storage.loadConfiguration()
      const markUp: MarkUp = { id: 'trial', appliesTo: 'tier', name: 'Trial', basisPoints: -1_000 }
      const markUps = storage.records(MarkUps)
      await markUps.save(markUp, auditEvent('evt_1'))
      expect(await storage.loadConfiguration()).toMatchObject({ version: version + 1, markUps: [markUp] })
      // Two for the same tier would leave it to chance which applies.
      await expect(markUps.save({ ...markUp, id: 'other' }, auditEvent('evt_2'))).rejects.toThrow()
      await markUps.remove('other', auditEvent('evt_3'))
      expect(await storage.loadConfigurationVersion()).toBe(version + 1)
      await markUps.remove('trial', auditEvent('evt_4'))
      expect(await storage.loadConfiguration()).toMatchObject({ version: version + 2, markUps: [] })
      expect(await events()).toEqual(['evt_1', 'evt_4'])
    })

    test('do not raise the version of the configuration otherwise', async () => {
      const { version } = await storage.loadConfiguration()
      await storage.records(PaymentMethods).save(TRANSFER, auditEvent('evt_1'))
      expect((await storage.loadConfiguration()).version).toBe(version)
    })

    test.each(ALL_RECORDS.map((kind) => [kind.table, kind] as const))('%s have a table', async (_, kind) => {
      expect(await storage.records(kind).list()).toEqual([])
    })
  })
}
