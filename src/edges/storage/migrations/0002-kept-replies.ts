import type { Migration } from './migration.ts'

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

    // What later requests may refer to by an id of its own. It goes when its reply goes.
    `create table kept_reply_items (
      account_id text not null,
      item_id text not null,
      reply_id text not null,
      sealed_item text not null,
      primary key (account_id, item_id),
      foreign key (account_id, reply_id) references kept_replies (account_id, id) on delete cascade
    )`,
    'create index kept_reply_items_of_reply on kept_reply_items (account_id, reply_id)',
  ],
}
