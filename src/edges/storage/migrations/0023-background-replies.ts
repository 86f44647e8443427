import type { Migration } from './migration.ts'

/** Replies that are made in the background: who makes them, their events, and how those ended that were not completed. */
export const backgroundReplies: Migration = {
  version: 23,
  name: 'background-replies',
  statements: [
    // No reference to kept_replies: a reply that is finished takes the place of the one that was queued.
    `create table background_replies (
      account_id text not null,
      id text not null,
      running_on text,
      status text not null,
      is_streamed bigint not null,
      request_id text not null,
      admission text not null,
      created_at_ms bigint not null,
      events bigint not null,
      event_bytes bigint not null,
      primary key (account_id, id)
    )`,
    // What a node makes, and what dead nodes have left behind.
    'create index background_replies_running on background_replies (running_on) where running_on is not null',
    `create index background_replies_of_account on background_replies (account_id)
      where running_on is not null`,

    `create table background_events (
      batch_id text primary key,
      account_id text not null,
      reply_id text not null,
      first_number bigint not null,
      sealed_frames text not null,
      foreign key (account_id, reply_id) references background_replies (account_id, id) on delete cascade
    )`,
    'create index background_events_of_reply on background_events (account_id, reply_id, first_number)',

    // Of replies that failed or were cancelled.
    `create table background_endings (
      account_id text not null,
      reply_id text not null,
      sealed_reply text not null,
      primary key (account_id, reply_id),
      foreign key (account_id, reply_id) references background_replies (account_id, id) on delete cascade
    )`,
  ],
}
