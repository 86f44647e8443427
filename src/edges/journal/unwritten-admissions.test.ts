import { afterEach, beforeEach, expect, test } from 'bun:test'
import { eventually } from '../../../test/support/eventually.ts'
import type { AdmissionRecord } from '../../vocabulary/settlement.ts'
import { UnwrittenAdmissions } from './unwritten-admissions.ts'

function record(requestId: string): AdmissionRecord {
  return {
    requestId,
    accountId: 'acc_1',
    keyId: 'key_1',
    model: 'gpt-5',
    clientFormat: 'messages',
    stream: false,
    holdNano: 1n,
    startedAtMs: 0,
  }
}

let written: string[] = []
let admissions = new UnwrittenAdmissions(() => undefined)
beforeEach(() => {
  written = []
  admissions = new UnwrittenAdmissions((records) => {
    for (const { requestId } of records) written.push(requestId)
  })
})
afterEach(() => admissions.writeAll())

test('writes an admission at the second look', () => {
  admissions.add(record('one'))
  admissions.look()
  expect(written).toEqual([])
  admissions.add(record('two'))
  admissions.look()
  expect(written).toEqual(['one'])
  admissions.look()
  expect(written).toEqual(['one', 'two'])
  admissions.look()
  expect(written).toEqual(['one', 'two'])
})

test('does not write a settled admission, young or old', () => {
  admissions.add(record('old'))
  admissions.look()
  admissions.add(record('young'))
  for (const id of ['old', 'young', 'unknown']) admissions.remove(id)
  admissions.look()
  admissions.writeAll()
  expect(written).toEqual([])
})

test('looks by itself until all admissions are written', async () => {
  admissions.add(record('one'))
  await eventually('the first one is written', () => written.length === 1)
  admissions.add(record('two'))
  await eventually('the second one is written', () => written.length === 2)
  expect(written).toEqual(['one', 'two'])
})

test('writeAll writes the oldest first, once', () => {
  admissions.add(record('old'))
  admissions.look()
  admissions.add(record('young'))
  admissions.writeAll()
  admissions.writeAll()
  expect(written).toEqual(['old', 'young'])
})
