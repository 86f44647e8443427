import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Database } from '../../src/edges/storage/engines/database.ts'
import { saveAccount } from '../../src/edges/storage/tables/accounts/accounts.ts'
import { writeSettlements } from '../../src/edges/storage/tables/money/settlements.ts'
import { rebuildUsage } from '../../src/edges/storage/tables/money/usage.ts'
import { verifyLedger } from '../../src/edges/storage/tables/money/verify-ledger.ts'
import { type Site, testedEngines } from '../../src/edges/storage/testing/engines.ts'
import { ACCOUNT } from '../../src/edges/storage/testing/samples.ts'
import type { JournalReading } from '../../src/manage/ports/ledger.ts'
import type { Settlement } from '../../src/vocabulary/settlement.ts'
import {
  DAY_MS,
  FIRST_DAY_MS,
  fillLedger,
  forgetDays,
  paidSettlement,
  SETTLEMENTS,
} from './support/filled-ledger.ts'

const FORGOTTEN_DAYS = 2
const EMPTY: JournalReading = { settled: () => [], setAside: () => [] }

/** Changes to a ledger whose first two days are forgotten, and the difference each one causes. */
const TAMPERING: readonly [sql: string, expected: RegExp][] = [
  [
    "update account_balances set balance_nano = balance_nano + 1 where account_id = 'acc_1'",
    /^Account acc_1 has a balance/,
  ],
  [
    "update account_balances set balance_nano = 1 where account_id = 'acc_idle'",
    /^Account acc_idle has a balance of 0\.000000001, /,
  ],
  ["delete from account_balances where account_id = 'acc_1'", /^Account acc_1 has paid 0 in total/],
  [
    "update account_balances set total_paid_nano = 1 where account_id = 'acc_1'",
    /^Account acc_1 has paid 0\.000000001 in total/,
  ],
  [
    "update payments set amount_nano = amount_nano + 1 where id = 'pay_2'",
    /^The payment pay_2 and its ledger entry differ/,
  ],
  [
    "update payments set account_id = 'acc_idle' where id = 'pay_2'",
    /^The payment pay_2 and its ledger entry differ/,
  ],
  [
    "update payments set reference = 'x' where id = 'pay_2'",
    /^The payment pay_2 and its ledger entry differ/,
  ],
  ["delete from payments where id = 'pay_2'", /has an entry for the payment pay_2, which is not there/],
  ["delete from posted_entries where id = 'pay_2'", /^The payment pay_2 has no ledger entry/],
  [
    "update posted_entries set at_ms = 1 where id = 'pay_2'",
    /^The payment pay_2 and its ledger entry differ/,
  ],
  ["update refunds set amount_nano = 78 where id = 'ref_1'", /^The refund ref_1 and its ledger entry differ/],
  ["update refunds set reason = 'x' where id = 'ref_1'", /^The refund ref_1 and its ledger entry differ/],
  ['delete from refunds', /has an entry for the refund ref_1, which is not there/],
  ["delete from posted_entries where id = 'ref_1'", /^The refund ref_1 has no ledger entry/],
  ["update posted_entries set amount_nano = -4 where id = 'adj_1'", /^Account acc_1 has a balance/],
  ["delete from posted_entries where id = 'adj_1'", /^Account acc_1 has a balance/],
  [
    "update settlements set amount_nano = amount_nano + 1 where request_id = 'req_4_1'",
    /^Settlement req_4_1 was charged/,
  ],
  [
    "update settlements set output_tokens = output_tokens + 1 where request_id = 'req_4_1'",
    /^Settlement req_4_1 was charged/,
  ],
  ["update settlements set price = null where request_id = 'req_4_1'", /^Settlement req_4_1 was charged/],
  [
    "update settlements set markup_basis_points = 100 where request_id = 'req_4_1'",
    /^Settlement req_4_1 was charged/,
  ],
  [
    `update settlements set usage_details = '{"webSearches":1}',
      price = replace(price, '"imageNano"', '"webSearchNano":"1","imageNano"') where request_id = 'req_4_1'`,
    /^Settlement req_4_1 was charged/,
  ],
  ["update settlements set cost_nano = 1 where request_id = 'req_4_1'", /^Settlement req_4_1 has a cost of/],
  [
    `update settlements set cost_rates = replace(price, '"outputNanoPerMillion":"2', '"outputNanoPerMillion":"3')
      where request_id = 'req_4_1'`,
    /^Settlement req_4_1 has a cost of/,
  ],
  [
    "update settlements set key_id = 'key_x' where request_id = 'req_4_1'",
    /^Key (key_1|key_x) has a daily spend/,
  ],
  [
    "update settlements set account_id = 'acc_x' where request_id = 'req_4_1'",
    /^The usage by hour lacks \[.*"acc_x"/,
  ],
  ["update settlements set model = 'x' where request_id = 'req_4_1'", /^The usage by hour lacks \[.*"x"/],
  ["update settlements set supplier = 'x' where request_id = 'req_4_1'", /^The usage by hour lacks \[.*"x"/],
  [
    "update settlements set outcome = 'client_left' where request_id = 'req_4_1'",
    /^The usage by hour of .* has completed 1, but .* 0/,
  ],
  [
    "update settlements set reasoning_tokens = 0 where request_id = 'req_4_1'",
    /^The usage by hour of .* has reasoning_tokens/,
  ],
  [
    "update settlements set first_byte_ms = null where request_id = 'req_4_1'",
    /^The usage by hour of .* has first_bytes/,
  ],
  [
    "update settlements set duration_ms = 7 where request_id = 'req_4_1'",
    /^The usage by hour of .* has duration_ms/,
  ],
  [
    "update settlements set duration_ms = -86400000 where request_id = 'req_4_1'",
    /^Settlement req_4_1 ended before it started/,
  ],
  [
    "update settlements set started_at_ms = started_at_ms + 86400000 where request_id = 'req_4_1'",
    /^Key key_1 has a daily spend/,
  ],
  ["delete from settlements where request_id = 'req_4_1'", /^Key key_1 has a daily spend/],
  [
    "delete from settlements where request_id = 'req_4_3'",
    /^The usage by hour has \[.* of which there are no settlements/,
  ],
  [
    "update key_daily_spend set amount_nano = amount_nano - 1 where key_id = 'key_0' and day = (select max(day) from key_daily_spend)",
    /^Key key_0 has a daily spend/,
  ],
  [
    "delete from key_daily_spend where key_id = 'key_0' and day = (select min(day) from key_daily_spend)",
    /^Key key_0 has a daily spend of 0 on 2026-01-10/,
  ],
  [
    "insert into key_daily_spend (key_id, day, amount_nano) values ('key_9', 1, 5)",
    /^Key key_9 has a daily spend of 0\.000000005 on 1970-01-02/,
  ],
  [
    "insert into key_daily_spend (key_id, day, amount_nano) values ('key_9', 99999, 5)",
    /^Key key_9 has a daily spend/,
  ],
  [
    "update carried_settlements set amount_nano = amount_nano + 1 where key_id = 'key_0'",
    /^Key key_0 has a daily spend/,
  ],
  ["delete from carried_settlements where key_id = 'key_1'", /^Key key_1 has a daily spend/],
  [
    "update carried_settlements set account_id = 'acc_idle' where key_id = 'key_1'",
    /^Account acc_1 has a balance/,
  ],
  ...(['hour', 'day'] as const).flatMap((span): [string, RegExp][] => [
    [
      `update usage_totals set images = 9 where span = '${span}' and start_ms >= ${FIRST_DAY_MS + 4 * DAY_MS}`,
      new RegExp(`^The usage by ${span} of .* has images 9`),
    ],
    [
      `update usage_totals set margin_nano = 9 where span = '${span}' and start_ms >= ${FIRST_DAY_MS + 4 * DAY_MS}`,
      new RegExp(`^The usage by ${span} of .* has margin_nano 9`),
    ],
    [
      `delete from usage_totals where span = '${span}' and start_ms >= ${FIRST_DAY_MS + 4 * DAY_MS}`,
      new RegExp(`^The usage by ${span} lacks`),
    ],
    [
      `update usage_totals set output_tokens = 1 where span = '${span}' and start_ms < ${FIRST_DAY_MS + DAY_MS}`,
      /^The usage of .* on 2026-01-10 is not the sum of its hours/,
    ],
  ]),
  ...(['hour', 'day'] as const).flatMap((span): [string, RegExp][] => [
    [
      `update account_usage set images = 9 where span = '${span}' and start_ms >= ${FIRST_DAY_MS + 4 * DAY_MS}`,
      new RegExp(`^The usage of accounts by ${span} of .* has images 9, but`),
    ],
    [
      `delete from account_usage where span = '${span}' and account_id = '' and start_ms >= ${FIRST_DAY_MS + 4 * DAY_MS}`,
      new RegExp(`^The usage of accounts by ${span} lacks `),
    ],
    [
      `update account_usage set output_tokens = 1 where span = '${span}' and start_ms < ${FIRST_DAY_MS + DAY_MS}`,
      /^The usage of accounts of .* is not the sum of that of its keys/,
    ],
  ]),
  [
    `update usage_totals set amount_nano = amount_nano * 2 where start_ms < ${FIRST_DAY_MS + DAY_MS}`,
    /^Key key_0 spent .* on 2026-01-10, but its usage says/,
  ],
]

for (const engine of testedEngines()) {
  describe(`verifying the ledger on ${engine.name}`, () => {
    let site: Site
    let database: Database
    beforeEach(async () => {
      site = await engine.makeSite()
      database = await site.openDatabase()
      await fillLedger(database)
    })
    afterEach(async () => {
      await database.close()
      await site.remove()
    })

    const verify = (journal: JournalReading = EMPTY, mayWait = false) =>
      verifyLedger(database, journal, { mayWait })
    const differenceIn = async (journal?: JournalReading) => (await verify(journal)).difference

    test('finds nothing in a consistent ledger, and reports what it compared', async () => {
      expect(await verify()).toEqual({
        difference: null,
        checked: { accounts: 2, payments: 2, refunds: 1, settlements: 24, days: 6, journaled: 0 },
        waiting: 0,
      })
      await forgetDays(database, FORGOTTEN_DAYS)
      expect((await verify()).checked.settlements).toBe(24 - 4 * FORGOTTEN_DAYS)
    })

    test('reports every alteration', async () => {
      await forgetDays(database, FORGOTTEN_DAYS)
      for (const [sql, expected] of TAMPERING) {
        const undo = new Error('undo')
        let difference: string | null = null
        await database
          .transaction(async (tx) => {
            await tx.rows(sql, [])
            // Looks from inside the transaction, so that one filled database serves for all of them.
            difference = (await verifyLedger(seenFromInside(tx), EMPTY, { mayWait: false })).difference
            throw undo
          })
          .catch((error) => {
            if (error !== undo) throw error
          })
        expect([sql, difference]).toEqual([sql, expect.stringMatching(expected)])
      }
      expect(await differenceIn()).toBeNull()
    })

    test('reports entries of an unknown account', async () => {
      const unknownOwner = { requestId: 'req_lost', accountId: 'acc_lost', keyId: 'key_lost' }
      await writeSettlements(database, [paidSettlement({ ...unknownOwner, startedAtMs: FIRST_DAY_MS })])
      expect(await differenceIn()).toBe(
        'Settlement req_lost is of the account acc_lost, which does not exist.',
      )
      await saveAccount(database, { ...ACCOUNT, id: 'acc_lost' })
      expect(await differenceIn()).toBeNull()
      await database.rows(
        `insert into posted_entries (kind, id, account_id, amount_nano, at_ms)
        values ('adjustment', 'adj_up', 'acc_gone', 5, 1), ('adjustment', 'adj_down', 'acc_gone', -5, 2)`,
        [],
      )
      expect(await differenceIn()).toBe(
        'The ledger entry adj_down is of the account acc_gone, which does not exist.',
      )
      await database.rows("delete from posted_entries where account_id = 'acc_gone'", [])
      await database.rows("delete from accounts where id = 'acc_idle'", [])
      expect(await differenceIn()).toBe(
        'The balance acc_idle is of the account acc_idle, which does not exist.',
      )
    })

    test('reads a consistent snapshot during writes', async () => {
      let number = 0
      const write = () =>
        writeSettlements(database, [
          paidSettlement({ requestId: `req_more_${number++}`, startedAtMs: FIRST_DAY_MS }),
        ])
      const [found] = await Promise.all([verify(), ...Array.from({ length: 20 }, write)])
      expect(found.difference).toBeNull()
      expect((await verify()).checked.settlements).toBe(44)
    })

    test('a rebuild repairs usage and nothing else', async () => {
      await database.rows('update usage_totals set images = 1', [])
      await database.rows("update settlements set model = 'x' where request_id = 'req_4_1'", [])
      await rebuildUsage(database)
      expect(await differenceIn()).toBeNull()
      await database.rows('update key_daily_spend set amount_nano = 1', [])
      await rebuildUsage(database)
      expect(await differenceIn()).toMatch(/daily spend/)
    })

    describe('compares with the journal', () => {
      const written = SETTLEMENTS[20] as Settlement
      const unwritten = paidSettlement({ requestId: 'req_new', startedAtMs: FIRST_DAY_MS + 5 * DAY_MS })
      const saying = (settled: Settlement[], setAside: Settlement[] = []): JournalReading => ({
        settled: () => settled,
        setAside: () => setAside,
      })

      test('matching entries', async () => {
        expect((await verify(saying([...SETTLEMENTS]))).checked.journaled).toBe(24)
        const other = { ...written, amountNano: written.amountNano + 1n }
        expect(await differenceIn(saying([other]))).toBe(
          `Settlement ${written.requestId} has another amount_nano in the journal than in the database.`,
        )
        const failed = { ...written, outcome: 'refused' as const }
        expect(await differenceIn(saying([failed]))).toContain('another outcome')
      })

      test('entries that only the journal has', async () => {
        const journal = saying([written, unwritten])
        expect(await differenceIn(journal)).toBe(
          'Settlement req_new is in the journal, but not in the database.',
        )
        expect(await verify(journal, true)).toMatchObject({ difference: null, waiting: 1 })
      })

      test('entries set aside, unless they were entered by hand since', async () => {
        expect(await differenceIn(saying([], [unwritten]))).toContain('req_new is set aside')
        expect(await differenceIn(saying([], [{ ...unwritten, amountNano: 0n, price: null }]))).toBeNull()
        await writeSettlements(database, [unwritten])
        expect(await differenceIn(saying([], [unwritten]))).toBeNull()
      })

      test('but not entries older than the retained details', async () => {
        await forgetDays(database, FORGOTTEN_DAYS)
        expect(await differenceIn(saying([...SETTLEMENTS]))).toBeNull()
      })
    })
  })
}

/** Each transaction counts as one moment. */
function seenFromInside(tx: Database): Database {
  return { ...tx, rows: tx.rows.bind(tx), snapshot: (work) => work(tx) } as Database
}
