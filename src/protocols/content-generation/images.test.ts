import { expect, test } from 'bun:test'
import { aspectRatioOf } from './images.ts'

test.each([
  ['1024x1024', '1:1'],
  ['1024x1536', '2:3'],
  ['1792x1024', '16:9'],
  ['1024x1792', '9:16'],
  ['1536x672', '21:9'],
  ['1000x100', null],
  ['1150x1000', null],
])('%s is %p', (size, ratio) => {
  expect(aspectRatioOf(size)).toBe(ratio)
})
