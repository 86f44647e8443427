import { readFile } from 'node:fs/promises'
import type { Environment } from '../../edges/settings/read-settings.ts'
import type { SupplyText } from '../../manage/ports/supply-application.ts'
import type { Sent, Shown } from '../../vocabulary/shape.ts'
import type { SupplyApply, SupplyChanges } from '../../vocabulary/supply.ts'
import { type Command, codeOf, parseOptions, UsageError } from '../command.ts'
import { callEndpoint } from '../operator-action.ts'
import { connectFromEnvironment } from '../operator-client.ts'
import { JSON_OPTION, printRows } from '../print-table.ts'

const USUAL_FILE = './supply.yaml'

export function createApplyCommand(environment: Environment): Command {
  return {
    name: 'apply',
    summary: 'apply a supply file to a running gateway ([file], --dry-run, --json)',
    async run(args, terminal) {
      const { file, flags } = takeFile(args)
      const options = { 'dry-run': { type: 'boolean', default: false }, ...JSON_OPTION } as const
      const { 'dry-run': isDryRun, json: asJson } = parseOptions(flags, options)
      const client = connectFromEnvironment(environment)
      const source = await readSource(file ?? environment.TURNPIKE_SUPPLY ?? USUAL_FILE, environment)
      const facts = await callEndpoint(client, 'applySupply', { body: await bodyOf(source, isDryRun) })
      printRows(
        { terminal, asJson },
        facts.changes.filter(({ result }) => result !== 'unchanged'),
        {
          show: ({ result, kind, id, fields }) => ({ result, kind, id, fields: fields.join(', ') }),
          empty: 'Nothing to change.',
          facts,
        },
      )
      if (!asJson)
        terminal.print(summarize(facts) + facts.warnings.map((warning) => `Warning: ${warning}\n`).join(''))
      return 0
    },
  }
}

/** The only argument that is not a flag; no flag of this command takes a value. */
function takeFile(args: readonly string[]): { file: string | undefined; flags: string[] } {
  const index = args.findIndex((word) => !word.startsWith('-'))
  return { file: args[index], flags: args.filter((_, position) => position !== index) }
}

async function readSource(path: string, variables: Environment): Promise<SupplyText> {
  try {
    return { text: await readFile(path, 'utf8'), name: path, variables }
  } catch (error) {
    throw new UsageError(`${path} cannot be read (${codeOf(error)}); 'turnpike apply <file>' names another`)
  }
}

/** Sends only the environment variables that the file refers to. Reading it first finds most mistakes locally. */
async function bodyOf(
  { text, name, variables }: SupplyText,
  isDryRun: boolean,
): Promise<Sent<typeof SupplyApply>> {
  const { readSupply } = await import('../../edges/supply-file/read-supply.ts')
  const { references } = readSupply({ text, name, variables })
  const used = references.map((reference) => [reference, variables[reference] ?? ''] as const)
  return { document: text, name, variables: Object.fromEntries(used), dry_run: isDryRun }
}

function summarize({ changes, dry_run: isDryRun }: Shown<typeof SupplyChanges>): string {
  const counts = (['created', 'changed', 'removed', 'unchanged'] as const)
    .map((result) => ({ result, count: changes.filter((change) => change.result === result).length }))
    .filter(({ count }) => count > 0)
    .map(({ result, count }) => `${count} ${result}`)
  return `${counts.join(', ') || 'The file names nothing'}${isDryRun ? ' (dry run: nothing was written)' : ''}.\n`
}
