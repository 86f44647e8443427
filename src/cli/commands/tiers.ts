import type { Environment } from '../../edges/settings/read-settings.ts'
import type { TierEvaluation } from '../../vocabulary/account.ts'
import type { Shown } from '../../vocabulary/shape.ts'
import { type Action, createActionGroup } from '../action-group.ts'
import type { Command } from '../command.ts'
import { accountPath, readCount } from '../print-answer.ts'
import { type Column, printTable } from '../print-table.ts'
import { printAccount } from './accounts.ts'

type Evaluation = Shown<typeof TierEvaluation>

const COLUMNS: readonly Column<Evaluation['raised'][number]>[] = [
  { title: 'account', cell: ({ account_id }) => account_id },
  { title: 'from', cell: ({ from }) => from },
  { title: 'to', cell: ({ to }) => to },
]

export function createTiersCommand(environment: Environment): Command {
  const summary = 'evaluate and assign tiers'
  return createActionGroup({ name: 'tiers', summary, actions: ACTIONS }, environment)
}

const evaluate: Action = {
  name: 'evaluate',
  summary: 'what runs at every full hour, now',
  run: async ({ client, terminal, asJson }) => {
    const answer: Evaluation = await client.call('POST', '/tiers/evaluate')
    const empty = `${answer.evaluated} accounts were looked at; none has earned a higher tier.`
    printTable(terminal, { rows: answer.raised, columns: COLUMNS, empty }, { asJson, facts: answer })
  },
}

const assign: Action = {
  name: 'assign',
  words: ['account'],
  required: ['tier', 'reason'],
  optional: ['rpm', 'tpm', 'expires-at'],
  summary: 'a tier that outranks the earned one until it expires or is ended',
  run: async (call) => {
    const body = {
      tier: call.said('tier'),
      reason: call.said('reason'),
      rpm: readCount(call, 'rpm') ?? null,
      tpm: readCount(call, 'tpm') ?? null,
      expires_at: call.flag('expires-at') ?? null,
    }
    printAccount(call, await call.client.call('PUT', accountPath(call, '/tier'), body))
  },
}

const end: Action = {
  name: 'end',
  words: ['account'],
  summary: 'end the assignment; the earned tier is in force again',
  run: async (call) => printAccount(call, await call.client.call('DELETE', accountPath(call, '/tier'))),
}

const ACTIONS = [evaluate, assign, end]
