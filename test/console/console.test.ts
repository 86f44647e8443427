import { afterAll, beforeAll, describe } from 'bun:test'
import type { Browser } from 'playwright-core'
import { type Engine, testedEngines } from '../../src/edges/storage/testing/engines.ts'
import { describeAccountPages } from './flows/account-pages.ts'
import { describeBilling } from './flows/billing.ts'
import { describeEntry } from './flows/entry.ts'
import { describeEveryPage } from './flows/every-page.ts'
import { describeFirstLoad } from './flows/first-load.ts'
import { describeInjection } from './flows/injection.ts'
import { describeKeyboard } from './flows/keyboard.ts'
import { describeKeys } from './flows/keys.ts'
import { describeLedger } from './flows/ledger.ts'
import { describeModels } from './flows/models.ts'
import { describeOperator } from './flows/operator.ts'
import { describePlayground } from './flows/playground.ts'
import { describeSafety } from './flows/safety.ts'
import { describeSupply } from './flows/supply.ts'
import { CHROMIUM, openBrowser } from './support/browser.ts'
import { Stage, TEST_MS } from './support/stage.ts'

const [first, second = first] = testedEngines()

// Every flow runs twice: by keyboard on one database, and by mouse on the other if there is one.
describe.skipIf(CHROMIUM === null)(`the console on ${first?.name}`, () => {
  const stage = openStage(first)
  describe('first load', () => describeFirstLoad(stage))
  // Before the flows fill the lists, because these tests check every row.
  describe('every page', () => describeEveryPage(stage))
  describe('injected markup', () => describeInjection(stage))
  describe('attacks from other sites', () => describeSafety(stage))
  describe('keyboard only', () => describeKeyboard(stage))
})

describe.skipIf(CHROMIUM === null)(`the console on ${second?.name}, by mouse`, () => {
  const stage = openStage(second)
  describe('sign-in', () => describeEntry(stage))
  describe('keys', () => describeKeys(stage))
  describe('overview and requests', () => describeAccountPages(stage))
  describe('models', () => describeModels(stage))
  describe('playground', () => describePlayground(stage))
  describe('ledger', () => describeLedger(stage))
  describe('billing', () => describeBilling(stage))
  describe('operator', () => describeOperator(stage))
  describe('suppliers and users', () => describeSupply(stage))
})

function openStage(engine: Engine | undefined): Stage {
  if (engine === undefined) throw new Error('there is no database to test with')
  const stage = new Stage(engine)
  let browser: Browser | undefined
  beforeAll(async () => {
    browser = await openBrowser()
    await stage.open(browser)
  }, TEST_MS)
  afterAll(async () => {
    await browser?.close()
    await stage.close()
  })
  return stage
}
