import { expect, test } from 'bun:test'
import type { AdmissionRecord } from '../../vocabulary/settlement.ts'
import { UnwrittenAdmissions } from './open-admissions.ts'

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

const idsOf = (records: readonly AdmissionRecord[]) => records.map(({ requestId }) => requestId)

test('an admission is old at the second look at it', () => {
  const admissions = new UnwrittenAdmissions()
  admissions.add(record('one'))
  expect(idsOf(admissions.takeOld())).toEqual([])
  admissions.add(record('two'))
  expect(idsOf(admissions.takeOld())).toEqual(['one'])
  expect(idsOf(admissions.takeOld())).toEqual(['two'])
  expect(admissions.isEmpty).toBe(true)
})

test('does not take a settled one, young or old', () => {
  const admissions = new UnwrittenAdmissions()
  admissions.add(record('old'))
  admissions.takeOld()
  admissions.add(record('young'))
  expect(admissions.isEmpty).toBe(false)
  for (const id of ['old', 'young', 'unknown']) admissions.remove(id)
  expect(admissions.isEmpty).toBe(true)
  expect(admissions.takeOld()).toEqual([])
})

test('takeAll takes the oldest first', () => {
  const admissions = new UnwrittenAdmissions()
  admissions.add(record('old'))
  admissions.takeOld()
  admissions.add(record('young'))
  expect(idsOf(admissions.takeAll())).toEqual(['old', 'young'])
  expect(admissions.isEmpty).toBe(true)
})
