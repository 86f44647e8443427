import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { findPrometheus } from '../../scripts/tests/prometheus.ts'
import { METRIC_NAMES } from '../../src/edges/telemetry/metrics/metric-table.ts'

interface Rule {
  readonly alert?: string
  readonly record?: string
  readonly expr: string
  readonly labels?: { readonly severity: string }
  readonly annotations?: { readonly summary: string; readonly description: string }
}

interface RuleFile {
  readonly groups: readonly { readonly rules: readonly Rule[] }[]
}

const FOLDER = join(import.meta.dirname, '../../deploy/prometheus')
const read = (path: string) => readFileSync(join(FOLDER, path), 'utf8')
const rulesIn = (path: string) => (parse(read(path)) as RuleFile).groups.flatMap(({ rules }) => rules)

const alerts = rulesIn('rules/alerts.yaml')
const records = rulesIn('rules/recording.yaml')

test('rules use only metrics that exist', () => {
  const known = new Set<string>([...METRIC_NAMES, ...records.map(({ record }) => record ?? '')])
  for (const { expr } of [...alerts, ...records]) {
    for (const [name] of expr.matchAll(/\b(?:\w+:)?turnpike_\w+(?::\w+)?/g)) {
      const base = name.replace(/_(bucket|sum|count)$/, '')
      expect([expr, known.has(name) || known.has(base)]).toEqual([expr, true])
    }
  }
})

test('every alert has a severity, a summary, a test and a line in docs/monitoring/dashboards.md', () => {
  const tests = read('tests/alerts.yaml')
  const page = read('../../docs/monitoring/dashboards.md')
  for (const { alert, labels, annotations } of alerts) {
    expect(['page', 'ticket']).toContain(labels?.severity ?? '')
    expect(annotations?.summary).toBeString()
    expect(annotations?.description).toBeString()
    expect(tests).toContain(`name: ${alert}\n`)
    expect(page).toMatch(new RegExp(`\\| \`${alert}\` \\|.+\\| ${labels?.severity} \\|\n`))
  }
})

const tools = findPrometheus()
if (tools === null) console.warn('promtool was not found: the rules are NOT tested')

describe.skipIf(tools === null)('promtool', () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'turnpike-rules-'))
    cpSync(FOLDER, folder, { recursive: true })
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const run = (...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = Bun.spawnSync([tools?.promtool ?? '', ...args], { cwd: folder })
    return { exitCode, printed: stdout.toString() + stderr.toString() }
  }

  test('accepts the rules and the configuration', () => {
    const checked = run('check', 'rules', 'rules/alerts.yaml', 'rules/recording.yaml')
    expect(checked.printed).toContain(`SUCCESS: ${alerts.length} rules found`)
    expect(checked.exitCode).toBe(0)
    expect(run('check', 'config', '--syntax-only', 'prometheus.yaml').exitCode).toBe(0)
  })

  test('sees every alert fire when it has to, and stay quiet otherwise', () => {
    const tested = run('test', 'rules', 'tests/alerts.yaml')
    expect([tested.exitCode, tested.printed]).toEqual([0, expect.stringContaining('SUCCESS')])
  }, 300_000)

  test('fails when an alert is too late', () => {
    const changed = read('rules/alerts.yaml').replace(
      'turnpike_journal_oldest_seconds > 60',
      'turnpike_journal_oldest_seconds > 6000',
    )
    writeFileSync(join(folder, 'rules/alerts.yaml'), changed)
    const all = parse(read('tests/alerts.yaml')) as { tests: readonly { name: string }[] }
    const tests = all.tests.filter(({ name }) => name === 'TurnpikeJournalWaiting')
    writeFileSync(join(folder, 'tests/one.yaml'), JSON.stringify({ ...all, tests }))
    const tested = run('test', 'rules', 'tests/one.yaml')
    expect(tested.exitCode).not.toBe(0)
    expect(tested.printed).toContain('TurnpikeJournalWaiting')
  })
})
