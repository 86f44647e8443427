import type {
  ApiKey,
  Budget,
  KeySecret,
  KeyState,
  RoutePolicy,
  UsageLimit,
} from '../../../vocabulary/api-key.ts'
import { decodeInteger, encodeInteger, toStoredJson } from '../columns.ts'
import type { Database } from '../database.ts'
import { insertRows, planInsert, upsertRow } from '../statements.ts'

interface KeyRow {
  readonly id: string
  readonly account_id: string
  readonly name: string
  readonly state: KeyState
  readonly route_policy: string
  readonly usage_limit: string | null
  readonly rpm: bigint | null
  readonly tpm: bigint | null
  readonly model_allowlist: string | null
  readonly budget: string | null
  readonly expires_at_ms: bigint | null
  readonly shared_fallback: bigint
  readonly created_at_ms: bigint
}

interface SecretRow {
  readonly fingerprint: string
  readonly key_id: string
  readonly last_four: string
  readonly expires_at_ms: bigint | null
}

const KEYS = { name: 'api_keys', key: ['id'] }

const INSERT_SECRETS = planInsert({
  table: 'key_secrets',
  columns: ['fingerprint', 'key_id', 'position', 'last_four', 'expires_at_ms'],
  ending: '',
})

export async function saveKey(tx: Database, key: ApiKey): Promise<void> {
  await upsertRow(tx, KEYS, {
    id: key.id,
    account_id: key.accountId,
    name: key.name,
    state: key.state,
    route_policy: toStoredJson(key.routePolicy),
    usage_limit: key.usageLimit && toStoredJson(key.usageLimit),
    rpm: encodeInteger(key.rpm),
    tpm: encodeInteger(key.tpm),
    model_allowlist: key.modelAllowlist && toStoredJson(key.modelAllowlist),
    budget: key.budget && toStoredJson(key.budget),
    expires_at_ms: encodeInteger(key.expiresAtMs),
    shared_fallback: BigInt(key.sharedFallback),
    created_at_ms: BigInt(key.createdAtMs),
  })
  await tx.rows('delete from key_secrets where key_id = $1', [key.id])
  await insertRows(
    tx,
    INSERT_SECRETS,
    key.secrets.map((secret, position) => [
      secret.fingerprint,
      key.id,
      BigInt(position),
      secret.lastFour,
      encodeInteger(secret.expiresAtMs),
    ]),
  )
}

export async function loadKeys(database: Database): Promise<ApiKey[]> {
  const keyRows = await database.rows<KeyRow>(
    `select id, account_id, name, state, route_policy, usage_limit, rpm, tpm, model_allowlist, budget,
      expires_at_ms, shared_fallback, created_at_ms
    from api_keys order by created_at_ms, id`,
    [],
  )
  const secretRows = await database.rows<SecretRow>(
    'select fingerprint, key_id, last_four, expires_at_ms from key_secrets order by key_id, position',
    [],
  )
  const secretsByKey = Map.groupBy(secretRows, (row) => row.key_id)
  return keyRows.map((row) => decodeKey(row, secretsByKey.get(row.id) ?? []))
}

function decodeKey(row: KeyRow, secretRows: readonly SecretRow[]): ApiKey {
  const routePolicy: RoutePolicy = JSON.parse(row.route_policy)
  const modelAllowlist: string[] | null = row.model_allowlist && JSON.parse(row.model_allowlist)
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    state: row.state,
    routePolicy,
    usageLimit: decodeAmount<UsageLimit>(row.usage_limit),
    rpm: decodeInteger(row.rpm),
    tpm: decodeInteger(row.tpm),
    modelAllowlist,
    budget: decodeAmount<Budget>(row.budget),
    expiresAtMs: decodeInteger(row.expires_at_ms),
    sharedFallback: row.shared_fallback === 1n,
    createdAtMs: Number(row.created_at_ms),
    secrets: secretRows.map(decodeSecret),
  }
}

/** Usage limits and budgets hold one amount each, stored as a decimal string. */
function decodeAmount<T extends UsageLimit | Budget>(text: string | null): T | null {
  if (text === null) return null
  const stored: Omit<T, 'amountNano'> & { amountNano: string } = JSON.parse(text)
  return { ...stored, amountNano: BigInt(stored.amountNano) } as unknown as T
}

function decodeSecret(row: SecretRow): KeySecret {
  return {
    fingerprint: row.fingerprint,
    lastFour: row.last_four,
    expiresAtMs: decodeInteger(row.expires_at_ms),
  }
}
