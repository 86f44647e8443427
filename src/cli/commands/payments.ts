import { readFile } from 'node:fs/promises'
import type { Environment } from '../../edges/settings/read-settings.ts'
import type { Payment, PaymentCreate, PaymentImport, Refund, RefundCreate } from '../../vocabulary/ledger.ts'
import type { Sent, Shown } from '../../vocabulary/shape.ts'
import { type Action, createActionGroup } from '../action-group.ts'
import { type Command, UsageError } from '../command.ts'
import { accountPath, printFacts, printList } from '../print-answer.ts'
import type { Column } from '../print-table.ts'

type ShownPayment = Shown<typeof Payment>

const COLUMNS: readonly Column<ShownPayment>[] = [
  { title: 'time', cell: ({ created_at }) => created_at },
  { title: 'amount', cell: ({ amount }) => amount, align: 'right' },
  { title: 'reference', cell: ({ reference }) => reference },
  { title: 'id', cell: ({ id }) => id },
  { title: 'note', cell: ({ note }) => note },
]

export function createPaymentsCommand(environment: Environment): Command {
  const summary = 'record what accounts pay and get back'
  return createActionGroup({ name: 'payments', summary, actions: ACTIONS }, environment)
}

const record: Action = {
  name: 'record',
  words: ['account'],
  required: ['amount', 'reference'],
  optional: ['note'],
  summary: 'one payment; the same reference twice is one',
  run: async (call) => {
    const body: Sent<typeof PaymentCreate> = {
      amount: call.said('amount'),
      reference: call.said('reference'),
      note: call.flag('note') ?? null,
    }
    const answer: ShownPayment = await call.client.call('POST', accountPath(call, '/payments'), body)
    const { id, amount, reference, created_at } = answer
    printFacts(call, answer, { payment: id, amount, reference, recorded: created_at })
  },
}

const importFile: Action = {
  name: 'import',
  words: ['file'],
  summary: 'a CSV file with account_id, amount, reference and note; all lines or none',
  run: async (call) => {
    const csv = await readText(call.said('file'))
    const answer: Shown<typeof PaymentImport> = await call.client.call('POST', '/payments/import', { csv })
    const { recorded, already_recorded, total } = answer
    printFacts(call, answer, { recorded, 'recorded before': already_recorded, 'recorded in all': total })
  },
}

const refund: Action = {
  name: 'refund',
  words: ['account'],
  required: ['amount', 'reference', 'reason'],
  summary: 'money given back: lowers the balance, not the total paid',
  run: async (call) => {
    const body: Sent<typeof RefundCreate> = {
      amount: call.said('amount'),
      reference: call.said('reference'),
      reason: call.said('reason'),
    }
    const answer: Shown<typeof Refund> = await call.client.call('POST', accountPath(call, '/refunds'), body)
    printFacts(call, answer, { refund: answer.id, amount: answer.amount, reference: answer.reference })
  },
}

const list: Action = {
  name: 'list',
  words: ['account'],
  optional: ['limit'],
  summary: 'payments of an account, newest first',
  run: (call) =>
    printList(call, accountPath(call, '/payments'), { columns: COLUMNS, empty: 'Nothing was paid yet.' }),
}

const ACTIONS = [record, importFile, refund, list]

async function readText(path: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    throw new UsageError(`${path} cannot be read as UTF-8 text (${code})`)
  }
}
