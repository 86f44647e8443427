import { describe, expect, test } from 'bun:test'
import { decodeImageUrl, encodeImageUrl } from './part.ts'

const PNG = 'iVBORw0KGgoAAAANSUhEUg=='

describe('decodeImageUrl', () => {
  const inline: readonly (readonly [url: string, mediaType: string, data: string])[] = [
    [`data:image/png;base64,${PNG}`, 'image/png', PNG],
    ['DATA:IMAGE/JPG;BASE64,/9j/4A==', 'image/jpeg', '/9j/4A=='],
    ['data:image/webp;charset=x; base64 ,UklG\r\n Rg==', 'image/webp', 'UklGRg=='],
    [`data:;base64,${PNG}`, 'image/png', PNG],
    ['data:application/octet-stream;base64,R0lGODlh', 'image/gif', 'R0lGODlh'],
    ['data:;base64,AAAA', 'application/octet-stream', 'AAAA'],
    ['data:image/svg+xml,%3Csvg%2F%3E', 'image/svg+xml', Buffer.from('<svg/>').toString('base64')],
    ['data:image/png;base64,AA%2BA', 'image/png', 'AA+A'],
    ['data:image/png;base64,A%ZZA', 'image/png', 'A%ZZA'],
  ]
  test.each(inline)('%s', (url, mediaType, data) =>
    expect(decodeImageUrl(url)).toEqual({ type: 'base64', mediaType, data }),
  )

  test.each(['https://e.example/a.png', 'data:image/png;base64', 'x'])('%s is an address', (url) =>
    expect(decodeImageUrl(url)).toEqual({ type: 'url', url, mediaType: null }),
  )
})

test('encoding a decoded URL gives the same URL', () => {
  for (const url of [`data:image/png;base64,${PNG}`, 'https://e.example/a.png'])
    expect(encodeImageUrl(decodeImageUrl(url))).toBe(url)
})
