import { readFile } from 'node:fs/promises'
import type { Environment } from '../../edges/settings/read-settings.ts'
import { readSupply } from '../../edges/supply-file/read-supply.ts'
import type { SupplyText } from '../../gateway/ports/supply-application.ts'
import type { Sent, Shown } from '../../vocabulary/shape.ts'
import type { SupplyApply, SupplyChange, SupplyChanges } from '../../vocabulary/supply.ts'
import { type Command, UsageError } from '../command.ts'
import { connectFromEnvironment } from '../operator-client.ts'
import { parseOptions } from '../parse-options.ts'
import { type Column, JSON_OPTION, printTable } from '../print-table.ts'

const USUAL_FILE = './supply.yaml'

type Answer = Shown<typeof SupplyChanges>

const COLUMNS: readonly Column<SupplyChange>[] = [
  { title: 'result', cell: ({ result }) => result },
  { title: 'kind', cell: ({ kind }) => kind },
  { title: 'id', cell: ({ id }) => id },
  { title: 'fields', cell: ({ fields }) => fields.join(', ') },
]

export const applyCommand = createApplyCommand(process.env)

export function createApplyCommand(environment: Environment): Command {
  return {
    name: 'apply',
    summary: 'make the supply of a running gateway what a file says ([file], --dry-run, --json)',
    async run(args, terminal) {
      const { file, flags } = takeFile(args)
      const options = { 'dry-run': { type: 'boolean', default: false }, ...JSON_OPTION } as const
      const { 'dry-run': isDryRun, json: asJson } = parseOptions(flags, options)
      const client = connectFromEnvironment(environment)
      const source = await readSource(file ?? environment.TURNPIKE_SUPPLY ?? USUAL_FILE, environment)
      const answer = await client.call<Answer>('POST', '/supply', bodyOf(source, isDryRun))
      const rows = answer.changes.filter(({ result }) => result !== 'unchanged')
      const table = { rows, columns: COLUMNS, empty: 'Nothing to change.' }
      printTable(terminal, table, { asJson, facts: answer })
      if (!asJson) terminal.print(summarize(answer))
      return 0
    },
  }
}

/** The one word that is not a flag; no flag of this command takes a value. */
function takeFile(args: readonly string[]): { file: string | undefined; flags: string[] } {
  const index = args.findIndex((word) => !word.startsWith('-'))
  return { file: args[index], flags: args.filter((_, position) => position !== index) }
}

async function readSource(path: string, variables: Environment): Promise<SupplyText> {
  try {
    return { text: await readFile(path, 'utf8'), name: path, variables }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    throw new UsageError(`${path} cannot be read (${code}); 'turnpike apply <file>' names another`)
  }
}

/** Of this machine's variables only those the file refers to travel; reading it first finds most mistakes here. */
function bodyOf({ text, name, variables }: SupplyText, isDryRun: boolean): Sent<typeof SupplyApply> {
  const { references } = readSupply({ text, name, variables })
  const used = references.map((reference) => [reference, variables[reference] ?? ''] as const)
  return { document: text, name, variables: Object.fromEntries(used), dry_run: isDryRun }
}

function summarize({ changes, dry_run: isDryRun }: Answer): string {
  const counts = (['created', 'changed', 'removed', 'unchanged'] as const)
    .map((result) => ({ result, count: changes.filter((change) => change.result === result).length }))
    .filter(({ count }) => count > 0)
    .map(({ result, count }) => `${count} ${result}`)
  return `${counts.join(', ') || 'The file names nothing'}${isDryRun ? ' (dry run: nothing was written)' : ''}.\n`
}
