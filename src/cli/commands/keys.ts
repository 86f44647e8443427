import type { Environment } from '../../edges/settings/read-settings.ts'
import type { IssuedKey, KeyView } from '../../vocabulary/api-key.ts'
import type { Shown } from '../../vocabulary/shape.ts'
import { type Action, type ActionCall, createActionGroup } from '../action-group.ts'
import { type Command, UsageError } from '../command.ts'
import { accountPath, printFacts, printList, readCount } from '../print-answer.ts'
import type { Column } from '../print-table.ts'
import { KEY_FLAGS, readKeyFlags } from './key-flags.ts'

/** Only the answers to creating and rotating hold the secret. */
type KeyAnswer = Shown<typeof KeyView> & Partial<Pick<Shown<typeof IssuedKey>, 'secret'>>

const COLUMNS: readonly Column<KeyAnswer>[] = [
  { title: 'id', cell: ({ id }) => id },
  { title: 'name', cell: ({ name }) => name },
  { title: 'ends in', cell: ({ last_four }) => last_four },
  { title: 'state', cell: ({ state }) => state },
  { title: 'limit', cell: describeLimit, align: 'right' },
  { title: 'spent', cell: ({ usage }) => usage.spent, align: 'right' },
  { title: 'left', cell: ({ usage }) => usage.remaining, align: 'right' },
  { title: 'rpm', cell: ({ rpm }) => rpm, align: 'right' },
  { title: 'tpm', cell: ({ tpm }) => tpm, align: 'right' },
  { title: 'expires', cell: ({ expires_at }) => expires_at },
]

function describeLimit({ usage_limit }: KeyAnswer): string | null {
  return usage_limit && `${usage_limit.amount} ${usage_limit.period}`
}

export function createKeysCommand(environment: Environment): Command {
  const summary = 'see and change API keys'
  return createActionGroup({ name: 'keys', summary, actions: ACTIONS }, environment)
}

const list: Action = {
  name: 'list',
  words: ['account'],
  optional: ['limit'],
  summary: 'the keys of an account, oldest first',
  run: (call) =>
    printList(call, accountPath(call, '/keys'), {
      columns: COLUMNS,
      empty: 'The account has no keys.',
    }),
}

const show: Action = {
  name: 'show',
  words: ['key'],
  summary: 'one key, with what it has spent',
  run: async (call) => printKey(call, await call.client.call('GET', keyPath(call))),
}

const create: Action = {
  name: 'create',
  words: ['account'],
  required: ['name'],
  optional: KEY_FLAGS,
  summary: 'a new key; its secret is shown this once',
  run: async (call) => {
    const body = { name: call.said('name'), ...readKeyFlags(call) }
    printKey(call, await call.client.call('POST', accountPath(call, '/keys'), body))
  },
}

const change: Action = {
  name: 'change',
  words: ['key'],
  optional: ['name', ...KEY_FLAGS],
  summary: 'other settings; "none" takes one away (--usage-limit 5/daily, --models gpt-5,claude-*)',
  run: async (call) => {
    const name = call.flag('name')
    const body = { ...(name !== undefined && { name }), ...readKeyFlags(call) }
    if (Object.keys(body).length === 0) throw new UsageError('say what to change, such as --rpm 60')
    printKey(call, await call.client.call('PATCH', keyPath(call), body))
  },
}

const rotate: Action = {
  name: 'rotate',
  words: ['key'],
  optional: ['grace-seconds'],
  summary: 'a new secret, shown this once; the old one lives on for the grace, if any',
  run: async (call) => {
    const grace_seconds = readCount(call, 'grace-seconds') ?? 0
    printKey(call, await call.client.call('POST', keyPath(call, '/rotate'), { grace_seconds }))
  },
}

function setState(name: string, { state, summary }: { state: string; summary: string }): Action {
  return {
    name,
    words: ['key'],
    summary,
    run: async (call) => printKey(call, await call.client.call('PATCH', keyPath(call), { state })),
  }
}

const revoke: Action = {
  name: 'revoke',
  words: ['key'],
  summary: 'end a key for good',
  run: async (call) => printKey(call, await call.client.call('DELETE', keyPath(call))),
}

const ACTIONS = [
  list,
  create,
  show,
  change,
  rotate,
  setState('disable', { state: 'disabled', summary: 'refuse the key until it is enabled again' }),
  setState('enable', { state: 'active', summary: 'let a disabled key work again' }),
  revoke,
]

function keyPath(call: ActionCall, rest = ''): string {
  return `/keys/${encodeURIComponent(call.said('key'))}${rest}`
}

function printKey(call: ActionCall, key: KeyAnswer): void {
  const { usage, budget } = key
  printFacts(call, key, {
    ...(key.secret !== undefined && { secret: key.secret }),
    id: key.id,
    account: key.account_id,
    name: key.name,
    state: key.state,
    'ends in': key.last_four,
    route: key.route_policy.provider ?? key.route_policy.mode,
    'usage limit': describeLimit(key),
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
  })
}
