import { viewSettlement } from '../../rules/ledger/view-settlement.ts'
import type { Snapshot } from '../../vocabulary/runtime/snapshot.ts'
import type { UsageView } from '../../vocabulary/settlement.ts'
import type { AuditEvent } from '../../vocabulary/system.ts'
import type { ExportOptions, JournalReading, Placed, UsagePoint } from '../ports/ledger.ts'
import type { Page } from '../ports/page.ts'
import { readLargestUsage } from './observability/largest-usage.ts'
import type { LocalOperations, OperationParts } from './parts.ts'
import { requireFound } from './refuse.ts'

const NO_JOURNAL: JournalReading = { settled: () => [], setAside: () => [] }

/** Flushes the journal into the database first, so that every answered request is included. */
export function historyOperations({ storage, configuration, catchUp, readJournal }: OperationParts) {
  return {
    listSettlements: async (filter, page) => {
      await catchUp()
      const { data, nextCursor } = await storage.listSettlements(filter, page)
      return { data: data.map(viewSettlement), nextCursor }
    },
    findSettlement: async (requestId) => {
      await catchUp()
      return viewSettlement(requireFound(await storage.findSettlement(requestId), 'settlement', requestId))
    },
    listAuditEvents: async (page, filter = {}) => {
      const { data, nextCursor } = await storage.listAuditEvents(page, filter)
      const snapshot = configuration.current()
      const unnamed = data.filter((event) => nameOf(event, snapshot) === null)
      const emails = await emailsOf(unnamed, storage)
      const named = data.map((event) => ({
        ...event,
        subjectName: nameOf(event, snapshot) ?? emails.get(event.subject) ?? null,
      }))
      return { data: named, nextCursor }
    },
    listUsage: async (question, page) => {
      await catchUp()
      const { data, nextCursor } = await storage.listUsage(question, page)
      return { data: data.map(viewUsage), nextCursor }
    },
    listLargestUsage: async (question) => {
      await catchUp()
      return readLargestUsage(storage, question)
    },
    listClientSessions: async (filter, page) => {
      await catchUp()
      return storage.listClientSessions(filter, page)
    },
    verifyLedger: async () => {
      // Before the journal is emptied: whatever it says now must be in the database afterwards.
      const journal = readJournal?.() ?? NO_JOURNAL
      await catchUp()
      return storage.verifyLedger(journal, { mayWait: false })
    },
    exportSettlements: async function* (filter, options) {
      await catchUp()
      yield* readPages(options, (page) => storage.readSettlements(filter, page))
    },
    exportLedger: async function* (filter, options) {
      await catchUp()
      yield* readPages(options, (page) => storage.readLedger(filter, page))
    },
  } satisfies Partial<LocalOperations>
}

const NAME_FIELDS = ['name', 'display_name', 'label', 'email'] as const

/** What the object was called then, else what its id is called now. */
function nameOf({ subject, before, after }: AuditEvent, { accounts, keys }: Snapshot): string | null {
  for (const state of [after, before] as (Record<string, unknown> | null)[]) {
    for (const field of NAME_FIELDS) {
      const name = state?.[field]
      if (typeof name === 'string' && name !== '') return name
    }
  }
  return accounts.get(subject)?.name ?? keys.get(subject)?.name ?? null
}

/** The e-mail addresses of the users among these subjects. Signing in says nothing about a user but the id. */
async function emailsOf(
  events: readonly AuditEvent[],
  storage: Pick<OperationParts['storage'], 'findUser'>,
): Promise<ReadonlyMap<string, string>> {
  const ids = new Set(events.flatMap(({ action, subject }) => (action.startsWith('user.') ? [subject] : [])))
  const users = await Promise.all([...ids].map((id) => storage.findUser(id)))
  return new Map(users.flatMap((user) => (user === null ? [] : [[user.id, user.email] as const])))
}

function viewUsage({ startMs, group, figures }: UsagePoint): UsageView {
  const { accountId, keyId, model, supplier, session, agent } = group
  const { completed, clientLeft, supplierFailed, refused, interrupted } = figures
  return {
    ...figures,
    startMs,
    accountId,
    keyId,
    model,
    supplier,
    session,
    agent,
    requests: completed + clientLeft + supplierFailed + refused + interrupted,
    outcomes: figures,
    usage: figures,
    costNano: figures.amountNano - figures.marginNano,
  }
}

// Large enough that asking costs little, small enough that a page is no burden on memory or on other requests.
const PAGE_SIZE = 100

/** Each page begins where the one before ended, so nothing is kept open while a slow client reads. */
async function* readPages<T>(
  { cursor, limit }: ExportOptions,
  read: (page: Page) => Promise<readonly Placed<T>[]>,
): AsyncGenerator<readonly Placed<T>[]> {
  let left = limit ?? Number.POSITIVE_INFINITY
  let after = cursor
  while (left > 0) {
    const size = Math.min(PAGE_SIZE, left)
    const page = await read({ cursor: after, limit: size })
    if (page.length > 0) yield page
    if (page.length < size) return
    left -= page.length
    after = page.at(-1)?.cursor ?? null
  }
}
