import { expect, test } from 'bun:test'
import { addPerson, PASSWORD } from '../../console-api/support/people.ts'
import { listRoutes } from '../support/pages.ts'
import { type Stage, TEST_MS } from '../support/stage.ts'

/** A page of another site that the victim visits. */
async function withForeignSite(html: string, visit: (url: string) => Promise<void>): Promise<void> {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => new Response(html, { headers: { 'content-type': 'text/html' } }),
  })
  try {
    // `localhost` is another site than the gateway, so its cookies are third-party.
    await visit(`http://localhost:${server.port}/`)
  } finally {
    await server.stop(true)
  }
}

export function describeSafety(stage: Stage): void {
  test(
    'forbids inline script, framing and content sniffing on every page',
    async () => {
      for (const route of listRoutes()) {
        const response = await fetch(`${stage.url}/console${route.replace('$id', 'x')}`)
        const policy = response.headers.get('content-security-policy') ?? ''
        const scripts = policy.split('; ').find((part) => part.startsWith('script-src'))
        expect([route, scripts]).toEqual([route, "script-src 'self'"])
        for (const part of [
          "default-src 'self'",
          "frame-ancestors 'none'",
          "base-uri 'none'",
          "object-src 'none'",
        ]) {
          expect(policy).toContain(part)
        }
        expect(policy).not.toContain('unsafe')
        expect(response.headers.get('x-frame-options')).toBe('DENY')
        expect(response.headers.get('x-content-type-options')).toBe('nosniff')
        const html = await response.text()
        expect(html).not.toMatch(/<script(?![^>]*\bsrc=)[^>]*>/)
        expect(html).not.toMatch(/\son\w+=/)
        expect(html).not.toContain('__NONCE__')
      }
    },
    TEST_MS,
  )

  test(
    'cannot be framed by another site',
    async () => {
      await withForeignSite(`<iframe src="${stage.url}/console/overview"></iframe>`, async (url) => {
        const visitor = await stage.enter('owner', '/models')
        const { page } = visitor
        await page.goto(url)
        await page.waitForLoadState('networkidle')
        const frame = page.frames().find((one) => one !== page.mainFrame())
        expect(await frame?.locator('#main').count()).toBe(0)
        await visitor.end()
      })
    },
    TEST_MS,
  )

  test(
    'ignores a form from another site, although the user is signed in',
    async () => {
      const action = `${stage.url}/console/api/accounts/${stage.home.accountId}/keys`
      const html = `<form method="post" enctype="text/plain" action="${action}">
        <input name='{"name":"forged","x":"' value='"}'></form><script>document.forms[0].submit()</script>`
      await withForeignSite(html, async (url) => {
        const visitor = await stage.enter('owner', '/models')
        const { page } = visitor
        const [response] = await Promise.all([
          page.waitForResponse((one) => one.url() === action),
          page.goto(url).catch(() => null),
        ])
        expect([401, 403]).toContain(response.status())
        const keys = await stage.home.owner.call(`GET /accounts/${stage.home.accountId}/keys`)
        expect(JSON.stringify(keys.body)).not.toContain('forged')
        await visitor.end()
      })
    },
    TEST_MS,
  )

  test(
    'prevents session fixation',
    async () => {
      await addPerson(stage.gateway, 'fixed@acme.example')
      const visitor = await stage.visit()
      const { page } = visitor
      const planted = 'A'.repeat(43)
      await page.context().addCookies([{ name: 'turnpike_session', value: planted, url: stage.url }])
      await stage.go(page, '/sign-in')
      await page.getByLabel('E-mail').fill('fixed@acme.example')
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
      await page.keyboard.press('Enter')
      await page.locator('#main').waitFor()
      const sessions = (await page.context().cookies()).filter(({ name }) => name === 'turnpike_session')
      expect(sessions).toHaveLength(1)
      expect(sessions[0]).toMatchObject({ httpOnly: true, sameSite: 'Lax' })
      expect(sessions[0]?.value).not.toBe(planted)
      const asPlanted = await fetch(`${stage.url}/console/api/sessions`, {
        headers: { cookie: `turnpike_session=${planted}` },
      })
      expect(asPlanted.status).toBe(401)
      await visitor.end()
    },
    TEST_MS,
  )
}
