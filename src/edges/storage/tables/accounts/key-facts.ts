import { DAY_MS } from '../../../../rules/ledger/period.ts'
import type { KeyFacts } from '../../../../vocabulary/api-key.ts'
import type { Database } from '../../engines/database.ts'
import { inPortions, padded } from '../../query.ts'

const AT_ONCE = 256

/**
 * Each fact is one lookup in an index, however much a key was used. Days of spending tell of use whose settlements are
 * deleted. Creators who are no members of the account, such as operators, are not named.
 */
const READ = `select id,
    (select max(started_at_ms) from settlements where settlements.key_id = api_keys.id) as used_at_ms,
    (select max(day) from key_daily_spend where key_daily_spend.key_id = api_keys.id) as spent_on,
    (select users.email from audit_events
      join users on audit_events.actor = 'user:' || users.email
      join memberships on memberships.user_id = users.id and memberships.account_id = api_keys.account_id
      where audit_events.action = 'key.created' and audit_events.subject = api_keys.id
      limit 1) as created_by
  from api_keys where id in (${Array.from({ length: AT_ONCE }, (_, index) => `$${index + 1}`).join(', ')})`

interface FactsRow {
  readonly id: string
  readonly used_at_ms: bigint | null
  readonly spent_on: bigint | null
  readonly created_by: string | null
}

export async function loadKeyFacts(
  database: Database,
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, KeyFacts>> {
  const facts = new Map<string, KeyFacts>()
  for (const portion of inPortions(keyIds, AT_ONCE)) {
    const rows = await database.rows<FactsRow>(READ, [...padded(portion, AT_ONCE)])
    for (const row of rows) facts.set(row.id, { createdBy: row.created_by, lastUsedAtMs: lastUseOf(row) })
  }
  return facts
}

function lastUseOf({ used_at_ms, spent_on }: FactsRow): number | null {
  if (used_at_ms !== null) return Number(used_at_ms)
  return spent_on === null ? null : Number(spent_on) * DAY_MS
}
