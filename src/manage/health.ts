import Type, { type Static } from 'typebox'
import type { Endpoint } from '../serve/ports/exchange.ts'
import type { Journal } from '../serve/ports/journal.ts'
import { withTimeout } from '../vocabulary/clock.ts'
import type { Contract } from '../vocabulary/runtime/contract.ts'
import type { SharedLimitsState } from '../vocabulary/system.ts'
import type { Storage } from './ports/storage.ts'

export interface HealthParts {
  readonly storage: Pick<Storage, 'ping'>
  readonly isClosing: () => boolean
  /** Whether other nodes have the same database, so that it is away for all of them or for none. */
  readonly isDatabaseShared?: boolean
  readonly journal?: Pick<Journal, 'refusal'> & { readonly isDiskFailing: boolean }
  /** Null when nothing is shared but the database. */
  readonly sharedLimitsState?: () => SharedLimitsState | null
  /** What keeps this node from serving as one of several, while others serve. */
  readonly ownTrouble?: () => string | null
}

const Readiness = Type.Object({
  status: Type.Enum(['ready', 'not ready']),
  reason: Type.Optional(Type.String({ description: 'Present when it is not ready.' })),
  degraded: Type.Optional(
    Type.Array(Type.String(), { description: 'What is missing at all nodes alike, while it is ready.' }),
  ),
})

const common = { tag: 'Service', access: 'public' } as const

const healthContract: Contract = {
  ...common,
  id: 'checkHealth',
  summary: 'Check that the process is alive',
  answer: {
    description: 'It does.',
    name: 'Health',
    schema: Type.Object({ status: Type.Literal('ok') }),
    example: { status: 'ok' },
  },
}

/** Where some coding agents look, with `HEAD`, before their first request. Others look at `/`. */
const greetingContract: Contract = {
  ...healthContract,
  id: 'greetAgent',
  summary: 'Answer agents that check for a server',
}

const readinessContract: Contract = {
  ...common,
  id: 'checkReadiness',
  summary: 'Check that this node can serve requests',
  description:
    'Status 503 with a reason if it cannot. A fault that affects all nodes is reported as degraded.',
  answer: {
    description: 'They can.',
    name: 'Readiness',
    schema: Readiness,
    example: { status: 'ready' },
  },
}

// A balancer takes a slow answer for none, and a database that hangs must not make all nodes look dead.
const PING_PATIENCE_MS = 500

/**
 * `/healthz`: the process lives. `/readyz`: a balancer may send it requests. It should not only for a reason that is
 * this node's own: what is away for all nodes alike would take all of them from the balancer at once, and clients would
 * find no node, instead of being served from memory or getting a retry time.
 */
export function healthEndpoints(parts: HealthParts): Endpoint[] {
  const askDatabase = databaseAsker(parts.storage)
  return [
    {
      method: 'GET',
      path: '/healthz',
      contract: healthContract,
      isServedWhileClosing: true,
      handle: () => Response.json({ status: 'ok' }),
    },
    {
      method: 'GET',
      path: '/api/hello',
      contract: greetingContract,
      handle: () => Response.json({ status: 'ok' }),
    },
    {
      method: 'GET',
      path: '/readyz',
      contract: readinessContract,
      isServedWhileClosing: true,
      handle: async () => {
        if (parts.isClosing()) return notReady('shutting down')
        const isDatabaseThere = await askDatabase()
        const reason = findOwnTrouble(parts, isDatabaseThere)
        if (reason !== null) return notReady(reason)
        const degraded = findSharedTroubles(parts, isDatabaseThere)
        return tell({ status: 'ready', ...(degraded.length > 0 && { degraded }) })
      },
    },
  ]
}

const NO_DATABASE = 'the database does not answer'

function findOwnTrouble(
  { isDatabaseShared, journal, ownTrouble }: HealthParts,
  isDatabaseThere: boolean,
): string | null {
  if (journal?.isDiskFailing) return 'the journal cannot be written'
  const reason = ownTrouble?.() ?? null
  if (reason !== null) return reason
  return isDatabaseThere || isDatabaseShared ? null : NO_DATABASE
}

function findSharedTroubles({ journal, sharedLimitsState }: HealthParts, isDatabaseThere: boolean): string[] {
  const troubles: string[] = []
  if (!isDatabaseThere) troubles.push(NO_DATABASE)
  const refusal = journal?.refusal() ?? null
  if (refusal !== null) troubles.push(refusal)
  switch (sharedLimitsState?.() ?? 'shared') {
    case 'shared':
      break
    case 'local':
      troubles.push('Redis does not answer; this node judges by its share of each limit')
      break
    case 'refusing':
      troubles.push('Redis does not answer; requests are refused')
      break
  }
  return troubles
}

/** One question at a time, however many ask: those that a database that hangs does not answer must not pile up. */
function databaseAsker(storage: HealthParts['storage']): () => Promise<boolean> {
  let asking: Promise<boolean> | null = null
  return () => {
    asking ??= storage
      .ping()
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        asking = null
      })
    return withTimeout(PING_PATIENCE_MS, asking, () => false)
  }
}

function notReady(reason: string): Response {
  return tell({ status: 'not ready', reason }, 503)
}

function tell(readiness: Static<typeof Readiness>, status = 200): Response {
  return Response.json(readiness, { status })
}
