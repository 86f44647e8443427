import { expect, test } from 'bun:test'
import { readFailures } from './read-failures.ts'

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

test('gives every failure once, with its reason', () => {
  expect(readFailures(OUTPUT)).toEqual([`${REASON}\n(fail) two [3.00ms]`, '(fail) four [1.00ms]'])
})

test('reads coloured output', () => {
  expect(readFailures(OUTPUT.replaceAll('(fail)', '\u001b[31m(fail)\u001b[0m'))).toHaveLength(2)
})

test('gives only the end of a long reason', () => {
  const [failure] = readFailures(`${'line\n'.repeat(500)}(fail) five\n`)
  expect(failure?.split('\n')).toHaveLength(60)
})

test('gives nothing when nothing failed', () => {
  expect(readFailures('(pass) one\n\n 1 pass\n 0 fail\n')).toEqual([])
})
