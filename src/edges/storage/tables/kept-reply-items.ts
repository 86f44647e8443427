import type { KeptReply } from '../../../gateway/ports/reply-store.ts'
import type { SealedPlace, Sealer } from '../../../rules/access/server-secret.ts'
import type { Database } from '../database.ts'
import { insertRows, planInsert } from '../statements.ts'

interface KeptReplyItemRow {
  readonly item_id: string
  readonly sealed_item: string
}

const INSERT = planInsert({
  table: 'kept_reply_items',
  columns: ['account_id', 'item_id', 'reply_id', 'sealed_item'],
  ending: `on conflict (account_id, item_id) do update set
    reply_id = excluded.reply_id, sealed_item = excluded.sealed_item`,
})

function placeOf(accountId: string, itemId: string): SealedPlace {
  return { table: 'kept_reply_items', column: 'sealed_item', id: [accountId, itemId] }
}

export interface SealedItem {
  readonly id: string
  readonly sealed: string
}

export function sealItems(
  accountId: string,
  items: ReadonlyMap<string, unknown>,
  secrets: Sealer,
): readonly SealedItem[] {
  return [...items].map(([id, item]) => ({
    id,
    sealed: secrets.seal(JSON.stringify(item), placeOf(accountId, id)),
  }))
}

export async function insertReplyItems(
  tx: Database,
  { accountId, id }: Pick<KeptReply, 'accountId' | 'id'>,
  items: readonly SealedItem[],
): Promise<void> {
  await insertRows(
    tx,
    INSERT,
    items.map((item) => [accountId, item.id, id, item.sealed]),
  )
}
// Asked for in portions of one size, so that one statement stays prepared.
const PORTION = 32
const PLACES = Array.from({ length: PORTION }, (_, index) => `$${index + 3}`).join(', ')
const SELECT = `select kept_reply_items.item_id, kept_reply_items.sealed_item
  from kept_reply_items
  join kept_replies on kept_replies.account_id = kept_reply_items.account_id
    and kept_replies.id = kept_reply_items.reply_id
  where kept_reply_items.account_id = $1 and kept_replies.expires_at_ms > $2
    and kept_reply_items.item_id in (${PLACES})`

export async function findReplyItems(
  database: Database,
  wanted: { readonly accountId: string; readonly ids: readonly string[]; readonly nowMs: number },
  secrets: Sealer,
): Promise<ReadonlyMap<string, unknown>> {
  const found = new Map<string, unknown>()
  for (let start = 0; start < wanted.ids.length; start += PORTION) {
    const ids = wanted.ids.slice(start, start + PORTION)
    const padding = Array.from({ length: PORTION - ids.length }, () => ids[0] ?? '')
    const parameters = [wanted.accountId, BigInt(wanted.nowMs), ...ids, ...padding]
    for (const row of await database.rows<KeptReplyItemRow>(SELECT, parameters)) {
      const item = secrets.open(row.sealed_item, placeOf(wanted.accountId, row.item_id))
      found.set(row.item_id, JSON.parse(item))
    }
  }
  return found
}
