import type { Money } from '../../serve/ports/admissions.ts'
import type { AlertWatch } from './alert-watch.ts'

/** The same money, with the watch looking at a balance after each payment, refund or correction. */
export function watchMoney(money: Money, watch: Pick<AlertWatch, 'noteBalance'>): Money {
  return {
    balanceNano: (accountId) => money.balanceNano(accountId),
    keyMoney: (keyId, period) => money.keyMoney(keyId, period),
    credit: async (accountId, amountNano) => {
      await money.credit(accountId, amountNano)
      watch.noteBalance(accountId)
    },
    refresh: (owners) => money.refresh(owners),
  }
}
