/** How many slots a Redis Cluster has. */
const SLOTS = 16_384

export interface Spread {
  readonly shards: number
  /** The load of the busiest shard, as a multiple of the mean. */
  readonly hottest: number
}

/**
 * Throws accounts into the slots of a cluster as their names would fall, each with its own share of the traffic, and
 * looks at the busiest shard. Most accounts ask little: the n-th asks 1/n as much as the first, up to the most that a
 * tier lets any account ask.
 */
export function spreadAccounts(
  load: { readonly perSecond: number; readonly accounts: number; readonly mostOfAccount: number },
  shards: number,
  random: () => number,
): Spread {
  const shares = shareOut(load)
  const perShard = new Float64Array(shards)
  for (const share of shares) {
    const slot = Math.floor(random() * SLOTS)
    const shard = Math.floor((slot * shards) / SLOTS)
    perShard[shard] = (perShard[shard] ?? 0) + share
  }
  return { shards, hottest: Math.max(...perShard) / (load.perSecond / shards) }
}

/** Requests per second of each account; what the large ones may not ask is spread over the rest. */
function shareOut({
  perSecond,
  accounts,
  mostOfAccount,
}: Parameters<typeof spreadAccounts>[0]): Float64Array {
  const weights = Float64Array.from({ length: accounts }, (_, index) => 1 / (index + 1))
  let restWeight = weights.reduce((sum, weight) => sum + weight, 0)
  let rest = perSecond
  let capped = 0
  for (const weight of weights) {
    if ((weight * rest) / restWeight <= mostOfAccount) break
    restWeight -= weight
    rest -= mostOfAccount
    capped += 1
  }
  return weights.map((weight, index) => (index < capped ? mostOfAccount : (weight * rest) / restWeight))
}
