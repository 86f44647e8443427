import { readFile } from 'node:fs/promises'
import { rebuildUsage } from '../../edges/storage/tables/money/usage.ts'
import type { AccountView } from '../../vocabulary/account.ts'
import { type IssuedKey, type KeyView, USAGE_PERIODS } from '../../vocabulary/api-key.ts'
import { Tiers } from '../../vocabulary/records/tier.ts'
import type { Shown } from '../../vocabulary/shape.ts'
import type { IssuedUser, UserView } from '../../vocabulary/user.ts'
import { type Action, type ActionCall, actionGroup } from '../action-group.ts'
import { codeOf, UsageError } from '../command.ts'
import { withOfflineDatabase } from '../offline-database.ts'
import { actionOf, callEndpoint, NONE, readFlag, readList } from '../operator-action.ts'
import { printRows } from '../print-table.ts'
import { recordActions } from './records.ts'

const orNull = (word: string) => ({ read: (text: string) => (text === word ? null : text) })

export const createAccountsCommand = actionGroup('accounts', {
  summary: 'see and change accounts',
  actions: {
    list: actionOf('listAccounts', {
      worksOffline: true,
      summary: 'all accounts, oldest first',
      show: ({ id, name, tier, limits, total_paid, balance, credit_line }) => {
        return { id, name, tier, ...limits, paid: total_paid, balance, credit: credit_line ?? 'unlimited' }
      },
      figures: ['rpm', 'tpm', 'paid', 'balance', 'credit'],
      empty: 'There are no accounts.',
    }),
    show: actionOf('showAccount', { worksOffline: true, show: describeAccount }),
    create: actionOf('createAccount', { worksOffline: true, show: describeAccount }),
    update: actionOf('changeAccount', {
      aliases: ['change'],
      summary:
        'another name, credit line (an amount, or "unlimited") or balance alert (an amount, or "none")',
      flags: { credit_line: orNull('unlimited'), balance_alert: orNull(NONE) },
      show: describeAccount,
    }),
    suspend: actionOf('suspendAccount', {
      summary: 'refuse the keys of an account until it is reopened',
      notes: { reason: 'why; its members see it' },
      examples: ["turnpike accounts suspend acc_0123456789abcdef --reason 'Invoice 17 is unpaid'"],
      show: describeAccount,
    }),
    reopen: actionOf('reopenAccount', {
      summary: 'accept the keys of a suspended account again',
      examples: ['turnpike accounts reopen acc_0123456789abcdef'],
      show: describeAccount,
    }),
    close: actionOf('closeAccount', {
      summary: 'revoke the keys of an account for good; it stays for the books',
      notes: { reason: 'why; its members see it' },
      examples: ["turnpike accounts close acc_0123456789abcdef --reason 'Contract ended'"],
      show: describeAccount,
    }),
    adjust: actionOf('recordAdjustment', {
      summary: 'correct the balance by an amount, which may be negative; the same reference twice is one',
      show: ({ id, amount, reference, reason, created_at }) => {
        return { adjustment: id, amount, reference, reason, recorded: created_at }
      },
    }),
    ledger: actionOf('listLedger', {
      show: ({ created_at, kind, amount, id, reference, note }) => {
        return { time: created_at, kind, amount, id, reference, note }
      },
      figures: ['amount'],
      empty: 'Nothing moved it yet.',
    }),
  },
})

function describeAccount(account: Shown<typeof AccountView>) {
  const assignment = account.tier_assignment
  return {
    id: account.id,
    name: account.name,
    email: account.email,
    tier: account.tier,
    'earned tier': account.earned_tier,
    'assigned until': assignment && (assignment.expires_at ?? 'it is ended'),
    'assigned because': assignment?.reason,
    ...account.limits,
    state: account.state,
    'state because': account.state_reason,
    'total paid': account.total_paid,
    balance: account.balance,
    'credit line': account.credit_line ?? 'unlimited',
    created: account.created_at,
  }
}

const KEY_FLAGS = {
  route_policy: {
    flag: 'provider',
    read: (text: string) =>
      text === NONE ? { mode: 'intelligent' } : { mode: 'specified_provider', provider: text },
  },
  usage_limit: { read: readUsageLimit },
  model_allowlist: 'models',
  budget: { besides: ['thresholds'], read: readBudget },
  expires_at: orNull(NONE),
} as const

const KEY_NOTES = {
  provider: 'the only supplier to use; "none" lets the gateway choose',
  'usage-limit': `the most it may spend in a period, such as 5/daily (${USAGE_PERIODS.join(', ')}); "none" for no limit`,
  budget: 'an amount for each month that only raises alerts; "none" for none',
  thresholds: 'at which percentages of the budget alerts are raised, such as 50,80,100',
}

function readUsageLimit(text: string) {
  if (text === NONE) return null
  const [amount = '', period = '', ...rest] = text.split('/')
  if (amount === '' || rest.length > 0 || !(USAGE_PERIODS as readonly string[]).includes(period)) {
    throw new UsageError(
      `--usage-limit takes an amount and a period such as 5/daily (${USAGE_PERIODS.join(', ')})`,
    )
  }
  return { amount, period }
}

function readBudget(amount: string, call: ActionCall) {
  if (amount === NONE) return null
  const thresholds = call.flag('thresholds')
  if (thresholds === undefined) return { amount }
  return {
    amount,
    thresholds: readFlag('thresholds', { type: 'array', items: { type: 'integer' } }, thresholds),
  }
}

export const createKeysCommand = actionGroup('keys', {
  summary: 'see and change API keys',
  actions: {
    list: actionOf('listKeys', {
      worksOffline: true,
      summary: 'the keys of an account, oldest first',
      show: ({ id, name, last_four, state, usage_limit, usage, rpm, tpm, expires_at }) => ({
        id,
        name,
        'ends in': last_four,
        state,
        limit: describeLimit(usage_limit),
        spent: usage.spent,
        left: usage.remaining,
        rpm,
        tpm,
        expires: expires_at,
      }),
      figures: ['limit', 'spent', 'left', 'rpm', 'tpm'],
      empty: 'The account has no keys.',
    }),
    create: actionOf('createKey', {
      worksOffline: true,
      notes: KEY_NOTES,
      examples: [
        'turnpike keys create acc_0123456789abcdef --name production',
        'turnpike keys create acc_0123456789abcdef --name ci --usage-limit 5/daily --models gpt-5,claude-*',
      ],
      flags: KEY_FLAGS,
      show: describeKey,
    }),
    show: actionOf('showKey', { summary: 'one key, with what it has spent', show: describeKey }),
    update: actionOf('changeKey', {
      summary: 'other settings; "none" takes one away (--usage-limit 5/daily, --models gpt-5,claude-*)',
      aliases: ['change'],
      notes: KEY_NOTES,
      examples: [
        'turnpike keys update key_0123456789abcdef --rpm 60 --models gpt-5,claude-*',
        'turnpike keys update key_0123456789abcdef --usage-limit none',
      ],
      flags: { ...KEY_FLAGS, state: null },
      missing: 'say what to change, such as --rpm 60',
      show: describeKey,
    }),
    rotate: actionOf('rotateKey', {
      worksOffline: true,
      summary: 'a new secret, shown this once; the old one lives on for the grace, if any',
      show: describeKey,
    }),
    disable: actionOf('changeKey', {
      summary: 'refuse the key until it is enabled again',
      body: { state: 'disabled' },
      show: describeKey,
    }),
    enable: actionOf('changeKey', {
      summary: 'let a disabled key work again',
      body: { state: 'active' },
      show: describeKey,
    }),
    revoke: actionOf('revokeKey', { worksOffline: true, show: describeKey }),
  },
})

/** Only the answers to creating and rotating hold the secret. */
type KeyAnswer = Shown<typeof KeyView> & Partial<Pick<Shown<typeof IssuedKey>, 'secret'>>

function describeKey({ secret, usage, budget, ...key }: KeyAnswer) {
  return {
    ...(secret !== undefined && { secret }),
    id: key.id,
    account: key.account_id,
    name: key.name,
    state: key.state,
    'ends in': key.last_four,
    route: key.route_policy.provider ?? key.route_policy.mode,
    'usage limit': describeLimit(key.usage_limit),
    spent: usage.spent,
    left: usage.remaining,
    'resets at': usage.resets_at,
    budget: budget && `${budget.amount} (${budget.thresholds.join(', ')} %)`,
    'spent this month': usage.spent_this_month,
    rpm: key.rpm,
    tpm: key.tpm,
    models: key.model_allowlist?.join(', ') ?? 'all',
    expires: key.expires_at,
    created: key.created_at,
  }
}

function describeLimit(limit: KeyAnswer['usage_limit']): string | null {
  return limit && `${limit.amount} ${limit.period}`
}

export const createPaymentsCommand = actionGroup('payments', {
  summary: 'record what accounts pay and get back',
  actions: {
    record: actionOf('recordPayment', {
      summary: 'one payment; the same reference twice is one',
      show: ({ id, amount, reference, created_at }) => {
        return { payment: id, amount, reference, recorded: created_at }
      },
    }),
    import: actionOf('importPayments', {
      notes: { file: 'the CSV file' },
      examples: ['turnpike payments import payments.csv'],
      summary: 'a CSV file with account_id, amount, reference and note; all lines or none',
      words: ['file'],
      body: async (call) => ({ csv: await readText(call.said('file')) }),
      show: ({ recorded, already_recorded, total }) => {
        return { recorded, 'recorded before': already_recorded, 'recorded in all': total }
      },
    }),
    refund: actionOf('recordRefund', {
      show: ({ id, amount, reference }) => ({ refund: id, amount, reference }),
    }),
    list: actionOf('listPayments', {
      show: ({ created_at, amount, reference, id, note }) => {
        return { time: created_at, amount, reference, id, note }
      },
      figures: ['amount'],
      empty: 'Nothing was paid yet.',
    }),
  },
})

async function readText(path: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path))
  } catch (error) {
    throw new UsageError(`${path} cannot be read as UTF-8 text (${codeOf(error)})`)
  }
}

const evaluate: Action = {
  summary: 'what runs at every full hour, now',
  run: async (call) => {
    const facts = await callEndpoint(call.client, 'evaluateTiers')
    const empty = `${facts.evaluated} accounts were looked at; none has earned a higher tier.`
    const show = ({ account_id, from, to }: (typeof facts.raised)[number]) => {
      return { account: account_id, from, to }
    }
    printRows(call, facts.raised, { show, empty, facts })
  },
}

export const createTiersCommand = actionGroup('tiers', {
  summary: 'see, change, evaluate and assign tiers',
  actions: {
    ...recordActions(Tiers),
    evaluate,
    assign: actionOf('assignTier', {
      show: describeAccount,
    }),
    end: actionOf('endTierAssignment', {
      show: describeAccount,
    }),
  },
})

export const createUsersCommand = actionGroup('users', {
  summary: 'see and change who may sign in to the console',
  actions: {
    list: actionOf('listUsers', {
      worksOffline: true,
      show: (user) => ({
        ...describeUser(user),
        disabled: user.disabled,
        'second factor': user.totp_enabled,
        accounts: user.accounts.map(({ id, role }) => `${id} (${role})`).join(', '),
      }),
      empty: 'There are no users.',
    }),
    create: actionOf('createUser', {
      worksOffline: true,
      summary:
        'a new user with a password that is shown once; --role in --account is owner, developer, billing or viewer',
      words: ['email'],
      // A password in a command line can be read by others on the machine.
      flags: { password: null, is_operator: null },
      show: describeIssued,
    }),
    'reset-password': actionOf('resetPassword', {
      worksOffline: true,
      summary: 'a new password that is shown once; ends every session of the user',
      words: ['email'],
      findId: findUserId,
      body: {},
      show: describeIssued,
    }),
    'make-operator': actionOf('changeUser', {
      summary: 'let the user do everything; they have to sign in again',
      words: ['email'],
      findId: findUserId,
      body: { is_operator: true },
      show: describeUser,
    }),
  },
})

async function findUserId({ client, said }: ActionCall): Promise<string> {
  const email = said('email').toLowerCase()
  const { items } = await readList(client, 'listUsers', { limit: Number.POSITIVE_INFINITY })
  const found = items.find((user) => user.email === email || user.id === said('email'))
  if (found !== undefined) return found.id
  throw new UsageError(`there is no user ${said('email')}; 'turnpike users list' shows them`)
}

function describeUser({ id, email, name, is_operator }: Shown<typeof UserView>) {
  return { id, email, name, operator: is_operator }
}

function describeIssued(user: Shown<typeof IssuedUser>) {
  return { ...describeUser(user), 'password (shown once)': user.password }
}

/** Works on the database itself, which no gateway may use meanwhile. */
const rebuild: Action = {
  summary: 'count it again from the settlements, offline',
  run: async ({ environment, terminal, asJson }) => {
    const settlements = await withOfflineDatabase(environment, ({ database }) => rebuildUsage(database))
    const told = `${settlements} settlements were counted again.`
    terminal.print(`${asJson ? JSON.stringify({ settlements }) : told}\n`)
  },
}

export const createUsageCommand = actionGroup('usage', {
  summary: 'what was used, by hour or day; or count it again from the settlements, offline',
  actions: {
    show: actionOf('listUsage', {
      summary:
        'sums by day, or by hour with --by hour; --group-by account_id,key_id,model,supplier,session,agent tells apart',
      flags: { granularity: 'by' },
      show: ({ starts_at, account_id, key_id, outcomes, usage, ...point }) => ({
        from: starts_at,
        account: account_id,
        key: key_id,
        model: point.model,
        supplier: point.supplier,
        session: point.session,
        agent: point.agent,
        requests: point.requests,
        completed: outcomes.completed,
        input: usage.input,
        cached: usage.cache_read,
        output: usage.output,
        amount: point.amount,
        cost: point.cost,
        margin: point.margin,
      }),
      figures: ['requests', 'completed', 'input', 'cached', 'output', 'amount', 'cost', 'margin'],
      empty: 'Nothing was used.',
    }),
    rebuild,
  },
})
