import { readJournals } from '../../edges/journal/read-journal.ts'
import type { Environment } from '../../edges/settings/read-settings.ts'
import { verifyLedger } from '../../edges/storage/tables/money/verify-ledger.ts'
import { LedgerVerification } from '../../vocabulary/ledger.ts'
import type { Shown } from '../../vocabulary/shape.ts'
import { type Command, parseOptions, UsageError } from '../command.ts'
import { withOfflineDatabase } from '../offline-database.ts'
import { callEndpoint } from '../operator-action.ts'
import { connectFromEnvironment } from '../operator-client.ts'
import { JSON_OPTION } from '../print-table.ts'

type Verification = Shown<typeof LedgerVerification>

export function createLedgerCommand(environment: Environment): Command {
  return {
    name: 'ledger',
    summary: 'ledger verify: check the ledger, up to the first difference (--offline, --json)',
    async run([word, ...rest], terminal) {
      if (word !== 'verify') throw new UsageError("'turnpike ledger' takes one word: verify")
      const options = { offline: { type: 'boolean', default: false }, ...JSON_OPTION } as const
      const { offline: isOffline, json: asJson } = parseOptions(rest, options)
      const found = isOffline
        ? await verifyHere(environment)
        : await callEndpoint(connectFromEnvironment(environment), 'verifyLedger')
      terminal.print(asJson ? `${JSON.stringify(found, null, 2)}\n` : report(found))
      return found.difference === null ? 0 : 1
    },
  }
}

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
