import { expect, test } from 'bun:test'
import { buildSnapshot } from '../../rules/catalog/build-snapshot.ts'
import { anAccount } from '../../vocabulary/testing/specimens.ts'
import { AlertWatch } from './alert-watch.ts'

test('does not report a balance that is not known yet', () => {
  const account = anAccount({ id: 'acc_1', balanceAlertNano: 100n })
  const empty = { keys: [], suppliers: [], credentials: [], models: [], routes: [], version: 1 }
  const snapshot = buildSnapshot({ accounts: [account], ...empty })
  const state = { isKnown: false, balanceNano: 0n }
  const watch = new AlertWatch({
    snapshot: () => snapshot,
    money: {
      balanceNano: () => state.balanceNano,
      knowsBalance: () => state.isKnown,
      keyMoney: () => ({ spentNano: 0n, heldNano: 0n }),
    },
    clock: { nowMs: () => 1 },
    lowBalances: [],
  })
  watch.lookAtAll()
  watch.noteStored([{ accountId: 'acc_1', keyId: 'key_1' }])
  expect(watch.first).toBeUndefined()
  state.isKnown = true
  state.balanceNano = 500n
  watch.noteStored([{ accountId: 'acc_1', keyId: 'key_1' }])
  expect(watch.first).toBeUndefined()
  state.balanceNano = 50n
  watch.noteStored([{ accountId: 'acc_1', keyId: 'key_1' }])
  expect(watch.first).toMatchObject({ type: 'notice', notice: { kind: 'balance.low', accountId: 'acc_1' } })
})
