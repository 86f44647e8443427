import { expect, test } from 'bun:test'
import { imageTypeOf } from './fetch-image.ts'

const bytesOf = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))

test.each([
  ['image/png', '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', '\xff\xd8\xff\xe0'],
  ['image/gif', 'GIF87a'],
  ['image/gif', 'GIF89a'],
  ['image/webp', 'RIFF\x01\x02\x03\x04WEBPVP8 '],
])('%s is detected by its first bytes', (mediaType, text) => {
  expect(imageTypeOf(bytesOf(text))).toBe(mediaType)
})

test.each([
  '',
  '\x89PN',
  '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'RIFF\x01\x02\x03\x04WAVE',
  'GIF',
  '{}',
])('nothing else is an image: %j', (text) => expect(imageTypeOf(bytesOf(text))).toBeNull())
