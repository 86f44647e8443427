import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Storage } from '../../../../manage/ports/storage.ts'
import type { KeptBody } from '../../../../vocabulary/settlement.ts'
import { openAt, type Site, testedEngines } from '../../testing/engines.ts'
import {
  ACCOUNT,
  auditEvent,
  CREDENTIAL,
  KEY,
  MODEL,
  ROUTE,
  SUPPLIER,
  settlements,
} from '../../testing/samples.ts'

const BODY: KeptBody = {
  accountId: ACCOUNT.id,
  requestId: 'req_1',
  createdAtMs: 1_000,
  request: 'a most private question',
  response: 'für dich',
  isRequestCut: false,
  isResponseCut: true,
}

for (const engine of testedEngines()) {
  describe(`what the console keeps on ${engine.name}`, () => {
    let site: Site
    let storage: Storage

    beforeEach(async () => {
      site = await engine.makeSite()
      storage = await openAt(site)
      await storage.saveAccount(ACCOUNT, auditEvent('evt_1'))
    })
    afterEach(async () => {
      await storage.close()
      await site.remove()
    })

    test('a body can be read by its account until it is too old', async () => {
      await storage.saveBody(BODY)
      expect(await storage.findBody(ACCOUNT.id, 'req_1', 1_000)).toEqual(BODY)
      expect(await storage.findBody(ACCOUNT.id, 'req_1', 1_001)).toBeNull()
      expect(await storage.findBody('acc_2', 'req_1', 0)).toBeNull()
    })

    test('bodies are deleted by age, account by account and in batches', async () => {
      for (const [index, requestId] of ['req_1', 'req_2', 'req_3'].entries()) {
        await storage.saveBody({ ...BODY, requestId, createdAtMs: 1_000 + index })
      }
      await storage.saveBody({ ...BODY, accountId: 'acc_2' })
      expect(await storage.deleteBodies(ACCOUNT.id, 1_002, 1)).toBe(1)
      expect(await storage.deleteBodies(ACCOUNT.id, 1_002, 10)).toBe(1)
      expect(await storage.deleteBodies(ACCOUNT.id, 1_002, 10)).toBe(0)
      expect(await storage.findBody('acc_2', 'req_1', 0)).not.toBeNull()
    })

    test('whether an account keeps bodies is remembered', async () => {
      await storage.saveBodyStorage({ accountId: ACCOUNT.id, isEnabled: true, days: 3 }, auditEvent('evt_2'))
      const setting = { accountId: ACCOUNT.id, isEnabled: false, days: 30 }
      await storage.saveBodyStorage(setting, auditEvent('evt_3'))
      expect(await storage.loadBodyStorage()).toEqual([setting])
    })

    test('a supplier goes with its routes and credentials', async () => {
      await storage.saveSupplier(SUPPLIER, auditEvent('evt_2'))
      await storage.saveCredential(CREDENTIAL, auditEvent('evt_3'))
      await storage.saveModel(MODEL, auditEvent('evt_4'))
      await storage.saveRoute(ROUTE, auditEvent('evt_5'))
      await storage.deleteSupplier(SUPPLIER.id, auditEvent('evt_6'))
      const { suppliers, credentials, routes } = await storage.loadConfiguration()
      expect([suppliers, credentials, routes]).toEqual([[], [], []])
    })

    test('the key of a playground is remembered by user and account', async () => {
      await storage.saveKey(KEY, auditEvent('evt_2'))
      const user = {
        id: 'usr_1',
        email: 'a@example.com',
        name: 'A',
        isOperator: false,
        isDisabled: false,
        isEmailVerified: true,
        hasPassword: false,
        hasSecondFactor: false,
        outsideId: null,
        deviceGeneration: 0,
        createdAtMs: 1,
      }
      await storage.createUser({ user, passwordHash: null, memberships: [] }, auditEvent('evt_3'))
      const whose = { userId: user.id, accountId: ACCOUNT.id }
      expect(await storage.findPlaygroundKey(whose)).toBeNull()
      await storage.savePlaygroundKey({ ...whose, keyId: KEY.id })
      await storage.savePlaygroundKey({ ...whose, keyId: KEY.id })
      expect(await storage.findPlaygroundKey(whose)).toBe(KEY.id)
    })

    test('settlements are listed by how they ended', async () => {
      const [good, bad] = settlements(2)
      if (good === undefined || bad === undefined) throw new Error('there are too few')
      await storage.writeSettlements([
        { ...good, outcome: 'completed' },
        { ...bad, outcome: 'refused' },
      ])
      const listed = async (outcome: 'completed' | 'refused' | 'interrupted') => {
        const page = { limit: 10, cursor: null }
        const { data } = await storage.listSettlements({ accountId: good.accountId, outcome }, page)
        return data.map(({ requestId }) => requestId)
      }
      expect(await listed('completed')).toEqual([good.requestId])
      expect(await listed('refused')).toEqual([bad.requestId])
      expect(await listed('interrupted')).toEqual([])
    })

    test('the database reports its engine and size', async () => {
      const { engine: name, sizeBytes } = await storage.describeDatabase()
      expect(name).toBe(engine.name === 'SQLite' ? 'sqlite' : 'postgresql')
      expect(sizeBytes).toBeGreaterThan(10_000)
    })
  })
}
