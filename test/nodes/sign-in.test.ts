import { afterAll, expect, test } from 'bun:test'
import { Browser } from '../console-api/support/browser.ts'
import { Fleet } from './support/fleet.ts'

const fleet = await Fleet.start({ size: 2 })
afterAll(() => fleet?.stop())

// Five attempts are free on one node.
const FREE = 5

test.skipIf(fleet === null)('password guesses on one node are throttled on the other', async () => {
  const [here = '', there = ''] = fleet?.urls ?? []
  const email = 'guessed@example.com'
  const first = new Browser(here)
  for (let attempt = 0; attempt < FREE; attempt += 1) {
    expect((await first.signIn(email, 'wrong')).status).toBe(401)
  }
  const second = new Browser(there)
  const statuses: number[] = []
  // The news may be on its way, but no node that counted alone would refuse any of these.
  while (statuses.at(-1) !== 429 && statuses.length < FREE - 1) {
    statuses.push((await second.signIn(email, 'wrong')).status)
  }
  expect(statuses.at(-1)).toBe(429)
})
