import type { Browser, Page } from 'playwright-core'
import type { Engine, Site } from '../../../src/edges/storage/testing/engines.ts'
import { addHousehold, askModel, type Household } from '../../console-api/support/account-stage.ts'
import { addPerson, browserOf } from '../../console-api/support/people.ts'
import { startTestGateway, type TestGateway } from '../../support/test-gateway.ts'
import type { Login, Visit } from './browser.ts'
import { type HostileAccount, plantWords } from './hostile-words.ts'
import { VisitorPool } from './visitor-pool.ts'

export const TEST_MS = 120_000

/** The heading of the page that is shown when there is none. */
const NOWHERE = 'Page not found'

/** Who looks at the console. */
export type Person = 'operator' | 'owner' | 'member'

/** One gateway for all tests of an engine; each test is a visitor of its own, and makes whatever account it changes. */
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
    await addPerson(this.gateway, 'member@acme.example', { accountId, role: 'member' })
    const operator = await browserOf(this.gateway, this.admin.email, this.admin.password)
    const member = await browserOf(this.gateway, 'member@acme.example')
    this.#cookies.set('operator', operator.cookies)
    this.#cookies.set('owner', this.home.owner.cookies)
    this.#cookies.set('member', member.cookies)
    // Without traffic most pages show how to begin, and nothing else.
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

  /** An account that holds something of everything; made when first asked for. */
  hostile(): Promise<HostileAccount> {
    this.#hostile ??= plantWords(this.gateway)
    return this.#hostile
  }

  /** The user of the first start. */
  get admin(): Login {
    return present(this.gateway.newUser)
  }

  get url(): string {
    return this.gateway.url
  }

  /** A visitor nobody knows yet. */
  visit(): Promise<Visit> {
    return present(this.#visitors).admit()
  }

  /** Somebody who has signed in, looking at a page. */
  enter(person: Person, path: string): Promise<Visit> {
    return this.enterWith(this.cookiesOf(person), path)
  }

  /** The owner of an account of the test's own, looking at a page. */
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

  /** Gives a visitor the cookies of somebody. */
  know({ page }: Visit, cookies: ReadonlyMap<string, string>): Promise<void> {
    return page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url: this.url })))
  }

  /** Opens an address of the console and waits until its page is there. */
  async go(page: Page, path: string): Promise<void> {
    await page.goto(`${this.url}/console${path}`)
    await page.locator('h1').first().waitFor()
  }

  /**
   * Moves to another page as a link does, which is less work than loading the application anew. On the way there is one
   * that shows nothing, so that nothing of the page before stays open or filled in.
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
