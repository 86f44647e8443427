import type { Database } from '../../src/edges/storage/engines/database.ts'
import { rebuildUsage } from '../../src/edges/storage/tables/money/usage.ts'

/** Requests an account has made, as if it had been used for a while. */
export interface Traffic {
  readonly accountId: string
  readonly keyIds: readonly string[] | Numbered
  /** Other accounts, each with one key of the same number, which make one request in five. */
  readonly others?: Others
  readonly models: readonly string[]
  readonly suppliers: readonly string[]
  readonly count: number
  readonly days: number
  /** The newest request ends about here. */
  readonly nowMs: number
}

/** Ids that end in a number from zero on. */
export interface Numbered {
  readonly prefix: string
  readonly count: number
}

export interface Others {
  readonly accounts: Numbered
  readonly keyPrefix: string
}

const DAY_MS = 86_400_000

const REQUEST_PREFIX = 'req_1'
const FIRST_NUMBER = 1_000_000_000

const PRICE = JSON.stringify({
  inputNanoPerMillion: '1250000000',
  outputNanoPerMillion: '10000000000',
  cacheReadNanoPerMillion: '125000000',
  cacheWriteNanoPerMillion: '1250000000',
  imageNano: '0',
})

/** Writes settlements and all totals derived from them, so that the ledger is consistent. */
export async function writeTraffic(database: Database, traffic: Traffic): Promise<void> {
  await insertSettlements(database, traffic)
  await database.rows(
    `insert into key_daily_spend (key_id, day, amount_nano)
    select key_id, cast((started_at_ms + duration_ms) / ${DAY_MS} as integer), cast(sum(amount_nano) as bigint)
    from settlements where request_id like '${REQUEST_PREFIX}%'
    group by key_id, cast((started_at_ms + duration_ms) / ${DAY_MS} as integer)
    on conflict (key_id, day) do update set amount_nano = excluded.amount_nano`,
    [],
  )
  await database.rows(
    `update account_balances set balance_nano = balance_nano - spent.nano
    from (select account_id, cast(sum(amount_nano) as bigint) as nano from settlements
      where request_id like '${REQUEST_PREFIX}%' group by account_id) as spent
    where spent.account_id = account_balances.account_id`,
    [],
  )
  await rebuildUsage(database)
  await countSessions(database)
}

const SESSION = "account_id || ' ' || key_id || ' ' || session"

async function countSessions(database: Database): Promise<void> {
  await database.rows(
    `insert into client_sessions (id, session, account_id, key_id, first_at_ms, last_at_ms, requests, errors,
      input_tokens, output_tokens, amount_nano, cost_nano)
    select ${SESSION}, session, account_id, key_id, min(started_at_ms), max(started_at_ms), count(*),
      count(case when outcome not in ('completed', 'client_left') then 1 end),
      sum(input_tokens + cache_read_tokens), sum(output_tokens), sum(amount_nano), sum(amount_nano)
    from settlements where session is not null group by account_id, key_id, session
    on conflict (id) do nothing`,
    [],
  )
  await database.rows(
    `insert into client_session_names (session_id, kind, name)
    select distinct ${SESSION}, 'model', model from settlements where session is not null
    on conflict (session_id, kind, name) do nothing`,
    [],
  )
}

// A million at once would take a busy server longer than anybody waits for an answer.
const PORTION = 50_000

/** Made by the database itself, since a million rows sent one by one would take minutes. */
async function insertSettlements(database: Database, traffic: Traffic): Promise<void> {
  const text = insertText(traffic)
  for (let done = 0; done < traffic.count; done += PORTION) {
    const end = Math.min(done + PORTION, traffic.count)
    await database.rows(text, [BigInt(done), BigInt(end), PRICE])
  }
}

/** An insert of the settlements from one number to another. */
function insertText(traffic: Traffic): string {
  const { models, suppliers, count, days, nowMs } = traffic
  const { account, key } = ownersOf(traffic)
  const startMs = nowMs - days * DAY_MS
  const spacingMs = Math.floor((days * DAY_MS) / count)
  const supplier = oneOf(suppliers, 'n * 7 % 11')
  // Input, output and cached tokens at the price above, in nano.
  // Some days are busier than others.
  const perDay = Math.max(Math.floor(count / days), 1)
  const output = `(60 + n * 37 % 400) * (2 + n / ${perDay} * 5 % 7)`
  const amount = `800 * 1250 + ${output} * 10000 + 100 * 125`
  return `with recursive series (n) as (
      select cast($1 as bigint) union all select n + 1 from series where n + 1 < $2
    )
    insert into settlements (request_id, account_id, key_id, model, supplier, credential_id, client_format,
      supplier_format, stream, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens,
      images, provenance, price, amount_nano, outcome, attempts, started_at_ms, first_byte_ms, duration_ms, session)
    select 'req_' || (n + ${FIRST_NUMBER}), ${account}, ${key},
      ${oneOf(models, 'n * 5 % 13')}, ${supplier}, 'cred_1', 'chat-completion', 'chat-completion', 1, 800, 100, 0,
      ${output}, 20, 0, 'supplier', $3, ${amount},
      case when n % 61 = 0 then 'supplier_failed' when n % 97 = 0 then 'client_left' else 'completed' end,
      '[{"supplier":"' || ${supplier} || '","credentialId":"cred_1","reason":"lowest price of those that are well",' ||
        '"result":"answered","status":200,"failure":null,"startedAtMs":' || (${startMs} + n * ${spacingMs}) ||
        ',"firstByteMs":210,"durationMs":1900}]',
      ${startMs} + n * ${spacingMs}, 180 + n * 31 % 240, 900 + n * 41 % 1900,
      case when n % 4 = 0 then 'session-' || (n / 400) end
    from series`
}

/** Whose a request is, by its number. */
function ownersOf({ accountId, keyIds, others }: Traffic): { account: string; key: string } {
  const ownKey = 'prefix' in keyIds ? numbered(keyIds, 'n * 13') : oneOf(keyIds, 'n * 13 % 17')
  if (others === undefined) return { account: `'${accountId}'`, key: ownKey }
  const { accounts, keyPrefix } = others
  const otherKey = numbered({ prefix: keyPrefix, count: accounts.count }, 'n / 5')
  return {
    account: `(case when n % 5 = 0 then ${numbered(accounts, 'n / 5')} else '${accountId}' end)`,
    key: `(case when n % 5 = 0 then ${otherKey} else ${ownKey} end)`,
  }
}

function numbered({ prefix, count }: Numbered, number: string): string {
  return `('${prefix}' || ((${number}) % ${count}))`
}

/** One of several texts, unevenly: the first ones more often. */
function oneOf(texts: readonly string[], number: string): string {
  const cases = texts.map((text, index) => `when ${number} % ${texts.length} = ${index} then '${text}'`)
  return `(case ${cases.join(' ')} else '${texts[0]}' end)`
}
