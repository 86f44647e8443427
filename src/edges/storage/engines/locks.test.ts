import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import type { NodeStorage } from '../index.ts'
import { openAt, type Site, testedEngines } from '../testing/engines.ts'
import { type Helper, startHelper } from '../testing/processes.ts'
import { ACCOUNT, auditEvent } from '../testing/samples.ts'
import { LockedOut } from './database.ts'

const PROCESS_TEST_MS = 300_000

for (const engine of testedEngines()) {
  describe(`locks between processes on ${engine.name}`, () => {
    let site: Site
    let storage: NodeStorage
    let helpers: Helper[]

    beforeEach(async () => {
      site = await engine.makeSite()
      storage = await openAt(site)
      helpers = []
    })
    afterEach(async () => {
      for (const helper of helpers) helper.kill()
      await Promise.all(helpers.map(({ ended }) => ended))
      await storage.close()
      await site.remove()
    })

    const hold = async (kind: string) => {
      const holder = startHelper('lock-holder', [kind], site)
      helpers.push(holder)
      await holder.ready
      return holder
    }
    /** How a lock is asked for here that another process may hold. */
    const ask = (kind: 'changing' | 'start', work: () => Promise<string>) =>
      kind === 'changing' ? storage.whileChanging(work) : storage.exclusively(work)

    for (const kind of ['changing', 'start'] as const) {
      test(
        `the "${kind}" lock waits while another process holds it`,
        async () => {
          const holder = await hold(kind)
          let isOver = false
          const waiting = ask(kind, async () => (isOver ? 'after' : 'during'))
          // The event loop goes on: an answer from the database comes in while the lock is waited for.
          await storage.ping()
          isOver = true
          holder.release()
          expect(await waiting).toBe('after')
          expect(await holder.ended).toBe(0)
        },
        PROCESS_TEST_MS,
      )

      test(
        `the "${kind}" lock is free when its holder is killed`,
        async () => {
          const holder = await hold(kind)
          const waiting = ask(kind, async () => 'had')
          holder.kill()
          expect(await waiting).toBe('had')
        },
        PROCESS_TEST_MS,
      )
    }

    test(
      'a job that runs in another process is skipped, and is free again once that process is killed',
      async () => {
        const holder = await hold('sweep')
        expect(await storage.unlessRunning('sweep', async () => 'here')).toBeNull()
        expect(await storage.unlessRunning('other', async () => 'here')).toBe('here')
        holder.kill()
        await holder.ended
        const isFree = async () => (await storage.unlessRunning('sweep', async () => 'here')) === 'here'
        while (!(await isFree())) await Bun.sleep(5)
      },
      PROCESS_TEST_MS,
    )

    test('a job does not start twice in one process, and can run again later', async () => {
      const outer = await storage.unlessRunning('sweep', () =>
        storage.unlessRunning('sweep', async () => 'inner'),
      )
      expect(outer).toBeNull()
      expect(await storage.unlessRunning('sweep', async () => 'again')).toBe('again')
    })

    test('a change can be made while a first start goes on', async () => {
      expect(await storage.exclusively(() => storage.whileChanging(async () => 'made'))).toBe('made')
    })

    test('a failure releases the lock and is rethrown', async () => {
      const failure = new Error('on purpose')
      const fail = () => Promise.reject(failure)
      expect(await storage.whileChanging(fail).catch((error) => error)).toBe(failure)
      expect(await storage.exclusively(fail).catch((error) => error)).toBe(failure)
      expect(await storage.unlessRunning('job', fail).catch((error) => error)).toBe(failure)
      expect(await storage.whileChanging(async () => 'made')).toBe('made')
    })

    test('waiting for a lock times out with an error', async () => {
      const database = await site.openDatabase()
      const lock = { name: 'tested', patienceMs: 30 }
      const inner = database.exclusively(lock, () => database.exclusively(lock, async () => 'twice'))
      expect(await inner.catch((error) => error)).toBeInstanceOf(LockedOut)
      expect(await database.exclusively(lock, async () => 'once')).toBe('once')
      await database.close()
    })

    test(
      'processes that write at once wait for one another, and nothing is lost',
      async () => {
        const [processes, each] = [3, 25]
        helpers = Array.from({ length: processes }, (_, index) =>
          startHelper('change-writer', [`node${index}`, String(each)], site),
        )
        await Promise.all(helpers.map(({ ready }) => ready))
        for (const helper of helpers) helper.release()
        expect(await Promise.all(helpers.map(({ ended }) => ended))).toEqual([0, 0, 0])
        const { accounts, version } = await storage.loadConfiguration()
        expect(accounts).toHaveLength(processes * each)
        expect(version).toBe(1 + processes * each)
        const [balance] = await storage.loadStoredBalances([ACCOUNT.id])
        expect(balance).toMatchObject({
          balanceNano: -1_000n * BigInt(processes * each),
          version: BigInt(processes * each),
        })
      },
      PROCESS_TEST_MS,
    )

    test('a process that lost the lock unknowingly cannot overwrite changes of others', async () => {
      const other = await openAt(site)
      const change = storage.whileChanging(async () => {
        await storage.saveAccount(ACCOUNT, auditEvent('evt_1'))
        // As another node would once the server has given the lock to it.
        await other.saveAccount({ ...ACCOUNT, name: 'theirs' }, auditEvent('evt_2'))
        await storage.saveAccount({ ...ACCOUNT, name: 'ours' }, auditEvent('evt_3'))
      })
      expect(await change.catch((error) => error)).toMatchObject({ code: 'temporarily_unavailable' })
      expect((await storage.loadConfiguration()).accounts.map(({ name }) => name)).toEqual(['theirs'])
      await other.close()
    })
  })
}

for (const engine of testedEngines().filter(({ name }) => name === 'PostgreSQL')) {
  test('a lock whose connection is cut becomes free, and its holder can still finish', async () => {
    const site = await engine.makeSite()
    const [storage, other] = [await openAt(site), await openAt(site)]
    const server = new SQL(site.databaseUrl ?? '', { max: 1 })
    const result = await storage.whileChanging(async () => {
      await server.unsafe(
        // Other tests have databases on the same server.
        `select pg_terminate_backend(pid) from pg_locks
        where locktype = 'advisory' and granted
        and database = (select oid from pg_database where datname = current_database())`,
        [],
      )
      await other.whileChanging(() => other.saveAccount({ ...ACCOUNT, id: 'acc_2' }, auditEvent('evt_2')))
      return 'done'
    })
    expect(result).toBe('done')
    expect(await storage.whileChanging(async () => 'again')).toBe('again')
    expect((await storage.loadConfiguration()).accounts.map(({ id }) => id)).toEqual(['acc_2'])
    await Promise.all([server.close(), storage.close(), other.close()])
    await site.remove()
  })
}
