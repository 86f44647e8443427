import { join } from 'node:path'
import { NO_USAGE } from '../../src/conversation/usage.ts'
import { FileJournal } from '../../src/edges/journal/file-journal.ts'
import { isRefusal, type NodeStorage } from '../../src/edges/storage/index.ts'
import { MemoryAdmissions } from '../../src/edges/windows/memory-admissions.ts'
import type { UsageLimit } from '../../src/vocabulary/api-key.ts'
import type { AuditEvent } from '../../src/vocabulary/system.ts'
import { A_PRICE, aKey, anAccount, aSettlement } from '../../src/vocabulary/testing/specimens.ts'
import type { MovableClock } from '../support/movable-clock.ts'

export interface MachineParts {
  readonly storage: NodeStorage
  readonly clock: MovableClock
  readonly folder: string
  /** Tells this account from those of other sequences in the same database. */
  readonly name: string
}

/** The real parts that keep an account's money: admissions in memory, the journal in files, the database. */
export class MoneyMachine {
  readonly accountId: string
  readonly keyId: string
  creditLineNano: bigint | null = 0n
  limit: UsageLimit | null = null
  readonly #parts: MachineParts
  #admissions: MemoryAdmissions
  #journal: FileJournal
  #life = { isOver: false }
  #events = 0

  static async start(parts: MachineParts): Promise<MoneyMachine> {
    const { storage, name, clock } = parts
    const event = eventOf(`${name}-0`, clock)
    await storage.saveAccount(anAccount({ id: `acc_${name}` }), event)
    await storage.saveKey(aKey({ id: `key_${name}`, accountId: `acc_${name}` }), {
      ...event,
      id: `${name}-key`,
    })
    const life = { isOver: false }
    return new MoneyMachine(parts, { journal: await startJournal(parts, life), life })
  }

  private constructor(parts: MachineParts, { journal, life }: { journal: FileJournal; life: Life }) {
    this.#parts = parts
    this.accountId = `acc_${parts.name}`
    this.keyId = `key_${parts.name}`
    this.#admissions = new MemoryAdmissions(parts.clock)
    this.#journal = journal
    this.#life = life
  }

  get balanceNano(): bigint {
    return this.#admissions.balanceNano(this.accountId)
  }

  hasReachedLimit(): boolean {
    return this.limit !== null && this.#admissions.hasReachedLimit(this.keyId, this.limit)
  }

  async pay(reference: string, amountNano: bigint): Promise<void> {
    const { storage, clock } = this.#parts
    const { accountId } = this
    const payment = { id: this.#newId(), accountId, amountNano, reference, note: null, atMs: clock.nowMs() }
    const { isNew } = await storage.recordPayment(payment, this.#event())
    if (isNew) this.#admissions.credit(accountId, amountNano)
  }

  async refund(reference: string, amountNano: bigint): Promise<void> {
    const { storage, clock } = this.#parts
    const { accountId } = this
    const refund = { id: this.#newId(), accountId, amountNano, reference, reason: 'r', atMs: clock.nowMs() }
    const { isNew } = await storage.recordRefund(refund, this.#event())
    if (isNew) this.#admissions.credit(accountId, -amountNano)
  }

  async adjust(amountNano: bigint): Promise<void> {
    const { storage, clock } = this.#parts
    const { accountId } = this
    const id = this.#newId()
    const adjustment = { id, accountId, amountNano, reference: null, reason: 'a', atMs: clock.nowMs() }
    await storage.recordAdjustment(adjustment, this.#event())
    this.#admissions.credit(accountId, amountNano)
  }

  admit(requestId: string, amountNano: bigint): string {
    const { accountId, keyId, creditLineNano, limit: usageLimit } = this
    const hold = { amountNano, creditLineNano, usageLimit }
    const refusal = this.#admissions.admit({
      requestId,
      accountId,
      keyId,
      configurationVersion: 0,
      conversation: null,
      windows: [],
      hold,
    })
    if (refusal !== null) return refusal.reason
    this.#journal.open({
      requestId,
      accountId,
      keyId,
      model: 'model-1',
      clientFormat: 'chat-completion',
      stream: false,
      holdNano: amountNano,
      startedAtMs: this.#parts.clock.nowMs(),
    })
    return 'admitted'
  }

  async settle(requestId: string, amountNano: bigint): Promise<void> {
    const { accountId, keyId } = this
    const startedAtMs = this.#parts.clock.nowMs()
    this.#admissions.settle(requestId, amountNano, startedAtMs)
    // One image at a price that is the amount, so that the amount is what its usage costs.
    const price = { ...A_PRICE, imageNano: amountNano }
    const bill = { amountNano, costNano: amountNano, price, usage: { ...NO_USAGE, images: 1 } }
    const fields = { requestId, accountId, keyId, ...bill, startedAtMs, durationMs: 0 }
    await this.#journal.settle(aSettlement(fields))
  }

  /** The process ends before the database has what the journal holds, and another one starts. */
  async crash(): Promise<void> {
    this.#life.isOver = true
    await this.#journal.close()
    this.#life = { isOver: false }
    this.#journal = await startJournal(this.#parts, this.#life)
    const { storage, clock } = this.#parts
    this.#admissions = new MemoryAdmissions(clock, await storage.loadBalances())
    this.#admissions.loadKeySpend(this.keyId, await storage.loadDailySpends(this.keyId))
  }

  /** Everything settled so far is in the database; gives the balance it has there. */
  async storedBalanceNano(): Promise<bigint> {
    await this.#journal.catchUp()
    return (await this.#parts.storage.loadBalances()).get(this.accountId) ?? 0n
  }

  stop(): Promise<void> {
    return this.#journal.close()
  }

  #newId(): string {
    this.#events += 1
    return `${this.#parts.name}-${this.#events}`
  }

  #event(): AuditEvent {
    return eventOf(`event-${this.#newId()}`, this.#parts.clock)
  }
}

interface Life {
  isOver: boolean
}

function startJournal({ storage, folder, name }: MachineParts, life: Life): Promise<FileJournal> {
  return FileJournal.start({
    folder: join(folder, name),
    persist: async (settlements) => {
      if (life.isOver) throw new Error('this process has ended')
      await storage.writeSettlements(settlements)
    },
    isRefusal,
    fsync: 'never',
    onTrouble: () => undefined,
  })
}

function eventOf(id: string, clock: MovableClock): AuditEvent {
  return { id, atMs: clock.nowMs(), actor: 'test', action: 'a.b', subject: 's', before: null, after: null }
}
