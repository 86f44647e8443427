import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { Engine, Site } from '../../../src/edges/storage/testing/engines.ts'
import { addHousehold, askModel, type Household } from '../../console-api/support/account-stage.ts'
import { addPerson, browserOf } from '../../console-api/support/people.ts'
import { startTestGateway, type TestGateway } from '../../support/test-gateway.ts'
import { type Login, openBrowser, type Visit, visit } from './browser.ts'

export const TEST_MS = 120_000

/** Who looks at the console. */
export type Person = 'operator' | 'owner' | 'member'

/** One gateway and one browser for all tests; each test opens a context of its own, and whatever account it changes. */
export class Stage {
  readonly engine: Engine
  #site: Site | null = null
  #gateway: TestGateway | null = null
  #browser: Browser | null = null
  #home: Household | null = null
  readonly #cookies = new Map<Person, ReadonlyMap<string, string>>()

  constructor(engine: Engine) {
    this.engine = engine
  }

  async open(): Promise<void> {
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
    this.#browser = await openBrowser()
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
    await this.#browser?.close()
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

  /** The user of the first start. */
  get admin(): Login {
    return present(this.gateway.newUser)
  }

  get url(): string {
    return this.gateway.url
  }

  /** A visitor nobody knows yet. */
  visit(options: BrowserContextOptions = {}): Promise<Visit> {
    return visit(this.browser, this.url, options)
  }

  /** Somebody who has signed in, looking at a page. */
  async enter(person: Person, path: string, options: BrowserContextOptions = {}): Promise<Visit> {
    return this.enterWith(this.#cookies.get(person) ?? new Map(), path, options)
  }

  /** The owner of an account of the test's own, looking at a page. */
  enterHome(house: Household, path: string): Promise<Visit> {
    return this.enterWith(house.owner.cookies, path)
  }

  async enterWith(
    cookies: ReadonlyMap<string, string>,
    path: string,
    options: BrowserContextOptions = {},
  ): Promise<Visit> {
    const visitor = await this.visit(options)
    await visitor.page
      .context()
      .addCookies([...cookies].map(([name, value]) => ({ name, value, url: this.url })))
    await this.go(visitor.page, path)
    return visitor
  }

  /** Opens an address of the console and waits until its page is there. */
  async go(page: Page, path: string): Promise<void> {
    await page.goto(`${this.url}/console${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
  }
}

function present<T>(value: T | null): T {
  if (value === null) throw new Error('the stage is not open')
  return value
}
