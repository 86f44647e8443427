import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { AI_SDK_DRIVERS, OFFICIAL_DRIVERS } from './drivers/index.ts'
import { type Cell, play } from './play.ts'
import { Outcomes, REPORT_PATH, readFamilies, writeReport } from './report.ts'
import { AI_SDK_SCENARIOS, SCENARIOS } from './scenarios.ts'
import { openStage, type Stage } from './stage.ts'
import { TEXT_FORMATS } from './talk.ts'
import { gapOf } from './unsupported.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterEach(() => {
  stage.gate.open()
  stage.gated.faults.clear()
})
afterAll(() => stage.stop())

const SETS = [
  ...OFFICIAL_DRIVERS.map((driver) => ({ driver, scenarios: SCENARIOS })),
  ...AI_SDK_DRIVERS.map((driver) => ({ driver, scenarios: AI_SDK_SCENARIOS })),
]

const outcomes = new Outcomes()

async function playAll(cell: Cell): Promise<void> {
  for (const mode of cell.scenario.modes) await play(cell, mode, stage)
}

for (const { driver, scenarios } of SETS) {
  for (const supplier of TEXT_FORMATS) {
    describe(`${driver.sdk}, ${driver.format} to ${supplier}`, () => {
      for (const scenario of scenarios) {
        const cell = { driver, supplier, scenario }
        const isGap = gapOf(cell) !== undefined
        test(isGap ? `${scenario.title} is a known gap` : scenario.title, async () => {
          // A gap that has closed must not go on being reported.
          if (isGap) await expect(playAll(cell)).rejects.toThrow()
          else await playAll(cell)
          outcomes.note(cell)
        })
      }
    })
  }
}

test('docs/clients/conformance.md matches these results', async () => {
  const present = await Bun.file(REPORT_PATH).text()
  const report = writeReport(outcomes, readFamilies(present))
  if (process.env.UPDATE_CONFORMANCE === '1') await Bun.write(REPORT_PATH, report)
  else expect(present).toBe(report)
})
