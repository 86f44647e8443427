import type { Account } from '../account.ts'
import type { ApiKey } from '../api-key.ts'
import type { Price } from '../price.ts'
import { AT_PRICE, NO_SESSION, type Settlement } from '../settlement.ts'
import { type Credential, type Model, type Route, type Supplier, USUAL_TIMEOUTS } from '../supply.ts'

/** One example of each object. A test overrides only the fields it is about. */

export function anAccount(fields: Partial<Account> = {}): Account {
  return {
    id: 'acc_1',
    name: 'Account',
    email: null,
    earnedTier: 'Starter',
    tierAssignment: null,
    totalPaidNano: 0n,
    creditLineNano: 0n,
    balanceAlertNano: null,
    state: 'active',
    stateReason: null,
    createdAtMs: 0,
    ...fields,
  }
}

export function aKey(fields: Partial<ApiKey> = {}): ApiKey {
  return {
    id: 'key_1',
    accountId: 'acc_1',
    name: 'Key',
    state: 'active',
    routePolicy: { mode: 'intelligent' },
    usageLimit: null,
    rpm: null,
    tpm: null,
    modelAllowlist: null,
    budget: null,
    expiresAtMs: null,
    sharedFallback: false,
    createdAtMs: 0,
    secrets: [],
    ...fields,
  }
}

export function aSupplier(fields: Partial<Supplier> = {}): Supplier {
  return {
    id: 'sup_1',
    type: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:1/v1',
    formats: ['chat-completion'],
    source: 'shared',
    accountId: null,
    enabled: true,
    options: {},
    aborts: null,
    timeouts: USUAL_TIMEOUTS,
    ...fields,
  }
}

export function aCredential(fields: Partial<Credential> = {}): Credential {
  return {
    id: 'cred_1',
    supplierId: 'sup_1',
    secret: 'upstream',
    label: null,
    rpm: null,
    tpm: null,
    weight: 1,
    state: 'active',
    ...fields,
  }
}

export function aModel(fields: Partial<Model> = {}): Model {
  return {
    id: 'model-1',
    ownedBy: 'somebody',
    displayName: 'Model 1',
    description: '',
    kinds: ['text'],
    inputTokenLimit: null,
    outputTokenLimit: null,
    rpm: null,
    tpm: null,
    capabilities: {},
    createdAtMs: 0,
    ...fields,
  }
}

/** Nano-USDT for a token of input, output, cache read and cache write: 1,000, 2,000, 100 and 1,250. */
export const A_PRICE: Price = {
  inputNanoPerMillion: 1_000_000_000n,
  outputNanoPerMillion: 2_000_000_000n,
  cacheReadNanoPerMillion: 100_000_000n,
  cacheWriteNanoPerMillion: 1_250_000_000n,
  imageNano: 5n,
}

export function aRoute(fields: Partial<Route> = {}): Route {
  return {
    modelId: 'model-1',
    supplierId: 'sup_1',
    upstreamModel: 'upstream-1',
    formats: null,
    price: A_PRICE,
    cost: null,
    priceSource: 'manual',
    rpm: null,
    tpm: null,
    priority: 1,
    enabled: true,
    ...fields,
  }
}

export function aSettlement(fields: Partial<Settlement> = {}): Settlement {
  return {
    requestId: 'req_1',
    accountId: 'acc_1',
    keyId: 'key_1',
    model: 'model-1',
    supplier: 'sup_1',
    credentialId: 'cred_1',
    clientFormat: 'chat-completion',
    supplierFormat: 'chat-completion',
    stream: false,
    usage: { input: 10, cacheRead: 0, cacheWrite: 0, output: 5, reasoning: 0, images: 0 },
    provenance: 'supplier',
    price: A_PRICE,
    amountNano: 20_000n,
    costNano: 20_000n,
    ...AT_PRICE,
    ...NO_SESSION,
    outcome: 'completed',
    attempts: [],
    startedAtMs: 1,
    firstByteMs: 2,
    durationMs: 3,
    ...fields,
  }
}
