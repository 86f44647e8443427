import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Visit } from '../support/browser.ts'
import { type HostileAccount, MARKUP } from '../support/hostile-words.ts'
import { fillRoute, isEntry, listAddressNames, listRoutes } from '../support/pages.ts'
import { type Stage, TEST_MS } from '../support/stage.ts'
import { expectHarmless, leave } from '../support/visible.ts'

const ADDRESS = 'javascript:alert(4)'

/** Markup in addresses and responses. `every-page.ts` covers stored and typed markup. */
export function describeInjection(stage: Stage): void {
  let hostile: HostileAccount
  let visitor: Visit
  beforeAll(async () => {
    hostile = await stage.hostile()
    visitor = await stage.enter('operator', `/models?account=${hostile.accountId}`)
  }, TEST_MS)
  afterAll(() => visitor?.end())

  const insides = listRoutes().filter((route) => !isEntry(route))

  const hostileQuery = () =>
    new URLSearchParams(listAddressNames().map((name): [string, string] => [name, MARKUP]))

  for (const route of insides) {
    test(
      `${route} escapes markup from its address`,
      async () => {
        const { page, problems } = visitor
        problems.length = 0
        await stage.walk(page, `${fillRoute(route, hostile.ids)}?${hostileQuery()}`)
        await page.locator('#main').getByRole('heading').first().waitFor()
        await expectHarmless(visitor)
      },
      TEST_MS,
    )
  }

  test(
    'serves the same page whatever the address contains',
    async () => {
      const read = async (path: string) => {
        const response = await fetch(`${stage.url}/console${path}`)
        const nonce = /'nonce-([^']+)'/.exec(response.headers.get('content-security-policy') ?? '')?.[1] ?? ''
        expect(nonce).not.toBe('')
        return (await response.text()).replaceAll(nonce, '')
      }
      const plain = await read('/overview')
      for (const route of listRoutes()) {
        expect(await read(`${route.replace('$id', encodeURIComponent(MARKUP))}?${hostileQuery()}`)).toBe(
          plain,
        )
      }
      const { page, problems } = visitor
      problems.length = 0
      await stage.go(page, `/models?${hostileQuery()}`)
      await expectHarmless(visitor)
    },
    TEST_MS,
  )

  test('found the address parameters', () => {
    for (const name of ['q', 'tab', 'model', 'do', 'span']) expect(listAddressNames()).toContain(name)
  })

  test(
    'does not redirect to other sites after sign-in',
    async () => {
      for (const target of [ADDRESS, 'https://evil.example/', '//evil.example/', '/\\evil.example']) {
        const led = await stage.visit()
        const { page } = led
        await page.goto(`${stage.url}/console/sign-in?return=${encodeURIComponent(target)}`)
        await page.getByLabel('E-mail').fill(stage.admin.email)
        await page.getByLabel('Password', { exact: true }).fill(stage.admin.password)
        await page.keyboard.press('Enter')
        await page.locator('#main').waitFor()
        expect(new URL(page.url()).origin).toBe(stage.url)
        await leave(led)
      }
    },
    TEST_MS,
  )

  test(
    'shows model output as text',
    async () => {
      const asked = await stage.enter('owner', '/playground?model=sandbox-chat')
      const { page } = asked
      await page.getByRole('textbox', { name: 'Message' }).fill(`say: ${MARKUP}`)
      // Enter does nothing until the model is loaded.
      await page.locator('button[type="submit"]:enabled', { hasText: 'Send' }).waitFor()
      await page.keyboard.press('Enter')
      await page.locator('.exchange-text').getByText('data-hostile').waitFor()
      await expectHarmless(asked)
      await leave(asked)
    },
    TEST_MS,
  )
}
