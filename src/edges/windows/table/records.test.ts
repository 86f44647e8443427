import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { FIELDS, FIRST_FIELD, halvesOf, RecordTable } from './records.ts'
import { createTableFile } from './table-file.ts'

const KIND = 1
let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnpike-records-'))
})

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

function open(capacity: number, isInUse = (_index: number) => true): RecordTable {
  return new RecordTable(createTableFile(folder, capacity), 1, isInUse)
}

// Workers need Linux.
describe.skipIf(process.platform !== 'linux')('a table of records', () => {
  test('adds to amounts like 64-bit integers', () => {
    const table = open(16)
    const at = table.open(KIND, 'one') * FIELDS + FIRST_FIELD
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })), (changes) => {
        table.amounts[at] = 0n
        for (const change of changes) table.add(at, halvesOf(change))
        expect(table.amounts[at]).toBe(
          BigInt.asIntN(
            64,
            changes.reduce((sum, change) => sum + change, 0n),
          ),
        )
      }),
      { numRuns: 1_000 },
    )
  })

  test('keeps records with their serial numbers while it grows', () => {
    const table = open(16)
    const serials = Array.from({ length: 1_000 }, (_, position) => {
      const index = table.open(KIND, `record ${position}`)
      table.numbers[index * FIELDS + FIRST_FIELD] = position
      return table.serialAt(index)
    })
    expect(new Set(serials).size).toBe(1_000)
    for (const [position, serial] of serials.entries()) {
      const index = table.find(KIND, `record ${position}`)
      expect([table.serialAt(index), table.numbers[index * FIELDS + FIRST_FIELD]]).toEqual([serial, position])
    }
    expect([table.find(KIND, 'record 1000'), table.find(KIND + 1, 'record 1')]).toEqual([0, 0])
  })

  test('is mapped again by a process that began while another doubled it', () => {
    const file = createTableFile(folder, 16)
    const grown = new RecordTable(file, 1, () => true)
    const index = Array.from({ length: 14 }, (_, position) => grown.open(KIND, `record ${position}`)).at(-1)
    const bytes = file.map()
    // The size was asked for before the file was extended, and the header is read after it.
    const maps = [bytes.subarray(0, bytes.length / 2), bytes]
    const late = new RecordTable({ map: () => maps.shift() ?? bytes, extend: () => {} }, 2, () => true)
    expect(late.tryLock()).toBe(true)
    expect(Array.from({ length: 14 }, (_, position) => late.find(KIND, `record ${position}`))).toEqual(
      Array.from({ length: 14 }, (_, position) => grown.find(KIND, `record ${position}`)),
    )
    expect([late.find(KIND, 'record 13'), maps]).toEqual([index ?? 0, []])
    late.unlock()
  })

  test('drops what is not in use instead of growing', () => {
    const table = open(16, (index) => table.numbers[index * FIELDS + FIRST_FIELD] === 1)
    const keep = table.open(KIND, 'kept')
    table.numbers[keep * FIELDS + FIRST_FIELD] = 1
    for (let position = 0; position < 1_000; position += 1) {
      // What is created in a step is in use until its end.
      table.tryLock()
      table.open(KIND, `record ${position}`)
      table.unlock()
    }
    expect([table.find(KIND, 'kept') > 0, table.find(KIND, 'record 0')]).toEqual([true, 0])
    expect(table.numbers).toHaveLength(16 * FIELDS)
  })

  test('has one holder of its lock', () => {
    const file = createTableFile(folder)
    const [left, right] = [new RecordTable(file, 1, () => true), new RecordTable(file, 2, () => true)]
    expect([left.tryLock(), right.tryLock(), left.lockedBy()]).toEqual([true, false, 1])
    left.unlock()
    expect([right.tryLock(), left.lockedBy()]).toEqual([true, 2])
    left.empty()
    expect([left.lockedBy(), left.tryLock()]).toEqual([0, true])
    file.close()
  })
})
