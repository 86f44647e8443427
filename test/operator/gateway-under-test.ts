import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '../../src/edges/http-server/serve.ts'
import { operatorCheck, operatorEndpoints } from '../../src/edges/management-api/operator/index.ts'
import { openStorage } from '../../src/edges/storage/index.ts'
import { createTextApplication } from '../../src/edges/supply-file/apply-text.ts'
import { MemoryAdmissions } from '../../src/edges/windows/memory-admissions.ts'
import { createDiagnostics } from '../../src/manage/diagnostics/doctor.ts'
import { createOperations } from '../../src/manage/operations/index.ts'
import type { LocalOperations } from '../../src/manage/operations/parts.ts'
import { systemRandom } from '../../src/manage/operations/random-source.ts'
import type { Diagnostics } from '../../src/manage/ports/diagnostics.ts'
import type { Storage } from '../../src/manage/ports/storage.ts'
import { createSecretKeeper, type SecretKeeper } from '../../src/rules/access/server-secret.ts'
import { buildSnapshot } from '../../src/rules/catalog/build-snapshot.ts'
import { BUILT_IN_CATALOG } from '../../src/rules/catalog/built-in/built-in-catalog.ts'
import { Router } from '../../src/rules/routing/router.ts'
import { createLiveConfiguration } from '../../src/serve/configuration/live-configuration.ts'
import type { LiveConfiguration } from '../../src/serve/ports/configuration.ts'
import type { Log } from '../../src/serve/ports/log.ts'
import { AccessTokens } from '../../src/suppliers/access-tokens.ts'
import { FORMATS } from '../../src/vocabulary/words.ts'

export const OPERATOR_TOKEN = 'operator-token-for-tests-0123456789'

const SECRETS = createSecretKeeper('server secret of the tests')
export const checkOperator = operatorCheck(
  { fingerprint: SECRETS.fingerprint(OPERATOR_TOKEN) },
  SECRETS.fingerprint,
)
export const START_MS = Date.parse('2026-06-01T12:00:00Z')

const SILENT_LOG: Log = {
  request: () => undefined,
  attemptFailed: () => undefined,
  notice: () => undefined,
  trouble: () => undefined,
}

export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: answers are read as a client without types reads them.
  readonly body: any
  readonly text: string
}

export interface GatewayUnderTest {
  readonly operations: LocalOperations
  readonly diagnostics: Diagnostics
  readonly storage: Storage
  readonly configuration: LiveConfiguration
  readonly admissions: MemoryAdmissions
  readonly secrets: SecretKeeper
  readonly clock: { timeMs: number; nowMs(): number }
  /** `ask('POST /accounts', { name: 'x' })` with the operator token. */
  ask(call: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  close(): Promise<void>
}

/** The operator side as it is in the product: real server, real operations, a real database in a temporary folder. */
export async function startGateway(): Promise<GatewayUnderTest> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'turnpike-operator-'))
  const secrets = SECRETS
  const storage = await openStorage({ databaseUrl: null, dataFolder, secrets })
  const clock = { timeMs: START_MS, nowMs: () => clock.timeMs, monotonicMs: () => clock.timeMs }
  const admissions = new MemoryAdmissions(clock)
  const configuration = createLiveConfiguration(buildSnapshot(await storage.loadConfiguration()))
  const operations = createOperations({
    storage,
    catchUp: () => Promise.resolve(),
    configuration,
    money: admissions,
    capacity: { remaining: ({ rpm, tpm }) => ({ requests: rpm, tokens: tpm }) },
    routing: new Router({ clock, random: () => 0.5 }),
    clock,
    secrets,
    random: systemRandom,
    tierGraceMs: null,
    loadPriceList: async () => (await import('../../src/edges/price-list/index.ts')).priceList,
    supplierTypes: [
      {
        name: 'openai-compatible',
        formats: ['chat-completion', 'responses', 'images'],
        options: ['organization', 'region'],
      },
      {
        name: 'anthropic',
        formats: ['messages'],
        checkSecret: (secret) => (secret.startsWith('{') ? null : 'secret must be a JSON document.'),
      },
    ],
    formats: FORMATS.filter((format) => format !== 'images'),
  })
  const diagnostics = createDiagnostics({
    storage,
    refusedRequests: { dropped: 0 },
    snapshot: configuration.current,
    callSupplier: ({ url, headers, body, patience }) =>
      fetch(url, { method: 'POST', headers, body: String(body), signal: patience.signal }),
    callTools: {
      clock,
      sandboxUrl: null,
      tokens: new AccessTokens(clock),
      call: (request) => fetch(request),
    },
    catalog: BUILT_IN_CATALOG,
    clock,
    patienceMs: 1_000,
  })
  const server = startServer({
    hostname: '127.0.0.1',
    port: 0,
    endpoints: operatorEndpoints(operations, {
      isOperator: checkOperator,
      clock,
      applySupplyText: createTextApplication(operations),
      diagnostics,
    }),
    bodyLimits: { maxBytes: 1_000_000, timeoutMs: 5_000 },
    clock,
    log: SILENT_LOG,
  })
  return {
    operations,
    diagnostics,
    storage,
    configuration,
    admissions,
    secrets,
    clock,
    ask: (call, body, headers) => ask(server.url, { call, body, headers }),
    close: async () => {
      await server.close()
      await storage.close()
      rmSync(dataFolder, { recursive: true })
    },
  }
}

interface Call {
  readonly call: string
  readonly body: unknown
  readonly headers: Record<string, string> | undefined
}

async function ask(url: string, { call, body, headers }: Call): Promise<Answer> {
  const [method = '', path = ''] = call.split(' ')
  const response = await fetch(`${url}/operator/v1${path}`, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(headers ?? { authorization: `Bearer ${OPERATOR_TOKEN}` }),
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: JSON.parse(text), text }
}

/** A supplier, a credential, a model and a route, as most stories need them. */
export async function addSupply({ ask }: GatewayUnderTest): Promise<{ credentialId: string }> {
  await ask('PUT /suppliers/acme', {
    type: 'openai-compatible',
    base_url: 'http://127.0.0.1:4020/v1',
    formats: ['chat-completion', 'responses'],
    enabled: true,
  })
  const credential = await ask('POST /suppliers/acme/credentials', { secret: 'sk-upstream-0001', rpm: 600 })
  await ask('PUT /models/gpt-5', { owned_by: 'openai', display_name: 'GPT-5', kinds: ['text'] })
  await ask('PUT /models/gpt-5/routes/acme', {
    upstream_model: 'gpt-5-upstream',
    price: { input: '1.25', output: '10', cache_read: '0.125' },
    priority: 1,
    enabled: true,
  })
  return { credentialId: credential.body.id }
}

export async function addAccount({ ask }: GatewayUnderTest): Promise<string> {
  return (await ask('POST /accounts', { name: 'First' })).body.id
}
