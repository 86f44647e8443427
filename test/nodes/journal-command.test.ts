import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { appendFileSync, cpSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createJournalCommand } from '../../src/cli/commands/journal.ts'
import { FileJournal } from '../../src/edges/journal/file-journal.ts'
import { type Engine, openAt, type Site, testedEngines } from '../../src/edges/storage/testing/engines.ts'
import { ACCOUNT, auditEvent } from '../../src/edges/storage/testing/samples.ts'
import type { AdmissionRecord } from '../../src/vocabulary/settlement.ts'
import { FIRST_DAY_MS, paidSettlement } from '../ledger/support/filled-ledger.ts'
import { eventually } from '../support/eventually.ts'
import { findDifference } from '../support/find-difference.ts'
import { makeDataFolder, removeDataFolder } from '../support/test-gateway.ts'

const idOf = (index: number) => `req_${String(index).padStart(4, '0')}`
const SETTLED = 450

const UNDER_WAY: Omit<AdmissionRecord, 'requestId'> = {
  accountId: 'acc_1',
  keyId: 'key_1',
  model: 'model-1',
  clientFormat: 'chat-completion',
  stream: true,
  holdNano: 5n,
  startedAtMs: FIRST_DAY_MS,
}

let left: string
beforeEach(() => {
  left = makeDataFolder()
})
afterEach(() => removeDataFolder(left))

/** A node that could not reach its database and ends with requests under way. */
async function leaveJournal(folder: string): Promise<FileJournal> {
  const journal = await FileJournal.start({
    folder,
    dataFolder: left,
    persist: () => Promise.reject(new Error('away')),
    isRefusal: () => false,
    fsync: 'never',
    onTrouble: () => undefined,
    segmentBytes: 50_000,
  })
  for (let index = 0; index < SETTLED; index += 1)
    await journal.settle(paidSettlement({ requestId: idOf(index) }))
  for (const requestId of ['req_open_1', 'req_open_2']) journal.open({ ...UNDER_WAY, requestId })
  return journal
}

async function type(environment: Record<string, string>, ...words: string[]) {
  let printed = ''
  const status = await createJournalCommand(environment).run(words, {
    print: (text) => {
      printed += text
    },
    printError: () => undefined,
    untilInterrupted: async () => {},
  })
  return { status, printed }
}

async function makeDatabase(engine: Engine): Promise<{ site: Site; environment: Record<string, string> }> {
  const site = await engine.makeSite()
  const storage = await openAt(site)
  await storage.saveAccount(ACCOUNT, auditEvent('evt_made'))
  await storage.close()
  const environment = {
    TURNPIKE_DATA: site.dataFolder,
    TURNPIKE_SECRET: 'a server secret that only tests use',
    ...(site.databaseUrl !== null && { DATABASE_URL: site.databaseUrl }),
  }
  return { site, environment }
}

for (const engine of testedEngines()) {
  describe(`turnpike journal replay on ${engine.name}`, () => {
    let site: Site
    let environment: Record<string, string>
    beforeEach(async () => {
      ;({ site, environment } = await makeDatabase(engine))
    })
    afterEach(() => site.remove())

    async function readState() {
      const storage = await openAt(site)
      try {
        const { data } = await storage.listSettlements({}, { limit: 1_000, cursor: null })
        const outcomes = Object.groupBy(data, ({ outcome }) => outcome)
        return {
          completed: outcomes.completed?.length,
          interrupted: outcomes.interrupted?.map(({ requestId }) => requestId).sort(),
          difference: await findDifference(storage),
        }
      } finally {
        await storage.close()
      }
    }

    test('charges a request whose admission and settlement are in different files, replayed one by one', async () => {
      const folder = join(left, 'journal')
      const journal = await FileJournal.start({
        folder,
        persist: () => Promise.reject(new Error('away')),
        isRefusal: () => false,
        fsync: 'never',
        onTrouble: () => undefined,
        segmentBytes: 1,
      })
      journal.open({ ...UNDER_WAY, requestId: 'req_long' })
      journal.open({ ...UNDER_WAY, requestId: 'req_lost' })
      await eventually('the next file', () => readdirSync(folder).length === 2)
      await journal.settle(paidSettlement({ requestId: 'req_long' }))
      await journal.close()
      const [first = '', ...later] = readdirSync(folder).sort()
      const early = await type(environment, 'replay', join(folder, first))
      expect(early.printed).toStartWith('New: 0. Known before: 0. Interrupted: 2.')
      for (const file of later) await type(environment, 'replay', join(folder, file))
      expect(await readState()).toEqual({ completed: 1, interrupted: ['req_lost'], difference: null })
      const again = await type(environment, 'replay', folder)
      expect(again.printed).toStartWith('New: 0. Known before: 2. Interrupted: 0.')
    })

    test('stores the journal of a dead node once, however often and in whatever parts it is replayed', async () => {
      const journal = await leaveJournal(join(left, 'journal'))
      await journal.close()
      const files = readdirSync(join(left, 'journal')).sort()
      appendFileSync(join(left, 'journal', files.at(-1) ?? ''), '{"type":"settled","settl')
      const first = await type(environment, 'replay', join(left, 'journal', files[0] ?? ''), '--json')
      const { added } = JSON.parse(first.printed)
      expect(added).toBeGreaterThan(0)
      expect(added).toBeLessThan(SETTLED)
      // A copy, as one that was brought from another machine: no process has ever run on it.
      const copy = join(left, 'copy')
      cpSync(join(left, 'journal'), join(copy, 'journal'), { recursive: true })
      const second = await type(environment, 'replay', copy)
      expect(second.status).toBe(0)
      expect(second.printed).toStartWith(
        `New: ${SETTLED - added}. Known before: ${added}. Interrupted: 2. Damaged lines: 1.\n`,
      )
      const third = await type(environment, 'replay', join(left, 'journal'))
      expect(third.printed).toStartWith(`New: 0. Known before: ${SETTLED + 2}. Interrupted: 0.`)
      expect(await readState()).toEqual({
        completed: SETTLED,
        interrupted: ['req_open_1', 'req_open_2'],
        difference: null,
      })
      expect(readdirSync(join(left, 'journal')).sort()).toEqual(files)
    })

    test('lists settlements the database refuses, and stores the rest', async () => {
      const journal = await leaveJournal(join(left, 'journal'))
      await journal.settle({ ...paidSettlement({ requestId: 'req_bad' }), amountNano: 2n ** 63n })
      await journal.close()
      const { status, printed } = await type(environment, 'replay', left)
      expect(status).toBe(1)
      expect(printed).toContain(`New: ${SETTLED}.`)
      expect(printed).toContain('The database refused 1: req_bad.')
      expect((await readState()).difference).toBeNull()
    })

    test('refuses the journal of another installation', async () => {
      const journal = await leaveJournal(join(left, 'journal'))
      await journal.settle(paidSettlement({ requestId: 'req_foreign', accountId: 'acc_foreign' }))
      await journal.close()
      const replay = type(environment, 'replay', left)
      await expect(replay).rejects.toThrow('does not know 1 of its accounts: acc_foreign')
      expect((await readState()).completed).toBeUndefined()
    })

    test('refuses the journal of a running node', async () => {
      const journal = await leaveJournal(join(left, 'journal-1'))
      const replay = type(environment, 'replay', join(left, 'journal-1'))
      await expect(replay).rejects.toThrow('a running gateway writes the journal')
      await journal.close()
      expect((await type(environment, 'replay', left)).printed).toContain(`New: ${SETTLED}.`)
    })
  })
}

describe('turnpike journal', () => {
  test('shows the contents of a journal without a database', async () => {
    const journal = await leaveJournal(join(left, 'journal'))
    await journal.close()
    const { printed } = await type({}, 'show', left, '--json')
    expect(JSON.parse(printed)).toMatchObject([{ settled: SETTLED, under_way: 2, damaged: 0 }])
    expect((await type({}, 'show', left)).printed).toContain(`${SETTLED} settlements (`)
  })

  test.each([
    [[], 'takes one of two words'],
    [['replay'], 'usage: turnpike journal replay'],
    [['show', 'a', 'b'], 'usage: turnpike journal show'],
    [['show', '/nowhere/at/all'], 'there is no journal at'],
  ])('%p gets an error that explains the usage', async (words, expected) => {
    await expect(type({}, ...words)).rejects.toThrow(expected)
  })

  test('refuses a folder that is no journal, and creates no database', async () => {
    mkdirSync(join(left, 'images'))
    await expect(type({}, 'replay', join(left, 'images'))).rejects.toThrow('there is no journal at')
    const journal = await leaveJournal(join(left, 'journal'))
    await journal.close()
    const elsewhere = { TURNPIKE_DATA: join(left, 'elsewhere') }
    await expect(type(elsewhere, 'replay', left)).rejects.toThrow('there is no database in')
  })
})
