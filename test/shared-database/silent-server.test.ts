import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Database, START_LOCK } from '../../src/edges/storage/engines/database.ts'
import { openPostgres } from '../../src/edges/storage/engines/postgres.ts'
import { ServerSilent, SILENCE_MS } from '../../src/edges/storage/engines/postgres-connections.ts'
import { ManualTime } from '../../src/edges/windows/testing/manual-time.ts'
import { startProxy, type TcpProxy } from '../nodes/support/tcp-proxy.ts'

const serverUrl = process.env.TEST_DATABASE_URL

describe.skipIf(!serverUrl)('a database server that vanishes silently', () => {
  let proxy: TcpProxy
  let database: Database
  let time: ManualTime

  beforeEach(async () => {
    const url = new URL(serverUrl ?? '')
    proxy = await startProxy('127.0.0.1', Number(url.port))
    url.port = String(proxy.port)
    time = new ManualTime(0)
    database = openPostgres(url.href, 'turnpike silence test', time)
    await Promise.all(Array.from({ length: 20 }, () => database.rows('select 1 as one', [])))
  })
  afterEach(async () => {
    await database.close()
    await proxy.stop()
  })

  const one = () => database.rows<{ one: bigint }>('select 1 as one', [])

  test('times out, and its successor is used', async () => {
    proxy.vanish()
    const asked = Promise.all([one(), one(), one()])
    void time.advance(SILENCE_MS)
    await expect(asked).rejects.toBeInstanceOf(ServerSilent)
    expect(await one()).toEqual([{ one: 1n }])
    expect(await database.transaction((tx) => tx.rows('select 2 as two', []))).toEqual([{ two: 2n }])
  })

  test('fails a transaction, in the middle and at its commit', async () => {
    const inTheMiddle = database.transaction(async (tx) => {
      proxy.vanish()
      void time.advance(SILENCE_MS)
      await tx.rows('select 1 as one', [])
    })
    await expect(inTheMiddle).rejects.toBeInstanceOf(ServerSilent)
    const atTheEnd = database.transaction(async (tx) => {
      await tx.rows('select 1 as one', [])
      proxy.vanish()
      void time.advance(SILENCE_MS)
    })
    await expect(atTheEnd).rejects.toBeInstanceOf(ServerSilent)
    expect(await one()).toEqual([{ one: 1n }])
  })

  test('does not undo work done under a lock, which becomes free', async () => {
    const lock = { name: `silence ${crypto.randomUUID()}`, patienceMs: 5_000 }
    const done = await database.exclusively(lock, async () => {
      proxy.vanish()
      void time.advance(SILENCE_MS)
      return 'done'
    })
    expect(done).toBe('done')
    expect(await database.exclusively(lock, async () => 'again')).toBe('again')
  })

  test('is distinguished from long queries, lock waits and pauses between queries', async () => {
    await database.transaction(async (tx) => {
      await tx.lockSchema()
      void time.advance(SILENCE_MS)
      await tx.rows('select pg_sleep(0.2)', [])
    })
    expect(await database.exclusively(START_LOCK, () => time.advance(SILENCE_MS).then(() => 'worked'))).toBe(
      'worked',
    )
    const slow = database.transaction(async (tx) => {
      await tx.rows('select 1 as one', [])
      await time.advance(SILENCE_MS)
      return tx.rows('select 2 as two', [])
    })
    expect(await slow).toEqual([{ two: 2n }])
  })
})
