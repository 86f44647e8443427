import type { SealedPlace } from '../../../../rules/access/server-secret.ts'
import type { Database } from '../../engines/database.ts'
import { prepare, queryOn } from '../../query.ts'
import { ConversationItem, StoredConversation } from '../../stored-shapes.ts'
import { tableOf } from '../../table.ts'
import { SEALED_COLUMNS } from '../supply/sealed-columns.ts'
import { addStoredBytes } from './reply-turns.ts'

export const CONVERSATIONS = tableOf('conversations', StoredConversation, { key: ['account_id', 'id'] })

export const CONVERSATION_ITEMS = tableOf('conversation_items', ConversationItem, {
  key: ['account_id', 'conversation_id', 'position'],
})

export function metadataPlace(accountId: string, id: string): SealedPlace {
  return { ...SEALED_COLUMNS.conversations, id: [accountId, id] }
}

type ContentKey = Pick<ConversationItem, 'accountId' | 'conversationId' | 'contentId'>

export function contentPlace({ accountId, conversationId, contentId }: ContentKey): SealedPlace {
  return { ...SEALED_COLUMNS.conversationItems, id: [accountId, conversationId, contentId] }
}

const FIND_LEAST_USED = prepare((query, given: { accountId: string; spared: string }) =>
  query
    .selectFrom('conversations')
    .select(['id', 'used_at_ms'])
    .where('account_id', '=', given.accountId)
    .where('id', '<>', given.spared)
    .orderBy('used_at_ms')
    .limit(1),
)

/** The conversation that an account has not used for the longest time. */
export async function findLeastUsed(
  tx: Database,
  accountId: string,
  spared: string,
): Promise<{ readonly id: string; readonly atMs: number } | null> {
  const row = await FIND_LEAST_USED.first(tx, { accountId, spared })
  return row === undefined ? null : { id: row.id, atMs: Number(row.used_at_ms) }
}

/** Deletes a conversation with its items. Returns the account's stored bytes; null when there was no such conversation. */
export async function releaseConversation(
  tx: Database,
  accountId: string,
  id: string,
): Promise<number | null> {
  const found = await CONVERSATIONS.find(tx, { accountId, id })
  if (found === null) return null
  await queryOn(tx)
    .insertInto('unused_reply_pieces')
    .columns(['turn_id', 'pieces', 'due_at_ms'])
    .expression((from) =>
      from
        .selectFrom('conversation_items')
        .select((row) => ['content_id', 'pieces', row.lit<number>(0).as('due_at_ms')])
        .where('account_id', '=', accountId)
        .where('conversation_id', '=', id)
        .where('pieces', '>', 0n),
    )
    .execute()
  await CONVERSATIONS.remove(tx, { accountId, id })
  return addStoredBytes(tx, accountId, -found.sizeBytes)
}
