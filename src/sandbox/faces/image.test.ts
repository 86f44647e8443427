import { expect, test } from 'bun:test'
import { readImageAddress } from './face.ts'

test('measures an image whatever its padding', () => {
  for (const bytes of [0, 1, 2, 3, 100, 101]) {
    const data = Buffer.alloc(bytes).toString('base64')
    expect(readImageAddress(`data:image/webp;base64,${data}`)).toEqual({
      mediaType: 'image/webp',
      bytes,
      base64: data,
    })
  }
})

test('only notes that an image is linked', () => {
  expect(readImageAddress('HTTPS://example.com/a.png')).toEqual({ mediaType: null, bytes: null })
})

test('refuses what is not an image URL', () => {
  for (const url of [
    '',
    'cat.png',
    'file:///etc/passwd',
    'data:image/png,plain',
    `data:${'x'.repeat(300)}`,
  ]) {
    expect(readImageAddress(url), url.slice(0, 20)).toBeNull()
  }
})
