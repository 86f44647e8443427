import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { arbitraryConversation } from '../../../../../test/support/arbitrary-conversation.ts'
import type { Conversation } from '../../../../conversation/conversation.ts'
import type { ImagePart, ImageSource, Part } from '../../../../conversation/part.ts'
import { GatewayError } from '../../../../errors/gateway-error.ts'
import { type FetchImageBytes, withImageBytes } from './image-bytes.ts'

const BYTES = { type: 'base64', mediaType: 'image/png', data: 'iVBORw0KGgo=' } as const
const MEBIBYTE = 1_024 * 1_024

const [sample] = fc.sample(arbitraryConversation(), { numRuns: 1, seed: 1 })

function image(url: string): ImagePart {
  return { type: 'image', source: { type: 'url', url, mediaType: null }, detail: 'low', cache: null }
}

function showing(parts: readonly Part[]): Conversation {
  return { ...sample, turns: [{ role: 'user', parts }] } as Conversation
}

function sourcesOf({ turns }: Conversation): ImageSource[] {
  const parts = turns.flatMap((turn) => turn.parts)
  const shown = parts.flatMap((part): readonly Part[] => (part.type === 'tool-result' ? part.parts : [part]))
  return shown.flatMap((part) => (part.type === 'image' ? [part.source] : []))
}

/** Fetches every image and notes which, and how many at the same time. */
function createFetcher(data: string = BYTES.data) {
  const notes = { urls: [] as string[], mostAtOnce: 0 }
  let running = 0
  const fetchImage: FetchImageBytes = async (url) => {
    notes.urls.push(url)
    running += 1
    notes.mostAtOnce = Math.max(notes.mostAtOnce, running)
    await Promise.resolve()
    running -= 1
    return { ...BYTES, data }
  }
  return { notes, fetchImage }
}

describe('images given by URL', () => {
  test('are all replaced by bytes, and nothing else changes', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryConversation(), async (conversation) => {
        const before = sourcesOf(conversation)
        const changed = await withImageBytes(conversation, createFetcher().fetchImage)
        expect(sourcesOf(changed)).toEqual(before.map((source) => (source.type === 'url' ? BYTES : source)))
        const blank = (text: string) => JSON.parse(text, (key, value) => (key === 'source' ? null : value))
        expect(blank(JSON.stringify(changed))).toEqual(blank(JSON.stringify(conversation)))
      }),
    )
  })

  test('are fetched once each, in results of tools too, and only a few at a time', async () => {
    const urls = Array.from({ length: 10 }, (_, index) => `https://pages.test/${index}`)
    const result: Part = {
      type: 'tool-result',
      callId: 'c',
      name: null,
      kind: 'function',
      parts: [image('https://pages.test/0'), image('https://pages.test/result')],
      isError: false,
      cache: null,
    }
    const { notes, fetchImage } = createFetcher()
    await withImageBytes(showing([result, ...urls.map(image), ...urls.map(image)]), fetchImage)
    expect(notes.urls.toSorted()).toEqual([...urls, 'https://pages.test/result'].toSorted())
    expect(notes.mostAtOnce).toBeLessThanOrEqual(4)
  })

  test('are not fetched when there are none', async () => {
    const { notes, fetchImage } = createFetcher()
    const conversation = showing([{ ...image(''), source: BYTES }])
    expect(await withImageBytes(conversation, fetchImage)).toBe(conversation)
    expect(notes.urls).toEqual([])
  })

  test('fail the request when one cannot be fetched, and no more are fetched', async () => {
    const asked: string[] = []
    const fetchImage: FetchImageBytes = async (url) => {
      asked.push(url)
      throw new GatewayError('invalid_request', 'not public')
    }
    const images = Array.from({ length: 50 }, (_, index) => image(`https://pages.test/${index}`))
    await expect(withImageBytes(showing(images), fetchImage)).rejects.toThrow('not public')
    expect(asked.length).toBeLessThanOrEqual(4)
  })

  test('have a total size limit, even for one image many times', async () => {
    const { fetchImage } = createFetcher('x'.repeat(10 * MEBIBYTE))
    const same = (count: number) => showing(Array.from({ length: count }, () => image('https://p.test/')))
    expect(sourcesOf(await withImageBytes(same(6), fetchImage))).toHaveLength(6)
    await expect(withImageBytes(same(7), fetchImage)).rejects.toMatchObject({ code: 'request_too_large' })
  })

  test('are limited to a hundred; beyond that none is fetched', async () => {
    const { notes, fetchImage } = createFetcher()
    const distinct = (count: number) =>
      showing(Array.from({ length: count }, (_, index) => image(`https://p.test/${index}`)))
    expect(sourcesOf(await withImageBytes(distinct(100), fetchImage))).toHaveLength(100)
    notes.urls.length = 0
    await expect(withImageBytes(distinct(101), fetchImage)).rejects.toMatchObject({ code: 'invalid_request' })
    expect(notes.urls).toEqual([])
  })
})
