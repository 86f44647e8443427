import { recordEndpoints } from '../../edges/management-api/operator/records.ts'
import type { Environment } from '../../edges/settings/read-settings.ts'
import { Aliases } from '../../vocabulary/records/alias.ts'
import { ALL_RECORDS } from '../../vocabulary/records/index.ts'
import { type AnyRecord, recordIdFrom } from '../../vocabulary/records/record.ts'
import { Tiers } from '../../vocabulary/records/tier.ts'
import { type Action, actionGroup } from '../action-group.ts'
import { type Command, UsageError } from '../command.ts'
import { actionFor } from '../operator-action.ts'
import { type Cell, printFacts } from '../print-table.ts'

/**
 * A command for each kind of record: `turnpike payment-methods list|show|put|delete`. Tiers have a command that does more.
 */
export function createRecordCommands(environment: Environment): Command[] {
  const kinds = ALL_RECORDS.filter(({ table }) => table !== Tiers.table)
  return kinds.map((kind) => createRecordCommand(kind)(environment))
}

function createRecordCommand(kind: AnyRecord) {
  const actions = { ...recordActions(kind), ...OWN_ACTIONS.get(kind.table) }
  return actionGroup(kind.slug, { summary: `see and change ${kind.plural}`, actions })
}

/** What the command of every kind of record can do. */
export function recordActions(kind: AnyRecord): Readonly<Record<string, Action>> {
  const { list, show, put, delete: remove } = recordEndpoints(kind)
  const words = ['id']
  return {
    list: actionFor<typeof list>(list, { show: shorten, empty: `There are no ${kind.plural}.` }),
    show: actionFor<typeof show>(show, { words, show: spaceNames }),
    put: actionFor<typeof put>(put, {
      words,
      summary: `create or replace a ${kind.noun}; a flag that is left out has its default`,
      flags: FLAGS as object,
      show: spaceNames,
    }),
    delete: actionFor<typeof remove>(remove, {
      words,
      examples: [`turnpike ${kind.slug} delete ${String(kind.shape.fields.id.codec.example)}`],
      show: ({ id }) => ({ deleted: id }),
    }),
  }
}

/** `turnpike aliases add fast gpt-5-mini`: the id follows from the name. */
const addAlias: Action = {
  words: ['name', 'models'],
  optional: ['account'],
  notes: {
    name: 'the name that clients ask for',
    models: 'the models in the order in which they are tried, separated by commas',
    account: 'only for this account',
  },
  examples: ['turnpike aliases add fast gpt-5-mini', 'turnpike aliases add best claude-opus-5,gpt-5'],
  summary: 'let a name lead to a model, or to several that are tried in order, separated by commas',
  run: async (call) => {
    const account = call.flag('account') ?? null
    const name = call.said('name')
    const id = recordIdFrom(account === null ? name : `${name}-${account}`)
    const models = call.said('models').split(',')
    const body = { name, models: models.map((model) => model.trim()), account_id: account }
    const alias = await call.client.call<object>('PUT', `/${Aliases.slug}/${id}`, body)
    printFacts(call, alias, spaceNames(alias))
    return 0
  },
}

/** For fields that no flag could say. */
const FLAGS = { price: { read: readPrice } }

/** `1.25/10`: USDT for a million tokens of input and of output. */
function readPrice(text: string) {
  const [input = '', output = '', ...rest] = text.split('/')
  if (input === '' || output === '' || rest.length > 0)
    throw new UsageError(`--price takes input and output such as 1.25/10, not '${text}'`)
  return { input, output }
}

/** What some kinds have beside the usual actions. */
const OWN_ACTIONS: ReadonlyMap<string, Readonly<Record<string, Action>>> = new Map([
  [Aliases.table, { add: addAlias }],
])

type Cells = Readonly<Record<string, Cell>>

function spaceNames(record: object): Cells {
  return Object.fromEntries(Object.entries(record).map(([name, cell]) => [name.replaceAll('_', ' '), cell]))
}

const MAX_CELL_LENGTH = 40

/** A list has a line for each record; `show` and `--json` give long texts in full. */
function shorten(record: object): Cells {
  const short = Object.entries(spaceNames(record)).map(([name, cell]) => {
    const isLong = typeof cell === 'string' && name !== 'id' && cell.length > MAX_CELL_LENGTH
    return [name, isLong ? `${cell.slice(0, MAX_CELL_LENGTH - 1)}…` : cell]
  })
  return Object.fromEntries(short)
}
