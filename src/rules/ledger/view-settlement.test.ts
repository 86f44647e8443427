import { describe, expect, test } from 'bun:test'
import { type Settlement, SettlementView } from '../../vocabulary/settlement.ts'
import { A_PRICE, aSettlement } from '../../vocabulary/testing/specimens.ts'
import { chargeFor } from './charge.ts'
import { viewSettlement } from './view-settlement.ts'

const USDT = 1_000_000_000n

/** As an API shows it, without what is not about money. */
function shown(settlement: Settlement) {
  const { lines, price_total, amount } = SettlementView.show(viewSettlement(settlement))
  return JSON.parse(JSON.stringify({ lines, price_total, amount }))
}

describe('a settlement is shown', () => {
  test('with every line of its price, the rounded sum and the mark-up', () => {
    const price = {
      ...A_PRICE,
      inputNanoPerMillion: 333_333_333n,
      cacheWrite1hNanoPerMillion: 6n * USDT,
      webSearchNano: USDT / 100n,
      variants: [{ when: { promptPartAbove: 9 }, inputNanoPerMillion: 1n }],
    }
    const usage = {
      input: 10,
      cacheRead: 0,
      cacheWrite: 5,
      output: 1,
      reasoning: 0,
      images: 0,
      details: { cacheWrite1h: 3, webSearches: 2 },
    }
    const terms = { startedAtMs: 0, markupBasisPoints: 1_000 }
    const settlement = aSettlement({ usage, ...chargeFor(usage, { price, cost: null }, terms) })
    expect(shown(settlement)).toEqual({
      lines: [
        { item: 'cache_write', quantity: 2, rate: '1.25', per: 'million', amount: '0.0000025' },
        { item: 'cache_write_1h', quantity: 3, rate: '6', per: 'million', amount: '0.000018' },
        { item: 'input', quantity: 4, rate: '0.333333333', per: 'million', amount: '0.000001333333332' },
        { item: 'output', quantity: 1, rate: '2', per: 'million', amount: '0.000002' },
        {
          item: 'input',
          quantity: 6,
          rate: '0.000000001',
          per: 'million',
          prompt_part_above: 9,
          amount: '0.000000000000006',
        },
        { item: 'web_search', quantity: 2, rate: '0.01', per: 'unit', amount: '0.02' },
      ],
      price_total: '0.020023833',
      amount: '0.022026216',
    })
  })

  test('without lines when no supplier served it', () => {
    const settlement = aSettlement({ price: null, supplier: null, amountNano: 0n, costNano: 0n })
    expect(shown(settlement)).toEqual({ lines: [], price_total: '0', amount: '0' })
  })
})
