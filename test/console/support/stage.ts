import { afterAll, beforeAll } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import type { Engine, Site } from '../../../src/edges/storage/testing/engines.ts'
import { addHousehold, askModel, type Household } from '../../console-api/support/account-stage.ts'
import { addPerson, browserOf } from '../../console-api/support/people.ts'
import { startTestGateway, type TestGateway } from '../../support/test-gateway.ts'
import { type Login, openBrowser, type Visit } from './browser.ts'
import { type HostileAccount, plantWords } from './hostile-words.ts'
import { VisitorPool } from './visitor-pool.ts'

export const TEST_MS = 300_000

/** The heading of the "not found" page. */
const NOWHERE = 'Page not found'

/** The roles of visitors. */
export type Person = 'operator' | 'owner' | 'member'

/** One gateway for all tests of an engine. Each test is a separate visitor and creates the accounts it changes. */
export class Stage {
  readonly engine: Engine
  #site: Site | null = null
  #gateway: TestGateway | null = null
  #browser: Browser | null = null
  #visitors: VisitorPool | null = null
  #home: Household | null = null
  #hostile: Promise<HostileAccount> | null = null
  readonly #cookies = new Map<Person, ReadonlyMap<string, string>>()

  constructor(engine: Engine) {
    this.engine = engine
  }

  async open(browser: Browser): Promise<void> {
    this.#site = await this.engine.makeSite()
    const { dataFolder, databaseUrl } = this.#site
    this.#gateway = await startTestGateway({
      dataFolder,
      environment: {
        TURNPIKE_SIGN_UP: 'on',
        TURNPIKE_WEBHOOK_ALLOW_PRIVATE: 'on',
        ...(databaseUrl !== null && { DATABASE_URL: databaseUrl }),
      },
    })
    this.#browser = browser
    this.#visitors = new VisitorPool(browser, this.url)
    this.#home = await addHousehold(this.gateway, 'Acme')
    const { accountId } = this.home
    await addPerson(this.gateway, 'member@acme.example', { accountId, role: 'developer' })
    const operator = await browserOf(this.gateway, this.admin.email, this.admin.password)
    const member = await browserOf(this.gateway, 'member@acme.example')
    this.#cookies.set('operator', operator.cookies)
    this.#cookies.set('owner', this.home.owner.cookies)
    this.#cookies.set('member', member.cookies)
    // Without traffic, most pages show only their empty state.
    await askModel(this.gateway, this.home)
  }

  async close(): Promise<void> {
    await this.#gateway?.stop()
    await this.#site?.remove()
  }

  get gateway(): TestGateway {
    return present(this.#gateway)
  }

  get browser(): Browser {
    return present(this.#browser)
  }

  /** An account with an owner, a member, a key and a request. */
  get home(): Household {
    return present(this.#home)
  }

  /** An account with one of everything, created on first use. */
  hostile(): Promise<HostileAccount> {
    this.#hostile ??= plantWords(this.gateway)
    return this.#hostile
  }

  /** The user created at the first start. */
  get admin(): Login {
    return present(this.gateway.newUser)
  }

  get url(): string {
    return this.gateway.url
  }

  /** A visitor who is not signed in. */
  visit(): Promise<Visit> {
    return present(this.#visitors).admit()
  }

  /** A signed-in visitor on a page. */
  enter(person: Person, path: string): Promise<Visit> {
    return this.enterWith(this.cookiesOf(person), path)
  }

  /** The owner of a new account, on a page. */
  enterHome(house: Household, path: string): Promise<Visit> {
    return this.enterWith(house.owner.cookies, path)
  }

  cookiesOf(person: Person): ReadonlyMap<string, string> {
    return this.#cookies.get(person) ?? new Map()
  }

  async enterWith(cookies: ReadonlyMap<string, string>, path: string): Promise<Visit> {
    const visitor = await this.visit()
    await this.know(visitor, cookies)
    await this.go(visitor.page, path)
    return visitor
  }

  /** Sets the cookies of a user. */
  know({ page }: Visit, cookies: ReadonlyMap<string, string>): Promise<void> {
    return page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url: this.url })))
  }

  /** Opens an address of the console and waits for its page. */
  async go(page: Page, path: string): Promise<void> {
    await page.goto(`${this.url}/console${path}`)
    await page.locator('h1').first().waitFor()
  }

  /**
   * Navigates as a link does, which is faster than loading the application again. Passes through an empty page, so that
   * nothing of the previous page stays open or filled in.
   */
  async walk(page: Page, path: string): Promise<void> {
    await this.stepOut(page)
    await this.stepIn(page, path)
  }

  async stepOut(page: Page): Promise<void> {
    await page.keyboard.press('Escape')
    await page.evaluate(`history.pushState(null, '', '/console/nowhere')`)
    await page.getByText(NOWHERE).waitFor()
    await page.locator('[role="dialog"]').waitFor({ state: 'detached' })
  }

  async stepIn(page: Page, path: string): Promise<void> {
    await page.evaluate(`history.pushState(null, '', ${JSON.stringify(`/console${path}`)})`)
    await page.getByText(NOWHERE).waitFor({ state: 'detached' })
    await page.locator('h1').first().waitFor()
  }
}

function present<T>(value: T | null): T {
  if (value === null) throw new Error('the stage is not open')
  return value
}

/** A stage that opens before the tests of the block it is called in, and closes after them. */
export function openStage(engine: Engine | undefined): Stage {
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
