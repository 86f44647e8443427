import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { MemoryAdmissions } from '../memory-admissions.ts'
import {
  ACCOUNTS,
  type Command,
  CREDIT_LINE_NANO,
  KEY_LIMIT,
  KEYS,
  PEACE,
  RandomHistory,
  TROUBLE,
  traffic,
} from '../testing/random-history.ts'

/** `npm run laws` tries 100,000. */
const HISTORIES = Number(process.env.TEST_HISTORIES ?? 900)
const TIMEOUT_MS = 60_000 + HISTORIES * 100
const MAX_ERROR = 20

const requests = traffic(MAX_ERROR)
const calm = fc.oneof(...requests, ...PEACE, ...requests)
const troubled = fc.oneof(...requests, ...PEACE, ...TROUBLE, ...requests, ...requests)

/** What was overdrawn at most, and what was allowed at that moment. */
class Worst {
  overdraftNano = 0n
  allowedNano = 0n

  note(overdraftNano: bigint, allowedNano: bigint): void {
    if (overdraftNano > allowedNano)
      throw new Error(`overdrawn by ${overdraftNano}, allowed is ${allowedNano}`)
    if (overdraftNano <= this.overdraftNano) return
    this.overdraftNano = overdraftNano
    this.allowedNano = allowedNano
  }
}

/** By how much the balances and the limited keys are overdrawn, held amounts included. */
function checkMoney({ world, errors }: RandomHistory, worst: Worst): void {
  const today = Math.floor(world.time.nowMs() / 86_400_000)
  for (const accountId of ACCOUNTS) {
    const owedNano = world.obligationsNano((owner) => owner.accountId === accountId)
    const { balanceNano } = world.storage.balance(accountId)
    worst.note(owedNano - balanceNano - CREDIT_LINE_NANO, errors.sumNano(accountId))
    const keyId = `${accountId}:${KEYS[0]}`
    const heldNano = world.obligationsNano((owner) => owner.keyId === keyId)
    const { spentNano } = world.storage.totals(keyId, today).totals.daily
    worst.note(spentNano + heldNano - KEY_LIMIT.amountNano, errors.sumNano(keyId))
  }
}

function expectNothingHeld({ world }: RandomHistory): void {
  for (const accountId of ACCOUNTS) {
    const { money } = world.hub.account(accountId)
    expect(money.heldNano).toBe(0n)
    for (const key of KEYS) expect(money.heldOn(`${accountId}:${key}`)).toBe(0n)
    for (const { admissions } of world.nodes.values()) {
      for (const key of KEYS) {
        expect(admissions.keyMoney(`${accountId}:${key}`, 'daily').heldNano).toBe(0n)
      }
    }
  }
}

async function live(nodes: 1 | 3, commands: readonly Command[], worst: Worst): Promise<void> {
  const history = new RandomHistory({ nodes, loss: 'refuse' })
  await history.begin()
  for (const command of commands) {
    await history.step(command)
    checkMoney(history, worst)
  }
  await history.end()
  expectNothingHeld(history)
}

describe('with holds that are partial and grow, in any order of requests, payments and failures', () => {
  test.each([
    ['one node', 1, calm],
    ['one node with failures', 1, troubled],
    ['three nodes', 3, calm],
    ['three nodes with failures', 3, troubled],
  ] as const)(
    '%s: nothing is overdrawn beyond estimates in flight, and nothing stays held',
    async (name, nodes, command) => {
      const worst = new Worst()
      const numRuns = Math.ceil(HISTORIES / 5)
      await fc.assert(
        fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 40, size: 'max' }), (commands) =>
          live(nodes, commands, worst),
        ),
        { numRuns },
      )
      report(name, numRuns, worst)
    },
    TIMEOUT_MS,
  )

  test(
    'one node that shares nothing: nothing is overdrawn beyond estimates in flight, and nothing stays held',
    () => {
      const worst = new Worst()
      const numRuns = HISTORIES - 4 * Math.ceil(HISTORIES / 5)
      fc.assert(
        fc.property(fc.array(calm, { minLength: 5, maxLength: 80, size: 'max' }), (commands) =>
          liveAlone(commands, worst),
        ),
        { numRuns },
      )
      report('one node that shares nothing', numRuns, worst)
    },
    TIMEOUT_MS,
  )
})

function report(name: string, histories: number, { overdraftNano, allowedNano }: Worst): void {
  console.log(
    `${name}: ${histories} histories, worst overdraft ${overdraftNano} with ${allowedNano} of estimate errors in flight`,
  )
}

interface OpenRequest {
  readonly requestId: string
  readonly keyId: string
  heldNano: bigint
}

const ACCOUNT = 'acc'
const LIMITED_KEY = KEYS[0] ?? ''

/** An account whose money is only in memory: every step is done when it returns. */
class LoneLedger {
  readonly #admissions = new MemoryAdmissions({ nowMs: () => 0 }, new Map([[ACCOUNT, 500n]]))
  readonly #open: OpenRequest[] = []
  #names = 0
  #spentOfKeyNano = 0n
  /** Since a hold was taken last, of the account and of the limited key. */
  #errorsNano = { account: 0n, key: 0n }

  act(command: Command): void {
    switch (command.type) {
      case 'pay':
        this.#admissions.credit(ACCOUNT, BigInt(command.amount))
        return
      case 'admit':
        this.#admit(command)
        return
      case 'grow':
        this.#grow(command)
        return
      case 'settle': {
        const [picked] = this.#open.splice(command.pick % Math.max(1, this.#open.length), 1)
        if (picked === undefined) return
        this.#settle(picked, (picked.heldNano * BigInt(command.percent)) / 100n + BigInt(command.error))
      }
    }
  }

  check(worst: Worst): void {
    let [heldNano, heldOnKeyNano] = [0n, 0n]
    for (const open of this.#open) {
      heldNano += open.heldNano
      if (open.keyId === LIMITED_KEY) heldOnKeyNano += open.heldNano
    }
    const { account, key } = this.#errorsNano
    worst.note(heldNano - this.#admissions.balanceNano(ACCOUNT) - CREDIT_LINE_NANO, account)
    worst.note(this.#spentOfKeyNano + heldOnKeyNano - KEY_LIMIT.amountNano, key)
  }

  end(): void {
    for (const open of this.#open) this.#settle(open, open.heldNano)
    for (const keyId of KEYS) expect(this.#admissions.keyMoney(keyId, 'daily').heldNano).toBe(0n)
  }

  #admit(command: Extract<Command, { type: 'admit' }>): void {
    const keyId = KEYS[command.key] ?? ''
    const amountNano = BigInt(command.amount)
    const leastNano = (amountNano * BigInt(command.leastPercent)) / 100n
    this.#names += 1
    const requestId = `req_${this.#names}`
    const decision = this.#admissions.admit({
      requestId,
      accountId: ACCOUNT,
      keyId,
      configurationVersion: 0,
      windows: [],
      conversation: null,
      hold: { amountNano, leastNano, ...boundsOf(keyId) },
    })
    if (decision !== null && decision.reason !== 'partial-hold') return
    const heldNano = decision?.heldNano ?? amountNano
    this.#open.push({ requestId, keyId, heldNano })
    if (heldNano > 0n) this.#noteTaken(keyId)
  }

  #grow({ pick, by }: Extract<Command, { type: 'grow' }>): void {
    const picked = this.#open[pick % Math.max(1, this.#open.length)]
    if (picked === undefined) return
    const { requestId, keyId } = picked
    const amountNano = picked.heldNano + BigInt(by)
    const growth = { requestId, keyId, accountId: ACCOUNT, amountNano, ...boundsOf(keyId) }
    if (!this.#admissions.grow(growth)) return
    picked.heldNano = amountNano
    this.#noteTaken(keyId)
  }

  #settle({ requestId, keyId, heldNano }: OpenRequest, costNano: bigint): void {
    this.#admissions.settle(requestId, costNano, 0)
    const errorNano = costNano > heldNano ? costNano - heldNano : 0n
    this.#errorsNano.account += errorNano
    if (keyId !== LIMITED_KEY) return
    this.#errorsNano.key += errorNano
    this.#spentOfKeyNano += costNano
  }

  #noteTaken(keyId: string): void {
    this.#errorsNano.account = 0n
    if (keyId === LIMITED_KEY) this.#errorsNano.key = 0n
  }
}

function boundsOf(keyId: string) {
  return { creditLineNano: CREDIT_LINE_NANO, usageLimit: keyId === LIMITED_KEY ? KEY_LIMIT : null }
}

function liveAlone(commands: readonly Command[], worst: Worst): void {
  const ledger = new LoneLedger()
  for (const command of commands) {
    ledger.act(command)
    ledger.check(worst)
  }
  ledger.end()
}
