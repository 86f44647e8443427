import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasOtherSuppliers } from '../../src/app/supply/sandbox-supply.ts'
import { startTurnpike, type Turnpike } from '../../src/app/turnpike.ts'
import { readSettings } from '../../src/edges/settings/read-settings.ts'
import type { Format } from '../../src/vocabulary/supply.ts'
import { createCollectedLog } from '../support/collected-log.ts'
import { realClock } from '../support/movable-clock.ts'

const PAGE = { limit: 1000, cursor: null }
const KEY = 'sk-bootstrap-key-for-tests'

let dataFolder: string
let gateway: Turnpike
beforeEach(async () => {
  dataFolder = mkdtempSync(join(tmpdir(), 'turnpike-supply-'))
  gateway = await start('on')
})
afterEach(async () => {
  await gateway.stop(0)
  rmSync(dataFolder, { recursive: true, force: true })
})

function start(sandbox: 'on' | 'off'): Promise<Turnpike> {
  const settings = readSettings({
    PORT: '0',
    TURNPIKE_DATA: dataFolder,
    TURNPIKE_SECRET: 'server-secret-for-tests',
    TURNPIKE_OPERATOR_TOKEN: 'operator-token-for-tests-0123456789',
    TURNPIKE_BOOTSTRAP_KEY: KEY,
    TURNPIKE_SANDBOX: sandbox,
  })
  return startTurnpike(settings, { clock: realClock, random: () => 0.5, log: createCollectedLog() })
}

async function restart(sandbox: 'on' | 'off' = 'on'): Promise<void> {
  await gateway.stop(0)
  gateway = await start(sandbox)
}

async function askSandbox(): Promise<number> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox-chat', messages: [{ role: 'user', content: 'ping' }] }),
  })
  return response.status
}

const suppliers = () => gateway.operations.listSuppliers(PAGE).data
const routes = () =>
  gateway.operations
    .listRoutes(PAGE)
    .data.map((route) => [route.modelId, route.supplierId, route.priority, route.enabled])

const OPENAI_FORMATS: readonly Format[] = [
  'chat-completion',
  'responses',
  'images',
  'completions',
  'embeddings',
  'rerank',
  'moderations',
  'transcriptions',
  'speech',
]

test('the first start registers three suppliers that share their models', () => {
  const baseUrl = 'http://sandbox.turnpike.invalid'
  expect(suppliers().map(({ id, formats, baseUrl }) => [id, formats, baseUrl])).toEqual([
    ['sandbox-anthropic', ['messages'], baseUrl],
    ['sandbox-google', ['content-generation'], baseUrl],
    ['sandbox-openai', OPENAI_FORMATS, baseUrl],
  ])
  for (const model of ['sandbox-chat', 'sandbox-reasoner', 'sandbox-tools']) {
    expect(routes().filter(([id]) => id === model)).toEqual([
      [model, 'sandbox-anthropic', 2, true],
      [model, 'sandbox-google', 3, true],
      [model, 'sandbox-openai', 1, true],
    ])
  }
  for (const model of ['sandbox-slow', 'sandbox-flaky']) {
    expect(routes().filter(([id]) => id === model)).toEqual([[model, 'sandbox-openai', 1, true]])
  }
  expect(hasOtherSuppliers(gateway.operations)).toBe(false)
})

test('a later start with another sandbox address changes nothing', async () => {
  const before = await gateway.operations.listAuditEvents(PAGE)
  const addressBefore = gateway.sandbox?.url
  await restart()
  expect(gateway.sandbox?.url).not.toBe(addressBefore)
  const after = await gateway.operations.listAuditEvents(PAGE)
  expect(after.data).toEqual(before.data)
  expect(await askSandbox()).toBe(200)
  for (const { id } of suppliers()) expect(gateway.operations.listCredentials(id, PAGE).data).toHaveLength(1)
})

test('a supplier stored with the address of an earlier sandbox gets the one that holds everywhere', async () => {
  const [builtIn] = suppliers()
  if (builtIn === undefined) throw new Error('no supplier')
  await gateway.operations.putSupplier({ ...builtIn, baseUrl: 'http://127.0.0.1:9000' }, 'operator')
  await restart()
  expect(new Set(suppliers().map(({ baseUrl }) => baseUrl))).toEqual(
    new Set(['http://sandbox.turnpike.invalid']),
  )
})

test('an operator’s changes of models and routes are kept', async () => {
  const { createdAtMs: _, ...model } = gateway.operations.findModel('sandbox-chat')
  await gateway.operations.putModel({ ...model, displayName: 'Ours' }, 'operator')
  const ids = { modelId: 'sandbox-chat', supplierId: 'sandbox-google' }
  const found = gateway.operations.listRoutes(PAGE).data.map(({ credentials: _, ...route }) => route)
  const route = found.find(
    ({ modelId, supplierId }) => modelId === ids.modelId && supplierId === ids.supplierId,
  )
  if (route === undefined) throw new Error('no such route')
  const { modelId, supplierId, ...settings } = route
  await gateway.operations.putRoute(
    { modelId, supplierId },
    { ...settings, enabled: false, priority: 9 },
    'operator',
  )
  await restart()
  expect(gateway.operations.findModel('sandbox-chat').displayName).toBe('Ours')
  expect(routes()).toContainEqual(['sandbox-chat', 'sandbox-google', 9, false])
})

test('the sandbox can be switched off and on again', async () => {
  await restart('off')
  expect(suppliers().map(({ enabled }) => enabled)).toEqual([false, false, false])
  await restart('on')
  expect(suppliers().map(({ enabled }) => enabled)).toEqual([true, true, true])
})

test('a simulator that an operator has registered elsewhere is left alone', async () => {
  const [builtIn] = suppliers()
  if (builtIn === undefined) throw new Error('no supplier')
  await gateway.operations.putSupplier(
    { ...builtIn, id: 'own-simulator', baseUrl: 'http://127.0.0.1:9000' },
    'operator',
  )
  await restart('off')
  expect(suppliers().filter(({ enabled }) => enabled)).toMatchObject([{ id: 'own-simulator' }])
})
