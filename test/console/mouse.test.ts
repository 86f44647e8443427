import { describe } from 'bun:test'
import { testedEngines } from '../../src/edges/storage/testing/engines.ts'
import { describeAccountPages } from './flows/account-pages.ts'
import { describeBilling } from './flows/billing.ts'
import { describeEntry } from './flows/entry.ts'
import { describeKeys } from './flows/keys.ts'
import { describeLedger } from './flows/ledger.ts'
import { describeLists } from './flows/lists.ts'
import { describeModels } from './flows/models.ts'
import { describeOperator } from './flows/operator.ts'
import { describePlayground } from './flows/playground.ts'
import { describePlaygroundTasks } from './flows/playground-tasks.ts'
import { describePrices } from './flows/prices.ts'
import { describeRequests } from './flows/requests.ts'
import { describeSteering } from './flows/steering.ts'
import { describeSupply } from './flows/supply.ts'
import { describeWatching } from './flows/watching.ts'
import { CHROMIUM } from './support/browser.ts'
import { openStage } from './support/stage.ts'

const [first, engine = first] = testedEngines()

describe.skipIf(CHROMIUM === null)(`the console on ${engine?.name}, by mouse`, () => {
  const stage = openStage(engine)
  describe('sign-in', () => describeEntry(stage))
  describe('keys', () => describeKeys(stage))
  describe('overview and requests', () => describeAccountPages(stage))
  describe('long lists and lost connections', () => describeLists(stage))
  describe('requests', () => describeRequests(stage))
  describe('models', () => describeModels(stage))
  describe('playground', () => describePlayground(stage))
  describe('playground, other kinds of models', () => describePlaygroundTasks(stage))
  describe('ledger', () => describeLedger(stage))
  describe('billing', () => describeBilling(stage))
  describe('operator', () => describeOperator(stage))
  describe('steering', () => describeSteering(stage))
  describe('suppliers and users', () => describeSupply(stage))
  describe('prices', () => describePrices(stage))
  describe('alerts and sinks', () => describeWatching(stage))
})
