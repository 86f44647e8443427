import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTurnpike } from '../src/app/turnpike.ts'
import { writeExitStatuses, writeReference } from '../src/cli/parser/reference.ts'
import { allDefinitions } from '../src/cli/run.ts'
import { type Operation, operationsOf } from '../src/edges/api-docs/build-document.ts'
import { readSettings } from '../src/edges/settings/read-settings.ts'
import { layOutMetrics } from '../src/edges/telemetry/metrics/metric-table.ts'
import type { Endpoint } from '../src/serve/ports/exchange.ts'
import { SYSTEM_CLOCK } from '../src/vocabulary/clock.ts'
import { ALL_RECORDS } from '../src/vocabulary/records/index.ts'
import { layOutParameters } from '../test/parameters/layout.ts'
import { fillErrorCodes } from './docs/error-table.ts'
import { fillHeaders } from './docs/headers-table.ts'
import { describeAccess, fillRights } from './docs/rights-table.ts'
import { fillSettings } from './docs/settings-table.ts'
import { writeRecordChapter } from './record-chapter.ts'
import { fillLogFields, fillNames } from './telemetry-names.ts'

/**
 * Writes the tables of endpoints in `docs/` from the contracts that endpoints carry. A page says where:
 * `<!-- endpoints /v1/ /v1beta/ -->` before the table and `<!-- /endpoints -->` after it, with what the paths begin with.
 * The chapters about plain records go between `<!-- records -->` and `<!-- /records -->`, and the tables of what becomes of
 * parameters between `<!-- parameters -->` and `<!-- /parameters -->`. The table of metrics goes between `<!-- metrics -->`
 * and `<!-- /metrics -->`, that of roles between `<!-- rights -->` and `<!-- /rights -->`. The reference of the command line goes between `<!-- commands -->` and `<!-- /commands -->`.
 */
const DOCS = join(import.meta.dirname, '../docs')
const RECORDS = /<!-- records -->[\s\S]*?<!-- \/records -->/
const PARAMETERS = /<!-- parameters -->[\s\S]*?<!-- \/parameters -->/
const METRICS = /<!-- metrics -->[\s\S]*?<!-- \/metrics -->/
const TABLE = /<!-- endpoints ([^>]+) -->[\s\S]*?<!-- \/endpoints -->/g

export interface Page {
  readonly path: string
  readonly text: string
}

/** The pages that have such a table. */
export function readPages(): Page[] {
  return [...new Bun.Glob('*/*.md').scanSync(DOCS)]
    .map((name) => join(DOCS, name))
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }))
    .filter(({ text }) => text.search(TABLE) >= 0)
}

/** The text with its tables and chapters as they have to be. */
export function fillPage(text: string, endpoints: readonly Endpoint[]): string {
  const chapters = ALL_RECORDS.map(writeRecordChapter).join('\n')
  return fillTables(
    text.replace(RECORDS, () => `<!-- records -->\n${chapters}<!-- /records -->`),
    endpoints,
  )
}

/** The text with its tables as they have to be. */
export function fillTables(text: string, endpoints: readonly Endpoint[]): string {
  const operations = operationsOf(endpoints)
  return text.replaceAll(TABLE, (_, given: string) => {
    const prefixes = given.split(' ')
    const meant = operations.filter(({ path }) => prefixes.some((prefix) => path.startsWith(prefix)))
    if (meant.length === 0) throw new Error(`no endpoint begins with ${given}`)
    // Where all begin alike, the page says so once.
    const root = prefixes.length === 1 ? given : ''
    return `<!-- endpoints ${given} -->\n${layOutTable(meant, { root, text })}<!-- /endpoints -->`
  })
}

interface Place {
  readonly root: string
  readonly text: string
}

function layOutTable(operations: readonly Operation[], { root, text }: Place): string {
  const isForSeveral = new Set(operations.map(({ contract }) => contract.access)).size > 1
  const lines = operations.map(({ endpoint, contract, path }) => {
    const call = `${endpoint.method} ${path.slice(root.length)}`
    const what = [contract.summary, contract.description].filter((part) => part !== undefined).join('. ')
    const cells = [
      linkTo(call, text),
      ...(isForSeveral ? [describeAccess(contract.access)] : []),
      what.replaceAll('|', '\\|'),
    ]
    return `| ${cells.join(' | ')} |\n`
  })
  const heads = ['Call', ...(isForSeveral ? ['For'] : []), 'What it does']
  return `| ${heads.join(' | ')} |\n|${heads.map(() => '---|').join('')}\n${lines.join('')}`
}

/** A call leads to its chapter, where the page has one. */
function linkTo(call: string, text: string): string {
  if (!text.includes(`\n### ${call}\n`)) return `\`${call}\``
  const anchor = call
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-')
  return `[\`${call}\`](#${anchor})`
}

const SILENT = { request() {}, attemptFailed() {}, notice() {}, trouble() {} }

/** What a whole gateway serves. */
async function servedEndpoints(): Promise<readonly Endpoint[]> {
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-docs-'))
  const settings = readSettings({ PORT: '0', TURNPIKE_DATA: folder, TURNPIKE_SUPPLY: 'off' })
  try {
    const turnpike = await startTurnpike(settings, {
      clock: SYSTEM_CLOCK,
      random: Math.random,
      log: SILENT,
    })
    await turnpike.stop(0)
    return turnpike.endpoints
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function writeParameters(): void {
  const path = join(DOCS, 'clients/parameters.md')
  const tables = `<!-- parameters -->\n${layOutParameters()}<!-- /parameters -->`
  writeFileSync(
    path,
    readFileSync(path, 'utf8').replace(PARAMETERS, () => tables),
  )
}

/** The page with the table of metrics as it has to be. */
export function fillMetrics(text: string): string {
  return text.replace(METRICS, () => `<!-- metrics -->\n${layOutMetrics()}<!-- /metrics -->`)
}

const EXIT_STATUSES = /<!-- exit-statuses -->[\s\S]*?<!-- \/exit-statuses -->/
const COMMANDS = /<!-- commands -->[\s\S]*?<!-- \/commands -->/

/** The page with the reference of the command line as it has to be. */
export function fillCommands(text: string): string {
  const statuses = `<!-- exit-statuses -->\n${writeExitStatuses()}<!-- /exit-statuses -->`
  const commands = `<!-- commands -->\n${writeReference(allDefinitions())}<!-- /commands -->`
  return text.replace(EXIT_STATUSES, () => statuses).replace(COMMANDS, () => commands)
}

function rewrite(name: string, fill: (text: string) => string): void {
  const path = join(DOCS, name)
  writeFileSync(path, fill(readFileSync(path, 'utf8')))
}

if (import.meta.main) {
  writeParameters()
  rewrite('reference/settings.md', fillSettings)
  rewrite('reference/headers.md', fillHeaders)
  rewrite('reference/errors.md', fillErrorCodes)
  rewrite('monitoring/metrics.md', fillMetrics)
  rewrite('monitoring/opentelemetry.md', fillNames)
  rewrite('monitoring/logs.md', fillLogFields)
  rewrite('reference/cli.md', fillCommands)
  rewrite('console/console-sign-in.md', fillRights)
  const endpoints = await servedEndpoints()
  for (const { path, text } of readPages()) writeFileSync(path, fillPage(text, endpoints))
}
