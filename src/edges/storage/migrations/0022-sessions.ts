import type { Migration } from './migration.ts'

/** Settlements keep the session and the agent that the client named. Those without are in none of the indexes. */
export const sessions: Migration = {
  version: 22,
  name: 'sessions',
  statements: [
    'alter table settlements add column session text',
    'alter table settlements add column agent text',
    'alter table settlements add column parent_agent text',
    // Two accounts may use the same id, and neither reads through what the other has.
    `create index settlements_of_session on settlements (session, account_id, started_at_ms)
      where session is not null`,
    `create index settlements_of_agent on settlements (agent, account_id, started_at_ms)
      where agent is not null`,
  ],
}
