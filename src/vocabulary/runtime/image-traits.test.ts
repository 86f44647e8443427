import { expect, test } from 'bun:test'
import { DEFAULT_IMAGE_TRAITS, findImageTraitProblem, imageTraitsOf } from './traits.ts'

test('traits of a model override the defaults', () => {
  const images = { sizes: ['512x512'], n: 1, mask: false, responseFormat: 'none' }
  expect(findImageTraitProblem({ images })).toBeNull()
  expect(imageTraitsOf({ images })).toEqual({
    ...DEFAULT_IMAGE_TRAITS,
    ...images,
  } as typeof DEFAULT_IMAGE_TRAITS)
  expect(imageTraitsOf({})).toEqual(DEFAULT_IMAGE_TRAITS)
})

test.each([
  [{ n: 5 }, 'n must be a whole number from 1 to 4'],
  [{ editN: 11 }, 'editN must be a whole number from 1 to 10'],
  [{ editN: 0 }, 'editN'],
  [{ sizes: 'all' }, 'sizes'],
  [{ sizes: [7] }, 'sizes'],
  [{ mask: 'yes' }, 'mask must be true or false'],
  [{ responseFormat: 'png' }, 'responseFormat'],
  [{ size: 'any' }, 'has no "size"'],
  [[], 'must be an object'],
])('%j is reported as invalid and changes nothing', (images, words) => {
  expect(findImageTraitProblem({ images })).toContain(words)
  expect(imageTraitsOf({ images })).toEqual(DEFAULT_IMAGE_TRAITS)
})
