import { readFile } from 'node:fs/promises'
import type { Environment } from '../../../edges/settings/read-settings.ts'
import type { SupplyText } from '../../../manage/ports/supply-application.ts'
import type { Sent, Shown } from '../../../vocabulary/shape.ts'
import type { SupplyApply, SupplyChanges } from '../../../vocabulary/supply.ts'
import { singleAction } from '../../action-group.ts'
import { codeOf, DONE, UsageError } from '../../command.ts'
import { callEndpoint } from '../../operator-action.ts'
import { printRows } from '../../print-table.ts'

const USUAL_FILE = './supply.yaml'

export const createApplyCommand = singleAction('apply', {
  summary: 'apply a supply file to a running gateway',
  optionalWords: ['file'],
  switches: ['dry-run'],
  notes: {
    file: `the supply file; when left out, TURNPIKE_SUPPLY or ${USUAL_FILE}`,
    'dry-run': 'tell what would change, and change nothing',
  },
  examples: ['turnpike apply', 'turnpike apply supply.yaml --dry-run'],
  run: async (call) => {
    const { environment, client, terminal, asJson } = call
    const source = await readSource(
      call.flag('file') ?? environment.TURNPIKE_SUPPLY ?? USUAL_FILE,
      environment,
    )
    const facts = await callEndpoint(client, 'applySupply', {
      body: await bodyOf(source, call.has('dry-run')),
    })
    const changed = facts.changes.filter(({ result }) => result !== 'unchanged')
    printRows(call, changed, {
      show: ({ result, kind, id, fields }) => ({ result, kind, id, fields: fields.join(', ') }),
      empty: 'Nothing to change.',
      facts,
    })
    if (asJson) return DONE
    terminal.print(summarize(facts) + facts.warnings.map((warning) => `Warning: ${warning}\n`).join(''))
    return DONE
  },
})

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
  const { readSupply } = await import('../../../edges/supply-file/read-supply.ts')
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
