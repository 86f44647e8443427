import { GatewayError } from '../../errors/gateway-error.ts'
import { signWebhook } from '../../rules/alerts/alert-rules.ts'
import type { Account } from '../../vocabulary/account.ts'
import { type IssuedKey, KeyCreate } from '../../vocabulary/api-key.ts'
import { formatTime } from '../../vocabulary/clock.ts'
import { SHORTEST_SEARCH } from '../../vocabulary/observability/read-bodies.ts'
import { type BodyStorage, BodyStorageView } from '../../vocabulary/settlement.ts'
import { type Supplier, viewCredential } from '../../vocabulary/supply.ts'
import type { PlaygroundKey } from '../../vocabulary/user.ts'
import { refuse, requireAccount, requireFound } from '../operations/refuse.ts'
import type { AccountOperations } from '../ports/console.ts'
import type { OwnSupplierTest } from '../ports/diagnostics.ts'
import { BodySearches } from './body-search.ts'
import { listModels, listUsage, overview, waysThrough } from './overview.ts'
import type { ConsoleParts } from './parts.ts'
import { readBodies } from './read-bodies.ts'

/** The account operations of the console. */
export function createAccountOperations(parts: ConsoleParts): AccountOperations {
  const { snapshot, bodies, operations } = parts
  const playground = new PlaygroundKeys(parts)
  const webhooks = new WebhookTests(parts)
  const searches = new BodySearches(parts.storage)
  const tests = new SupplierTests()
  const accountOf = (id: string) => requireAccount(snapshot(), id)
  return {
    events: parts.events,
    overview: async (id, range) => overview(parts, accountOf(id), range),
    listUsage: async (id, question) => listUsage(parts, accountOf(id).id, question),
    listModels: (id, keyId) =>
      listModels(parts, accountOf(id), keyId === null ? null : ownKey(parts, id, keyId)),
    ownsSupplier: (id, supplierId) => isOwn(snapshot().supply.suppliers.get(supplierId), id),
    ...ownership(parts),
    listSuppliers: (id) => {
      const { suppliers, credentialsBySupplier } = snapshot().supply
      return [...suppliers.values()]
        .filter((supplier) => isOwn(supplier, id))
        .map((supplier) => ({
          ...supplier,
          credentials: (credentialsBySupplier.get(supplier.id) ?? []).map(viewCredential),
        }))
    },
    testSupplier: async (id, supplierId) => {
      const account = accountOf(id)
      const supplier = ownSupplier(parts, id, supplierId)
      return tests.alone(id, () => testSupplier(parts, account, supplier))
    },
    deleteSupplier: async (id, supplierId, actor) => {
      ownSupplier(parts, id, supplierId)
      await operations.deleteOwnSupplier(supplierId, actor)
    },
    issuePlaygroundKey: (whose, actor) => playground.issue(whose, actor),
    bodyStorage: (id) => bodies.settingOf(accountOf(id).id),
    setBodyStorage: (setting, actor) =>
      parts.configuration.changing(() => setBodyStorage(parts, setting, actor)),
    findBody: async (id, requestId) =>
      requireFound(await bodies.find(id, requestId), 'kept body of', requestId),
    readBodies: async (id, requestId) => {
      const found = requireFound(await bodies.find(id, requestId), 'kept body of', requestId)
      return readBodies(found, await operations.findSettlement(requestId))
    },
    searchBodies: async (id, question) => {
      if (question.text.length < SHORTEST_SEARCH)
        refuse('text', `text must have ${SHORTEST_SEARCH} or more characters.`)
      const range = await bodies.keptRange(accountOf(id).id, question)
      if (range === null) throw new GatewayError('not_found', 'This account stores no bodies.')
      return searches.search(id, { ...question, ...range })
    },
    testWebhook: async (id) => webhooks.test(accountOf(id).id),
  }
}

/** Records of other accounts are reported as not found. */
function ownership(parts: ConsoleParts) {
  return {
    ownKeyId: (accountId: string, keyId: string) => ownKey(parts, accountId, keyId).id,
    ownSupplierId: (accountId: string, supplierId: string) => ownSupplier(parts, accountId, supplierId).id,
    ownCredentialId: (accountId: string, credentialId: string) => {
      const { supply } = parts.snapshot()
      const credentials = [...supply.credentialsBySupplier.values()].flat()
      const found = credentials.find(({ id }) => id === credentialId)
      const isMine = found !== undefined && isOwn(supply.suppliers.get(found.supplierId), accountId)
      return requireFound(isMine ? found : null, 'credential', credentialId).id
    },
    findSettlement: async (accountId: string, requestId: string) => {
      const found = await parts.operations.findSettlement(requestId)
      return requireFound(found.accountId === accountId ? found : null, 'settlement', requestId)
    },
  }
}

function ownKey({ snapshot }: ConsoleParts, accountId: string, keyId: string) {
  const key = snapshot().keys.get(keyId)
  return requireFound(key?.accountId === accountId ? key : null, 'key', keyId)
}

function ownSupplier({ snapshot }: ConsoleParts, accountId: string, supplierId: string): Supplier {
  const supplier = snapshot().supply.suppliers.get(supplierId)
  return requireFound(isOwn(supplier, accountId) ? supplier : null, 'supplier', supplierId)
}

function isOwn(supplier: Supplier | undefined, accountId: string): boolean {
  return supplier?.source === 'byok' && supplier.accountId === accountId
}

/** One at a time for each account, so that nobody can flood a supplier through this gateway. */
class SupplierTests {
  readonly #underWay = new Set<string>()

  async alone<Result>(accountId: string, test: () => Promise<Result>): Promise<Result> {
    if (this.#underWay.has(accountId)) {
      throw new GatewayError('rate_limit_exceeded', 'A test is already running. Wait until it ends.', {
        headers: { 'retry-after': '1' },
      })
    }
    this.#underWay.add(accountId)
    try {
      return await test()
    } finally {
      this.#underWay.delete(accountId)
    }
  }
}

async function testSupplier(
  parts: ConsoleParts,
  account: Account,
  { id }: Supplier,
): Promise<OwnSupplierTest> {
  const ways = waysThrough(parts, account, id)
  const data = await parts.examineOwn(id, ways)
  return { data, models: ways.map(({ model }) => model.id) }
}

async function setBodyStorage(
  parts: ConsoleParts,
  setting: BodyStorage,
  actor: string,
): Promise<BodyStorage> {
  const { bodies, storage, audit, events, log } = parts
  requireAccount(parts.snapshot(), setting.accountId)
  const event = audit.event({
    actor,
    action: 'account.body_storage_changed',
    subject: setting.accountId,
    before: BodyStorageView.show(bodies.settingOf(setting.accountId)),
    after: BodyStorageView.show(setting),
  })
  await storage.saveBodyStorage(setting, event)
  bodies.set(setting)
  events.noteChange(setting.accountId, ['body-storage'])
  // Bodies past the new retention are deleted now, in the background.
  bodies.sweep().catch((error: unknown) => log.trouble('old bodies could not be deleted', error))
  return setting
}

const LIFE_MS = 12 * 60 * 60 * 1_000
const NAME = 'Playground'

type Whose = Omit<PlaygroundKey, 'keyId'>

/** Issues playground keys, one per user and account. Calls run one at a time, so that a user does not get two. */
export class PlaygroundKeys {
  readonly #parts: ConsoleParts
  #last: Promise<unknown> = Promise.resolve()

  constructor(parts: ConsoleParts) {
    this.#parts = parts
  }

  /** Issues a new secret; the previous one is no longer valid. */
  issue(whose: Whose, actor: string): Promise<IssuedKey> {
    const issued = this.#last.then(() => this.#issue(whose, actor))
    this.#last = issued.catch(() => undefined)
    return issued
  }

  async #issue(whose: Whose, actor: string): Promise<IssuedKey> {
    const { storage, operations, clock } = this.#parts
    const expiresAtMs = clock.nowMs() + LIFE_MS
    const keyId = await storage.findPlaygroundKey(whose)
    const known = keyId === null ? undefined : this.#parts.snapshot().keys.get(keyId)
    if (known === undefined || known.state === 'revoked') {
      const made = await operations.createKey(
        whose.accountId,
        { ...KeyCreate.read({ name: NAME }), sharedFallback: true, expiresAtMs },
        actor,
      )
      await storage.savePlaygroundKey({ ...whose, keyId: made.id })
      return made
    }
    // It was disabled on purpose.
    if (known.state === 'disabled') {
      throw new GatewayError('permission_denied', 'Your playground key is disabled. Enable it first.')
    }
    await operations.changeKey(known.id, { expiresAtMs }, actor)
    return operations.rotateKey(known.id, 0, actor)
  }
}

const PATIENCE_MS = 15_000

/** Sends test events, which have the form and signature of alerts. */
export class WebhookTests {
  readonly #parts: ConsoleParts
  readonly #underWay = new Set<string>()

  constructor(parts: ConsoleParts) {
    this.#parts = parts
  }

  /** Returns null on success, otherwise the reason. Only one test at a time, so that it cannot be used to flood a receiver. */
  async test(accountId: string): Promise<string | null> {
    if (this.#underWay.has(accountId)) {
      throw new GatewayError('rate_limit_exceeded', 'A test is already running. Wait until it ends.', {
        headers: { 'retry-after': '1' },
      })
    }
    this.#underWay.add(accountId)
    try {
      return await this.#send(accountId)
    } finally {
      this.#underWay.delete(accountId)
    }
  }

  async #send(accountId: string): Promise<string | null> {
    const { operations, clock, random, send } = this.#parts
    const { url, secret } = await operations.findWebhook(accountId)
    const nowMs = clock.nowMs()
    const event = {
      id: random.id('alt'),
      kind: 'test',
      account_id: accountId,
      at: formatTime(nowMs),
      data: {},
    }
    const body = JSON.stringify(event)
    const signature = signWebhook(body, secret, nowMs)
    return send({ url, body, signature, signal: AbortSignal.timeout(PATIENCE_MS) })
  }
}
