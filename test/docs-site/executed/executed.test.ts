import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readCommandBlocks } from './command-blocks.ts'
import { type Computer, openComputer } from './computer.ts'
import { ELSEWHERE, runsElsewhere } from './elsewhere.ts'

const BLOCKS = readCommandBlocks()
const own = BLOCKS.filter((block) => !ELSEWHERE.some((elsewhere) => runsElsewhere(block, elsewhere)))

let computer: Computer
beforeAll(async () => {
  computer = await openComputer()
}, 300_000)
afterAll(() => computer.close())

// A test for each page: there is no telling how long all of them take together on a busy machine.
describe('every command of the documentation does what it says', () => {
  test.each([...Map.groupBy(own, ({ page }) => page)])('%s', async (_page, blocks) => {
    await using example = await computer.openExample()
    const failed: string[] = []
    for (const { script } of blocks) {
      const { status, printed } = await example.type(script)
      if (status !== 0) failed.push(`${script}exit status ${status}\n${printed}`)
    }
    expect(failed.join('\n')).toBe('')
  })
})

test('there are commands to run', () => {
  expect(own.length).toBeGreaterThan(120)
})

test('what is run elsewhere is still there', () => {
  for (const elsewhere of ELSEWHERE)
    expect([elsewhere.because, BLOCKS.some((block) => runsElsewhere(block, elsewhere))]).toEqual([
      elsewhere.because,
      true,
    ])
})
