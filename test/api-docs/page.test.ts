import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { CHROMIUM, openBrowser } from '../console/support/browser.ts'
import { OPERATOR_TOKEN, startTestGateway, type TestGateway } from '../support/test-gateway.ts'
import { type ApiDocument, operationsOf } from './api-document.ts'

if (CHROMIUM === null) console.warn('Chromium was not found: the page of /docs is NOT tested in a browser')

const FILES = ['swagger-ui-bundle.js', 'swagger-ui.css', 'start.js', 'scheme.js', 'page.css']
const PARTS = ['client', 'operator', 'console']
// Tall, because every step down the page costs the browser a layout and a drawing of it.
const HEIGHT = 3_600

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.stop())

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${gateway.url}${path}`, { headers })

describe('the files of the page', () => {
  test('allows nothing from elsewhere and no inline script', async () => {
    const page = await get('/docs')
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain('unsafe')
    expect(page.headers.get('x-content-type-options')).toBe('nosniff')
    const html = await page.text()
    expect(html).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=|https?:/)
  })

  test.each(FILES)('%s is served and may be cached', async (file) => {
    const response = await get(`/docs/${file}`)
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('public, max-age=86400')
    expect(response.headers.get('content-type')).toMatch(/^text\/(css|javascript)/)
    expect((await response.text()).length).toBeGreaterThan(50)
  })

  test.each(['/docs', '/openapi.json', '/docs/start.js'])('%s is not sent again unchanged', async (path) => {
    const etag = (await get(path)).headers.get('etag') ?? ''
    const again = await get(path, { 'if-none-match': etag })
    expect([again.status, await again.text()]).toEqual([304, ''])
    expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200)
  })

  test.each(['package.json', 'swagger-ui.js', '..%2Findex.ts', '%2e%2e%2findex.ts'])(
    '%s is not served',
    async (file) => {
      expect((await get(`/docs/${file}`)).status).toBe(404)
    },
  )
})

/** The ids of all operations up to this one. The viewer builds only those that are near what is seen. */
async function scrollThrough(page: Page, last?: string): Promise<Set<string>> {
  const ids = new Set<string>()
  for (let top = 0, height = Number.POSITIVE_INFINITY; top < height; top += (HEIGHT * 4) / 9) {
    await page.evaluate(`scrollTo(0, ${top}); new Promise(requestAnimationFrame)`)
    await page.evaluate('new Promise(requestAnimationFrame)')
    const shown = await page.locator('.opblock').evaluateAll((blocks) => blocks.map(({ id }) => id))
    for (const id of shown) ids.add(id)
    if (last !== undefined && ids.has(last)) break
    height = await page.evaluate<number>('document.documentElement.scrollHeight')
  }
  return ids
}

describe.skipIf(CHROMIUM === null)('the page in Chromium', () => {
  let browser: Browser
  let page: Page
  // Whatever a person would not want to see happen, from the first byte of the page to the last test.
  const complaints: string[] = []
  beforeAll(async () => {
    browser = await openBrowser()
    page = await browser.newPage({ viewport: { width: 390, height: HEIGHT } })
    // Nothing here is judged by its time.
    page.setDefaultTimeout(120_000)
    page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`))
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('request', (request) => {
      const url = request.url()
      if (!url.startsWith(gateway.url) && !url.startsWith('data:')) complaints.push(`asked ${url}`)
    })
    page.on('response', (response) => {
      if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`)
    })
    await page.goto(`${gateway.url}/docs`)
    await page.waitForSelector('.opblock')
  }, 300_000)
  afterAll(() => browser?.close())

  const load = async (part: string) => {
    await page.goto(`${gateway.url}/docs?part=${part}`)
    await page.waitForSelector('.opblock')
  }

  // One load for both widths: the page takes seconds to build itself, and its width can change without that.
  test('shows every operation in its part, in every width, and requests nothing from other hosts', async () => {
    const shown = { 390: 0, 1440: 0 }
    for (const part of PARTS) {
      await load(part)
      for (const width of [390, 1440] as const) {
        await page.setViewportSize({ width, height: HEIGHT })
        shown[width] += (await scrollThrough(page)).size
        const room = await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')
        expect(room).toEqual([width, width])
      }
    }
    const document = (await (await get('/openapi.json')).json()) as ApiDocument
    const all = operationsOf(document).length
    expect(shown).toEqual({ 390: all, 1440: all })
    expect(complaints).toEqual([])
  }, 240_000)

  test('follows the colour scheme of the system, and leads back to the console', async () => {
    const paper = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
    await page.emulateMedia({ colorScheme: 'light' })
    expect(await paper()).toBe('rgb(250, 250, 250)')
    await page.emulateMedia({ colorScheme: 'dark' })
    // The page hears of the change in a later frame.
    await page.waitForSelector('html.dark-mode')
    expect(await paper()).toBe('rgb(28, 32, 34)')
    await page.emulateMedia({ colorScheme: 'light' })
    const back = page.getByRole('link', { name: 'Back to the console' })
    expect(await back.evaluate((link) => (link as unknown as { href: string }).href)).toBe(
      `${gateway.url}/console/`,
    )
  })

  test('lets an operator try a call', async () => {
    await load('operator')
    await page.click('button.authorize')
    const form = page.locator('.auth-container').last()
    await form.locator('input').fill(OPERATOR_TOKEN)
    await form.locator('button[type=submit]').click()
    await page.click('.btn-done')
    await scrollThrough(page, 'operations-Accounts-createAccount')
    const call = page.locator('#operations-Accounts-createAccount')
    await call.locator('.opblock-summary-control').click()
    await call.locator('.try-out__btn').click()
    await call.locator('.execute').click()
    const answer = call.locator('.live-responses-table .response-col_description .microlight').first()
    expect(await answer.innerText()).toContain('"name": "Acme"')
    expect(complaints).toEqual([])
  }, 300_000)
})
