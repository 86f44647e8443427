import { expect, test } from 'bun:test'
import { createImageStore } from './image-store.ts'

const HOUR_MS = 3_600_000

function openStore() {
  const clock = { nowMs: 1_000 }
  let names = 0
  const store = createImageStore({
    nowMs: () => clock.nowMs,
    inventName: () => {
      names += 1
      return `image-${names}`
    },
  })
  return { clock, store }
}

test('keeps an image for an hour', () => {
  const { clock, store } = openStore()
  const image = Uint8Array.of(1, 2, 3)
  const name = store.keep(image)
  clock.nowMs += HOUR_MS - 1
  expect(store.find(name)).toBe(image)
  expect(store.find('image-2')).toBeNull()
  clock.nowMs += 1
  expect(store.find(name)).toBeNull()
})

test('lets the oldest go when there are too many', () => {
  const { store } = openStore()
  const names = Array.from({ length: 4_098 }, () => store.keep(Uint8Array.of(1)))
  expect(names.findIndex((name) => store.find(name) !== null)).toBe(2)
})

test('lets the oldest go when there is no more room', () => {
  const { store } = openStore()
  const names = Array.from({ length: 5 }, () => store.keep(new Uint8Array(16 * 1024 * 1024)))
  expect(names.map((name) => store.find(name) !== null)).toEqual([false, true, true, true, true])
})
