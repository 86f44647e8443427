import { expect, test } from 'bun:test'
import { type Turn, trailingResults } from './ask.ts'

const turn = (role: Turn['role'], text: string, images = 0): Turn => ({
  role,
  text,
  images: Array.from({ length: images }, () => ({ mediaType: 'image/png', bytes: 1 })),
  toolName: null,
})
const user = turn('user', 'Look')
const call = turn('assistant', 'f')
const result = turn('tool', 'done')
const onlyImage = turn('user', '', 1)

test('results are the tool turns at the end, with the images that follow them', () => {
  expect(trailingResults([user, call, result, result])).toEqual([result, result])
  expect(trailingResults([user, call, result, onlyImage])).toEqual([result, onlyImage])
})

test('an image without a result and a result before words are none', () => {
  expect(trailingResults([onlyImage])).toEqual([])
  expect(trailingResults([user, call, result, user])).toEqual([])
  expect(trailingResults([])).toEqual([])
})
