import { afterAll, beforeAll, describe } from 'bun:test'
import { type Engine, testedEngines } from '../../src/edges/storage/testing/engines.ts'
import { describeAccountPages } from './flows/account-pages.ts'
import { describeBilling } from './flows/billing.ts'
import { describeEntry } from './flows/entry.ts'
import { describeEveryPage } from './flows/every-page.ts'
import { describeInjection } from './flows/injection.ts'
import { describeKeyboard } from './flows/keyboard.ts'
import { describeKeys } from './flows/keys.ts'
import { describeOperator } from './flows/operator.ts'
import { describePlayground } from './flows/playground.ts'
import { describeSafety } from './flows/safety.ts'
import { CHROMIUM } from './support/browser.ts'
import { Stage, TEST_MS } from './support/stage.ts'

const [usual, ...others] = testedEngines()

describe.skipIf(CHROMIUM === null)('the console in Chromium', () => {
  const stage = openStage(usual)
  describe('coming in', () => describeEntry(stage))
  describe('keys', () => describeKeys(stage))
  describe('overview, models and requests', () => describeAccountPages(stage))
  describe('playground', () => describePlayground(stage))
  describe('billing', () => describeBilling(stage))
  describe('operator', () => describeOperator(stage))
  describe('by keyboard alone', () => describeKeyboard(stage))
  describe('every page', () => describeEveryPage(stage))
  describe('hostile words', () => describeInjection(stage))
  describe('hostile sites', () => describeSafety(stage))
})

// What a page looks like does not depend on the database; what it lists, counts and changes does.
describe.skipIf(CHROMIUM === null).each(others.map((engine) => [engine.name, engine] as const))(
  'the console on %s',
  (_, engine) => {
    const stage = openStage(engine)
    describe('keys', () => describeKeys(stage))
    describe('overview, models and requests', () => describeAccountPages(stage))
    describe('billing', () => describeBilling(stage))
    describe('operator', () => describeOperator(stage))
  },
)

function openStage(engine: Engine | undefined): Stage {
  if (engine === undefined) throw new Error('there is no database to test with')
  const stage = new Stage(engine)
  beforeAll(() => stage.open(), TEST_MS)
  afterAll(() => stage.close())
  return stage
}
