import { api, getQuery } from '../../api/client.ts'
import { OPERATOR, PRICES_KEY } from '../../api/operator.ts'
import type { PriceDiff, PriceSchedule, PricesApplied, PricesApply } from '../../api/wire.ts'

const PRICES = `${OPERATOR}/prices`

/** Prices again last month's requests, which takes a while, so it is not repeated without need. */
export const priceDiffQuery = {
  ...getQuery<PriceDiff>(PRICES_KEY, `${PRICES}/diff`),
  staleTime: 5 * 60_000,
}

export function applyPrices(body: PricesApply): Promise<PricesApplied> {
  return api.post<PricesApplied>(`${PRICES}/apply`, body)
}

export function schedulePrice(body: PriceSchedule): Promise<unknown> {
  return api.post(`${PRICES}/schedule`, body)
}
