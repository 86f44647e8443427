import { expect, test } from 'bun:test'
import { readFailures, readTally } from './read-output.ts'

const REASON = 'error: expect(received).toBe(expected)\n      at <anonymous> (a.test.ts:3:9)'
const OUTPUT = `
a.test.ts:
(pass) one [0.10ms]
${REASON}
(fail) two [3.00ms]
(skip) three
(fail) four [1.00ms]

2 tests failed:
(fail) two [3.00ms]
(fail) four [1.00ms]

 1 pass
 2 fail
`

test('failures: gives each one once, with its reason', () => {
  expect(readFailures(OUTPUT)).toEqual([`${REASON}\n(fail) two [3.00ms]`, '(fail) four [1.00ms]'])
})

test('failures: reads coloured output', () => {
  expect(readFailures(OUTPUT.replaceAll('(fail)', '\u001b[31m(fail)\u001b[0m'))).toHaveLength(2)
})

test('failures: gives only the end of a long reason', () => {
  const [failure] = readFailures(`${'line\n'.repeat(500)}(fail) five\n`)
  expect(failure?.split('\n')).toHaveLength(60)
})

test('failures: gives nothing when nothing failed', () => {
  expect(readFailures('(pass) one\n\n 1 pass\n 0 fail\n')).toEqual([])
})

const SUMMARY = '\n 12 pass\n 1 skip\n 2 fail\n 40 expect() calls\nRan 15 tests across 3 files. [1.00s]\n'

test('tally: reads the counts of a summary, coloured or plain', () => {
  const tally = { passed: 12, failed: 2, skipped: 1 }
  expect(readTally(`a.test.ts:\n(pass) one\n${SUMMARY}`)).toEqual(tally)
  expect(readTally(SUMMARY.replace(' 12 pass', '\u001b[32m 12 pass\u001b[0m'))).toEqual(tally)
})

test('tally: ignores a summary that a test printed', () => {
  expect(readTally(`\n 99 pass\n 0 fail\nRan 99 tests across 1 file.\n(pass) one\n${SUMMARY}`)?.passed).toBe(
    12,
  )
})

test('tally: is null when the run died before its summary', () => {
  expect(readTally('(pass) one\nSegmentation fault\n')).toBeNull()
  expect(readTally('')).toBeNull()
})
