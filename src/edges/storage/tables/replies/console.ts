import type { SealedPlace } from '../../../../rules/access/server-secret.ts'
import { text } from '../../../../vocabulary/field.ts'
import { BodyStorage, KeptBody, type KeptContent } from '../../../../vocabulary/settlement.ts'
import type { Row } from '../../../../vocabulary/shape.ts'
import type { DatabaseEngine } from '../../../../vocabulary/system.ts'
import { PlaygroundKey } from '../../../../vocabulary/user.ts'
import { readPage } from '../../cursor.ts'
import { allOf, given, queryOn } from '../../query.ts'
import type { StoreMethods } from '../../store.ts'
import { tableOf } from '../../table.ts'
import { SEALED_COLUMNS } from '../supply/sealed-columns.ts'

const SealedBody = KeptBody.pick('SealedBody', ['accountId', 'requestId', 'createdAtMs']).with('SealedBody', {
  sealedContent: text(),
})
const BODIES = tableOf('kept_bodies', SealedBody, { key: ['account_id', 'request_id'] })
const BODY_STORAGE = tableOf('body_storage', BodyStorage, { key: ['account_id'] })
const PLAYGROUND_KEYS = tableOf('playground_keys', PlaygroundKey, { key: ['user_id', 'account_id'] })

// To count more would take long, and says little.
const MAX_COUNTED = 100_000n

/** Storage that only the console uses. */
export const consoleStore = {
  loadBodyStorage: ({ database }) => BODY_STORAGE.list(database),
  saveBodyStorage: ({ changes }, setting, event) =>
    changes.write(event, (tx) => BODY_STORAGE.save(tx, setting)),

  // Encrypted, so that a copy of the database does not reveal the bodies of requests.
  saveBody: async ({ database, secrets }, body) => {
    const { request, response, isRequestCut, isResponseCut } = body
    const content: KeptContent = { request, response, isRequestCut, isResponseCut }
    const sealedContent = secrets.seal(JSON.stringify(content), placeOf(body.accountId, body.requestId))
    await BODIES.save(database, { ...body, createdAtMs: Math.round(body.createdAtMs), sealedContent })
  },
  findBody: async ({ database, secrets }, ...[accountId, requestId, sinceMs]) => {
    const found = await BODIES.find(database, { accountId, requestId })
    if (found === null || found.createdAtMs < sinceMs) return null
    const { sealedContent, ...body } = found
    const content: KeptContent = JSON.parse(secrets.open(sealedContent, placeOf(accountId, requestId)))
    return { ...body, ...content }
  },
  readBodies: async ({ database, secrets, nextTurn }, ...[accountId, { fromMs, toMs }, page]) => {
    const wanted = given<'kept_bodies'>([
      ['account_id', '=', accountId],
      ['created_at_ms', '>=', fromMs],
      ['created_at_ms', '<', toMs],
    ])
    const query = queryOn(database).selectFrom('kept_bodies').select(SealedBody.columns).where(allOf(wanted))
    const order = {
      at: 'created_at_ms',
      id: 'request_id',
      decode: (row: Row<typeof SealedBody>) => row,
    } as const
    const { data, nextCursor } = await readPage(query, page, order)
    const bodies: KeptBody[] = []
    for (const row of data) {
      const { sealedContent, ...body } = SealedBody.fromRow(row)
      const place = placeOf(body.accountId, body.requestId)
      bodies.push({ ...body, ...(JSON.parse(secrets.open(sealedContent, place)) as KeptContent) })
      await nextTurn()
    }
    return { data: bodies, nextCursor }
  },
  countBodies: async ({ database }, ...[accountId, { fromMs, toMs }]) => {
    const some = queryOn(database)
      .selectFrom('kept_bodies')
      .select('created_at_ms')
      .where('account_id', '=', accountId)
      .where('created_at_ms', '>=', BigInt(fromMs))
      .where('created_at_ms', '<', BigInt(toMs))
      .limit(MAX_COUNTED)
    const { count } = await queryOn(database)
      .selectFrom(some.as('some'))
      .select((row) => row.fn.countAll<bigint>().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  },
  // In small portions, so that no other write waits long.
  deleteBodies: async ({ database }, ...[accountId, beforeMs, atMost]) => {
    const deleted = await queryOn(database)
      .deleteFrom('kept_bodies')
      .where(({ eb, refTuple, selectFrom }) =>
        eb(
          refTuple('account_id', 'request_id'),
          'in',
          selectFrom('kept_bodies')
            .select(['account_id', 'request_id'])
            .where('account_id', '=', accountId)
            .where('created_at_ms', '<', BigInt(beforeMs))
            .limit(BigInt(atMost))
            .$asTuple('account_id', 'request_id'),
        ),
      )
      .returning('request_id')
      .execute()
    return deleted.length
  },

  findPlaygroundKey: async ({ database }, { userId, accountId }) =>
    (await PLAYGROUND_KEYS.find(database, { userId, accountId }))?.keyId ?? null,
  savePlaygroundKey: ({ database }, key) => PLAYGROUND_KEYS.save(database, key),
  describeDatabase: async ({ database, engine }) => {
    const [row] = await database.rows<{ size_bytes: bigint }>(SIZES[engine], [])
    return { engine, sizeBytes: Number(row?.size_bytes ?? 0) }
  },
} satisfies Partial<StoreMethods>

function placeOf(accountId: string, requestId: string): SealedPlace {
  return { ...SEALED_COLUMNS.bodies, id: [accountId, requestId] }
}

const SIZES: Readonly<Record<DatabaseEngine, string>> = {
  sqlite: 'select page_count * page_size as size_bytes from pragma_page_count(), pragma_page_size()',
  postgresql: 'select pg_database_size(current_database()) as size_bytes',
}
