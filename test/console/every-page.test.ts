import { describe } from 'bun:test'
import { testedEngines } from '../../src/edges/storage/testing/engines.ts'
import { describeEveryPage } from './flows/every-page.ts'
import { describeFirstLoad } from './flows/first-load.ts'
import { describeInjection } from './flows/injection.ts'
import { describeSafety } from './flows/safety.ts'
import { CHROMIUM } from './support/browser.ts'
import { openStage } from './support/stage.ts'

const [engine] = testedEngines()

describe.skipIf(CHROMIUM === null)(`the console on ${engine?.name}`, () => {
  const stage = openStage(engine)
  describe('first load', () => describeFirstLoad(stage))
  describe('every page', () => describeEveryPage(stage))
  describe('injected markup', () => describeInjection(stage))
  describe('attacks from other sites', () => describeSafety(stage))
})
