import type { Environment } from '../../edges/settings/read-settings.ts'
import type { ModelComparison } from '../../manage/ports/diagnostics.ts'
import type { Shown } from '../../vocabulary/shape.ts'
import { type Command, parseOptions, UsageError } from '../command.ts'
import { callEndpoint } from '../operator-action.ts'
import { connectFromEnvironment } from '../operator-client.ts'
import { JSON_OPTION, printRows } from '../print-table.ts'

type Comparison = Shown<typeof ModelComparison>

export function createModelsCommand(environment: Environment): Command {
  return {
    name: 'models',
    summary: "compare a supplier's models with its own list (refresh <supplier>, --json)",
    async run(args, terminal) {
      const { supplier, flags } = readWords(args)
      const { json: asJson } = parseOptions(flags, JSON_OPTION)
      const client = connectFromEnvironment(environment)
      const facts = await callEndpoint(client, 'compareModels', { id: supplier })
      printRows({ terminal, asJson }, rowsOf(facts), {
        show: (row) => row,
        empty: 'The supplier offers nothing, and nothing is configured.',
        facts,
      })
      if (!asJson) terminal.print(summarize(facts))
      return 0
    },
  }
}

function readWords(args: readonly string[]): { supplier: string; flags: string[] } {
  const [verb, supplier, ...others] = args.filter((word) => !word.startsWith('-'))
  const flags = args.filter((word) => word.startsWith('-'))
  if (verb !== 'refresh' || supplier === undefined || others.length > 0) {
    const given = others[0] ?? (verb === 'refresh' ? null : verb)
    const mistake = given === null || given === undefined ? '' : `, not '${given}'`
    throw new UsageError(`use 'models refresh <supplier id>'${mistake}`)
  }
  return { supplier, flags }
}

/** Most urgent first: models that are gone, models without a price, models without a route, then the rest. */
function rowsOf({ configured, missing, unpriced, unknown, catalog }: Comparison) {
  const row = (state: string) => (model: string) => ({ model, state, catalog: catalog.includes(model) })
  const present = configured.filter((name) => !missing.includes(name) && !unpriced.includes(name))
  return [
    ...missing.map(row('not offered any more')),
    ...unpriced.filter((name) => !missing.includes(name)).map(row('without a price')),
    ...unknown.map(row('not configured')),
    ...present.map(row('configured')),
  ]
}

function summarize({ offered, configured, missing, unpriced, unknown }: Comparison): string {
  const counts = [
    `${offered.length} offered`,
    `${configured.length} configured`,
    `${missing.length} not offered any more`,
    `${unpriced.length} without a price`,
    `${unknown.length} not configured`,
  ]
  return `${counts.join(', ')}.\n`
}
