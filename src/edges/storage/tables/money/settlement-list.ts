import { type SqlBool, sql } from 'kysely'
import { GatewayError } from '../../../../errors/gateway-error.ts'
import type { Placed } from '../../../../manage/ports/ledger.ts'
import type { Listing, Page } from '../../../../manage/ports/page.ts'
import {
  type Settlement,
  type SettlementListFilter,
  SHORTEST_ID_START,
} from '../../../../vocabulary/settlement.ts'
import { decodeCursor, encodeCursor, inOrder, type Position, pageOf, readPage } from '../../cursor.ts'
import type { Database } from '../../engines/database.ts'
import { allOf, analysisOn } from '../../query.ts'
import { needsScan, readSlice } from './search/scan-settlements.ts'
import { plain, restConditions, settlementConditions } from './search/settlement-conditions.ts'
import { isByHour, readByHour } from './search/settlements-by-hour.ts'
import { createPriceReader, decodeSettlement, SETTLEMENT_COLUMNS } from './settlement-rows.ts'

export async function listSettlements(
  database: Database,
  filter: SettlementListFilter,
  page: Page,
): Promise<Listing<Settlement>> {
  if (filter.requestId !== undefined) return listById(database, filter, page)
  if (needsScan(filter)) return listByScan(database, filter, page)
  if (!isByHour(filter)) {
    const query = settlements(database).where(allOf(settlementConditions(filter)))
    return readPage(query, page, {
      at: 'started_at_ms',
      id: 'request_id',
      decode: (row) => decodeSettlement(row),
    })
  }
  const portion = {
    position: page.cursor === null ? null : decodeCursor(page.cursor),
    limit: page.limit + 1,
  }
  const rows = await readByHour(database, filter, portion)
  return pageOf(
    rows.map((row) => decodeSettlement(row)),
    page,
    positionOf,
  )
}

function positionOf({ startedAtMs, requestId }: Settlement): Position {
  return { atMs: startedAtMs, id: requestId }
}

/** Ids begin with the time, so that the newest has the highest. */
async function listById(
  database: Database,
  { requestId = '', ...filter }: SettlementListFilter,
  page: Page,
): Promise<Listing<Settlement>> {
  if (requestId.length < SHORTEST_ID_START) {
    throw new GatewayError(
      'invalid_request',
      `id must be a request id, or at least its first ${SHORTEST_ID_START} characters.`,
      { param: 'id' },
    )
  }
  // The rest of an id is made of digits and the letters up to f.
  const ofId = sql<SqlBool>`request_id >= ${requestId} and request_id < ${`${requestId}g`}`
  const others = plain([...settlementConditions(filter), ...restConditions(filter)])
  let query = settlements(database).where(allOf([ofId, ...others]))
  if (page.cursor !== null) query = query.where('request_id', '<', decodeCursor(page.cursor).id)
  const rows = await query
    .orderBy('request_id', 'desc')
    .limit(BigInt(page.limit + 1))
    .execute()
  return pageOf(
    rows.map((row) => decodeSettlement(row)),
    page,
    positionOf,
  )
}

// A page that takes longer ends early; its cursor leads on from there.
const MAX_SLICES = 25

/** A page may hold fewer than the limit, or nothing, although more pages follow. */
async function listByScan(
  database: Database,
  filter: SettlementListFilter,
  page: Page,
): Promise<Listing<Settlement>> {
  const found: Settlement[] = []
  let { cursor } = page
  for (let slices = 0; slices < MAX_SLICES; slices += 1) {
    const slice = await readSlice(database, { filter, direction: 'desc', cursor })
    found.push(...slice.found)
    if (found.length > page.limit || slice.last === null) return pageOf(found, page, positionOf)
    cursor = encodeCursor(slice.last)
    await pause()
  }
  return { data: found, nextCursor: cursor }
}

/** In the order they started in, so that an export can go on where another was cut off. */
export async function readSettlements(
  database: Database,
  filter: SettlementListFilter,
  page: Page,
): Promise<Placed<Settlement>[]> {
  if (needsScan(filter) || filter.supplier !== undefined) return readByScan(database, filter, page)
  const query = settlements(database).where(allOf(settlementConditions(filter)))
  const order = { at: sql.ref<bigint>('started_at_ms'), id: 'request_id', direction: 'asc' } as const
  const rows = await inOrder(query, page, order).limit(BigInt(page.limit)).execute()
  const readPrice = createPriceReader()
  return rows.map((row) => ({
    item: decodeSettlement(row, readPrice),
    cursor: encodeCursor({ atMs: Number(row.started_at_ms), id: row.request_id }),
  }))
}

/** Goes on until the page is full, slice by slice. */
async function readByScan(
  database: Database,
  filter: SettlementListFilter,
  page: Page,
): Promise<Placed<Settlement>[]> {
  const found: Settlement[] = []
  let { cursor } = page
  do {
    const slice = await readSlice(database, { filter, direction: 'asc', cursor })
    found.push(...slice.found)
    cursor = slice.last === null ? null : encodeCursor(slice.last)
    await pause()
  } while (cursor !== null && found.length < page.limit)
  return found.slice(0, page.limit).map((item) => ({ item, cursor: encodeCursor(positionOf(item)) }))
}

/** With an embedded database, nothing else would let other requests go on. */
function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function settlements(database: Database) {
  return analysisOn(database).selectFrom('settlements').select(SETTLEMENT_COLUMNS)
}
