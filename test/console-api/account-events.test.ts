import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { addHousehold, askModel, type Household } from './support/account-stage.ts'
import type { Browser } from './support/browser.ts'
import { addPerson, browserOf, PASSWORD } from './support/people.ts'

let gateway: TestGateway
let house: Household

beforeEach(async () => {
  gateway = await startTestGateway()
  house = await addHousehold(gateway, 'House')
})
afterEach(() => gateway.stop())

interface AccountEvent {
  readonly kind: string
  // biome-ignore lint/suspicious/noExplicitAny: events are read as a page without types reads them.
  readonly data: any
}

/** An open page that follows an account. */
class Page {
  readonly #chunks: AsyncIterator<Uint8Array>
  readonly #decoder = new TextDecoder()
  #text = ''

  constructor(response: Response) {
    if (response.body === null) throw new Error('there is nothing to follow')
    this.#chunks = response.body[Symbol.asyncIterator]()
  }

  static async open(browser: Browser, accountId: string): Promise<Page> {
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(`${gateway.url}/console/api/accounts/${accountId}/events`, {
      headers: { cookie },
    })
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ])
    const page = new Page(response)
    await page.#frame()
    return page
  }

  /** The next event that is no heartbeat; null when there will be none. */
  async next(): Promise<AccountEvent | null> {
    for (let frame = await this.#frame(); frame !== null; frame = await this.#frame()) {
      const [, kind = '', data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(frame) ?? []
      if (kind !== '' && kind !== 'beat') return { kind, data: JSON.parse(data) }
    }
    return null
  }

  async close(): Promise<void> {
    await this.#chunks.return?.()
  }

  async #frame(): Promise<string | null> {
    while (!this.#text.includes('\n\n')) {
      const { done, value } = await this.#chunks.next()
      if (done) return null
      this.#text += this.#decoder.decode(value, { stream: true })
    }
    const end = this.#text.indexOf('\n\n')
    const frame = this.#text.slice(0, end)
    this.#text = this.#text.slice(end + 2)
    return frame
  }
}

describe('the event stream of an account', () => {
  test('sends its settlements once they are stored, and none of other accounts', async () => {
    const other = await addHousehold(gateway, 'Other')
    const page = await Page.open(house.owner, house.accountId)
    await askModel(gateway, other)
    const requestId = await askModel(gateway, house)
    const event = await page.next()
    expect([event?.kind, event?.data.request_id, event?.data.account_id]).toEqual([
      'settlement',
      requestId,
      house.accountId,
    ])
    expect(event?.data.credential_id).toBeUndefined()
    expect(await gateway.storage.findSettlement(requestId)).not.toBeNull()
    await page.close()
  })

  test('sends changes and alerts', async () => {
    const page = await Page.open(house.owner, house.accountId)
    await gateway.operator('POST', `/accounts/${house.accountId}/keys`, { name: 'another' })
    expect(await page.next()).toEqual({ kind: 'change', data: { things: ['keys'] } })
    await gateway.operator('PATCH', `/accounts/${house.accountId}`, { balance_alert: '100' })
    expect(await page.next()).toEqual({ kind: 'change', data: { things: ['account'] } })
    await askModel(gateway, house)
    let event = await page.next()
    while (event !== null && event.kind !== 'alert') event = await page.next()
    expect([event?.kind, event?.data.kind, event?.data.account_id]).toEqual([
      'alert',
      'balance.low',
      house.accountId,
    ])
    await page.close()
  })

  test('ends when the user signs out', async () => {
    const page = await Page.open(house.owner, house.accountId)
    await house.owner.call('POST /sign-out')
    expect(await page.next()).toBeNull()
  })

  test('ends when the user is no longer a member', async () => {
    const { id } = await addPerson(gateway, 'guest@house.example', {
      accountId: house.accountId,
      role: 'developer',
    })
    const guest = await browserOf(gateway, 'guest@house.example', PASSWORD)
    const page = await Page.open(guest, house.accountId)
    await house.owner.call(`DELETE /accounts/${house.accountId}/members/${id}`)
    expect(await page.next()).toBeNull()
  })

  test('is closed when the gateway stops, without waiting for it', async () => {
    const page = await Page.open(house.owner, house.accountId)
    const [end] = await Promise.all([page.next(), gateway.stop()])
    expect(end).toBeNull()
    gateway = await startTestGateway()
  })
})
