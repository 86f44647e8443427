import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AI_SDK_DRIVERS, OFFICIAL_DRIVERS } from './drivers/index.ts'
import type { Cell } from './play.ts'
import { AI_SDK_SCENARIOS, SCENARIOS, type Scenario } from './scenarios.ts'
import { type Driver, TEXT_FORMATS, type TextFormat } from './talk.ts'
import { gapOf } from './unsupported.ts'

const ROOT = join(import.meta.dirname, '../..')
export const REPORT_PATH = join(ROOT, 'docs/clients/conformance.md')

/** Which cells did what they must: work, or fail where a gap is declared. */
export class Outcomes {
  readonly #good = new Set<string>()

  note(cell: Cell): void {
    this.#good.add(keyOf(cell))
  }

  isGood(cell: Cell): boolean {
    return this.#good.has(keyOf(cell))
  }
}

function keyOf({ driver, supplier, scenario }: Cell): string {
  return [driver.sdk, driver.format, supplier, scenario.id].join('|')
}

/** What test/families writes into the same file. */
const FAMILIES_BEGIN = '<!-- families -->'
const FAMILIES_END = '<!-- /families -->'

/** The lines between the two marks in the report as it is. */
export function readFamilies(report: string): readonly string[] {
  const lines = report.split('\n')
  const [begin, end] = [lines.indexOf(FAMILIES_BEGIN), lines.indexOf(FAMILIES_END)]
  return begin < 0 || end < begin ? [] : lines.slice(begin + 1, end)
}

/** The report with other lines between the two marks. */
export function replaceFamilies(report: string, families: readonly string[]): string {
  const lines = report.split('\n')
  const place = lines.indexOf(FAMILIES_BEGIN) + 1
  if (place === 0) throw new Error(`docs/clients/conformance.md has no ${FAMILIES_BEGIN}`)
  return lines.toSpliced(place, readFamilies(report).length, ...families).join('\n')
}

/** The report as these outcomes make it; the same outcomes always make the same text. */
export function writeReport(outcomes: Outcomes, families: readonly string[]): string {
  const notes = new Notes()
  const official = TEXT_FORMATS.flatMap((format) => writeFormat(format, outcomes, notes))
  const general = AI_SDK_DRIVERS.flatMap((driver) => writeProvider(driver, outcomes, notes))
  return [
    '# Conformance',
    '',
    ...INTRODUCTION,
    '## SDKs',
    '',
    ...writeSdks(),
    '',
    '## Official SDKs',
    '',
    ...official,
    '## AI SDK',
    '',
    ...general,
    FAMILIES_BEGIN,
    ...families,
    FAMILIES_END,
    '',
    ...notes.write(),
  ].join('\n')
}

const INTRODUCTION = [
  'Clients of four formats can use suppliers of four formats through the gateway. These tables show what works with',
  'the official SDKs of each client format. Every SDK named above a table ran every cell against a running gateway,',
  'whole and streamed where the scenario has both. `pass` means that each SDK got the expected answer. A number refers',
  'to a known gap, explained at the end. Any other failure fails the test.',
  '',
  "The supplier is the built-in sandbox; no real service was called. The sandbox enforces the services' documented",
  'rules: it refuses altered or foreign thinking signatures, calls without results, and in most formats unknown',
  'fields.',
  '',
  '`UPDATE_CONFORMANCE=1 npx bun test test/conformance/matrix.test.ts test/families/matrix.test.ts` writes this file.',
  'The same tests fail if the file differs from their results.',
  '',
]

function writeSdks(): string[] {
  const installed = [...OFFICIAL_DRIVERS, ...AI_SDK_DRIVERS, { packageName: 'ai' }]
  const names = [...new Set(installed.map(({ packageName }) => packageName))]
  const rows = names.map((name) => {
    const { name: published, version } = readManifest(name)
    return [published, version]
  })
  return writeTable(['Package', 'Version'], rows.sort(byText))
}

function byText(one: readonly string[], other: readonly string[]): number {
  return one.join(' ') < other.join(' ') ? -1 : 1
}

function readManifest(packageName: string): { readonly name: string; readonly version: string } {
  return JSON.parse(readFileSync(join(ROOT, 'node_modules', packageName, 'package.json'), 'utf8'))
}

function writeFormat(format: TextFormat, outcomes: Outcomes, notes: Notes): string[] {
  const drivers = OFFICIAL_DRIVERS.filter((driver) => driver.format === format)
  const judges = drivers.map(({ packageName }) => {
    const { name, version } = readManifest(packageName)
    return `${name} ${version}`
  })
  return [
    `### ${format} clients`,
    '',
    `Tested with ${judges.join(' and ')}.`,
    '',
    ...writeMatrix(SCENARIOS, drivers, { outcomes, notes }),
    '',
  ]
}

function writeProvider(driver: Driver, outcomes: Outcomes, notes: Notes): string[] {
  return [
    `### ${driver.packageName}, ${driver.format}`,
    '',
    ...writeMatrix(AI_SDK_SCENARIOS, [driver], { outcomes, notes }),
    '',
  ]
}

interface Pens {
  readonly outcomes: Outcomes
  readonly notes: Notes
}

function writeMatrix(scenarios: readonly Scenario[], drivers: readonly Driver[], pens: Pens): string[] {
  const rows = scenarios.map((scenario) => [
    scenario.title,
    ...TEXT_FORMATS.map((supplier) =>
      writeCell(
        drivers.map((driver) => ({ driver, supplier, scenario })),
        pens,
      ),
    ),
  ])
  return writeTable(['Supplier speaks', ...TEXT_FORMATS], rows)
}

function writeCell(cells: readonly Cell[], { outcomes, notes }: Pens): string {
  if (!cells.every((cell) => outcomes.isGood(cell))) return 'FAIL'
  const reasons = cells.flatMap((cell) => gapOf(cell)?.reason ?? [])
  return reasons.length === 0 ? 'pass' : [...new Set(reasons.map((reason) => notes.number(reason)))].join(' ')
}

export function writeTable(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)]
}

/** Reasons, each with its own number, in order of first use. */
class Notes {
  readonly #reasons: string[] = []

  number(reason: string): string {
    if (!this.#reasons.includes(reason)) this.#reasons.push(reason)
    return `[${this.#reasons.indexOf(reason) + 1}]`
  }

  write(): string[] {
    if (this.#reasons.length === 0) return []
    return ['## Gaps', '', ...this.#reasons.map((reason, index) => `${index + 1}. ${reason}`), '']
  }
}
