import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DASHBOARD_FOLDER, DASHBOARDS, fileOf, textOf } from '../../scripts/dashboards/index.ts'
import { findPrometheus } from '../../scripts/tests/prometheus.ts'
import { METRIC_NAMES } from '../../src/edges/telemetry/metrics/metric-table.ts'
import { BOOTSTRAP_KEY, makeFolder, removeFolder } from '../robustness/support/gateway-process.ts'
import { eventually } from '../support/eventually.ts'
import { type Crew, startCrew, stopCrew } from '../workers/support/crew.ts'
import { freePort, type PrometheusServer, startPrometheus } from './support/prometheus-server.ts'

const PATIENCE_MS = 300_000
const tools = findPrometheus()
if (tools === null) console.warn('Prometheus was not found: the queries of the dashboards are NOT tested')

describe('the dashboards in deploy/grafana', () => {
  test('are what `npm run dashboards` writes', () => {
    expect(readdirSync(DASHBOARD_FOLDER).sort()).toEqual(
      DASHBOARDS.map((dashboard) => `${dashboard.uid}.json`).sort(),
    )
    for (const dashboard of DASHBOARDS)
      expect(readFileSync(fileOf(dashboard), 'utf8')).toBe(textOf(dashboard))
  })

  test('have panels with unique ids that do not overlap and fit the grid', () => {
    for (const dashboard of DASHBOARDS) {
      const { panels, uid } = JSON.parse(textOf(dashboard)) as {
        uid: string
        panels: { id: number; gridPos: { h: number; w: number; x: number; y: number } }[]
      }
      expect(uid.length).toBeLessThanOrEqual(40)
      expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
      const cells = panels.flatMap(({ gridPos: { h, w, x, y } }) =>
        Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)} ${y + Math.floor(cell / w)}`),
      )
      expect(new Set(cells).size).toBe(cells.length)
      for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24)
    }
  })

  test('show every metric of the table', () => {
    const rules = readFileSync(
      join(import.meta.dirname, '../../deploy/prometheus/rules/recording.yaml'),
      'utf8',
    )
    const text = DASHBOARDS.map(textOf).join() + rules
    expect(METRIC_NAMES.filter((name) => !text.includes(name))).toEqual([])
  })
})

describe.skipIf(tools === null)('with a Prometheus that asks two workers', () => {
  let folder = ''
  let crew: Crew | null = null
  let prometheus: PrometheusServer | null = null
  let isOver = false
  let traffic: Promise<void> = Promise.resolve()
  const metricsPort = freePort()

  beforeAll(async () => {
    folder = makeFolder()
    crew = await startCrew(folder, 2, { TURNPIKE_METRICS_PORT: String(metricsPort) })
    prometheus = await startPrometheus(`127.0.0.1:${metricsPort}`)
    traffic = sendTraffic(crew, () => isOver)
  }, PATIENCE_MS)

  afterAll(async () => {
    isOver = true
    await traffic
    await prometheus?.stop()
    await stopCrew(crew)
    removeFolder(folder)
  })

  test.each(DASHBOARDS.map((dashboard) => [dashboard.uid, dashboard] as const))(
    'every query of %s returns data',
    async (_, { variables, rows }) => {
      if (prometheus === null) throw new Error('Prometheus was not started')
      const { query, labelValues } = prometheus
      const values: Record<string, string> = {}
      for (const { name, values: definition, isSingle } of variables) {
        const [, series = '', label = ''] = /^label_values\((.+), (\w+)\)$/.exec(definition) ?? []
        const found = await eventually(`values of ${name}`, async () => {
          const known = await labelValues(label, fillIn(series, values))
          return known.length > 0 && known
        })
        values[name] = isSingle ? await accountWithErrors(query) : '.*'
        expect(found).not.toEqual([])
      }
      for (const { title, queries } of rows.flatMap(({ panels }) => panels)) {
        for (const { expr } of queries) {
          const filled = fillIn(expr, values)
          const samples = await eventually(`data for ${title}: ${filled}`, async () => {
            const found = await query(filled)
            return found.some(({ value }) => Number.isFinite(value)) && found
          })
          expect(samples.length).toBeGreaterThan(0)
        }
      }
    },
    PATIENCE_MS,
  )

  test('no rule is broken, and promtool finds no fault in the metrics', async () => {
    expect(await prometheus?.brokenRules()).toEqual([])
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
    const check = Bun.spawnSync([tools?.promtool ?? '', 'check', 'metrics'], { stdin: Buffer.from(text) })
    expect([check.exitCode, check.stdout.toString(), check.stderr.toString()]).toEqual([0, '', ''])
  })
})

/** An account with traffic of all kinds. */
async function accountWithErrors(query: PrometheusServer['query']): Promise<string> {
  const expr = 'turnpike_account_errors_total and on (account) turnpike_account_tokens_total'
  return eventually('an account', async () => (await query(expr))[0]?.metric.account)
}

/** What Grafana puts in for its variables. */
function fillIn(text: string, values: Readonly<Record<string, string>>): string {
  return text
    .replaceAll('$__rate_interval', '10s')
    .replaceAll('$__range', '1m')
    .replaceAll(/\$(\w+)/g, (_, name: string) => values[name] ?? name)
}

/** Requests of many kinds, as long as they are needed. */
async function sendTraffic({ url, operator }: Crew, isOver: () => boolean): Promise<void> {
  const { data: credentials } = await operator<{ data: { id: string }[] }>(
    'GET',
    '/suppliers/sandbox-openai/credentials',
  )
  await operator('PATCH', `/credentials/${credentials[0]?.id}`, { rpm: 100_000, tpm: 1_000_000_000 })
  await operator('PUT', '/sinks/archive', { target: 'folder://archive', wait_seconds: 0 })
  const { id } = await operator<{ id: string }>('POST', '/accounts', { name: 'Without money' })
  const poor = await operator<{ secret: string }>('POST', `/accounts/${id}/keys`, { name: 'key' })
  const send = async (path: string, body: object, key = BOOTSTRAP_KEY) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    await response.text()
  }
  const messages = [{ role: 'user', content: 'Tell me a story about a gateway.' }]
  const chat = (body: object, key?: string) => send('/v1/chat/completions', { messages, ...body }, key)
  while (!isOver()) {
    await Promise.all([
      chat({ model: 'sandbox-chat' }),
      chat({ model: 'sandbox-chat', stream: true }),
      chat({ model: 'sandbox-slow', stream: true, max_tokens: 5 }),
      chat({ model: 'sandbox-flaky' }),
      chat({ model: 'no-such-model' }),
      chat({ model: 'sandbox-chat' }, poor.secret),
      send('/v1/images/generations', { model: 'sandbox-image', prompt: 'a gateway' }),
    ])
  }
}
