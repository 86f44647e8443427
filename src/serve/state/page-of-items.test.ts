import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { GatewayError } from '../../errors/gateway-error.ts'
import { pageOfItems } from './page-of-items.ts'

interface PageBody {
  readonly data: readonly { readonly id: string }[]
  readonly first_id: string | null
  readonly last_id: string | null
  readonly has_more: boolean
}

const itemsOf = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `i${index}` }))
const page = (count: number, query: Record<string, string> = {}) =>
  pageOfItems(itemsOf(count), new URLSearchParams(query)) as PageBody

test('the newest twenty come first', () => {
  const { data, first_id, last_id, has_more } = page(25)
  expect(data.map(({ id }) => id)).toEqual(
    itemsOf(25)
      .toReversed()
      .slice(0, 20)
      .map(({ id }) => id),
  )
  expect([first_id, last_id, has_more]).toEqual(['i24', 'i5', true])
})

test('an empty list has neither a first nor a last', () => {
  expect(page(0)).toEqual({
    object: 'list',
    data: [],
    first_id: null,
    last_id: null,
    has_more: false,
  } as never)
})

test('page after page gives every item once, in either order', () => {
  const order = fc.constantFrom('asc', 'desc')
  fc.assert(
    fc.property(fc.nat(60), fc.integer({ min: 1, max: 100 }), order, (count, limit, wanted) => {
      const seen: string[] = []
      let after: Record<string, string> = {}
      for (;;) {
        const { data, last_id, has_more } = page(count, { order: wanted, limit: String(limit), ...after })
        seen.push(...data.map(({ id }) => id))
        if (!has_more) break
        after = { after: last_id ?? '' }
      }
      const ids = itemsOf(count).map(({ id }) => id)
      expect(seen).toEqual(wanted === 'asc' ? ids : ids.toReversed())
    }),
  )
})

describe('invalid parameters are refused', () => {
  test.each([
    ['limit', '0'],
    ['limit', '101'],
    ['limit', 'many'],
    ['limit', '1.5'],
    ['after', 'nobody'],
  ])('%s=%s', (param, value) => {
    try {
      page(3, { [param]: value })
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      expect([error.code, error.param]).toEqual(['invalid_request', param])
      return
    }
    throw new Error('it was not refused')
  })
})
