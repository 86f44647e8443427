import { expect, test } from 'bun:test'
import { findProvider, type ModelPrice } from '@pydantic/genai-prices'
import { BUILT_IN_CATALOG } from '../../rules/catalog/built-in/built-in-catalog.ts'
import { catalogPrice } from '../../rules/catalog/built-in/schema.ts'
import { isSamePrice } from '../../rules/ledger/combine-prices.ts'
import type { Price } from '../../vocabulary/price.ts'
import { priceList } from './index.ts'

// The day on which both were compared by hand.
const NOW_MS = Date.parse('2026-11-17T00:00:00Z')

/** Why a built-in price differs from that of the list. */
const EXPLAINED: Readonly<Record<string, string>> = {
  'xai:grok-4.5': 'Cached tokens: 0.3 in the list, 0.5 in two other sources; the higher one stays.',
  'mistral:mistral-embed': 'The list has a price for output, which embeddings do not have.',
}

/** The list has no service tiers. */
function withoutTiers({ variants = [], ...rates }: Price): Price {
  return { ...rates, variants: variants.filter(({ when }) => when.tier === undefined) }
}

const compared = BUILT_IN_CATALOG.vendors.flatMap(({ vendor, type, base_url: baseUrl, routes }) =>
  routes.map((route) => {
    const upstreamModel = route.upstream_model ?? route.model
    const listed = priceList.find({ supplier: { type, baseUrl }, upstreamModel, nowMs: NOW_MS })
    return { name: `${vendor}:${upstreamModel}`, builtIn: withoutTiers(catalogPrice(route)), listed }
  }),
)

test('every built-in price agrees with the list where both know the model, or says why not', () => {
  const differing = compared.filter(
    ({ builtIn, listed }) => listed !== null && !isSamePrice(builtIn, listed.price, NOW_MS),
  )
  expect(differing.map(({ name }) => name).sort()).toEqual(Object.keys(EXPLAINED).sort())
})

test('what only the built-in catalog knows', () => {
  const alone = compared.filter(({ listed }) => listed === null)
  expect(alone.map(({ name }) => name)).toEqual([
    'openai:gpt-6.1-sol',
    // The list has no prices by request, minute, character or search unit that routes understand.
    'openai:omni-moderation-latest',
    'openai:whisper-1',
    'openai:tts-1',
    'openai:tts-1-hd',
    'anthropic:claude-sonnet-5-5',
    'anthropic:claude-haiku-5-5',
    'deepseek:deepseek-flash',
    'groq:whisper-large-v3',
    'xai:grok-4.7',
    'cohere:rerank-v3.5',
    'voyage:rerank-2.5',
    'voyage:rerank-2.5-lite',
    'together:zai-org/GLM-5.3',
    'together:moonshotai/Kimi-K3',
    'together:deepseek-ai/DeepSeek-V4-Pro-0813',
  ])
})

test('every price of the list but one is a whole number of nano-USDT', () => {
  const providers = ['openai', 'anthropic', 'google', 'azure', 'aws', 'x-ai', 'mistral', 'deepseek', 'groq']
  const prices = [...providers, 'together', 'openrouter'].flatMap((providerId) => {
    const { models = [] } = findProvider({ providerId }) ?? {}
    return models.flatMap(({ prices }) =>
      Array.isArray(prices) ? prices.map((each) => each.prices) : [prices],
    )
  })
  expect(prices.length).toBeGreaterThan(1_000)
  const amounts = prices.flatMap((price: ModelPrice) =>
    Object.values(price).flatMap((value) => {
      if (typeof value !== 'object') return [value ?? 0]
      return [value.base, ...value.tiers.map((tier) => tier.price)]
    }),
  )
  const rounded = amounts.filter((amount) => Number(amount.toFixed(9)) !== amount)
  // What OpenRouter charges for cache writes of Gemini.
  expect([...new Set(rounded.map((amount) => amount.toFixed(9)))]).toEqual(['0.083333333'])
})
