import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readCommandBlocks } from './command-blocks.ts'
import { type Computer, openComputer } from './computer.ts'
import { ELSEWHERE, runsElsewhere } from './elsewhere.ts'

const BLOCKS = readCommandBlocks()
const own = BLOCKS.filter((block) => !ELSEWHERE.some((elsewhere) => runsElsewhere(block, elsewhere)))

let computer: Computer
beforeAll(async () => {
  computer = await openComputer()
}, 120_000)
afterAll(() => computer.close())

test('every command of the documentation does what it says', async () => {
  const failed: string[] = []
  for (const [page, blocks] of Map.groupBy(own, ({ page }) => page)) {
    await using example = await computer.openExample()
    for (const { script } of blocks) {
      const { status, printed } = await example.type(script)
      if (status !== 0) failed.push(`${page}\n${script}exit status ${status}\n${printed}`)
    }
  }
  expect(failed.join('\n')).toBe('')
  expect(own.length).toBeGreaterThan(120)
}, 120_000)

test('what is run elsewhere is still there', () => {
  for (const elsewhere of ELSEWHERE)
    expect([elsewhere.because, BLOCKS.some((block) => runsElsewhere(block, elsewhere))]).toEqual([
      elsewhere.because,
      true,
    ])
})
