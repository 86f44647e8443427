import { expect, test } from 'bun:test'
import { describeUptime } from './describe-uptime.ts'

test.each([
  [0, '0 s'],
  [59.9, '59 s'],
  [3_600, '1 h'],
  [86_461, '1 d'],
  [93_784, '1 d 2 h'],
])('%p seconds are formatted as %p', (seconds, expected) => {
  expect(describeUptime(seconds)).toBe(expected)
})
