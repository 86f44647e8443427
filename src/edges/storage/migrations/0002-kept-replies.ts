import type { Migration } from '../migrations.ts'

/** Replies that later requests may continue from; the content is sealed under the server secret. */
export const keptReplies: Migration = {
  version: 2,
  name: 'kept-replies',
  statements: [
    `create table kept_replies (
      account_id text not null,
      id text not null,
      created_at_ms bigint not null,
      expires_at_ms bigint not null,
      sealed_content text not null,
      primary key (account_id, id)
    )`,
    'create index kept_replies_expiry on kept_replies (expires_at_ms)',
  ],
}
