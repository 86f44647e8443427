import { expect, test } from 'bun:test'
import { PricePut, type PriceSettings } from '../../vocabulary/price.ts'
import type { Sent } from '../../vocabulary/shape.ts'
import { findPriceProblem, withoutEmptyLists } from './check-price.ts'

type WrittenPrice = Sent<typeof PricePut.draft>
type WrittenVariants = NonNullable<WrittenPrice['variants']>

function read(written: WrittenPrice): PriceSettings {
  return PricePut.draft.read({ input: '1', output: '2', ...written }, 'price')
}

function problemOf(written: WrittenPrice): string | null {
  const found = findPriceProblem(read(written))
  return found && `${found.param} ${found.problem}`
}

const WHOLE: WrittenVariants = [
  { when: { prompt_above: 272_000 }, input: '2', output: '15', cache_write_1h: '4' },
  { when: { prompt_part_above: 200_000 }, input: '2', cache_read: '0.2' },
  { when: { tier: 'flex' }, input: '0.5' },
  { when: { tier: 'flex', hours: '16:30-00:30' }, output: '0.5' },
  { when: { from: '2027-01-01T00:00:00Z', until: '2027-02-01T00:00:00Z' }, image: '0' },
  { when: { until: '2027-01-01T00:00:00Z' }, images: [{ size: '1024x1024', price: '0.02' }] },
]

test('finds nothing wrong with a price that has variants of every kind', () => {
  expect(problemOf({ variants: WHOLE })).toBeNull()
  expect(
    problemOf({
      images: [
        { size: '1024x1024', quality: 'high', price: '0.2' },
        { size: '1024x1024', price: '0.1' },
        { quality: 'high', price: '0.3' },
        { price: '0.05' },
      ],
    }),
  ).toBeNull()
})

const NONSENSE: readonly (readonly [WrittenPrice, string])[] = [
  [{ variants: [{ when: {}, input: '1' }] }, 'variants[0].when must name a condition'],
  [{ variants: [...WHOLE, { when: { tier: 'batch' } }] }, 'variants[6] must name a rate that differs.'],
  [{ variants: [{ when: { tier: 'batch' }, images: [] }] }, 'variants[0] must name a rate that differs.'],
  [
    { variants: [{ when: { prompt_above: 1, prompt_part_above: 1 }, input: '1' }] },
    'variants[0].when.prompt_part_above cannot be combined with prompt_above',
  ],
  [
    {
      variants: [{ when: { from: '2027-01-01T00:00:00Z', until: '2027-01-01T01:00:00+01:00' }, input: '1' }],
    },
    'variants[0].when.until must be later than from.',
  ],
  [
    { variants: [{ when: { prompt_part_above: 5 }, input: '1', output: '1' }] },
    'variants[0].output is not for the prompt',
  ],
  [
    { variants: [{ when: { prompt_part_above: 5 }, images: [{ price: '1' }] }] },
    'variants[0].images is not for the prompt',
  ],
  [
    {
      images: [
        { size: 'a', price: '1' },
        { size: 'a', price: '2' },
      ],
    },
    'images[1] never applies: images[0] is for the same images and comes first.',
  ],
  [{ images: [{ price: '1' }, { quality: 'high', price: '2' }] }, 'images[1] never applies: images[0]'],
  [
    { variants: [{ when: { tier: 'fast' }, images: [{ price: '1' }, { price: '1' }] }] },
    'variants[0].images[1] never applies: variants[0].images[0]',
  ],
]

test.each(NONSENSE)('refuses %j', (written, message) => {
  expect(problemOf(written)).toStartWith(message)
})

test('an empty list is none', () => {
  const plain = read({})
  const variants: WrittenVariants = [{ when: { tier: 'fast' }, input: '1', images: [] }]
  expect(withoutEmptyLists(read({ images: [], variants: [] }))).toEqual(plain)
  expect(Object.keys(withoutEmptyLists(read({ images: [], variants: [] })))).toEqual(Object.keys(plain))
  expect(withoutEmptyLists(read({ variants })).variants).toEqual([
    { when: { tier: 'fast' }, inputNanoPerMillion: 1_000_000_000n },
  ])
})
