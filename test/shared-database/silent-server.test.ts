import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Database, START_LOCK } from '../../src/edges/storage/database.ts'
import { openPostgres } from '../../src/edges/storage/postgres.ts'
import { ServerSilent } from '../../src/edges/storage/postgres-connections.ts'
import { startProxy, type TcpProxy } from '../nodes/support/tcp-proxy.ts'

const serverUrl = process.env.TEST_DATABASE_URL
// Long enough for twenty connections on a machine whose processors are busy.
const SILENCE_MS = 1_000

describe.skipIf(!serverUrl)('a server that vanishes without a word', () => {
  let proxy: TcpProxy
  let database: Database

  beforeEach(async () => {
    const url = new URL(serverUrl ?? '')
    proxy = await startProxy('127.0.0.1', Number(url.port))
    url.port = String(proxy.port)
    database = openPostgres(url.href, 'turnpike silence test', SILENCE_MS)
    await Promise.all(Array.from({ length: 20 }, () => database.rows('select 1 as one', [])))
  })
  afterEach(async () => {
    await database.close()
    await proxy.stop()
  })

  const one = () => database.rows<{ one: bigint }>('select 1 as one', [])

  test('is waited for so long and no longer, and then its successor is asked', async () => {
    proxy.vanish()
    await expect(Promise.all([one(), one(), one()])).rejects.toBeInstanceOf(ServerSilent)
    expect(await one()).toEqual([{ one: 1n }])
    expect(await database.transaction((tx) => tx.rows('select 2 as two', []))).toEqual([{ two: 2n }])
  })

  test('ends a transaction, in the middle of it and at its end', async () => {
    const inTheMiddle = database.transaction(async (tx) => {
      proxy.vanish()
      await tx.rows('select 1 as one', [])
    })
    await expect(inTheMiddle).rejects.toBeInstanceOf(ServerSilent)
    const atTheEnd = database.transaction(async (tx) => {
      await tx.rows('select 1 as one', [])
      proxy.vanish()
    })
    await expect(atTheEnd).rejects.toBeInstanceOf(ServerSilent)
    expect(await one()).toEqual([{ one: 1n }])
  })

  test('takes nothing from work that was done under a lock, which others may then take', async () => {
    const lock = { name: `silence ${crypto.randomUUID()}`, patienceMs: 5_000 }
    const done = await database.exclusively(lock, async () => {
      proxy.vanish()
      return 'done'
    })
    expect(done).toBe('done')
    expect(await database.exclusively(lock, async () => 'again')).toBe('again')
  })

  test('is not taken for one that works for long, or waits for a lock, or for work between two questions', async () => {
    const long = SILENCE_MS + 200
    await database.transaction(async (tx) => {
      await tx.lockSchema()
      await tx.rows('select pg_sleep($1)', [String(long / 1_000)])
    })
    expect(await database.exclusively(START_LOCK, () => Bun.sleep(long).then(() => 'worked'))).toBe('worked')
    const slow = database.transaction(async (tx) => {
      await tx.rows('select 1 as one', [])
      await Bun.sleep(long)
      return tx.rows('select 2 as two', [])
    })
    expect(await slow).toEqual([{ two: 2n }])
  })
})
