import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fillMetrics } from '../../scripts/write-docs.ts'
import { startTurnpike, type Turnpike } from '../../src/app/turnpike.ts'
import { readSettings } from '../../src/edges/settings/read-settings.ts'
import { METRIC_NAMES } from '../../src/edges/telemetry/metrics/metric-table.ts'
import { createKey, openAccount } from '../support/accounts.ts'
import { chat } from '../support/chat.ts'
import { createCollectedLog } from '../support/collected-log.ts'
import { eventually } from '../support/eventually.ts'
import { realClock } from '../support/movable-clock.ts'
import { chunkOf, DONE, FINISH_CHUNK, startScriptedSupplier } from '../support/scripted-supplier.ts'
import { StreamReader } from '../support/stream-reader.ts'
import { addModel, addSupplier } from '../support/supply.ts'
import {
  BOOTSTRAP_KEY,
  makeDataFolder,
  OPERATOR_TOKEN,
  removeDataFolder,
  startTestGateway,
  type TestGateway,
} from '../support/test-gateway.ts'

const METRICS_TOKEN = 'metrics-token-for-tests-0123456789'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ environment: { TURNPIKE_METRICS_TOKEN: METRICS_TOKEN } })
})
afterAll(() => gateway.stop())

const scrape = (token: string, url = `${gateway.url}/metrics`) =>
  fetch(url, { headers: { authorization: `Bearer ${token}` } })

test('served requests appear in the metrics', async () => {
  await (await chat(gateway.url, {}, { key: BOOTSTRAP_KEY })).text()
  await (await chat(gateway.url, { stream: true }, { key: BOOTSTRAP_KEY })).text()
  const text = await eventually('counting', async () => {
    const body = await (await scrape(OPERATOR_TOKEN)).text()
    // The lag of the event loop is measured twice a second.
    return body.includes('outcome="completed"} 2') && body.includes('event_loop_lag_seconds_count') && body
  })
  const place = 'model="sandbox-chat",supplier="sandbox-openai"'
  expect(text).toContain(`turnpike_settlements_total{${place},outcome="completed"} 2`)
  expect(text).toContain('turnpike_attempts_total{supplier="sandbox-openai",result="answered"} 2')
  expect(text).toContain(`turnpike_duration_seconds_count{${place}} 2`)
  expect(text).toContain('turnpike_live_streams 0')
  expect(text).toContain('turnpike_holds 0')
  expect(text).toMatch(/turnpike_circuits\{supplier="sandbox-openai",state="closed"\} [1-9]/)
  expect(text).toMatch(/turnpike_credentials\{supplier="sandbox-openai",state="ready"\} 1/)
  expect(text).toMatch(/turnpike_model_candidates\{model="sandbox-chat"\} [1-9]/)
  expect(text).toMatch(/turnpike_event_loop_lag_seconds_count [1-9]/)
  expect(text).toMatch(/turnpike_account_requests_total\{account="acc_\w+",outcome="completed"\} 2/)
  expect(text).not.toContain(BOOTSTRAP_KEY)
})

test('the gap between two chunks of a stream is measured', async () => {
  const scripted = startScriptedSupplier()
  await addSupplier(gateway, { id: 'scripted', sandbox: scripted })
  await addModel(gateway, 'scripted', { suppliers: ['scripted'] })
  // Pieces that are sent together arrive as one chunk, so the second waits until the first has arrived.
  const hasArrived = Promise.withResolvers<void>()
  scripted.perform([
    chunkOf({ content: 'one' }),
    hasArrived.promise,
    chunkOf({ content: 'two' }),
    FINISH_CHUNK,
    DONE,
  ])
  const reader = new StreamReader(
    await chat(gateway.url, { model: 'scripted', stream: true }, { key: BOOTSTRAP_KEY }),
  )
  await reader.readUntil('one')
  hasArrived.resolve()
  await reader.readToEnd()
  const counted = /turnpike_chunk_gap_seconds_count\{model="scripted",supplier="scripted"\} [1-9]/
  await eventually('the gap', async () => counted.test(await (await scrape(OPERATOR_TOKEN)).text()))
  await scripted.stop()
})

test('the used limits of an account are shown', async () => {
  const accountId = await openAccount(gateway)
  const { secret } = await createKey(gateway, accountId)
  for (let sent = 0; sent < 3; sent += 1) await (await chat(gateway.url, {}, { key: secret })).text()
  const { limits } = await gateway.operator<{ limits: { rpm: number } }>('GET', `/accounts/${accountId}`)
  const series = `turnpike_account_limit_used_ratio{account="${accountId}",limit="requests"} `
  const line = await eventually('the limit', async () =>
    (await (await scrape(OPERATOR_TOKEN)).text()).split('\n').find((each) => each.startsWith(series)),
  )
  expect(Number(line.slice(series.length))).toBeCloseTo(3 / limits.rpm, 10)
})

test('refused requests are counted by code and limit', async () => {
  const { id } = await gateway.operator<{ id: string }>('POST', '/accounts', { name: 'Poor' })
  const { secret } = await createKey(gateway, id)
  expect((await chat(gateway.url, {}, { key: secret })).status).toBe(403)
  expect((await chat(gateway.url, {}, { key: 'sk-unknown' })).status).toBe(401)
  const text = await (await scrape(OPERATOR_TOKEN)).text()
  expect(text).toContain('turnpike_errors_total{code="spending_limit_exceeded"} 1')
  expect(text).toContain('turnpike_errors_total{code="auth_invalid"} 1')
  expect(text).toContain('turnpike_limit_refusals_total{limit="balance"} 1')
  expect(text).toContain(`turnpike_account_errors_total{account="${id}",code="spending_limit_exceeded"} 1`)
})

test('a key that has spent its limit is counted for its account', async () => {
  const accountId = await openAccount(gateway)
  const limit = { usage_limit: { amount: '0.000000001', period: 'daily' } }
  const { secret } = await createKey(gateway, accountId, limit)
  expect((await chat(gateway.url, {}, { key: secret })).status).toBe(403)
  const text = await (await scrape(OPERATOR_TOKEN)).text()
  expect(text).toContain('turnpike_limit_refusals_total{limit="key_spending"} 1')
  expect(text).toContain(
    `turnpike_account_errors_total{account="${accountId}",code="spending_limit_exceeded"} 1`,
  )
})

test('the metrics token reads metrics and nothing else', async () => {
  expect((await scrape(METRICS_TOKEN)).status).toBe(200)
  expect((await scrape(METRICS_TOKEN, `${gateway.url}/operator/v1/accounts`)).status).toBe(401)
  expect((await scrape(METRICS_TOKEN, `${gateway.url}/v1/models`)).status).toBe(401)
})

test('refuses to show them to anyone else', async () => {
  expect((await scrape(BOOTSTRAP_KEY)).status).toBe(401)
  expect((await scrape(`${METRICS_TOKEN}x`)).status).toBe(401)
  expect((await fetch(`${gateway.url}/metrics`)).status).toBe(401)
})

test('docs/monitoring/metrics.md has the table; `npm run docs` writes it', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/monitoring/metrics.md'), 'utf8')
  expect(fillMetrics(page)).toBe(page)
  for (const name of METRIC_NAMES) expect(page).toContain(`| \`${name}\` |`)
})

describe('a port of its own', () => {
  let folder = ''
  let turnpike: Turnpike | null = null
  afterEach(async () => {
    await turnpike?.stop(0)
    removeDataFolder(folder)
  })

  async function start(environment: Readonly<Record<string, string>>): Promise<string> {
    folder = makeDataFolder()
    const settings = readSettings({
      PORT: '0',
      TURNPIKE_DATA: folder,
      TURNPIKE_OPERATOR_TOKEN: OPERATOR_TOKEN,
      TURNPIKE_SUPPLY: 'off',
      TURNPIKE_METRICS_PORT: '0',
      ...environment,
    })
    const system = { clock: realClock, random: Math.random, log: createCollectedLog() }
    turnpike = await startTurnpike(settings, system)
    if (turnpike.metricsUrl === null) throw new Error('there is no port for metrics')
    return turnpike.metricsUrl
  }

  test('needs no token on loopback, and serves nothing else', async () => {
    const url = await start({})
    const response = await fetch(url)
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(await response.text()).toContain('turnpike_processes 1\n')
    const other = await fetch(url.replace('/metrics', '/operator/v1/accounts'))
    expect(other.status).toBe(404)
  })

  test('needs the metrics token if there is one; the operator token is not for this port', async () => {
    const url = await start({ TURNPIKE_METRICS_TOKEN: METRICS_TOKEN })
    expect((await fetch(url)).status).toBe(401)
    expect((await scrape(OPERATOR_TOKEN, url)).status).toBe(401)
    expect((await scrape(METRICS_TOKEN, url)).status).toBe(200)
  })
})
