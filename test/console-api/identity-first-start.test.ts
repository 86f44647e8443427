import { afterEach, describe, expect, test } from 'bun:test'
import { createUsersCommand } from '../../src/cli/commands/resources.ts'
import { run } from '../../src/cli/run.ts'
import {
  makeDataFolder,
  OPERATOR_TOKEN,
  removeDataFolder,
  startTestGateway,
  type TestGateway,
} from '../support/test-gateway.ts'
import { Browser } from './support/browser.ts'
import { addPerson, browserOf, PASSWORD } from './support/people.ts'

let gateway: TestGateway | null = null
afterEach(async () => {
  await gateway?.stop()
  gateway = null
})

async function start(environment: Record<string, string> = {}, dataFolder?: string): Promise<TestGateway> {
  gateway = await startTestGateway({ environment, ...(dataFolder !== undefined && { dataFolder }) })
  return gateway
}

describe('the first user', () => {
  test('is created once, is an operator, and owns the first account', async () => {
    const folder = makeDataFolder()
    try {
      const first = await start({}, folder)
      const { email = '', password = '' } = first.newUser ?? {}
      expect(email).toBe('admin@localhost')
      const browser = await browserOf(first, email, password)
      const { user, accounts } = (await browser.call('GET /session')).body
      expect(user.is_operator).toBe(true)
      expect(accounts).toEqual([{ id: expect.any(String), name: 'First account', role: 'owner' }])
      await first.stop()
      const second = await start({}, folder)
      expect(second.newUser).toBeNull()
      // Sessions are in the database, so the user is still signed in.
      const later = new Browser(second.url)
      later.cookies.set('turnpike_session', browser.session ?? '')
      expect((await later.call('GET /session')).body.user.email).toBe(email)
    } finally {
      await gateway?.stop()
      gateway = null
      removeDataFolder(folder)
    }
  })
})

test('sign-up is refused unless the setting allows it', async () => {
  const { url } = await start()
  const browser = await new Browser(url).open()
  const body = { email: 'a@example.com', password: PASSWORD, name: 'A' }
  const { status } = await browser.call('POST /sign-up', { body })
  expect(status).toBe(404)
  expect((await browser.call('GET /session')).body.sign_up).toBe(false)
})

test('over https the cookies have the __Host- prefix', async () => {
  const started = await start({ TURNPIKE_PUBLIC_URL: 'https://console.example' })
  await addPerson(started, 'a@example.com')
  const browser = await new Browser(started.url).open()
  const body = { email: 'a@example.com', password: PASSWORD }
  const headers = { origin: 'https://console.example' }
  const answer = await browser.call('POST /sign-in', { body, headers })
  expect(answer.status).toBe(200)
  const lines = answer.headers.getSetCookie()
  expect(lines[0]).toMatch(
    /^__Host-turnpike_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=1209600; Secure$/,
  )
  const planted = new Browser(started.url)
  planted.cookies.set('turnpike_session', browser.cookies.get('__Host-turnpike_session') ?? '')
  expect((await planted.call('GET /session')).body.user).toBeNull()
})

describe('turnpike users', () => {
  async function type(...args: string[]): Promise<{ status: number; text: string }> {
    const command = createUsersCommand({
      TURNPIKE_URL: gateway?.url,
      TURNPIKE_OPERATOR_TOKEN: OPERATOR_TOKEN,
    })
    let text = ''
    const print = (printed: string) => {
      text += printed
    }
    const terminal = { print, printError: print, untilInterrupted: () => Promise.resolve() }
    try {
      return { status: await command.run(args, terminal), text }
    } catch (error) {
      return { status: 1, text: String(error) }
    }
  }

  test('lists, creates, resets and promotes', async () => {
    const started = await start()
    const created = await type('create', 'Ada@example.com', '--name', 'Ada', '--json')
    const { password, email } = JSON.parse(created.text)
    expect(email).toBe('ada@example.com')
    const browser = await browserOf(started, email, password)
    const reset = await type('reset-password', 'ada@example.com', '--json')
    const next = JSON.parse(reset.text).password
    expect(next).not.toBe(password)
    expect((await browser.call('GET /sessions')).status).toBe(401)
    await browser.signIn(email, next)
    expect((await type('make-operator', 'ada@example.com')).text).toContain('operator')
    const again = await browserOf(started, email, next)
    expect((await again.request('GET /operator/v1/users')).body.data).toHaveLength(2)
    expect((await type('list')).text).toContain('ada@example.com')
    expect((await type('reset-password', 'nobody@example.com')).text).toContain('there is no user')
  })

  test('is among the commands', async () => {
    let text = ''
    const print = (printed: string) => {
      text += printed
    }
    await run(['help'], { print, printError: print, untilInterrupted: () => Promise.resolve() })
    expect(text).toContain('users')
  })
})
