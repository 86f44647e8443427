import type { NodeStore, SharedBookStore } from '../../gateway/ports/shared-books.ts'
import type { ChangeBook } from './change-book.ts'
import type { Database } from './database.ts'
import { writeSettlements } from './tables/money/settlements.ts'
import { loadKeyTotals, loadStoredBalances } from './tables/money/shared-books.ts'
import { listNodes, removeNode, saveHeartbeat } from './tables/supply/nodes.ts'

/** What nodes that share the database ask of it, and who they are. */
export function nodeStorageOn(
  database: Database,
  changes: ChangeBook,
  sealingLevel: () => number,
): SharedBookStore & NodeStore {
  return {
    loadStoredBalances: (accountIds) => loadStoredBalances(database, accountIds),
    loadKeyTotals: (keyIds, day) => loadKeyTotals(database, keyIds, day),
    writeSettlements: (settlements) => writeSettlements(database, settlements),
    loadConfigurationVersion: () => changes.loadVersion(),
    raiseConfigurationVersion: (least) => changes.raiseVersionTo(least),
    whileChanging: (work) => changes.whileChanging(work),
    saveHeartbeat: (node, sharedLimitsId) =>
      saveHeartbeat(database, node, { sharedLimitsId, sealingLevel: sealingLevel() }),
    listNodes: () => listNodes(database),
    removeNode: (id) => removeNode(database, id),
  }
}
