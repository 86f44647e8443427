import type { Migration } from './migration.ts'

/** Conversations that clients name by id, and chat completions that they asked to store. */
export const conversations: Migration = {
  version: 24,
  name: 'conversations',
  statements: [
    `create table conversations (
      account_id text not null,
      id text not null,
      created_at_ms bigint not null,
      used_at_ms bigint not null,
      expires_at_ms bigint not null,
      items bigint not null,
      next_position bigint not null,
      size_bytes bigint not null,
      sealed_metadata text not null,
      primary key (account_id, id)
    )`,
    'create index conversations_by_expiry on conversations (expires_at_ms)',
    // Which conversation to remove first when an account has stored too much.
    'create index conversations_by_use on conversations (account_id, used_at_ms)',

    // The content comes last: SQLite reads a row from its start, and lists need only what is before it.
    `create table conversation_items (
      account_id text not null,
      conversation_id text not null,
      position bigint not null,
      item_id text not null,
      content_id text not null,
      pieces bigint not null,
      size_bytes bigint not null,
      sealed_item text not null,
      primary key (account_id, conversation_id, position),
      unique (account_id, conversation_id, item_id),
      unique (account_id, conversation_id, content_id),
      foreign key (account_id, conversation_id) references conversations (account_id, id) on delete cascade
    )`,

    // The completion and its messages are a kept reply; this is what lists are made of.
    `create table stored_chats (
      account_id text not null,
      reply_id text not null,
      model text not null,
      created_at_ms bigint not null,
      sealed_metadata text not null,
      primary key (account_id, reply_id),
      foreign key (account_id, reply_id) references kept_replies (account_id, id)
        on delete cascade on update cascade
    )`,
    'create index stored_chats_by_time on stored_chats (account_id, created_at_ms, reply_id)',
    'create index stored_chats_by_model on stored_chats (account_id, model, created_at_ms, reply_id)',
    // A fingerprint for each pair of the metadata, to list by. The pair itself is sealed.
    `create table stored_chat_labels (
      account_id text not null,
      reply_id text not null,
      label text not null,
      created_at_ms bigint not null,
      primary key (account_id, reply_id, label),
      foreign key (account_id, reply_id) references stored_chats (account_id, reply_id)
        on delete cascade on update cascade
    )`,
    'create index stored_chats_by_label on stored_chat_labels (account_id, label, created_at_ms, reply_id)',
  ],
}
