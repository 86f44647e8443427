import { expect, test } from 'bun:test'
import { decodePicture } from './decode-picture.ts'

test('measures an inline picture', () => {
  for (const bytes of [1, 2, 3, 67]) {
    const data = Buffer.alloc(bytes, 7).toString('base64')
    expect(decodePicture(`data:image/png;base64,${data}`)).toEqual({ mediaType: 'image/png', bytes })
  }
})

test('knows nothing of a linked picture', () => {
  expect(decodePicture('https://example.com/cat.png')).toEqual({ mediaType: null, bytes: null })
})

test('refuses anything else', () => {
  for (const url of ['cat.png', 'file:///etc/passwd', 'data:image/png,abc', '']) {
    expect(() => decodePicture(url)).toThrow('Invalid image_url')
  }
})
