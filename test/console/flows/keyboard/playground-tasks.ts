import { test } from 'bun:test'
import { KeyboardUser } from '../../support/keyboard-user.ts'
import { type Stage, TEST_MS } from '../../support/stage.ts'
import { leave, see } from '../../support/visible.ts'
import { makeRecording } from '../playground-tasks.ts'

/** The tabs of the playground that send one request. */
export function describePlaygroundTasksByKeyboard(stage: Stage): void {
  test(
    'embeds, ranks and checks texts, speaks and transcribes',
    async () => {
      const visitor = await stage.enter('owner', '/playground')
      const { page } = visitor
      const keyboard = await KeyboardUser.inContent(page)
      await page.getByRole('tab', { name: 'Transcription' }).waitFor()
      await keyboard.turnTo(/^Chat$/, /^Embeddings$/)
      await keyboard.type(/^Texts$/, 'red apple\nblue sky')
      await keyboard.press(/^Embed$/)
      await see(page, /2 vectors of/)
      await keyboard.expectAt(/^Embed$/)
      await keyboard.press(/^Copy vectors$/)
      await keyboard.press(/^As sent$/)
      const drawer = page.getByRole('dialog')
      await see(drawer, 'POST /v1/embeddings')
      await keyboard.key('Escape')
      await keyboard.expectAt(/^As sent$/)
      await keyboard.press(/^Copy as code$/)
      await see(drawer, /\/v1\/embeddings/)
      await keyboard.key('Escape')
      await keyboard.expectAt(/^Copy as code$/)

      const turn = async (from: RegExp, to: RegExp) => {
        await keyboard.tabTo(from, 'Shift+Tab')
        await keyboard.arrowTo(to, 'ArrowRight')
      }
      await turn(/^Embeddings$/, /^Rerank$/)
      await keyboard.type(/^Query$/, 'blue sky')
      await keyboard.type(/^Documents$/, 'a red apple\nthe blue sky')
      await keyboard.press(/^Rank$/)
      await see(page.getByRole('list', { name: 'Documents by score' }), 'the blue sky')
      await turn(/^Rerank$/, /^Moderation$/)
      await keyboard.type(/^Text to check$/, 'violence')
      await keyboard.press(/^Check$/)
      await page.getByRole('row', { name: /^Violence Yes/ }).waitFor()
      await turn(/^Moderation$/, /^Speech$/)
      await keyboard.type(/^Text to speak$/, 'Hello')
      await keyboard.choose(/^Audio format$/, /^WAV$/)
      await keyboard.tabTo(/^Speak$/, 'Shift+Tab')
      await keyboard.key('Enter')
      await page.getByRole('link', { name: 'Download' }).waitFor()
      await keyboard.tabTo(/^Spoken text$/)
      await keyboard.tabTo(/^Download$/)
      await turn(/^Speech$/, /^Transcription$/)
      const chooser = page.waitForEvent('filechooser')
      await keyboard.press(/^Recording/)
      await (await chooser).setFiles(makeRecording())
      await keyboard.press(/^Transcribe$/)
      await page.getByRole('button', { name: 'Copy text' }).waitFor()
      await leave(visitor)
    },
    TEST_MS,
  )
}
