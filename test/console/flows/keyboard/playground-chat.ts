import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { addHousehold, askModel } from '../../../console-api/support/account-stage.ts'
import { eventually } from '../../../support/eventually.ts'
import { findAccessibilityIssues } from '../../support/browser.ts'
import { KeyboardUser } from '../../support/keyboard-user.ts'
import { type Stage, TEST_MS } from '../../support/stage.ts'
import { field, leave, see } from '../../support/visible.ts'

/** A chat with everything it can have: formatted text, tools, JSON, several models, and a place in the list. */
export function describePlaygroundChatByKeyboard(stage: Stage): void {
  test(
    'formats, calls tools, checks JSON, changes earlier messages, compares models and keeps chats',
    async () => {
      const visitor = await stage.enter('owner', '/playground?model=sandbox-tools')
      const { page } = visitor
      const keyboard = await KeyboardUser.inContent(page)
      const say = async (text: string) => {
        await keyboard.tabTo(/^Message$/, 'Shift+Tab')
        await keyboard.type(/^Message$/, text)
        await keyboard.key('Enter')
      }
      const articles = page.getByRole('article')
      const repliesOf = (model: string) => page.getByRole('group', { name: `Reply of ${model}`, exact: true })

      await keyboard.press(/^Tools$/)
      await keyboard.press(/^Add an example$/)
      await keyboard.press(/^Use these tools$/)
      await see(page, 'Tools: 1')
      await say('use tool')
      await page.getByLabel('Result of get_weather').waitFor()
      await keyboard.tabTo(/^Result of get_weather/, 'Shift+Tab')
      await keyboard.type(/^Result of get_weather/, '{"sky":"rain"}')
      await keyboard.press(/^Send the result$/)
      await see(articles.first(), /get_weather returned/)
      expect(await keyboard.focused()).toContain('Reply of sandbox-tools')
      await keyboard.suggest(/^Model$/, 'sandbox-chat')

      await say('say: **bold** and `code`\n\n```js\nconst a = 1 // one\n```')
      await page.locator('.markdown strong').waitFor()
      await see(page.locator('.markdown .code-keyword'), 'const')
      expect(await findAccessibilityIssues(page)).toEqual([])

      await keyboard.tabTo(/^Edit the message: use tool/, 'Shift+Tab')
      await keyboard.key('Enter')
      await keyboard.type(/^Message to change$/, 'say: changed')
      await keyboard.press(/^Send again$/)
      await see(page.getByRole('dialog'), 'The message after this one')
      await keyboard.press(/^Send again$/)
      await see(articles.first(), /^changed$/)
      expect(await articles.count()).toBe(1)

      await keyboard.press(/^JSON output$/)
      await keyboard.press(/^Use this schema$/)
      await say('anything')
      await see(page, 'Matches the schema')

      await compare(page, keyboard)
      await say('Tell me a long story about a lighthouse, please.')
      await keyboard.tabTo(/^Stop sandbox-slow$/, 'Shift+Tab')
      await keyboard.key('Enter')
      await see(repliesOf('sandbox-slow').last(), 'Stopped by you.')
      await see(repliesOf('sandbox-chat').last(), 'Cost')
      expect(await findAccessibilityIssues(page)).toEqual([])

      await rename(page, keyboard)
      await page.reload()
      await see(articles.first(), /^changed$/)
      expect(await repliesOf('sandbox-slow').count()).toBe(1)
      expect(await page.evaluate(KEPT_TEXT)).not.toContain('sk-')
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'ends every request when the page is left',
    async () => {
      const visitor = await stage.enter('owner', '/playground?model=sandbox-chat&beside=sandbox-slow')
      const { page } = visitor
      const keyboard = await KeyboardUser.inContent(page)
      // Nothing answers, so that the requests are certainly under way once the browser has sent them.
      await page.route('**/v1/chat/completions', () => undefined)
      const ended: string[] = []
      page.on('requestfailed', (request) => ended.push(request.url()))
      const asked = Promise.all([
        page.waitForRequest(/completions/),
        page.waitForRequest((request) => request.postData()?.includes('sandbox-slow') === true),
      ])
      await keyboard.type(/^Message$/, 'Hello')
      await keyboard.key('Enter')
      await asked
      await page.evaluate(`history.pushState(null, '', '/console/keys')`)
      await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor()
      expect(ended.filter((url) => url.endsWith('/v1/chat/completions'))).toHaveLength(2)
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'opens a stored request with its conversation and settings',
    async () => {
      const house = await addHousehold(stage.gateway, 'Stored')
      await house.owner.call(`PUT /accounts/${house.accountId}/body-storage`, { body: { enabled: true } })
      const messages = [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'one' },
        { role: 'assistant', content: 'two' },
        { role: 'user', content: 'say: three' },
      ]
      const id = await askModel(stage.gateway, house, { messages, top_p: 0.5 })
      await eventually('the stored body', async () => {
        const { status } = await house.owner.call(`GET /accounts/${house.accountId}/bodies/${id}`)
        return status === 200
      })
      const visitor = await stage.enterHome(house, `/playground?from=${id}`)
      const { page } = visitor
      await see(page, /does not send: top_p/)
      expect(await field(page, 'Message').inputValue()).toBe('say: three')
      expect(await field(page, 'System prompt').first().inputValue()).toBe('Be brief.')
      await see(page.getByRole('article'), /^two$/)
      const keyboard = await KeyboardUser.inContent(page)
      await keyboard.press(/^Send$/)
      await see(page.getByRole('article').last(), /^three$/)
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'lists the shortcuts of the console, and asks before a changed form is left',
    async () => {
      const visitor = await stage.enter('owner', '/overview')
      const { page } = visitor
      const keyboard = await KeyboardUser.inContent(page)
      const dialogs = page.getByRole('dialog')
      await keyboard.key('?')
      await see(dialogs, 'Keyboard shortcuts')
      expect(await findAccessibilityIssues(page)).toEqual([])
      await keyboard.key('Escape')
      await dialogs.waitFor({ state: 'detached' })
      await keyboard.strike('gk')
      await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor()
      await keyboard.press(/^Create key$/)
      await keyboard.type(/^Name/, 'Nearly')
      await keyboard.key('Escape')
      await see(page, 'Discard your changes?')
      await keyboard.press(/^Keep editing$/)
      await page.goBack()
      await see(page, 'Discard your changes?')
      await keyboard.press(/^Discard$/)
      await dialogs.first().waitFor({ state: 'detached' })
      expect(page.url()).toContain('/console/keys')
      await leave(visitor)
    },
    TEST_MS,
  )
}

/** Everything that the browser keeps. */
const KEPT_TEXT = `new Promise((resolve, reject) => {
  const request = indexedDB.open('turnpike-playground')
  request.onerror = () => reject(request.error)
  request.onsuccess = () => {
    const contents = request.result.transaction('contents').objectStore('contents').getAll()
    contents.onsuccess = () => {
      resolve(JSON.stringify([contents.result, { ...localStorage }]))
      request.result.close()
    }
  }
})`

async function compare(page: Page, keyboard: KeyboardUser): Promise<void> {
  await keyboard.press(/^Compare models$/)
  await page.getByRole('combobox', { name: 'Model 2' }).waitFor()
  await keyboard.tabTo(/^Model 2$/, 'Shift+Tab')
  await keyboard.suggest(/^Model 2$/, 'sandbox-slow')
}

async function rename(page: Page, keyboard: KeyboardUser): Promise<void> {
  await keyboard.press(/^Chats$/)
  const drawer = page.getByRole('dialog')
  await see(drawer, 'stored only here')
  await keyboard.pick(/^Actions for use tool/, /^Rename$/)
  await keyboard.type(/^Title$/, 'Weather')
  await keyboard.key('Enter')
  await drawer.getByRole('button', { name: 'Weather', exact: true }).waitFor()
  await keyboard.key('Escape')
  await keyboard.expectAt(/^Chats$/)
}
