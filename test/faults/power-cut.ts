import { ChatLoad } from '../robustness/support/chat-load.ts'
import {
  BOOTSTRAP_KEY,
  environmentOf,
  type GatewayProcess,
  startProcess,
  stopProcess,
} from '../robustness/support/gateway-process.ts'
import { readStoredLedger } from '../robustness/support/stored-ledger.ts'
import { liftLimits } from '../robustness/support/supply.ts'
import { eventually } from '../support/eventually.ts'
import type { FaultScenario } from './scenario.ts'
import { type CuttableDisk, makeCuttableDisk, whyNot } from './support/disk.ts'

const ROUNDS = 5
const SHORTEST_LIFE_MS = 500
const LONGEST_LIFE_MS = 6_000

export const powerCut: FaultScenario = {
  name: 'power-cut',
  about: 'nothing that was answered is lost when the journal is synced',
  whyNot: () => whyNot(makeCuttableDisk),
  run: async ({ random, log }) => {
    const sums = { answered: 0, settlements: 0, payments: 0, keys: 0, accounts: 0 }
    for (let round = 0; round < ROUNDS; round += 1) {
      const lifeMs = SHORTEST_LIFE_MS + random() * (LONGEST_LIFE_MS - SHORTEST_LIFE_MS)
      const { acknowledged, lost } = await cutPower(lifeMs)
      log(`cut after ${Math.round(lifeMs)} ms: ${describeLoss(acknowledged, lost)}`)
      sums.answered += acknowledged.answered.length
      for (const kind of ['settlements', 'payments', 'keys', 'accounts'] as const) sums[kind] += lost[kind]
    }
    const { answered, ...lost } = sums
    log(`${answered} requests answered; lost: ${JSON.stringify(lost)}`)
    if (Object.values(lost).some((count) => count > 0))
      throw new Error('A power cut lost what was acknowledged.')
  },
}

export const firstStart: FaultScenario = {
  name: 'first-start',
  about: 'the secrets a first start has shown still work',
  whyNot: () => whyNot(makeCuttableDisk),
  run: async ({ log }) => {
    for (const fsync of ['never', 'always']) {
      const found = await cutFirstStart(fsync)
      log(`cut at the greeting with ${fsync}: ${JSON.stringify(found)}`)
      if (!found.isKeyKnown || !found.isOperatorKnown)
        throw new Error('What a first start has shown is lost.')
    }
  },
}

/** What was answered with success before the power went. */
interface Acknowledged {
  readonly answered: readonly string[]
  readonly payments: readonly string[]
  readonly keys: readonly string[]
  readonly accounts: readonly string[]
}

export interface Loss {
  readonly settlements: number
  readonly payments: number
  readonly keys: number
  readonly accounts: number
  readonly ledgerDifference: string | null
}

function describeLoss(acknowledged: Acknowledged, lost: Loss): string {
  const kinds = [
    `${lost.settlements} of ${acknowledged.answered.length} settlements`,
    `${lost.payments} of ${acknowledged.payments.length} payments`,
    `${lost.keys} of ${acknowledged.keys.length} keys`,
    `${lost.accounts} of ${acknowledged.accounts.length} accounts`,
  ]
  return `lost ${kinds.join(', ')}; ${lost.ledgerDifference ?? 'the ledger is consistent'}`
}

/**
 * Runs a gateway under load, kills it, runs it again, cuts the power, and compares what clients and operators received
 * with what is there. What the second start finds in the journal it moves to the database, where it must be for good.
 */
export async function cutPower(
  lifeMs: number,
  fsync = 'always',
): Promise<{ acknowledged: Acknowledged; lost: Loss }> {
  const disk = makeCuttableDisk()
  try {
    const environment = environmentOf(disk.folder, { TURNPIKE_JOURNAL_FSYNC: fsync })
    const first = await work(environment, lifeMs, async () => null)
    const second = await work(environment, lifeMs, async ({ pid, signal }) => {
      signal('SIGSTOP')
      await eventually('a process that stands still', () => isStopped(pid))
      return disk.copyAsAfterPowerCut()
    })
    if (second.left === null) throw new Error('There is no copy of the disk.')
    const acknowledged = {
      answered: [...first.answered, ...second.answered],
      payments: [...first.payments, ...second.payments],
      keys: [...first.keys, ...second.keys],
      accounts: [...first.accounts, ...second.accounts],
    }
    return { acknowledged, lost: await startAfterCut(second.left, acknowledged) }
  } finally {
    disk.remove()
  }
}

/** Serves clients and an operator for a while, until the end, after which it is killed. */
async function work(
  environment: Record<string, string>,
  lifeMs: number,
  end: (gateway: GatewayProcess) => Promise<CuttableDisk | null>,
): Promise<Acknowledged & { readonly left: CuttableDisk | null }> {
  const gateway = await startProcess(environment)
  try {
    await liftLimits(gateway)
    const load = new ChatLoad(gateway.url, { model: 'sandbox-chat', clients: 8 })
    const operator = new OperatorLoad(gateway)
    await eventually('traffic', () => load.answered.length > 0 && operator.payments.length > 0)
    // How long it lives is what the seed decides.
    await Bun.sleep(lifeMs)
    const left = await end(gateway)
    await stopProcess(gateway)
    await Promise.all([load.ended(), operator.ended])
    return { answered: load.answered, ...operator.acknowledged(), left }
  } finally {
    await stopProcess(gateway)
  }
}

/** Payments, keys and accounts, one after the other, until the gateway is gone. */
class OperatorLoad {
  readonly payments: string[] = []
  readonly #keys: string[] = []
  readonly #accounts: string[] = []
  readonly ended: Promise<void>

  constructor(gateway: GatewayProcess) {
    this.ended = this.#work(gateway).catch(() => undefined)
  }

  acknowledged(): Omit<Acknowledged, 'answered'> {
    return { payments: this.payments, keys: this.#keys, accounts: this.#accounts }
  }

  async #work({ operator }: GatewayProcess): Promise<void> {
    for (let number = 0; ; number += 1) {
      const { id } = await operator<{ id: string }>('POST', '/accounts', { name: `Account ${number}` })
      this.#accounts.push(id)
      const key = await operator<{ id: string }>('POST', `/accounts/${id}/keys`, { name: 'Key' })
      this.#keys.push(`${id}/${key.id}`)
      await operator('POST', `/accounts/${id}/payments`, { amount: '5', reference: `paid-${number}` })
      this.payments.push(`${id}/paid-${number}`)
    }
  }
}

async function isStopped(pid: number): Promise<boolean> {
  return /^State:\s+T/m.test(await Bun.file(`/proc/${pid}/status`).text())
}

async function startAfterCut(disk: CuttableDisk, acknowledged: Acknowledged): Promise<Loss> {
  let gateway: GatewayProcess | null = null
  try {
    gateway = await startProcess(environmentOf(disk.folder))
    const { operator } = gateway
    const listed = async (path: string) =>
      (await operator<{ data: Record<string, string>[] }>('GET', path)).data
    const found = { payments: new Set<string>(), keys: new Set<string>(), accounts: new Set<string>() }
    for (const accountId of acknowledged.accounts) {
      const isThere = await operator('GET', `/accounts/${accountId}`).then(
        () => true,
        () => false,
      )
      if (!isThere) continue
      found.accounts.add(accountId)
      for (const { id } of await listed(`/accounts/${accountId}/keys`)) found.keys.add(`${accountId}/${id}`)
      for (const { reference } of await listed(`/accounts/${accountId}/payments`)) {
        found.payments.add(`${accountId}/${reference}`)
      }
    }
    gateway.signal('SIGTERM')
    await gateway.exited
    const { settlements, ledgerDifference } = await readStoredLedger(disk.folder)
    const completed = new Set(
      settlements.flatMap(({ requestId, outcome }) => (outcome === 'completed' ? [requestId] : [])),
    )
    const missing = (ids: readonly string[], known: ReadonlySet<string>) =>
      ids.filter((id) => !known.has(id)).length
    return {
      settlements: missing(acknowledged.answered, completed),
      payments: missing(acknowledged.payments, found.payments),
      keys: missing(acknowledged.keys, found.keys),
      accounts: missing(acknowledged.accounts, found.accounts),
      ledgerDifference,
    }
  } finally {
    await stopProcess(gateway)
    disk.remove()
  }
}

/** Cuts the power when a first start has shown its secrets; gives whether the next start knows them. */
export async function cutFirstStart(
  fsync: string,
): Promise<{ isKeyKnown: boolean; isOperatorKnown: boolean; trouble: string | null }> {
  const disk = makeCuttableDisk()
  let gateway: GatewayProcess | null = null
  let after: CuttableDisk | null = null
  const environmentIn = (folder: string) => {
    const all = environmentOf(folder, { TURNPIKE_JOURNAL_FSYNC: fsync })
    const generated = ['TURNPIKE_SECRET', 'TURNPIKE_OPERATOR_TOKEN', 'TURNPIKE_BOOTSTRAP_KEY']
    return Object.fromEntries(Object.entries(all).filter(([name]) => !generated.includes(name)))
  }
  try {
    gateway = await startProcess(environmentIn(disk.folder))
    const { output, pid } = gateway
    await eventually('the secrets', () => /API key \(shown once\): \S+/.test(output()))
    gateway.signal('SIGSTOP')
    await eventually('a process that stands still', () => isStopped(pid))
    after = disk.copyAsAfterPowerCut()
    const token = /Operator token \(shown once\): (\S+)/.exec(output())?.[1] ?? ''
    const key = /API key \(shown once\): (\S+)/.exec(output())?.[1] ?? BOOTSTRAP_KEY
    await stopProcess(gateway)
    gateway = await startProcess(environmentIn(after.folder))
    const isKnown = async (path: string, secret: string) =>
      (await fetch(`${gateway?.url}${path}`, { headers: { authorization: `Bearer ${secret}` } })).ok
    return {
      isKeyKnown: await isKnown('/v1/models', key),
      isOperatorKnown: await isKnown('/operator/v1/accounts', token),
      trouble: null,
    }
  } catch (error) {
    return { isKeyKnown: false, isOperatorKnown: false, trouble: String(error).slice(0, 300) }
  } finally {
    await stopProcess(gateway)
    disk.remove()
    after?.remove()
  }
}
