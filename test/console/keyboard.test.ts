import { describe } from 'bun:test'
import { testedEngines } from '../../src/edges/storage/testing/engines.ts'
import { describeKeyboard } from './flows/keyboard.ts'
import { CHROMIUM } from './support/browser.ts'
import { openStage } from './support/stage.ts'

const [engine] = testedEngines()

// Every flow runs twice: here by keyboard, and by mouse on the other database if there is one.
describe.skipIf(CHROMIUM === null)(`the console on ${engine?.name}`, () => {
  const stage = openStage(engine)
  describe('keyboard only', () => describeKeyboard(stage))
})
