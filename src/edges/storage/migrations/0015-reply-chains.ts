import type { Migration } from './migration.ts'

/**
 * A kept reply holds what is new and continues from the one before. Replies from before this have no turn: they hold
 * their whole history, and nothing continues from them by a link.
 */
export const replyChains: Migration = {
  version: 15,
  name: 'reply-chains',
  statements: [
    // A table of its own: behind a large content SQLite would have to read all of it to get at these.
    `create table reply_turns (
      turn_id text primary key,
      account_id text not null,
      reply_id text not null,
      previous_turn_id text references reply_turns (turn_id) on delete set null,
      links bigint not null,
      children bigint not null,
      created_at_ms bigint not null,
      size_bytes bigint not null,
      item_bytes bigint not null,
      pieces bigint not null,
      unique (account_id, reply_id),
      foreign key (account_id, reply_id) references kept_replies (account_id, id)
        on delete cascade on update cascade
    )`,
    'create index reply_turns_of_previous on reply_turns (previous_turn_id)',
    // Which reply to remove first when an account has stored too much.
    'create index reply_turns_by_age on reply_turns (account_id, children, created_at_ms)',

    // Large contents, in pieces that are sealed and written one by one.
    `create table kept_reply_pieces (
      piece_id text primary key,
      sealed_piece text not null
    )`,
    // Turns whose pieces nobody needs, or that are still being written until they are due.
    `create table unused_reply_pieces (
      turn_id text primary key,
      pieces bigint not null,
      due_at_ms bigint not null
    )`,

    // How much each account has stored, and what changes of its chains are kept apart by.
    `create table kept_reply_bytes (
      account_id text primary key,
      size_bytes bigint not null
    )`,
  ],
}
