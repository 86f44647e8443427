import type { Migration } from './migration.ts'

export const alertChannels: Migration = {
  version: 27,
  name: 'alert-channels',
  statements: [
    // The address of a channel may be a secret, so it is encrypted with the signing secret.
    `create table alert_channels (
      id text primary key,
      type text not null,
      kinds text not null,
      enabled bigint not null,
      sealed_target text not null,
      created_at_ms bigint not null
    )`,

    `create table channel_messages (
      id text primary key,
      channel_id text not null references alert_channels (id) on delete cascade,
      message text not null,
      at_ms bigint not null,
      state text not null,
      tries bigint not null,
      due_at_ms bigint,
      last_failure text
    )`,
    `create index channel_messages_due on channel_messages (due_at_ms) where state = 'pending'`,
    'create index channel_messages_of_channel on channel_messages (channel_id, at_ms)',
  ],
}
