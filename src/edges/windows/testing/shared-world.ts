import type { Demand, HoldDecision } from '../../../serve/ports/admissions.ts'
import type { StoredBalance } from '../../../serve/ports/shared-storage.ts'
import { AT_PRICE, NO_SESSION, type Settlement } from '../../../vocabulary/settlement.ts'
import type { SharedAdmissionsOptions } from '../node/node-parts.ts'
import { SharedAdmissions } from '../node/shared-admissions.ts'
import { FaultyLimits } from './faulty-limits.ts'
import { ManualTime, settleAll } from './manual-time.ts'
import { ModelHub } from './model-limits.ts'
import { TinyStorage } from './tiny-storage.ts'

interface Admitted {
  readonly node: TestNode
  readonly demand: Demand
  /** By what the node has answered. */
  heldNano: bigint
}

export interface TestNode {
  readonly id: string
  readonly sharedLimits: FaultyLimits
  readonly admissions: SharedAdmissions
  /** Settled and not written. */
  journal: Settlement[]
  /** Written, and the node does not know it yet. */
  written: { readonly settlements: readonly Settlement[]; readonly balances: readonly StoredBalance[] }[]
}

export interface WorldOptions
  extends Partial<Pick<SharedAdmissionsOptions, 'loss' | 'leaseMs' | 'needsTotals' | 'foldAt'>> {
  /** Told which call the limits store has carried out. */
  readonly onCarried?: (name: string) => void
}

type DemandFields = Partial<Omit<Demand, 'hold'>> & { readonly hold?: Partial<Demand['hold']> }

/** Several nodes, their limits store and their database, and what really happened. */
export class World {
  readonly time = new ManualTime(Date.parse('2026-06-10T12:00:00Z'))
  readonly storage = new TinyStorage(this.time)
  readonly nodes = new Map<string, TestNode>()
  /** Requests under way, whatever the nodes believe. */
  readonly open = new Map<string, Admitted>()
  readonly pins: string[] = []
  hub = new ModelHub(this.time)
  readonly #options: WorldOptions
  #names = 0

  constructor(options: WorldOptions = {}) {
    this.#options = options
  }

  async addNode(id: string, fault: FaultyLimits['fault'] = 'none'): Promise<TestNode> {
    const sharedLimits = new FaultyLimits(this.hub.limitsForNode(id), this.time, this.#options.onCarried)
    sharedLimits.fault = fault
    const admissions = new SharedAdmissions({
      admissionLimits: sharedLimits,
      sharedLimits,
      nodeId: id,
      storage: this.storage,
      clock: this.time,
      timers: this.time,
      loss: 'refuse',
      deadlineMs: 50,
      leaseMs: Number.POSITIVE_INFINITY,
      listLivingNodes: async () => {
        if (this.storage.isAway) throw new Error('The database is away.')
        return [...this.nodes.keys()]
      },
      needsTotals: () => true,
      newGeneration: () => this.#name('generation'),
      onPin: (conversation, { credentialId }) => this.pins.push(`${conversation} ${credentialId}`),
      onTrouble: () => undefined,
      ...this.#options,
    })
    const node: TestNode = { id, sharedLimits, admissions, journal: [], written: [] }
    this.nodes.set(id, node)
    await admissions.start()
    await settleAll()
    return node
  }

  demand({ hold, ...fields }: DemandFields = {}): Demand {
    return {
      requestId: this.#name('req'),
      accountId: 'acc',
      keyId: 'key',
      configurationVersion: 1,
      windows: [],
      conversation: null,
      ...fields,
      hold: { amountNano: 0n, creditLineNano: 0n, usageLimit: null, ...hold },
    }
  }

  async admit(node: TestNode, demand: Demand): Promise<HoldDecision> {
    const decision = await node.admissions.admit(demand)
    if (decision === null || decision.reason === 'partial-hold') {
      const heldNano = decision?.heldNano ?? demand.hold.amountNano
      this.open.set(demand.requestId, { node, demand, heldNano })
    }
    return decision
  }

  /** Does nothing for a request that is not under way. */
  async grow(requestId: string, amountNano: bigint): Promise<boolean> {
    const admitted = this.open.get(requestId)
    if (admitted === undefined) return false
    const { node, demand } = admitted
    const { accountId, keyId } = demand
    const { creditLineNano, usageLimit } = demand.hold
    const growth = { requestId, accountId, keyId, amountNano, creditLineNano, usageLimit }
    const isGrown = await node.admissions.grow(growth)
    if (isGrown && amountNano > admitted.heldNano) admitted.heldNano = amountNano
    return isGrown
  }

  settle(requestId: string, amountNano: bigint): void {
    this.end(requestId, amountNano)()
  }

  /** Its settlement is in the journal, and counts when what this gives is called: it may be stored before that. */
  end(requestId: string, amountNano: bigint): () => void {
    const admitted = this.open.get(requestId)
    if (admitted === undefined) throw new Error(`${requestId} is not open`)
    this.open.delete(requestId)
    const { node, demand } = admitted
    const endedAtMs = this.time.nowMs()
    node.journal.push(settlementOf(demand, amountNano, endedAtMs))
    return () => node.admissions.settle(requestId, amountNano, endedAtMs)
  }

  write(node: TestNode): void {
    const settlements = node.journal
    node.journal = []
    if (settlements.length > 0) node.written.push({ settlements, balances: this.storage.write(settlements) })
  }

  note(node: TestNode): Promise<unknown> {
    const written = node.written
    node.written = []
    return Promise.all(
      written.map(({ settlements, balances }) => node.admissions.noteStored(settlements, balances)),
    )
  }

  /** The limits store forgets everything. */
  empty(): void {
    this.hub = new ModelHub(this.time)
    for (const { sharedLimits, id } of this.nodes.values()) sharedLimits.replace(this.hub.limitsForNode(id))
  }

  /** The process is gone with everything it knew but its journal. */
  crash(node: TestNode): void {
    this.nodes.delete(node.id)
    for (const [requestId, admitted] of this.open) if (admitted.node === node) this.open.delete(requestId)
  }

  /** Every fault is over, and some seconds pass. Accounts in use are healed every 5 s, and after a failure twice. */
  async heal(seconds = 15): Promise<void> {
    this.storage.isAway = false
    this.storage.answerMs = 0
    for (const { sharedLimits } of this.nodes.values()) sharedLimits.fault = 'none'
    for (let second = 0; second < seconds; second += 1) await this.beat()
  }

  async beat(): Promise<void> {
    const beats = [...this.nodes.values()].map(({ admissions }) => admissions.beat())
    await this.time.advance(1_000)
    await Promise.all(beats)
  }

  /** What is really held of an account, or of one of its keys. */
  obligationsNano(isMeant: (owner: { accountId: string; keyId: string }) => boolean): bigint {
    let sumNano = 0n
    for (const { demand, heldNano } of this.open.values()) if (isMeant(demand)) sumNano += heldNano
    for (const { journal } of this.nodes.values()) {
      // A journal may have again what an earlier process had written already.
      const unwritten = journal.filter(({ requestId }) => !this.storage.hasWritten(requestId))
      for (const settlement of unwritten) if (isMeant(settlement)) sumNano += settlement.amountNano
    }
    return sumNano
  }

  #name(kind: string): string {
    this.#names += 1
    return `${kind}_${this.#names}`
  }
}

export function settlementOf(
  { requestId, accountId, keyId }: Pick<Demand, 'requestId' | 'accountId' | 'keyId'>,
  amountNano: bigint,
  endedAtMs: number,
): Settlement {
  return {
    requestId,
    accountId,
    keyId,
    model: 'm',
    supplier: null,
    credentialId: null,
    clientFormat: 'messages',
    supplierFormat: null,
    stream: false,
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0, images: 0 },
    provenance: 'supplier',
    price: null,
    amountNano,
    costNano: amountNano,
    ...AT_PRICE,
    ...NO_SESSION,
    outcome: 'completed',
    attempts: [],
    startedAtMs: endedAtMs,
    firstByteMs: null,
    durationMs: 0,
  }
}
