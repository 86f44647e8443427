import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  appendFileSync,
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../../../test/support/eventually.ts'
import { createMovableClock } from '../../../test/support/movable-clock.ts'
import { NO_USAGE } from '../../conversation/usage.ts'
import { AT_PRICE, NO_SESSION, type Settlement } from '../../vocabulary/settlement.ts'
import { FileJournal, type JournalOptions } from './file-journal.ts'
import type { DamagedLine } from './recover.ts'

let place = ''
let folder = ''
let stored: Settlement[] = []
let troubles: unknown[] = []
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'turnpike-journal-'))
  folder = join(place, 'journal')
  stored = []
  troubles = []
})
afterEach(() => rmSync(place, { recursive: true }))

function start(more: Partial<JournalOptions> = {}): Promise<FileJournal> {
  const persist = async (batch: readonly Settlement[]) => void stored.push(...batch)
  return FileJournal.start({
    folder,
    persist,
    isRefusal: (error) => error instanceof RangeError,
    fsync: 'never',
    onTrouble: (error) => void troubles.push(error),
    ...more,
  })
}

const identity = (requestId: string) =>
  ({
    requestId,
    accountId: 'a',
    keyId: 'k',
    model: 'm',
    clientFormat: 'chat-completion',
    stream: false,
    startedAtMs: 1,
  }) as const
const record = (id: string) => ({ ...identity(id), holdNano: 9n })
const settlement = (id: string): Settlement => ({
  ...identity(id),
  supplier: null,
  credentialId: null,
  supplierFormat: null,
  usage: NO_USAGE,
  provenance: 'supplier',
  price: null,
  amountNano: 7n,
  costNano: 7n,
  ...AT_PRICE,
  ...NO_SESSION,
  outcome: 'completed',
  attempts: [],
  firstByteMs: null,
  durationMs: 1,
})
const outcomes = () => stored.map(({ requestId, outcome, amountNano }) => [requestId, outcome, amountNano])
const refuse = () => Promise.reject(new Error('away'))
/** What was written to a pipe since it was last read. */
function readPipe(descriptor: number): string {
  const bytes = Buffer.alloc(64 * 1024)
  return bytes.toString('utf8', 0, readSync(descriptor, bytes))
}
const filesIn = (path = folder) => readdirSync(path).sort()

test('close stores everything and leaves no file', async () => {
  const journal = await start()
  journal.open(record('one'))
  await journal.settle(settlement('one'))
  await journal.close()
  expect(outcomes()).toEqual([['one', 'completed', 7n]])
  expect(filesIn()).toEqual([])
})

test('the next start recovers unstored settlements, a torn line and open admissions', async () => {
  const journal = await start({ persist: refuse })
  journal.open(record('open'))
  await journal.settle(settlement('done'))
  await journal.close()
  appendFileSync(join(folder, filesIn()[0] ?? ''), '{"type":"settled","settl')
  const next = await start()
  expect(outcomes()).toEqual([
    ['done', 'completed', 7n],
    ['open', 'interrupted', 0n],
  ])
  await next.close()
  expect(filesIn()).toEqual(['damaged'])
})

test('a settlement waits for the database while the disk fails, and fails only when both do', async () => {
  const journal = await start({ segmentBytes: 1 })
  symlinkSync('/dev/full', join(folder, 'journal-00000002.jsonl'))
  await journal.settle(settlement('first'))
  await journal.settle(settlement('second'))
  expect(outcomes().map(([id]) => id)).toContain('second')
  expect(troubles.length).toBeGreaterThan(0)
  await journal.close()
})

test('sets a refused settlement aside and stores the rest, also at the next start', async () => {
  const isBad = ({ requestId }: Settlement) => requestId === 'bad'
  const persist = async (batch: readonly Settlement[]) => {
    if (batch.some(isBad)) throw new RangeError('out of range')
    stored.push(...batch)
  }
  const asides: string[] = []
  const journal = await start({ persist, onSetAside: ({ requestId }) => void asides.push(requestId) })
  await Promise.all(['one', 'bad', 'two'].map((id) => journal.settle(settlement(id))))
  await journal.close()
  expect(stored.map(({ requestId }) => requestId)).toEqual(['one', 'two'])
  expect(filesIn()).toEqual(['set-aside.jsonl'])
  expect(asides).toEqual(['bad'])
  expect(troubles).toHaveLength(1)
  await (await start({ persist })).close()
  expect(stored).toHaveLength(2)
})

const idOf = (index: number) => `request-${String(index).padStart(4, '0')}`

/** A database that is unavailable until `isAway` is cleared. */
class Database {
  isAway = true
  readonly ids: string[] = []
  largestBatch = 0

  readonly persist = async (batch: readonly Settlement[]) => {
    if (this.isAway) throw new Error('away')
    this.largestBatch = Math.max(this.largestBatch, batch.length)
    this.ids.push(...batch.map(({ requestId }) => requestId))
  }
}

describe('while the database is away', () => {
  test('what does not fit in memory waits in the files and is stored once, in order', async () => {
    const database = new Database()
    const journal = await start({ persist: database.persist, maxInMemory: 10, segmentBytes: 20_000 })
    for (let index = 0; index < 500; index += 1) {
      journal.open(record(idOf(index)))
      await journal.settle(settlement(idOf(index)))
    }
    expect([journal.waiting, filesIn().length > 5]).toEqual([500, true])
    database.isAway = false
    await journal.catchUp()
    expect(database.ids).toEqual(Array.from({ length: 500 }, (_, index) => idOf(index)))
    expect([journal.waiting, journal.waitingBytes, journal.oldestAtMs]).toEqual([0, 0, null])
    expect(filesIn()).toHaveLength(1)
    await journal.settle(settlement('later'))
    await journal.close()
    expect(database.ids.slice(500)).toEqual(['later'])
    expect(filesIn()).toEqual([])
  })

  test('the same with one write per turn, and with requests that settle during the read', async () => {
    const database = new Database()
    const journal = await start({
      persist: async (batch) => {
        await database.persist(batch)
        if (database.ids.length < 400) await journal.settle(settlement(`more-${database.ids.length}`))
      },
      fsync: 'always',
      maxInMemory: 7,
      segmentBytes: 9_000,
    })
    const ids = Array.from({ length: 300 }, (_, index) => idOf(index))
    for (let first = 0; first < ids.length; first += 20) {
      await Promise.all(ids.slice(first, first + 20).map((id) => journal.settle(settlement(id))))
    }
    database.isAway = false
    await journal.catchUp()
    await journal.close()
    expect(database.ids.filter((id) => id.startsWith('request'))).toEqual(ids)
    expect(database.ids).toHaveLength(new Set(database.ids).size)
    expect(database.ids.length).toBeGreaterThan(300)
    expect(filesIn()).toEqual([])
  })

  test('the next start after a crash recovers everything, including requests under way', async () => {
    const journal = await start({ persist: refuse, maxInMemory: 3, segmentBytes: 2_000 })
    journal.open(record('under way'))
    for (let index = 0; index < 20; index += 1) await journal.settle(settlement(idOf(index)))
    await journal.close()
    const found: unknown[] = []
    const next = await start({ onRecovered: (_folder, recovered) => void found.push(recovered) })
    expect(found).toEqual([{ settled: 20, interrupted: 1, damaged: 0 }])
    expect(outcomes()).toHaveLength(21)
    await next.close()
  })

  test('a long request keeps only its own file', async () => {
    const database = new Database()
    database.isAway = false
    const journal = await start({ persist: database.persist, segmentBytes: 1, fsync: 'always' })
    journal.open(record('long'))
    // An admission is written a few milliseconds after it was noted.
    await eventually('the admission in its file', () => filesIn().length > 1)
    for (let index = 0; index < 5; index += 1) await journal.settle(settlement(idOf(index)))
    await journal.catchUp()
    expect(filesIn()).toEqual(['journal-00000001.jsonl', 'journal-00000007.jsonl'])
    await journal.settle(settlement('long'))
    await journal.catchUp()
    expect(filesIn()).toEqual(['journal-00000008.jsonl'])
    await journal.close()
  })
})

describe('catching up', () => {
  /** Whose database answers once the gate is open. */
  async function startGated() {
    const database = new Database()
    const gate = Promise.withResolvers<void>()
    const persist = async (batch: readonly Settlement[]) => {
      await gate.promise
      await database.persist(batch)
    }
    return { database, gate, journal: await start({ persist }) }
  }

  test('ends when what was there is stored, although every batch brings another settlement', async () => {
    const batches: number[] = []
    const journal = await start({
      persist: async (batch) => {
        batches.push(batch.length)
        if (batches.length < 50) await journal.settle(settlement(`more-${batches.length}`))
      },
    })
    for (let index = 0; index < 3; index += 1) await journal.settle(settlement(idOf(index)))
    await journal.catchUp()
    expect(batches).toEqual([3])
    // The one that has come since then.
    await journal.catchUp()
    expect(batches).toEqual([3, 1])
    await journal.close()
  })

  test('of those who come while a batch is stored, includes what was settled by then', async () => {
    const { database, gate, journal } = await startGated()
    database.isAway = false
    await journal.settle(settlement('first'))
    const first = journal.catchUp()
    await journal.settle(settlement('second'))
    const second = journal.catchUp()
    gate.resolve()
    await first
    expect(database.ids).toEqual(['first'])
    await second
    expect(database.ids).toEqual(['first', 'second'])
    await journal.close()
  })

  test('tries once itself when it came during an attempt that failed', async () => {
    const { database, gate, journal } = await startGated()
    await journal.settle(settlement('first'))
    const first = journal.catchUp().then(() => {
      database.isAway = false
      return [...database.ids]
    })
    const second = journal.catchUp().then(() => [...database.ids])
    gate.resolve()
    expect([await first, await second]).toEqual([[], ['first']])
    await journal.close()
  })

  test.each(Array.from({ length: 20 }, (_, steps) => steps))(
    'includes what was settled %d steps after a batch was stored',
    async (steps) => {
      const database = new Database()
      database.isAway = false
      const later: Promise<readonly string[]>[] = []
      const settleLater = async () => {
        for (let step = 0; step < steps; step += 1) await null
        await journal.settle(settlement('second'))
        await journal.catchUp()
        return [...database.ids]
      }
      const journal = await start({
        persist: async (batch) => {
          await database.persist(batch)
          if (later.length === 0) later.push(settleLater())
        },
      })
      await journal.settle(settlement('first'))
      await journal.catchUp()
      expect(await later[0]).toEqual(['first', 'second'])
      await journal.close()
    },
  )

  test('ends when the journal is closed', async () => {
    const journal = await start({ persist: refuse })
    await journal.settle(settlement('first'))
    const waiting = [journal.catchUp(), journal.catchUp()]
    await journal.close()
    await Promise.all(waiting)
  })
})

test('while the database is away, requests that settle do not bring the next attempt forward', async () => {
  const attemptedAtMs: number[] = []
  const journal = await start({
    persist: () => {
      attemptedAtMs.push(performance.now())
      return refuse()
    },
  })
  // More than any batch, so each of them makes the next one due.
  for (let index = 0; index < 600; index += 1) await journal.settle(settlement(`early-${index}`))
  await eventually('the first attempt', () => attemptedAtMs.length === 1)
  while (attemptedAtMs.length < 3) {
    await journal.settle(settlement(`late-${journal.waiting}`))
    await Bun.sleep(2)
  }
  const [first = 0, second = 0, third = 0] = attemptedAtMs
  expect(second - first).toBeGreaterThan(190)
  expect(third - second).toBeGreaterThan(490)
  await journal.close()
})

describe('the bounds', () => {
  const bounds = { maxBytes: 5_000, maxAgeMs: 60_000, clock: createMovableClock(1_000) }

  test('of size refuse until the database has stored what waits', async () => {
    const database = new Database()
    const journal = await start({ persist: database.persist, bounds, maxInMemory: 2 })
    let index = 0
    while (journal.refusal() === null && index < 100) {
      await journal.settle(settlement(idOf(index)))
      index += 1
    }
    expect(journal.refusal()).toContain('limit 5000 bytes')
    expect(journal.waitingBytes).toBeGreaterThan(5_000)
    expect(journal.waitingBytes).toBeLessThan(5_000 + journal.waitingBytes / index + 1)
    database.isAway = false
    await journal.catchUp()
    expect([journal.refusal(), database.ids.length]).toEqual([null, index])
    await journal.close()
  })

  test('of age count from the end of a request and refuse until it is stored', async () => {
    const database = new Database()
    const clock = createMovableClock(10_000_000)
    const journal = await start({ persist: database.persist, bounds: { ...bounds, clock } })
    await journal.settle({ ...settlement('long'), startedAtMs: 1_000_000, durationMs: 9_000_000 })
    expect(journal.oldestAtMs).toBe(10_000_000)
    clock.advance(60_001)
    // A clock that was set is no reason to refuse; a database that was asked and did not take it is.
    expect(journal.refusal()).toBeNull()
    await journal.catchUp()
    expect(journal.refusal()).toContain('for more than 60 seconds')
    clock.advance(-1)
    expect(journal.refusal()).toBeNull()
    database.isAway = false
    await journal.catchUp()
    expect(journal.refusal()).toBeNull()
    await journal.close()
  })
})

describe('while the disk fails', () => {
  /** Its second file is on a disk that is full. */
  async function startOnFullDisk(more: Partial<JournalOptions>): Promise<FileJournal> {
    const journal = await start({ segmentBytes: 1, ...more })
    symlinkSync('/dev/full', join(folder, 'journal-00000002.jsonl'))
    await journal.settle(settlement('before'))
    expect(journal.refusal()).toBeNull()
    return journal
  }
  const settleQuietly = (journal: FileJournal, id: string) =>
    Promise.resolve(journal.settle(settlement(id))).then(
      () => 'written',
      (error: unknown) => String(error),
    )

  for (const fsync of ['never', 'always'] as const) {
    test(`refuses from the first failed write on, and drops what the database does not store either (${fsync})`, async () => {
      const database = new Database()
      const journal = await startOnFullDisk({ persist: database.persist, fsync })
      const ids = [idOf(1), idOf(2), idOf(3)]
      const answers = await Promise.all(ids.map((id) => settleQuietly(journal, id)))
      expect(answers).toEqual(ids.map(() => 'Error: away'))
      expect(journal.refusal()).toContain('cannot record request costs')
      database.isAway = false
      await journal.close()
      expect(database.ids).toEqual(['before'])
    })
  }

  test('keeps owed settlements until the database stores them', async () => {
    const database = new Database()
    const journal = await startOnFullDisk({ persist: database.persist })
    expect(await settleQuietly(journal, 'one')).toBe('Error: away')
    journal.owe({ ...settlement('one'), outcome: 'interrupted' })
    expect(journal.waiting).toBe(2)
    database.isAway = false
    await journal.catchUp()
    await journal.close()
    expect(database.ids.toSorted()).toEqual(['before', 'one'])
  })

  test('reports for each settlement whether it is stored, also when the database fails later', async () => {
    const taken: string[] = []
    const persist = async (batch: readonly Settlement[]) => {
      if (batch.some(({ requestId }) => requestId === 'before')) throw new Error('away')
      taken.push(...batch.map(({ requestId }) => requestId))
    }
    const journal = await startOnFullDisk({ persist })
    expect(await settleQuietly(journal, 'one')).toBe('written')
    await journal.catchUp()
    expect(taken).toEqual(['one'])
    await journal.close()
  })
})

test('writes owed settlements to the file once the disk works again', async () => {
  const journal = await start({ segmentBytes: 1, persist: refuse })
  const pipe = join(folder, 'journal-00000002.jsonl')
  Bun.spawnSync(['mkfifo', pipe])
  const reader = openSync(pipe, 'r+')
  await journal.settle(settlement('before'))
  closeSync(reader)
  await expect(Promise.resolve(journal.settle(settlement('lost')))).rejects.toThrow('away')
  journal.owe(settlement('owed'))
  const nextReader = openSync(pipe, 'r+')
  await eventually('a disk that writes', () => !journal.isDiskFailing)
  await eventually('what is owed in the file', () => readPipe(nextReader).includes('"requestId":"owed"'))
  await journal.close()
  closeSync(nextReader)
})

describe('a damaged line', () => {
  const segment = () => join(folder, filesIn().find((name) => name.startsWith('journal-')) ?? '')

  async function leaveLines(): Promise<string[]> {
    const journal = await start({ persist: refuse })
    for (let index = 0; index < 4; index += 1) await journal.settle(settlement(idOf(index)))
    await journal.close()
    return readFileSync(segment(), 'latin1').trimEnd().split('\n')
  }

  const flipped = (line: string, at: number) =>
    line.slice(0, at) + String.fromCharCode(line.charCodeAt(at) ^ 1) + line.slice(at + 1)

  test('is reported and kept byte for byte, and the lines around it are stored', async () => {
    const lines = await leaveLines()
    const amountAt = lines[0]?.indexOf('"amountNano":"7"') ?? -1
    // Another digit is still JSON: only the checksum tells.
    const rotten = flipped(lines[0] ?? '', amountAt + '"amountNano":"'.length)
    const torn = lines[2]?.slice(0, 90) ?? ''
    const garbage = '\x00\xff\xfe garbage'
    const cutOff = '{"type":"settled","settl'
    const content = [rotten, lines[1], torn, garbage, lines[3], cutOff].join('\n')
    writeFileSync(segment(), content, 'latin1')
    const damaged: DamagedLine[] = []
    const next = await start({ onDamaged: (line) => void damaged.push(line) })
    expect(stored.map(({ requestId }) => requestId)).toEqual([idOf(1), idOf(3)])
    expect(damaged.map(({ kind }) => kind)).toEqual(['altered', 'altered', 'altered', 'cut_off'])
    expect(damaged.map(({ offset, bytes }) => content.slice(offset, offset + bytes).trimEnd())).toEqual([
      rotten,
      torn,
      garbage,
      cutOff,
    ])
    await next.close()
    expect(filesIn()).toEqual(['damaged'])
    const kept = join(folder, 'damaged', 'journal-00000001.jsonl')
    expect(new Set(damaged.map(({ keptIn }) => keptIn))).toEqual(new Set([kept]))
    expect(readFileSync(kept, 'latin1')).toBe(`${rotten}\n${torn}\n${garbage}\n${cutOff}\n`)
  })

  test('stays in its file when it cannot be copied', async () => {
    await leaveLines()
    appendFileSync(segment(), 'garbage\n')
    writeFileSync(join(folder, 'damaged'), 'a file, where a folder is needed')
    const damaged: DamagedLine[] = []
    const next = await start({ onDamaged: (line) => void damaged.push(line) })
    expect(damaged.map(({ keptIn }) => keptIn)).toEqual([null])
    await next.close()
    expect(filesIn()).toEqual(['damaged', 'journal-00000001.jsonl'])
    expect(stored).toHaveLength(4)
  })

  test('is also kept when the running journal reads it back', async () => {
    const database = new Database()
    const damaged: DamagedLine[] = []
    const journal = await start({
      persist: database.persist,
      maxInMemory: 1,
      onDamaged: (line) => void damaged.push(line),
    })
    for (let index = 0; index < 4; index += 1) await journal.settle(settlement(idOf(index)))
    const text = readFileSync(segment(), 'latin1')
    writeFileSync(segment(), text.replace(idOf(2), 'request-0x02'), 'latin1')
    database.isAway = false
    await journal.catchUp()
    expect(database.ids).toEqual([idOf(0), idOf(1), idOf(3)])
    expect(damaged).toHaveLength(1)
    await journal.close()
    expect(filesIn()).toEqual(['damaged'])
  })

  test('of an earlier version has no checksum and is read as before', async () => {
    const lines = await leaveLines()
    writeFileSync(segment(), lines.map((line) => line.replace(/,"crc":"[0-9a-f]{8}"\}$/, '}')).join('\n'))
    const next = await start()
    expect(outcomes()).toHaveLength(4)
    await next.close()
    expect(filesIn()).toEqual([])
  })
})

test('detects that the disk works again without any request', async () => {
  const journal = await start({ segmentBytes: 1 })
  // Writing to a pipe fails while it has no reader, and works again once it has one.
  const pipe = join(folder, 'journal-00000002.jsonl')
  Bun.spawnSync(['mkfifo', pipe])
  const reader = openSync(pipe, 'r+')
  await journal.settle(settlement('before'))
  closeSync(reader)
  await journal.settle(settlement('meanwhile'))
  expect(journal.isDiskFailing).toBe(true)
  expect(stored.map(({ requestId }) => requestId)).toContain('meanwhile')
  const nextReader = openSync(pipe, 'r+')
  await eventually('a disk that writes', () => !journal.isDiskFailing)
  await journal.settle(settlement('after'))
  await journal.close()
  closeSync(nextReader)
  expect(stored.map(({ requestId }) => requestId).sort()).toEqual(['after', 'before', 'meanwhile'])
})

describe('the folder', () => {
  test('is used by only one process', async () => {
    const shared = { dataFolder: place, lockPatienceMs: 0 }
    const journal = await start(shared)
    await expect(start(shared)).rejects.toThrow('in use by another running gateway')
    await journal.close()
    await (await start(shared)).close()
  })

  test('of a stopped worker is recovered by another start; that of a running one is left alone', async () => {
    const beside = (name: string) => ({ folder: join(place, name), dataFolder: place })
    const alive = await start({ ...beside('journal-3'), persist: refuse })
    await alive.settle(settlement('of the living'))
    const dead = await start({ ...beside('journal-2'), persist: refuse })
    await dead.settle(settlement('of the dead'))
    dead.open(record('of the dead, under way'))
    await dead.close()
    const found: string[] = []
    const own = await start({
      ...beside('journal-1'),
      onRecovered: (path) => void found.push(path.slice(place.length + 1)),
    })
    expect(outcomes()).toEqual([
      ['of the dead', 'completed', 7n],
      ['of the dead, under way', 'interrupted', 0n],
    ])
    expect(found).toEqual(['journal-1', 'journal-2'])
    expect(filesIn(join(place, 'journal-2'))).toEqual([])
    await alive.close()
    await own.close()
  })
})
