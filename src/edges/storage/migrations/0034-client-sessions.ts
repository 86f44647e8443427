import type { Migration } from './migration.ts'

const ID = "account_id || ' ' || key_id || ' ' || session"

function nameSessions(kind: 'model' | 'agent'): string {
  return `insert into client_session_names (session_id, kind, name)
    select distinct ${ID}, '${kind}', ${kind} from settlements
    where session is not null and ${kind} is not null`
}

/** The totals of each session, so that a list of sessions need not read their settlements. */
export const clientSessions: Migration = {
  version: 34,
  name: 'client-sessions',
  statements: [
    `create table client_sessions (
      id text primary key,
      session text not null,
      account_id text not null,
      key_id text not null,
      first_at_ms bigint not null,
      last_at_ms bigint not null,
      requests bigint not null,
      errors bigint not null,
      input_tokens bigint not null,
      output_tokens bigint not null,
      amount_nano bigint not null,
      cost_nano bigint not null
    )`,
    // The models and the agents of a session.
    `create table client_session_names (
      session_id text not null,
      kind text not null check (kind in ('model', 'agent')),
      name text not null,
      primary key (session_id, kind, name)
    )`,
    `insert into client_sessions
    select ${ID}, session, account_id, key_id, min(started_at_ms), max(started_at_ms), count(*),
      count(case when outcome not in ('completed', 'client_left') then 1 end),
      sum(input_tokens + cache_read_tokens + cache_write_tokens), sum(output_tokens),
      sum(amount_nano), sum(coalesce(cost_nano, amount_nano))
    from settlements where session is not null group by account_id, key_id, session`,
    nameSessions('model'),
    nameSessions('agent'),
    'create index client_sessions_by_time on client_sessions (last_at_ms, id)',
    'create index client_sessions_of_account on client_sessions (account_id, last_at_ms, id)',
    'create index client_sessions_of_key on client_sessions (key_id, last_at_ms, id)',
    'create index client_sessions_by_name on client_sessions (session)',
  ],
}
