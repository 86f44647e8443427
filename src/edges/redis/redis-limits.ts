import type { WindowDemand } from '../../serve/ports/admissions.ts'
import type {
  AccountUpdate,
  AdmitAnswer,
  AdmitCall,
  CapacityAnswer,
  ConversationPin,
  GrowAnswer,
  GrowCall,
  OpenHold,
  SharedLimits,
  SharedNote,
  SharedNotice,
  WindowState,
} from '../../serve/ports/shared-limits.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import type { LimitsConnection } from './connection.ts'
import {
  decodeAdmitAnswer,
  decodeCapacityAnswer,
  decodeGrowAnswer,
  decodeWindows,
  encodePin,
  openedAtMs,
  type WindowAnswer,
} from './decode-answer.ts'
import {
  encodeAdmitCall,
  encodeGrowCall,
  encodeHolds,
  encodeOptions,
  encodeUpdate,
  inBatches,
} from './encode-call.ts'
import { type LimitsFacts, LimitsFactsReader } from './limits-facts.ts'
import type { LimitsKeys } from './limits-keys.ts'
import type { LimitsPresence } from './presence.ts'
import { ADMIT, GROW } from './scripts/admit.ts'
import { ANNOUNCE_CONFIGURATION, BEGIN_GENERATION, LIST_KEPT, PUBLISH_KEPT } from './scripts/limits.ts'
import { ADD_HOLDS, ASSERT_HOLDS, LEARN, RELEASE, SETTLE } from './scripts/money.ts'
import { LOOK, TAKE_CAPACITY, UNDO } from './scripts/windows.ts'

export interface RedisLimitsParts {
  readonly connection: LimitsConnection
  readonly presence: LimitsPresence
  readonly keys: LimitsKeys
  readonly nodeId: string
  readonly channel: string
  /** null: use the time of Redis. */
  readonly clock: Clock | null
}

/** The limits store in Redis. Every call is one script, which Redis runs as one step. */
export class RedisLimits implements SharedLimits {
  readonly #parts: RedisLimitsParts
  readonly #connection: LimitsConnection
  readonly #keys: LimitsKeys
  readonly #facts: LimitsFactsReader

  constructor(parts: RedisLimitsParts) {
    this.#parts = parts
    this.#connection = parts.connection
    this.#keys = parts.keys
    this.#facts = new LimitsFactsReader(() => this.#readFacts())
  }

  async admit(call: AdmitCall): Promise<AdmitAnswer> {
    const asked = this.#connection.run(ADMIT, this.#admitKeys(call), encodeAdmitCall(this.#time(), call))
    if (!this.#connection.isCluster) return decodeAdmitAnswer((await asked) as WindowAnswer, call.windows)
    // Sent right after the admission and awaited with it, so neither waits for the other.
    const [answer, facts] = await Promise.all([asked as Promise<WindowAnswer>, this.#facts.read()])
    return this.#checkFacts(call, answer, facts)
  }

  #admitKeys({ accountId, conversation }: AdmitCall): string[] {
    const keys = [this.#keys.money(accountId), this.#keys.windows(accountId), this.#keys.holds(accountId)]
    if (!this.#connection.isCluster) keys.push(this.#keys.generation, this.#keys.configuration)
    if (conversation !== null) keys.push(this.#keys.pin(accountId, conversation))
    return keys
  }

  /** Checks what the script could not, and undoes the admission if that fails. */
  async #checkFacts(call: AdmitCall, answer: WindowAnswer, facts: LimitsFacts): Promise<AdmitAnswer> {
    const verdict = findFactsRefusal(call, facts)
    if (verdict === null) return decodeAdmitAnswer(answer, call.windows)
    if (answer[0] === 'admitted' || answer[0] === 'partial') await this.#undo(call, answer)
    return verdict
  }

  async #undo({ accountId, requestId, windows }: AdmitCall, answer: WindowAnswer): Promise<void> {
    const taken = windows.flatMap(({ id, amount }, place) => [id, amount, openedAtMs(answer, place)])
    const keys = [this.#keys.money(accountId), this.#keys.holds(accountId), this.#keys.windows(accountId)]
    await this.#connection.run(UNDO, keys, [this.#time(), requestId, ...taken])
  }

  async grow(call: GrowCall): Promise<GrowAnswer> {
    const keys = this.#moneyKeys(call.accountId)
    if (!this.#connection.isCluster) keys.push(this.#keys.generation)
    else if ((await this.#facts.read()).generation !== call.generation) {
      return { type: 'unknown', missing: 'generation' }
    }
    const values = encodeGrowCall(this.#time(), call)
    return decodeGrowAnswer((await this.#connection.run(GROW, keys, values)) as string)
  }

  async takeCapacity(
    accountId: string | null,
    options: readonly (readonly WindowDemand[])[],
  ): Promise<CapacityAnswer> {
    if (options.length === 0) return { type: 'refused', retryAfterSeconds: [] }
    if (options[0]?.length === 0) return { type: 'taken', option: 0 }
    const values = [this.#time(), ...encodeOptions(options)]
    return decodeCapacityAnswer(
      (await this.#connection.run(TAKE_CAPACITY, [this.#windowsKey(accountId)], values)) as number[],
    )
  }

  async look(accountId: string | null, windows: readonly WindowDemand[]): Promise<readonly WindowState[]> {
    if (windows.length === 0) return []
    const values = [this.#time(), ...windows.map(({ id }) => id)]
    return decodeWindows(
      (await this.#connection.run(LOOK, [this.#windowsKey(accountId)], values)) as unknown as WindowAnswer,
    )
  }

  async settle(accountId: string, settled: readonly OpenHold[]): Promise<void> {
    await Promise.all(
      inBatches(settled).map((batch) =>
        this.#connection.run(
          SETTLE,
          this.#moneyKeys(accountId),
          batch.flatMap(({ requestId, amountNano }) => [requestId, String(amountNano)]),
        ),
      ),
    )
  }

  async learn(accountId: string, update: AccountUpdate): Promise<void> {
    const keys = this.#moneyKeys(accountId)
    if (!this.#connection.isCluster) keys.push(this.#keys.generation)
    else if ((await this.#facts.read()).generation !== update.generation) return
    await this.#connection.run(LEARN, keys, [this.#time(), ...encodeUpdate(update)])
  }

  async assertHolds(accountId: string, holds: readonly OpenHold[], unsure: readonly string[]): Promise<void> {
    await this.#connection.run(ASSERT_HOLDS, this.#moneyKeys(accountId), [...encodeHolds(holds), ...unsure])
  }

  async addHolds(accountId: string, holds: readonly OpenHold[]): Promise<void> {
    await this.#connection.run(
      ADD_HOLDS,
      this.#moneyKeys(accountId),
      holds.flatMap(({ requestId, keyId, amountNano }) => [requestId, keyId, String(amountNano)]),
    )
  }

  async releaseNode(nodeId: string): Promise<number> {
    let released = 0
    for await (const holds of this.#connection.scan(this.#keys.holdsPattern(nodeId))) {
      const keys = [this.#keys.moneyBeside(holds, nodeId), holds]
      released += Number(await this.#connection.run(RELEASE, keys, []))
    }
    return released
  }

  async generation(): Promise<string | null> {
    return (await this.#connection.send('get', this.#keys.generation)) as string | null
  }

  async beginGeneration(proposed: string): Promise<string> {
    return String(await this.#connection.run(BEGIN_GENERATION, [this.#keys.generation], [proposed]))
  }

  async joinGeneration(generation: string): Promise<void> {
    await this.#connection.send('sadd', this.#keys.joined(generation), this.#parts.nodeId)
  }

  async listJoined(generation: string): Promise<readonly string[]> {
    return (await this.#connection.send('smembers', this.#keys.joined(generation))) as string[]
  }

  /** Redis does not know who is connected. */
  async listAwaited(): Promise<null> {
    return null
  }

  async configurationVersion(): Promise<number | null> {
    return toVersion(await this.#connection.send('get', this.#keys.configuration))
  }

  async announceConfiguration(version: number): Promise<void> {
    await this.#connection.run(ANNOUNCE_CONFIGURATION, [this.#keys.configuration], [version])
  }

  async savePin(pin: ConversationPin): Promise<void> {
    const key = this.#keys.pin(pin.accountId, pin.conversation)
    await this.#connection.send('set', key, encodePin(pin), 'px', pin.keptMs)
  }

  async saveNote({ accountId, name, text, keptMs }: SharedNote): Promise<void> {
    await this.#connection.send('set', this.#keys.note(accountId, name), text, 'px', keptMs)
  }

  async findNotes(accountId: string, names: readonly string[]): Promise<readonly (string | null)[]> {
    const [first, ...others] = names.map((name) => this.#keys.note(accountId, name))
    if (first === undefined) return []
    return (await this.#connection.send('mget', first, ...others)) as (string | null)[]
  }

  async publish(notice: SharedNotice, keptMs?: number): Promise<void> {
    const { channel, presence } = this.#parts
    const message = presence.encode(notice)
    if (keptMs === undefined) {
      await this.#connection.publish(channel, message)
      return
    }
    const values = [this.#time(), channel, message, JSON.stringify(notice), keptMs]
    await this.#connection.run(PUBLISH_KEPT, [this.#keys.kept], values)
  }

  async listKept(): Promise<readonly SharedNotice[]> {
    const kept = (await this.#connection.run(LIST_KEPT, [this.#keys.kept], [this.#time()])) as string[]
    return kept.map((text) => JSON.parse(text) as SharedNotice)
  }

  onNotice(listener: (notice: SharedNotice) => void): () => void {
    return this.#parts.presence.onNotice(listener)
  }

  onConnected(listener: () => void): () => void {
    return this.#parts.presence.onConnected(listener)
  }

  async close(): Promise<void> {
    this.#parts.presence.close()
  }

  async #readFacts(): Promise<LimitsFacts> {
    const { generation, configuration } = this.#keys
    const [known, version] = (await this.#connection.send('mget', generation, configuration)) as string[]
    return { generation: known ?? null, configurationVersion: toVersion(version) }
  }

  #moneyKeys(accountId: string): string[] {
    return [this.#keys.money(accountId), this.#keys.holds(accountId)]
  }

  #windowsKey(accountId: string | null): string {
    return accountId === null ? this.#keys.supply : this.#keys.windows(accountId)
  }

  #time(): string | number {
    return this.#parts.clock?.nowMs() ?? ''
  }
}

function findFactsRefusal(call: AdmitCall, facts: LimitsFacts): AdmitAnswer | null {
  if (facts.generation !== call.generation) return { type: 'unknown', missing: 'generation' }
  const version = facts.configurationVersion
  return version !== null && version > call.configurationVersion ? { type: 'behind', version } : null
}

function toVersion(text: unknown): number | null {
  return text === null || text === undefined ? null : Number(text)
}
