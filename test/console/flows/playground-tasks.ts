import { expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { addHousehold } from '../../console-api/support/account-stage.ts'
import { settlementsOf } from '../../support/settlements.ts'
import { findAccessibilityIssues } from '../support/browser.ts'
import { type Stage, TEST_MS } from '../support/stage.ts'
import { field, leave, press, see } from '../support/visible.ts'

/** A second of silence. */
export function makeRecording() {
  const sampleRate = 8_000
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + sampleRate, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(sampleRate, 24)
  head.writeUInt32LE(sampleRate, 28)
  head.writeUInt16LE(1, 32)
  head.writeUInt16LE(8, 34)
  head.write('data', 36)
  head.writeUInt32LE(sampleRate, 40)
  const buffer = Buffer.concat([head, Buffer.alloc(sampleRate, 0x80)])
  return { name: 'silence.wav', mimeType: 'audio/wav', buffer }
}

/** The tabs of the playground that send one request. */
export function describePlaygroundTasks(stage: Stage): void {
  const result = (page: Page): Locator => page.getByRole('region', { name: 'Result' })

  /** What every task has: cost, usage, request, raw exchange and code. */
  async function expectFacts(page: Page, path: string, usage: RegExp): Promise<void> {
    await see(result(page), 'Cost')
    await see(result(page), usage)
    expect(await findAccessibilityIssues(page)).toEqual([])
    await press(result(page), 'As sent')
    await see(page.getByRole('dialog'), `POST ${path}`)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await press(page.getByRole('tabpanel'), 'Copy as code')
    await see(page.getByRole('dialog'), new RegExp(`curl ${stage.url}${path}`))
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await see(page.getByRole('tabpanel'), 'Charged to Acme, with the key “Playground”')
    await result(page).getByRole('link', { name: /^req_/ }).click()
    await page.waitForURL(/\/requests\/req_/)
    await see(page, 'Supplier format')
  }

  test(
    'compares texts by their embeddings',
    async () => {
      const visitor = await stage.enter('owner', '/playground?mode=embedding')
      const { page } = visitor
      await field(page, 'Texts').fill('red apple\nblue sky\nred apple pie\n')
      await press(page, 'Embed')
      await see(page, /3 vectors of \d+ dimensions. Most similar: 1 and 3/)
      const table = page.getByRole('region', { name: 'Similarity of the texts' })
      expect(await table.getByRole('row').count()).toBe(1 + 3)
      await expectFacts(page, '/v1/embeddings', /^Tokens$/)
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'ranks documents',
    async () => {
      const visitor = await stage.enter('owner', '/playground?mode=rerank')
      const { page } = visitor
      await field(page, 'Query').fill('capital of France')
      await field(page, 'Documents').fill(
        'Berlin is in Germany.\nParis is the capital of France.\nLyon is a city.',
      )
      await page.getByRole('textbox', { name: 'Results' }).fill('2')
      await press(page, 'Rank')
      const ranked = page.getByRole('list', { name: 'Documents by score' }).getByRole('listitem')
      await see(ranked.first(), 'Paris is the capital of France.')
      expect(await ranked.count()).toBe(2)
      await expectFacts(page, '/v2/rerank', /^Search units$/)
      await see(page, 'Search unit')
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'checks a text',
    async () => {
      const visitor = await stage.enter('owner', '/playground?mode=moderation')
      const { page } = visitor
      await field(page, 'Text to check').fill('A day without violence is a good day.')
      await press(page, 'Check')
      await page.getByRole('row', { name: /^Violence Yes/ }).waitFor()
      await page.getByRole('row', { name: /^Hate No/ }).waitFor()
      await expectFacts(page, '/v1/moderations', /^Tokens$/)
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'speaks a text, which can be played and downloaded',
    async () => {
      const visitor = await stage.enter('owner', '/playground?mode=speech&model=sandbox-speech')
      const { page } = visitor
      await field(page, 'Text to speak').fill('The ship leaves at dawn.')
      await press(page, 'Speak')
      const download = result(page).getByRole('link', { name: 'Download' })
      expect(await download.getAttribute('download')).toBe('speech.wav')
      const seconds = page.evaluate(`new Promise((resolve) => {
        const audio = document.querySelector('audio')
        if (audio.readyState > 0) resolve(audio.duration)
        audio.addEventListener('loadedmetadata', () => resolve(audio.duration))
        audio.addEventListener('error', () => resolve(0))
      })`)
      expect(Number(await seconds)).toBeGreaterThan(0)
      await expectFacts(page, '/v1/audio/speech', /^Characters$/)
      await see(page, 'per million')
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'does not show stored audio as text',
    async () => {
      const house = await addHousehold(stage.gateway, 'Speakers')
      await house.owner.call(`PUT /accounts/${house.accountId}/body-storage`, { body: { enabled: true } })
      const response = await fetch(`${stage.url}/v1/audio/speech`, {
        method: 'POST',
        headers: { authorization: `Bearer ${house.secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'sandbox-speech', input: 'The ship leaves at dawn.', voice: 'alloy' }),
      })
      expect((await response.bytes()).length).toBeGreaterThan(1_000)
      const id = response.headers.get('x-request-id') ?? ''
      await settlementsOf(stage.gateway, house.keyId, 1)
      const visitor = await stage.enterHome(house, `/requests/${id}`)
      await see(visitor.page, /"voice": "alloy"/)
      await see(visitor.page, 'The response is not shown: only text is stored, not audio or files.')
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'transcribes a recording as text and as subtitles',
    async () => {
      const visitor = await stage.enter('owner', '/playground?mode=transcription&model=sandbox-transcribe')
      const { page } = visitor
      const panel = page.getByRole('tabpanel')
      await panel.locator('input[type="file"]').setInputFiles(makeRecording())
      await press(page, 'Transcribe')
      const text = result(page).locator('.exchange-text')
      await text.waitFor()
      expect(await text.innerText()).not.toContain('{')
      await panel.getByLabel('Output format').selectOption('srt')
      await press(page, 'Transcribe')
      await see(result(page), /00:00:00,000 --> /)
      await expectFacts(page, '/v1/audio/transcriptions', /^Audio$/)
      await see(page, 'a minute')
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'stops a request, and ends it when the page is left',
    async () => {
      const visitor = await stage.enter('owner', '/playground?mode=embedding')
      const { page } = visitor
      // Nothing answers, so that the request is certainly under way once the browser has sent it.
      await page.route('**/v1/embeddings', () => undefined)
      const embed = async () => {
        const asked = page.waitForRequest('**/v1/embeddings')
        await press(page, 'Embed')
        await asked
      }
      const isEnded = () => page.waitForEvent('requestfailed', (request) => /embeddings/.test(request.url()))
      await field(page, 'Texts').fill('one')
      await embed()
      const stopped = isEnded()
      await press(page, 'Stop')
      await see(page, /Stopped by you/)
      await stopped
      await embed()
      const left = isEnded()
      await page.getByRole('link', { name: 'Models', exact: true }).click()
      await left
      await leave(visitor)
    },
    TEST_MS,
  )

  test(
    'offers only tabs for which a model is available, and explains a refused request',
    async () => {
      const path = '/models/sandbox-rerank/routes/sandbox-openai'
      const route = { upstream_model: 'sandbox-rerank', formats: ['rerank'], price: { search_unit: '0.002' } }
      await stage.gateway.operator('PUT', path, { ...route, enabled: false })
      const visitor = await stage.enter('owner', '/playground')
      const { page } = visitor
      await page.getByRole('tab', { name: 'Transcription' }).waitFor()
      expect(await page.getByRole('tab').allInnerTexts()).toEqual([
        'Chat',
        'Images',
        'Embeddings',
        'Moderation',
        'Speech',
        'Transcription',
      ])
      await stage.gateway.operator('PUT', path, route)
      await page.getByRole('tab', { name: 'Speech' }).click()
      await field(page, 'Text to speak').fill('Hello')
      await page.getByRole('tabpanel').getByLabel('Audio format').selectOption('flac')
      await press(page, 'Speak')
      await page.getByRole('alert').getByText(/flac/).waitFor()
      visitor.problems.length = 0
      await leave(visitor)
    },
    TEST_MS,
  )
}
