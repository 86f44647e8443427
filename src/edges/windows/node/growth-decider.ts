import type { Growth } from '../../../serve/ports/admissions.ts'
import type { GrowAnswer } from '../../../serve/ports/shared-limits.ts'
import { MAX_TRIES } from './deciders.ts'
import { limitedKeyIds, type MoneyKnowledge } from './money-knowledge.ts'
import type { NodeParts } from './node-parts.ts'
import type { Entry } from './open-entries.ts'

/** What the limits store says; `lost` when this node has to decide on its own. */
type Verdict = 'grown' | 'refused' | 'lost'

/** Raises holds of requests under way: in the limits store, or within this node's share while the store is lost. */
export class GrowthDecider {
  readonly #parts: NodeParts
  readonly #knowledge: MoneyKnowledge

  constructor(parts: NodeParts, knowledge: MoneyKnowledge) {
    this.#parts = parts
    this.#knowledge = knowledge
  }

  async grow(growth: Growth): Promise<boolean> {
    const { entries, staleAccounts, shares } = this.#parts
    const entry = entries.get(growth.requestId)
    if (entry?.state !== 'open') return false
    if (growth.amountNano <= entry.amountNano) return true
    const verdict = await this.#ask(growth, entry)
    if (verdict === 'lost') return this.#growAlone(growth, entry)
    shares.noteShared(entry)
    if (verdict === 'grown' && entry.state === 'open') {
      entries.grow(entry, growth.amountNano)
      return true
    }
    // A request that ended meanwhile may have a hold that grew after its cost was reported. A refusal may be due to a
    // payment whose node died before reporting it.
    staleAccounts.add(growth.accountId, limitedKeyIds(growth, growth))
    return false
  }

  async #ask(growth: Growth, entry: Entry): Promise<Verdict> {
    const { circuit, admissionLimits, generation } = this.#parts
    for (let tries = 0; tries < MAX_TRIES && circuit.isClosed && entry.state === 'open'; tries += 1) {
      const asked = generation.current
      const { reports } = entry
      let answer: GrowAnswer
      try {
        answer = await admissionLimits.grow({ ...growth, generation: asked })
      } catch (error) {
        circuit.trip(error)
        break
      }
      if (answer === 'refused') return 'refused'
      if (answer === 'grown') {
        // Holds were reported meanwhile, this one as it was before, so the store may have it that way again.
        if (asked !== generation.current || reports !== entry.reports) continue
        return 'grown'
      }
      if (!(await this.#makeKnown(answer.missing, growth, entry))) break
    }
    return 'lost'
  }

  async #makeKnown(
    missing: Exclude<GrowAnswer, string>['missing'],
    growth: Growth,
    entry: Entry,
  ): Promise<boolean> {
    if (missing !== 'hold') return this.#knowledge.makeKnown(missing, growth, growth)
    // Another node has taken this one for dead and released its holds.
    if (entry.state === 'open') this.#parts.healer.sendHold(entry)
    return true
  }

  async #growAlone(growth: Growth, entry: Entry): Promise<boolean> {
    const { loss, shares, entries, staleAccounts, clock, circuit, healer } = this.#parts
    const { accountId, amountNano } = growth
    const canDecide = loss === 'local' && (await this.#knowledge.suffices(growth, growth))
    const isGrown = canDecide && entry.state === 'open' && shares.grow(growth, entry, clock.nowMs())
    if (isGrown) entries.grow(entry, amountNano)
    // A store that does not answer receives the hold when it does.
    if (isGrown && circuit.isClosed) healer.sendHold(entry)
    // The store may have the hold as it was, or grown although this node has refused.
    staleAccounts.add(accountId, limitedKeyIds(growth, growth))
    return isGrown
  }
}
