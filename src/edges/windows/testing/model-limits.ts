import { dayOf } from '../../../rules/ledger/period.ts'
import type { WindowDemand } from '../../../serve/ports/admissions.ts'
import type {
  AccountUpdate,
  AdmitAnswer,
  AdmitCall,
  CapacityAnswer,
  GrowAnswer,
  GrowCall,
  OpenHold,
  ParentLink,
  SharedLimits,
  WindowState,
} from '../../../serve/ports/shared-limits.ts'
import type { Clock } from '../../../vocabulary/clock.ts'
import { LimitsHub } from '../hub.ts'
import { LinkedLimits } from '../linked-limits.ts'
import { SharedWindows } from '../shared-windows.ts'
import { ModelMoney } from './model-money.ts'

/**
 * A limits store in ordinary objects, which is as simple as it can be: the one in Redis and the one in shared memory must
 * give the same answers.
 */
export class ModelHub {
  readonly #clock: Clock
  readonly #accounts = new Map<string, ModelAccount>()
  readonly #hub: LimitsHub
  readonly supplyWindows = new SharedWindows(new Map())

  constructor(clock: Clock) {
    this.#clock = clock
    this.#hub = new LimitsHub(clock, {
      beginGeneration: () => {},
      announceConfiguration: () => {},
      releaseNode: async () => 0,
    })
  }

  get generation(): string | null {
    return this.#hub.generation
  }

  get configurationVersion(): number | null {
    return this.#hub.configurationVersion
  }

  limitsForNode(nodeId: string): ModelLimits {
    return new ModelLimits(this, this.#hub.member(nodeId), nodeId)
  }

  nowMs(): number {
    return this.#clock.nowMs()
  }

  account(accountId: string): ModelAccount {
    const known = this.#accounts.get(accountId)
    if (known !== undefined) return known
    const created = { money: new ModelMoney(), windows: new SharedWindows(new Map()) }
    this.#accounts.set(accountId, created)
    return created
  }

  windows(accountId: string | null): SharedWindows {
    return accountId === null ? this.supplyWindows : this.account(accountId).windows
  }

  accounts(): Iterable<ModelAccount> {
    return this.#accounts.values()
  }
}

interface ModelAccount {
  readonly money: ModelMoney
  readonly windows: SharedWindows
}

/** A model, as one node sees it. Calls run synchronously, so each is atomic. */
export class ModelLimits extends LinkedLimits implements SharedLimits {
  readonly #hub: ModelHub
  readonly #nodeId: string

  constructor(hub: ModelHub, link: ParentLink, nodeId: string) {
    super(link)
    this.#hub = hub
    this.#nodeId = nodeId
  }

  async admit(call: AdmitCall): Promise<AdmitAnswer> {
    const { money, windows } = this.#hub.account(call.accountId)
    const unanswerable = this.#unanswerable(call, money)
    if (unanswerable !== null) return unanswerable
    const nowMs = this.#hub.nowMs()
    const { requestId, keyId, hold } = call
    const ownNano = money.heldBy(this.#nodeId, requestId) ?? 0n
    const decision =
      windows.refusalOf(call.windows, nowMs) ?? money.decide(keyId, hold, { ownNano, today: dayOf(nowMs) })
    if (decision !== null && decision.reason !== 'partial-hold') {
      return { type: 'refused', refusal: decision, windows: windows.look(call.windows, nowMs) }
    }
    const heldNano = decision?.heldNano ?? null
    windows.take(call.windows, nowMs)
    money.place(this.#nodeId, { requestId, keyId, amountNano: heldNano ?? hold.amountNano })
    return {
      type: 'admitted',
      heldNano,
      windows: windows.look(call.windows, nowMs),
      pin: call.conversation === null ? null : await this.link.findPin(call.accountId, call.conversation),
    }
  }

  #unanswerable(call: AdmitCall, money: ModelMoney): AdmitAnswer | null {
    const { configurationVersion } = this.#hub
    const missing = this.#missing(call.generation, money, call.hold.usageLimit === null ? null : call.keyId)
    if (missing !== 'generation' && (configurationVersion ?? 0) > call.configurationVersion) {
      return { type: 'behind', version: configurationVersion ?? 0 }
    }
    return missing === null ? null : { type: 'unknown', missing }
  }

  #missing(
    generation: string,
    money: ModelMoney,
    limitedKeyId: string | null,
  ): 'generation' | 'account' | 'key' | null {
    if (generation !== this.#hub.generation) return 'generation'
    if (money.loadedIn !== generation) return 'account'
    return limitedKeyId !== null && !money.knowsKey(limitedKeyId) ? 'key' : null
  }

  async grow({ generation, ...growth }: GrowCall): Promise<GrowAnswer> {
    const { money } = this.#hub.account(growth.accountId)
    const { requestId, keyId, amountNano } = growth
    const missing = this.#missing(generation, money, growth.usageLimit === null ? null : keyId)
    if (missing !== null) return { type: 'unknown', missing }
    const ownNano = money.heldBy(this.#nodeId, requestId)
    if (ownNano === null) return { type: 'unknown', missing: 'hold' }
    if (amountNano <= ownNano) return 'grown'
    const today = dayOf(this.#hub.nowMs())
    if (money.decide(keyId, growth, { ownNano, today }) !== null) return 'refused'
    money.place(this.#nodeId, { requestId, keyId, amountNano })
    return 'grown'
  }

  async takeCapacity(
    accountId: string | null,
    options: readonly (readonly WindowDemand[])[],
  ): Promise<CapacityAnswer> {
    return this.#hub.windows(accountId).takeFirst(options, this.#hub.nowMs())
  }

  async look(accountId: string | null, windows: readonly WindowDemand[]): Promise<readonly WindowState[]> {
    return this.#hub.windows(accountId).look(windows, this.#hub.nowMs())
  }

  async settle(accountId: string, settled: readonly OpenHold[]): Promise<void> {
    this.#hub.account(accountId).money.settle(this.#nodeId, settled)
  }

  async learn(accountId: string, update: AccountUpdate): Promise<void> {
    if (update.generation !== this.#hub.generation) return
    const { money } = this.#hub.account(accountId)
    money.learn(this.#nodeId, update, dayOf(this.#hub.nowMs()))
    if (update.isLoad) money.loadedIn = update.generation
  }

  async assertHolds(accountId: string, holds: readonly OpenHold[], unsure: readonly string[]): Promise<void> {
    this.#hub.account(accountId).money.assert(this.#nodeId, holds, unsure)
  }

  async addHolds(accountId: string, holds: readonly OpenHold[]): Promise<void> {
    const { money } = this.#hub.account(accountId)
    for (const hold of holds) money.place(this.#nodeId, hold)
  }

  /** Like Redis, which does not know who is connected. */
  override async listAwaited(): Promise<null> {
    return null
  }

  override async releaseNode(nodeId: string): Promise<number> {
    let released = 0
    for (const { money } of this.#hub.accounts()) released += money.release(nodeId)
    return released
  }
}
