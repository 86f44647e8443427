import { expect, test } from 'bun:test'
import { readTally } from './read-tally.ts'

const SUMMARY = '\n 12 pass\n 1 skip\n 2 fail\n 40 expect() calls\nRan 15 tests across 3 files. [1.00s]\n'

test('reads the counts of a summary, coloured or plain', () => {
  const tally = { passed: 12, failed: 2, skipped: 1 }
  expect(readTally(`a.test.ts:\n(pass) one\n${SUMMARY}`)).toEqual(tally)
  expect(readTally(SUMMARY.replace(' 12 pass', '\u001b[32m 12 pass\u001b[0m'))).toEqual(tally)
})

test('is not taken in by a summary that a test printed', () => {
  expect(readTally(`\n 99 pass\n 0 fail\nRan 99 tests across 1 file.\n(pass) one\n${SUMMARY}`)?.passed).toBe(
    12,
  )
})

test('says null when the run died before its summary', () => {
  expect(readTally('(pass) one\nSegmentation fault\n')).toBeNull()
  expect(readTally('')).toBeNull()
})
