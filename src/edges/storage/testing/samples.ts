import type { Account } from '../../../vocabulary/account.ts'
import type { Webhook } from '../../../vocabulary/alert.ts'
import type { ApiKey } from '../../../vocabulary/api-key.ts'
import type { Payment } from '../../../vocabulary/ledger.ts'
import { AT_PRICE, NO_SESSION, type Settlement } from '../../../vocabulary/settlement.ts'
import type { Credential, Model, Route, Supplier } from '../../../vocabulary/supply.ts'
import type { AuditEvent } from '../../../vocabulary/system.ts'
import { FORMATS } from '../../../vocabulary/words.ts'

export const START_MS = Date.UTC(2026, 0, 15, 12)
// More than a float can tell apart from its neighbours.
export const HUGE_NANO = 2n ** 53n + 1n

export const ACCOUNT: Account = {
  id: 'acc_1',
  name: 'Æsir & søn',
  email: 'ops@example.com',
  earnedTier: 'Builder',
  tierAssignment: {
    tier: 'Trial',
    rpm: 10,
    tpm: null,
    expiresAtMs: START_MS,
    reason: 'trial',
    assignedBy: 'operator',
  },
  totalPaidNano: 0n,
  creditLineNano: HUGE_NANO,
  balanceAlertNano: -HUGE_NANO,
  state: 'suspended',
  stateReason: 'unpaid',
  createdAtMs: START_MS,
}

export const WEBHOOK: Webhook = {
  accountId: ACCOUNT.id,
  url: 'https://hooks.example.com/alerts',
  enabled: true,
  secret: 'whsec_that-only-tests-use',
  createdAtMs: START_MS,
}

export const KEY: ApiKey = {
  id: 'key_1',
  accountId: ACCOUNT.id,
  name: 'ci',
  state: 'active',
  routePolicy: { mode: 'specified_provider', provider: 'acme' },
  usageLimit: { period: 'daily', amountNano: HUGE_NANO },
  rpm: 60,
  tpm: 3_000_000_000,
  modelAllowlist: ['gpt-5', 'claude-*'],
  budget: { amountNano: 5n, thresholds: [50, 80, 100] },
  expiresAtMs: START_MS + 1,
  sharedFallback: true,
  createdAtMs: START_MS,
  secrets: [
    { fingerprint: 'zzz-newest', lastFour: 'wxyz', expiresAtMs: null },
    { fingerprint: 'aaa-older', lastFour: 'abcd', expiresAtMs: START_MS + 60_000 },
  ],
}

export const SUPPLIER: Supplier = {
  id: 'acme',
  type: 'openai-compatible',
  baseUrl: 'http://127.0.0.1:4020/v1',
  formats: [...FORMATS],
  source: 'byok',
  accountId: ACCOUNT.id,
  enabled: true,
  options: { api_version: '2026-01-01' },
  aborts: null,
  timeouts: { connectMs: 500, firstByteMs: null, idleMs: 20_000 },
}

export const CREDENTIAL: Credential = {
  id: 'cred_1',
  supplierId: SUPPLIER.id,
  secret: 'sk-upstream-very-secret-0123456789',
  label: null,
  rpm: 600,
  tpm: null,
  weight: 0.5,
  state: 'active',
}

export const MODEL: Model = {
  id: 'gpt-5',
  ownedBy: 'openai',
  displayName: 'GPT-5',
  description: 'A model.',
  kinds: ['text', 'image'],
  inputTokenLimit: 400_000,
  outputTokenLimit: null,
  rpm: null,
  tpm: 5_000_000_000,
  capabilities: { tools: true, efforts: ['low', 'high'] },
  createdAtMs: START_MS,
}

export const ROUTE: Route = {
  modelId: MODEL.id,
  supplierId: SUPPLIER.id,
  upstreamModel: 'gpt-5-upstream',
  formats: null,
  price: {
    inputNanoPerMillion: 1_250_000_000n,
    outputNanoPerMillion: HUGE_NANO,
    cacheReadNanoPerMillion: 0n,
    cacheWriteNanoPerMillion: 3n,
    imageNano: 40_000_000n,
  },
  cost: null,
  priceSource: 'manual',
  rpm: 7,
  tpm: null,
  priority: -1,
  enabled: false,
}

export const PAYMENT: Payment = {
  id: 'pay_1',
  accountId: ACCOUNT.id,
  amountNano: 12_500_000_000n,
  reference: 'invoice 7',
  note: 'first',
  atMs: START_MS,
}

const SETTLEMENT: Settlement = {
  requestId: 'req_1',
  accountId: ACCOUNT.id,
  keyId: KEY.id,
  model: MODEL.id,
  supplier: SUPPLIER.id,
  credentialId: CREDENTIAL.id,
  clientFormat: FORMATS[2],
  supplierFormat: FORMATS[0],
  stream: true,
  usage: { input: 10, cacheRead: 1, cacheWrite: 2, output: 20, reasoning: 5, images: 0 },
  provenance: 'supplier',
  price: ROUTE.price,
  amountNano: 1000n,
  costNano: 1000n,
  ...AT_PRICE,
  ...NO_SESSION,
  outcome: 'completed',
  attempts: [
    {
      supplier: SUPPLIER.id,
      credentialId: CREDENTIAL.id,
      reason: 'cheapest',
      result: 'failed',
      status: 503,
      failure: 'said "no"\n\u0000',
      startedAtMs: START_MS,
      firstByteMs: null,
      durationMs: 20,
    },
  ],
  startedAtMs: START_MS,
  firstByteMs: 120,
  durationMs: 900,
}

export function settlement(change: Partial<Settlement>): Settlement {
  return { ...SETTLEMENT, ...change }
}

/** Settlements `req_000`, `req_001`, …, each a millisecond after the one before. */
export function settlements(count: number, change: Partial<Settlement> = {}): Settlement[] {
  return Array.from({ length: count }, (_, index) =>
    settlement({
      requestId: `req_${String(index).padStart(3, '0')}`,
      startedAtMs: START_MS + index,
      ...change,
    }),
  )
}

export function auditEvent(id: string, change: Partial<AuditEvent> = {}): AuditEvent {
  return {
    id,
    atMs: START_MS,
    actor: 'operator',
    action: 'thing.changed',
    subject: 'thing',
    before: null,
    after: null,
    ...change,
  }
}
