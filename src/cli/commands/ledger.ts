import { readJournals } from '../../edges/journal/read-journal.ts'
import type { Environment } from '../../edges/settings/read-settings.ts'
import { verifyLedger } from '../../edges/storage/tables/money/verify-ledger.ts'
import { LedgerVerification } from '../../vocabulary/ledger.ts'
import type { Shown } from '../../vocabulary/shape.ts'
import { actionGroup } from '../action-group.ts'
import { DONE, FAILED } from '../command.ts'
import { withOfflineDatabase } from '../offline-database.ts'
import { callEndpoint } from '../operator-action.ts'
import { writeJson } from '../print-table.ts'

type Verification = Shown<typeof LedgerVerification>

export const createLedgerCommand = actionGroup('ledger', {
  summary: 'check the ledger',
  actions: {
    verify: {
      summary: 'compare balances, payments, settlements, usage and journal, up to the first difference',
      switches: ['offline'],
      notes: { offline: 'read the database of this environment, while the gateway is down' },
      examples: ['turnpike ledger verify', 'turnpike ledger verify --offline --json'],
      run: async (call) => {
        const { environment, terminal, asJson } = call
        terminal.showProgress?.('Comparing …')
        const found = call.has('offline')
          ? await verifyHere(environment)
          : await callEndpoint(call.client, 'verifyLedger')
        terminal.print(asJson ? writeJson(found) : report(found))
        return found.difference === null ? DONE : FAILED
      },
    },
  },
})

/** Settlements that are still in the journal are not included; the next start stores them. */
function verifyHere(environment: Environment): Promise<Verification> {
  return withOfflineDatabase(environment, async ({ database, dataFolder }) =>
    LedgerVerification.show(await verifyLedger(database, readJournals(dataFolder), { mayWait: true })),
  )
}

function report({ difference, checked, waiting }: Verification): string {
  if (difference !== null) return `The ledger is not consistent.\n${difference}\n`
  const { accounts, payments, refunds, settlements, days, journaled } = checked
  const lines = [
    'The ledger is consistent.',
    `Compared: ${accounts} balances, ${payments} payments, ${refunds} refunds, ${settlements} settlements, ` +
      `the usage of ${days} days, ${journaled} settlements in the journal.`,
  ]
  if (waiting > 0) lines.push(`${waiting} settlements wait in the journal for the next start.`)
  return `${lines.join('\n')}\n`
}
