import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { OFFICIAL_DRIVERS } from './drivers/index.ts'
import { PIXEL } from './scenarios.ts'
import { openStage, type Stage } from './stage.ts'
import { type InputImage, MODES, TEXT_FORMATS, type TextFormat } from './talk.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.stop())

const LINK: InputImage = { type: 'link', url: 'https://example.com/cat.png' }
/** An address of this machine; clients must not make the gateway fetch it. */
const PRIVATE_LINK: InputImage = { type: 'link', url: 'https://127.0.0.1/cat.png' }

const question = (images: readonly InputImage[]) => ({
  model: 'sandbox-chat',
  text: 'What is this?',
  images,
})

describe.each(OFFICIAL_DRIVERS)('$sdk, $format', (driver) => {
  /** Whether the gateway must fetch an image itself, since the supplier takes only bytes. */
  const isFetched = (supplier: TextFormat) =>
    supplier === 'content-generation' && driver.format !== 'content-generation'

  test.each(TEXT_FORMATS.filter((supplier) => !isFetched(supplier)))(
    'shows bytes and an address to %s',
    async (supplier) => {
      for (const mode of MODES) {
        const talk = driver.open(question([PIXEL, LINK]), stage.gateway.url)
        const { text } = await talk.ask({ key: stage.keyFor(supplier), mode })
        expect(text).toContain('I see 2 images: image/png of 70 bytes, one by link.')
      }
    },
  )

  test.each(TEXT_FORMATS.filter(isFetched))(
    'gets an error when a non-public address would have to be fetched for %s',
    async (supplier) => {
      for (const mode of MODES) {
        const talk = driver.open(question([PRIVATE_LINK]), stage.gateway.url)
        const asking = talk.ask({ key: stage.keyFor(supplier), mode })
        const thrown = await asking.then(
          () => null,
          (error: unknown) => error,
        )
        expect(driver.codeOf(thrown)).toBe('invalid_request')
        expect(String(thrown)).toContain('its address is not public')
      }
    },
  )
})
