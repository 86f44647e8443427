import { expect, test } from 'bun:test'
import type { Model } from '../../api/wire.ts'
import { pickModel, snippetKind } from './pick-model.ts'

const MODELS = [
  { id: 'embed', kinds: ['embedding'], routeable: true },
  { id: 'paint', kinds: ['image', 'image-edit'], routeable: true },
  { id: 'broken', kinds: ['text'], routeable: false },
  { id: 'talk', kinds: ['text'], routeable: true },
] as unknown as readonly Model[]

test('an example uses a text model that works, if the key may use one', () => {
  expect(pickModel(MODELS, null)).toEqual({ model: 'talk', kind: 'text' })
  expect(pickModel(MODELS, ['em*', 'paint'])).toEqual({ model: 'paint', kind: 'image' })
  expect(pickModel(MODELS, ['embed'])).toEqual({ model: 'embed', kind: 'embedding' })
  expect(pickModel(MODELS, ['broken'])).toEqual({ model: '<model>', kind: 'text' })
})

test('each kind of model has its own example', () => {
  expect(snippetKind({ kinds: ['embedding', 'text'] })).toBe('text')
  expect(snippetKind({ kinds: ['speech'] })).toBe('speech')
  expect(snippetKind({ kinds: ['image-edit'] })).toBe('image')
})
