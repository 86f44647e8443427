import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { FileJournal } from '../../src/edges/journal/file-journal.ts'
import { readJournal } from '../../src/edges/journal/read-journal.ts'
import { isRefusal, type NodeStorage } from '../../src/edges/storage/index.ts'
import { openAt, type Site, testedEngines } from '../../src/edges/storage/testing/engines.ts'
import { auditEvent } from '../../src/edges/storage/testing/samples.ts'
import { anAccount, aSettlement } from '../../src/vocabulary/testing/specimens.ts'
import { findDifference } from '../support/find-difference.ts'

const GOOD_NANO = aSettlement().amountNano

for (const engine of testedEngines()) {
  describe(`a batch with a settlement that no column holds, on ${engine.name}`, () => {
    let site: Site
    let storage: NodeStorage
    let folder: string

    beforeEach(async () => {
      site = await engine.makeSite()
      storage = await openAt(site)
      await storage.saveAccount(anAccount(), auditEvent('evt_account'))
      folder = join(site.dataFolder, 'journal')
    })
    afterEach(async () => {
      await storage.close()
      await site.remove()
    })

    const start = () =>
      FileJournal.start({
        folder,
        persist: async (settlements) => void (await storage.writeSettlements(settlements)),
        isRefusal,
        fsync: 'never',
        onTrouble: () => undefined,
      })

    test('is charged without that one, which verification reports, also when it is written again', async () => {
      const journal = await start()
      const batch = Array.from({ length: 9 }, (_, index) => aSettlement({ requestId: `req_${index}` }))
      const bad = aSettlement({ requestId: 'req_bad', amountNano: 2n ** 63n })
      const all = [...batch.slice(0, 4), bad, ...batch.slice(4)]
      await Promise.all(all.map((settlement) => journal.settle(settlement)))
      await journal.close()
      await (await start()).close()
      expect((await storage.loadBalances()).get('acc_1')).toBe(-9n * GOOD_NANO)
      expect(await findDifference(storage)).toBeNull()
      expect(await findDifference(storage, readJournal(folder))).toStartWith(
        'Settlement req_bad is set aside',
      )
    })
  })
}
