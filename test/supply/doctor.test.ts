import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { createDoctorCommand } from '../../src/cli/commands/doctor.ts'
import { SupplierClient } from '../../src/edges/supplier-client/supplier-client.ts'
import { createDiagnostics } from '../../src/manage/diagnostics/doctor.ts'
import { examinePlatform } from '../../src/manage/diagnostics/examine-platform.ts'
import { buildSnapshot } from '../../src/rules/catalog/build-snapshot.ts'
import { BUILT_IN_CATALOG } from '../../src/rules/catalog/built-in/built-in-catalog.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { AccessTokens } from '../../src/suppliers/access-tokens.ts'
import { eventually } from '../support/eventually.ts'
import type { Fault } from '../support/faults.ts'
import { realClock } from '../support/movable-clock.ts'
import { addModel, addSupplier } from '../support/supply.ts'
import { OPERATOR_TOKEN, startTestGateway, type TestGateway } from '../support/test-gateway.ts'

const SECRET = 'sk-sandbox-patient-7788'

interface Row {
  readonly supplier: string
  readonly label: string | null
  readonly last_four: string | null
  readonly model: string | null
  readonly format: string | null
  readonly result: string
  readonly status: number | null
  readonly latency_ms: number | null
  readonly hint: string
}

let gateway: TestGateway
let patient: Sandbox

beforeAll(async () => {
  gateway = await startTestGateway()
  patient = startSandbox()
  await addSupplier(gateway, {
    id: 'patient',
    sandbox: patient,
    secret: SECRET,
    credential: { label: 'main' },
  })
  await addModel(gateway, 'dear', { suppliers: ['patient'], upstreamModel: 'sandbox-slow' })
  await gateway.operator('PUT', '/models/dear/routes/patient', {
    upstream_model: 'sandbox-slow',
    price: { input: '9', output: '9' },
  })
  await addModel(gateway, 'cheap', { suppliers: ['patient'] })
})
afterEach(() => patient.faults.clear())
afterAll(async () => {
  await gateway.stop()
  await patient.stop()
})

const examine = async () => (await gateway.operator<{ data: Row[] }>('POST', '/doctor')).data
const examineOne = async (supplier: string) => (await examine()).filter((row) => row.supplier === supplier)

describe('a supplier that works', () => {
  test('is called once per credential, for its cheapest model, in a supported format', async () => {
    const before = patient.calls.length
    const rows = await examine()
    expect(rows.map(({ supplier, format, result }) => [supplier, format, result])).toEqual([
      ['patient', 'chat-completion', 'works'],
      ['sandbox-anthropic', 'messages', 'works'],
      ['sandbox-google', 'content-generation', 'works'],
      ['sandbox-openai', 'chat-completion', 'works'],
    ])
    expect(rows[0]).toMatchObject({ label: 'main', last_four: '7788', model: 'cheap', status: 200, hint: '' })
    expect(rows[0]?.latency_ms).toBeGreaterThanOrEqual(0)
    expect(patient.calls.slice(before).map(({ model }) => model)).toEqual(['sandbox-chat'])
  })

  test('charges no account and leaves no settlement', async () => {
    await examine()
    expect(await gateway.operator<{ data: unknown[] }>('GET', '/settlements')).toMatchObject({ data: [] })
  })
})

describe('a supplier that does not work', () => {
  const FAULTS: { fault: Fault; result: string; status: number | null; hint: RegExp }[] = [
    { fault: { type: 'status', status: 401 }, result: 'credential', status: 401, hint: /key is right/ },
    { fault: { type: 'status', status: 429 }, result: 'rate_limited', status: 429, hint: /no capacity/ },
    { fault: { type: 'status', status: 500 }, result: 'server', status: 500, hint: /try again later/ },
    { fault: { type: 'status', status: 503 }, result: 'overloaded', status: 503, hint: /overloaded/ },
    { fault: { type: 'refuse' }, result: 'unreachable', status: null, hint: /base URL/ },
    { fault: { type: 'garbage' }, result: 'malformed', status: null, hint: /not of this format/ },
  ]
  for (const { fault, ...expected } of FAULTS) {
    test(`${JSON.stringify(fault)} is reported as ${expected.result}`, async () => {
      patient.faults.set({ fault })
      const [row] = await examineOne('patient')
      expect([row?.result, row?.status]).toEqual([expected.result, expected.status])
      expect(row?.hint).toMatch(expected.hint)
    })
  }

  test('an error is quoted without a credential it may contain', async () => {
    const body = JSON.stringify({
      error: { message: `no such thing for ${SECRET}`, type: 'invalid_request_error' },
    })
    patient.faults.set({ fault: { type: 'status', status: 400, body } })
    const rows = await examineOne('patient')
    expect(rows[0]).toMatchObject({ result: 'input', status: 400 })
    expect(rows[0]?.hint).toContain('no such thing')
    expect(JSON.stringify(rows)).not.toContain(SECRET)
  })

  test('an unknown model gets a hint to compare model lists', async () => {
    await addModel(gateway, 'cheap', { suppliers: ['patient'], upstreamModel: 'gone' })
    const [row] = await examineOne('patient')
    await addModel(gateway, 'cheap', { suppliers: ['patient'] })
    expect(row).toMatchObject({ status: 404 })
    expect(row?.hint).toContain('turnpike models refresh patient')
  })

  test('one that never answers times out', async () => {
    // A separate sandbox: an aborted call may arrive late, among those another test counts.
    const silent = startSandbox()
    silent.faults.set({ fault: { type: 'hang' } })
    const rows = await gateway.storage.loadConfiguration()
    const suppliers = rows.suppliers
      .filter(({ id }) => id === 'patient')
      .map((supplier) => ({ ...supplier, baseUrl: `${silent.url}/v1` }))
    const diagnostics = createDiagnostics({
      snapshot: () => buildSnapshot({ ...rows, suppliers }),
      callSupplier: new SupplierClient(realClock, { isProxied: false }).call,
      callTools: {
        clock: realClock,
        sandboxUrl: null,
        tokens: new AccessTokens(realClock),
        call: (request) => fetch(request),
      },
      storage: gateway.storage,
      refusedRequests: { dropped: 0 },
      catalog: BUILT_IN_CATALOG,
      clock: realClock,
      patienceMs: 50,
    })
    expect(await diagnostics.examineSupply()).toMatchObject([{ result: 'timeout', status: null }])
    await silent.stop()
  })
})

describe('suppliers that are not called', () => {
  test('a disabled supplier, a disabled credential, and one that lacks something', async () => {
    const before = patient.calls.length
    await addSupplier(gateway, { id: 'off', sandbox: patient })
    await gateway.operator('PUT', '/suppliers/off', {
      type: 'openai-compatible',
      base_url: `${patient.url}/v1`,
      formats: ['chat-completion'],
      enabled: false,
    })
    await addSupplier(gateway, { id: 'routeless', sandbox: patient })
    await gateway.operator('PUT', '/suppliers/keyless', {
      type: 'openai-compatible',
      base_url: `${patient.url}/v1`,
      formats: ['chat-completion'],
    })
    const added = await gateway.operator<{ id: string }>('POST', '/suppliers/patient/credentials', {
      secret: 'sk-sandbox-other',
    })
    await gateway.operator('PATCH', `/credentials/${added.id}`, { state: 'disabled' })
    const results = (await examine()).map(({ supplier, result }) => `${supplier} ${result}`)
    expect(results).toEqual(
      expect.arrayContaining([
        'off skipped',
        'routeless not_configured',
        'keyless not_configured',
        'patient skipped',
      ]),
    )
    expect(patient.calls.length - before).toBe(1)
  })
})

describe('turnpike doctor', () => {
  const environment = () => ({ TURNPIKE_URL: gateway.url, TURNPIKE_OPERATOR_TOKEN: OPERATOR_TOKEN })

  async function type(...args: string[]) {
    let printed = ''
    const status = await createDoctorCommand(environment()).run(args, {
      print: (text) => {
        printed += text
      },
      printError: () => undefined,
      untilInterrupted: async () => {},
    })
    return { status, printed }
  }

  test('prints a table and fails when something does not work', async () => {
    patient.faults.set({ fault: { type: 'status', status: 401 } })
    const { status, printed } = await type()
    expect(status).toBe(1)
    expect(printed).toMatch(/^SUPPLIER +CREDENTIAL +MODEL +FORMAT +RESULT +STATUS +MS +HINT\n/)
    expect(printed).toMatch(/\npatient +main …7788 +cheap +chat-completion +credential +401 /)
    expect(printed).toMatch(/\nsandbox-google .* works +200 /)
    expect(printed).not.toContain(SECRET)
  })

  test('prints JSON for programs', async () => {
    const { printed } = await type('--json')
    const facts = JSON.parse(printed) as { data: Row[] }
    expect(facts.data.find(({ supplier }) => supplier === 'sandbox-openai')).toMatchObject({
      result: 'works',
    })
  })

  test('succeeds when all that should work works', async () => {
    for (const id of ['routeless', 'keyless']) {
      await gateway.operator('PUT', `/suppliers/${id}`, {
        type: 'openai-compatible',
        base_url: `${patient.url}/v1`,
        formats: ['chat-completion'],
        enabled: false,
      })
    }
    expect((await type()).status).toBe(0)
  })

  test('tells of a sink and a channel that fail, and of what was lost', async () => {
    // Nobody listens on the discard port.
    const nobody = 'http://127.0.0.1:9/'
    await gateway.operator('PUT', '/alert-channels/on-call', { type: 'webhook', address: nobody })
    await gateway.operator('PUT', '/sinks/warehouse', { target: nobody, wait_seconds: 0 })
    await gateway.operator('POST', '/accounts', { name: 'An event for the sink' })
    await gateway.sinks.send()
    gateway.alerts.noteLostNode({ id: 'node_1', name: 'gateway-2', version: '1', startedAtMs: 0 })
    await gateway.alerts.raise()
    await gateway.alerts.deliverDue(realClock.nowMs())
    const { status, printed } = await type()
    expect(status).toBe(1)
    expect(printed).toMatch(/\n\nPART +ID +PROBLEM +HINT\nsink +warehouse +fails +The last try failed: /)
    expect(printed).toMatch(/\nalert channel +on-call +fails +The last message failed: /)

    await gateway.operator('DELETE', '/alert-channels/on-call')
    await gateway.storage.dropOldSinkLines(realClock.nowMs() + 1)
    const examined = await examinePlatform({ storage: gateway.storage, refusedRequests: { dropped: 3 } })
    expect(examined.map(({ part, id, problem }) => [part, id, problem])).toEqual([
      ['sink', 'warehouse', 'fails'],
      ['sink', 'warehouse', 'has_lost'],
      ['refusals', null, 'has_lost'],
    ])
    await gateway.operator('PUT', '/sinks/warehouse', { target: 'folder://archive', wait_seconds: 0 })
    await gateway.operator('POST', '/accounts', { name: 'Another event' })
    // After a failure, a sink waits a second.
    await eventually('that the sink works', async () => {
      await gateway.sinks.send()
      return (
        (await examinePlatform({ storage: gateway.storage, refusedRequests: { dropped: 0 } })).length === 1
      )
    })
    const after = await type()
    expect(after.printed).toMatch(
      /\nsink +warehouse +has lost +Records lost since the sink was created: \d+\./,
    )
    expect(after.status).toBe(0)
  })
})
