import type { Environment } from '../../edges/settings/read-settings.ts'
import type { AccountView } from '../../vocabulary/account.ts'
import type { Adjustment, LedgerEntry } from '../../vocabulary/ledger.ts'
import type { Shown } from '../../vocabulary/shape.ts'
import { type Action, type ActionCall, createActionGroup } from '../action-group.ts'
import { type Command, UsageError } from '../command.ts'
import { accountPath, printFacts, printList } from '../print-answer.ts'
import type { Column } from '../print-table.ts'

type ShownAccount = Shown<typeof AccountView>

const COLUMNS: readonly Column<ShownAccount>[] = [
  { title: 'id', cell: ({ id }) => id },
  { title: 'name', cell: ({ name }) => name },
  { title: 'tier', cell: ({ tier }) => tier },
  { title: 'rpm', cell: ({ limits }) => limits.rpm, align: 'right' },
  { title: 'tpm', cell: ({ limits }) => limits.tpm, align: 'right' },
  { title: 'paid', cell: ({ total_paid }) => total_paid, align: 'right' },
  { title: 'balance', cell: ({ balance }) => balance, align: 'right' },
  { title: 'credit', cell: ({ credit_line }) => credit_line ?? 'unlimited', align: 'right' },
]

const LEDGER_COLUMNS: readonly Column<Shown<typeof LedgerEntry>>[] = [
  { title: 'time', cell: ({ created_at }) => created_at },
  { title: 'kind', cell: ({ kind }) => kind },
  { title: 'amount', cell: ({ amount }) => amount, align: 'right' },
  { title: 'id', cell: ({ id }) => id },
  { title: 'reference', cell: ({ reference }) => reference },
  { title: 'note', cell: ({ note }) => note },
]

export function createAccountsCommand(environment: Environment): Command {
  const summary = 'see and change accounts'
  return createActionGroup({ name: 'accounts', summary, actions: ACTIONS }, environment)
}

const list: Action = {
  name: 'list',
  optional: ['limit'],
  summary: 'all accounts, oldest first',
  run: (call) => printList(call, '/accounts', { columns: COLUMNS, empty: 'There are no accounts.' }),
}

const show: Action = {
  name: 'show',
  words: ['account'],
  summary: 'one account',
  run: async (call) => printAccount(call, await call.client.call('GET', accountPath(call))),
}

const create: Action = {
  name: 'create',
  required: ['name'],
  optional: ['email'],
  summary: 'a new account',
  run: async (call) => {
    const body = { name: call.said('name'), email: call.flag('email') ?? null }
    printAccount(call, await call.client.call('POST', '/accounts', body))
  },
}

const change: Action = {
  name: 'change',
  words: ['account'],
  optional: ['name', 'credit-line'],
  summary: 'another name or credit line (an amount, or "unlimited")',
  run: async (call) => {
    const [name, creditLine] = [call.flag('name'), call.flag('credit-line')]
    if (name === undefined && creditLine === undefined) throw new UsageError('give --name or --credit-line')
    const body = {
      ...(name !== undefined && { name }),
      ...(creditLine !== undefined && { credit_line: creditLine === 'unlimited' ? null : creditLine }),
    }
    printAccount(call, await call.client.call('PATCH', accountPath(call), body))
  },
}

const adjust: Action = {
  name: 'adjust',
  words: ['account'],
  required: ['amount', 'reason'],
  optional: ['reference'],
  summary: 'correct the balance by an amount, which may be negative; the same reference twice is one',
  run: async (call) => {
    const reference = call.flag('reference')
    const body = {
      amount: call.said('amount'),
      reason: call.said('reason'),
      ...(reference !== undefined && { reference }),
    }
    const answer: Shown<typeof Adjustment> = await call.client.call(
      'POST',
      accountPath(call, '/adjustments'),
      body,
    )
    const { id, amount, reason, created_at } = answer
    const facts = { adjustment: id, amount, reference: answer.reference, reason, recorded: created_at }
    printFacts(call, answer, facts)
  },
}

const ledger: Action = {
  name: 'ledger',
  words: ['account'],
  optional: ['limit'],
  summary: 'what moved the balance, newest first',
  run: (call) =>
    printList(call, accountPath(call, '/ledger'), {
      columns: LEDGER_COLUMNS,
      empty: 'Nothing moved it yet.',
    }),
}

const ACTIONS = [list, show, create, change, adjust, ledger]

/** An account as people read it; the tiers command shows accounts too. */
export function printAccount(call: ActionCall, account: ShownAccount): void {
  const assignment = account.tier_assignment
  printFacts(call, account, {
    id: account.id,
    name: account.name,
    email: account.email,
    tier: account.tier,
    'earned tier': account.earned_tier,
    'assigned until': assignment && (assignment.expires_at ?? 'it is ended'),
    'assigned because': assignment?.reason ?? null,
    rpm: account.limits.rpm,
    tpm: account.limits.tpm,
    'total paid': account.total_paid,
    balance: account.balance,
    'credit line': account.credit_line ?? 'unlimited',
    created: account.created_at,
  })
}
