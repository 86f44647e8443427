import type { Environment } from '../../edges/settings/read-settings.ts'
import { rebuildUsage } from '../../edges/storage/tables/usage.ts'
import type { UsageView } from '../../vocabulary/settlement.ts'
import type { Shown } from '../../vocabulary/shape.ts'
import { type Action, createActionGroup } from '../action-group.ts'
import { type Command, type Terminal, UsageError } from '../command.ts'
import { withOfflineBooks } from '../offline-books.ts'
import { parseOptions } from '../parse-options.ts'
import { printList } from '../print-answer.ts'
import { type Column, JSON_OPTION } from '../print-table.ts'

const COLUMNS: readonly Column<Shown<typeof UsageView>>[] = [
  { title: 'from', cell: ({ starts_at }) => starts_at },
  { title: 'account', cell: ({ account_id }) => account_id ?? null },
  { title: 'key', cell: ({ key_id }) => key_id ?? null },
  { title: 'model', cell: ({ model }) => model ?? null },
  { title: 'supplier', cell: ({ supplier }) => supplier ?? null },
  { title: 'requests', cell: ({ requests }) => requests, align: 'right' },
  { title: 'completed', cell: ({ outcomes }) => outcomes.completed, align: 'right' },
  { title: 'input', cell: ({ usage }) => usage.input, align: 'right' },
  { title: 'cached', cell: ({ usage }) => usage.cache_read, align: 'right' },
  { title: 'output', cell: ({ usage }) => usage.output, align: 'right' },
  { title: 'amount', cell: ({ amount }) => amount, align: 'right' },
]

/** The query parameter of each flag. */
const PARAMETERS = {
  account: 'account_id',
  key: 'key_id',
  model: 'model',
  supplier: 'supplier',
  from: 'from',
  to: 'to',
  by: 'granularity',
  'group-by': 'group_by',
} as const

const show: Action = {
  name: 'show',
  optional: [...Object.keys(PARAMETERS), 'limit'],
  summary: 'sums by day, or by hour with --by hour; --group-by account_id,key_id,model,supplier tells apart',
  run: (call) => {
    const query = new URLSearchParams()
    for (const [flag, parameter] of Object.entries(PARAMETERS)) {
      const value = call.flag(flag)
      if (value !== undefined) query.set(parameter, value)
    }
    return printList(call, `/usage?${query}`, { columns: COLUMNS, empty: 'Nothing was used.' })
  },
}

/** Showing asks a gateway; rebuilding works on the database itself, which no gateway may use meanwhile. */
export function createUsageCommand(environment: Environment): Command {
  const summary = 'what was used, by hour or day; or count it again from the settlements, offline'
  const asking = createActionGroup({ name: 'usage', summary, actions: [show] }, environment)
  return {
    name: 'usage',
    summary: `${summary} (show, rebuild)`,
    run: ([word = '', ...args], terminal) => {
      if (word === 'rebuild') return rebuild(environment, args, terminal)
      if (word !== 'show') throw new UsageError("'turnpike usage' takes show or rebuild")
      return asking.run([word, ...args], terminal)
    },
  }
}

async function rebuild(
  environment: Environment,
  args: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const { json: asJson } = parseOptions(args, JSON_OPTION)
  const settlements = await withOfflineBooks(environment, ({ database }) => rebuildUsage(database))
  terminal.print(
    asJson ? `${JSON.stringify({ settlements })}\n` : `${settlements} settlements were counted again.\n`,
  )
  return 0
}
