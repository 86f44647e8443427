import type { ExploreStore } from '../../ports/explore/explore.ts'

type Rank = ExploreStore['rankGroups']

interface Remembered {
  readonly ranking: Promise<readonly string[]>
  /** Infinite while the ranking is under way. */
  untilMs: number
}

const MAX_REMEMBERED = 500
// A page that is refreshed all the time must not take a processor from requests: a hundredth of one is enough.
const TIMES_ITS_DURATION = 100

/**
 * Uses a ranking again for a hundred times as long as it took. Which groups stand on a page may be that old; their
 * figures are always read anew. A ranking with room for more groups is not used again, so that a new one appears at once.
 */
export function rememberRanks(rank: Rank, monotonicMs = () => performance.now()): Rank {
  const all = new Map<string, Remembered>()
  return (question, by, atMost) => {
    const key = JSON.stringify([question, by, atMost])
    const begunMs = monotonicMs()
    const known = all.get(key)
    if (known !== undefined && begunMs < known.untilMs) return known.ranking
    const forget = () => {
      if (all.get(key) === remembered) all.delete(key)
    }
    const ranking = rank(question, by, atMost)
    const remembered: Remembered = { ranking, untilMs: Number.POSITIVE_INFINITY }
    all.delete(key)
    all.set(key, remembered)
    for (const oldest of all.keys()) {
      if (all.size <= MAX_REMEMBERED) break
      all.delete(oldest)
    }
    ranking.then((names) => {
      const nowMs = monotonicMs()
      if (names.length < atMost) forget()
      else remembered.untilMs = nowMs + (nowMs - begunMs) * TIMES_ITS_DURATION
    }, forget)
    return ranking
  }
}
