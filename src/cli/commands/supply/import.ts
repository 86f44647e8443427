import { readFile, writeFile } from 'node:fs/promises'
import { stringify } from 'yaml'
import { BUILT_IN_CATALOG } from '../../../rules/catalog/built-in/built-in-catalog.ts'
import { type ActionCall, actionGroup } from '../../action-group.ts'
import { codeOf, UsageError } from '../../command.ts'
import { convert, type Imported } from '../../importers/litellm/convert.ts'
import type { Findings } from '../../importers/litellm/findings.ts'
import { readConfig } from '../../importers/litellm/read-config.ts'
import { readKeys } from '../../importers/litellm/read-keys.ts'
import { callEndpoint } from '../../operator-action.ts'
import { printRows } from '../../print-table.ts'

const USUAL_OUTPUT = 'supply.yaml'

export const createImportCommand = actionGroup('import', {
  summary: 'take over the configuration of another gateway',
  actions: {
    litellm: {
      words: ['config'],
      optional: ['out', 'keys', 'account'],
      summary:
        'write a supply file from the configuration of a LiteLLM proxy, and say what was taken over and what not',
      notes: {
        config: 'the configuration file of the proxy',
        out: 'the supply file to write; supply.yaml by default',
        keys: 'what its /key/list?return_full_object=true answers: these keys are created with new secrets',
        account: 'the account that gets the keys',
      },
      examples: [
        'turnpike import litellm config.yaml',
        'turnpike import litellm config.yaml --out litellm.yaml --keys keys.json --account acc_1',
      ],
      run: importLitellm,
    },
  },
})

async function importLitellm(call: ActionCall): Promise<undefined> {
  const config = readConfig(await readText(call.said('config')), call.said('config'))
  const { priceList } = await import('../../../edges/price-list/index.ts')
  const sources = { catalog: BUILT_IN_CATALOG, list: priceList, nowMs: Date.now() }
  const imported = convert(config, sources)
  const out = call.flag('out') ?? USUAL_OUTPUT
  const keys = call.flag('keys')
  if ((keys === undefined) !== (call.flag('account') === undefined))
    throw new UsageError('--keys and --account go together')
  await writeNew(out, describe(imported))
  const made = keys === undefined ? [] : await createKeys(call, keys, imported.findings)
  if (call.asJson) printJson(call, { out, imported, made })
  else printReport(call, { out, imported, made })
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new UsageError(`${path} cannot be read (${codeOf(error)})`)
  }
}

/** A file that is there may be in use, so it is never replaced. */
async function writeNew(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (codeOf(error) === 'EEXIST')
      throw new UsageError(`${path} exists; name another file with --out, or remove it`)
    throw new UsageError(`${path} cannot be written (${codeOf(error)})`)
  }
}

function describe({ supply, variables }: Imported): string {
  const needs = [...variables].map(([name, meaning]) => `#   ${name}: ${meaning}\n`).join('')
  const head = `# Made by 'turnpike import litellm'. Set these variables before you apply it:\n${needs}`
  return head + stringify(supply, { lineWidth: 0 })
}

interface MadeKey {
  readonly name: string
  readonly secret: string
}

/** LiteLLM stores only hashes of its keys, so each key gets a new secret. */
async function createKeys(call: ActionCall, path: string, findings: Findings): Promise<MadeKey[]> {
  const made: MadeKey[] = []
  for (const { at, settings } of readKeys(await readText(path), path, findings)) {
    const { name, secret } = await callEndpoint(call.client, 'createKey', {
      id: call.said('account'),
      body: settings,
    })
    made.push({ name, secret })
    findings.changed(at, `Key ${name} was created with a new secret.`)
  }
  return made
}

interface Report {
  readonly out: string
  readonly imported: Imported
  readonly made: readonly MadeKey[]
}

function printJson({ terminal }: ActionCall, { out, imported, made }: Report): void {
  const { findings, variables } = imported
  const facts = { file: out, findings: findings.all, variables: Object.fromEntries(variables), keys: made }
  terminal.print(`${JSON.stringify(facts, null, 2)}\n`)
}

function printReport(call: ActionCall, { out, imported, made }: Report): void {
  const { findings, variables } = imported
  printRows(call, findings.all, { show: ({ result, at, text }) => ({ result, at, text }), empty: '' })
  const count = (wanted: string) => findings.all.filter(({ result }) => result === wanted).length
  const lines = [
    `${count('taken')} taken over, ${count('changed')} changed, ${count('left out')} left out. Wrote ${out}.`,
    ...made.map(({ name, secret }) => `Key ${name}: ${secret}`),
    `Set ${[...variables.keys()].join(', ')}, look at the file, and run: turnpike apply ${out}`,
  ]
  call.terminal.print(`${lines.join('\n')}\n`)
}
