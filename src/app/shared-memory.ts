import type { AttemptPeers } from '../manage/identity/parts.ts'
import type { SealedPlace, Sealer } from '../rules/access/server-secret.ts'
import type { Router } from '../rules/routing/router.ts'
import type { RoutingChange } from '../rules/routing/supply-health.ts'
import type { ThoughtStore } from '../serve/families/text/translate/thinking-memory.ts'
import type { LiveConfiguration } from '../serve/ports/configuration.ts'
import type { ConversationMemory, NodeNotices, SharedNotice } from '../serve/ports/shared-limits.ts'
import type { Persistence } from './persistence.ts'

/** The part of the limits store a function uses; null when the gateway runs alone. */
interface Sharing<Part> {
  readonly sharedLimits: Part | null
}

// Nodes that start later need not know of a cooling credential or an open circuit for longer than this.
const LONGEST_KEPT_MS = 60 * 60 * 1_000
const THOUGHTS_KEPT_MS = 6 * 60 * 60 * 1_000

/** Publishes what routing has learned here. Failures are ignored: the other nodes learn it themselves. */
export function routingPublisher(
  { sharedLimits }: Sharing<Pick<NodeNotices, 'publish'> & Pick<ConversationMemory, 'savePin'>>,
  current: () => ReturnType<LiveConfiguration['current']>,
): ((change: RoutingChange) => void) | undefined {
  if (sharedLimits === null) return undefined
  const ignore = () => undefined
  return (change) => {
    if (change.type !== 'pinned') {
      const keptMs = change.type === 'circuit-closed' ? undefined : Math.min(change.forMs, LONGEST_KEPT_MS)
      sharedLimits.publish(change, keptMs).catch(ignore)
      return
    }
    const keyId = change.conversation.slice(0, change.conversation.indexOf(':'))
    const accountId = current().keys.get(keyId)?.accountId
    if (accountId === undefined) return
    const { conversation, supplierId, credentialId, forMs } = change
    sharedLimits.savePin({ accountId, conversation, supplierId, credentialId, keptMs: forMs }).catch(ignore)
  }
}

/** Applies notices of the other nodes, starting with the kept ones. */
export async function followOthers(
  { sharedLimits }: Sharing<NodeNotices>,
  { configuration, router }: { readonly configuration: LiveConfiguration; readonly router: Router },
): Promise<void> {
  if (sharedLimits === null) return
  const receive = (notice: SharedNotice) => {
    if (notice.type === 'generation' || notice.type === 'attempt') return
    if (notice.type === 'configuration') {
      void configuration.reloadTo(notice.version).catch(() => undefined)
      return
    }
    const credentials = configuration.current().supply.credentialsBySupplier.get(notice.supplierId)
    const credential = credentials?.find(({ id }) => id === notice.credentialId)
    if (credential !== undefined) router.learn(notice, credential)
  }
  sharedLimits.onNotice(receive)
  for (const notice of await sharedLimits.listKept().catch(() => [])) receive(notice)
}

/** Shares sign-in attempts with the other nodes. An attempt whose notice is lost counts on this node only. */
export function attemptPeers({ sharedLimits }: Sharing<NodeNotices>): AttemptPeers | undefined {
  if (sharedLimits === null) return undefined
  return {
    publish: (throttle, notice) => {
      sharedLimits.publish({ type: 'attempt', throttle, ...notice }).catch(() => undefined)
    },
    onNotice: (listener) => {
      sharedLimits.onNotice((notice) => {
        if (notice.type === 'attempt') listener(notice.throttle, notice)
      })
    },
  }
}

/** Thoughts belong to the client, so they are stored sealed. */
export function thoughtStore(
  { sharedLimits }: Sharing<ConversationMemory>,
  { secrets }: Persistence,
): ThoughtStore | undefined {
  if (sharedLimits === null) return undefined
  return {
    save: (accountId, callId, text) => {
      const note = {
        accountId,
        name: callId,
        text: secrets.seal(text, thoughtPlace(accountId, callId)),
        keptMs: THOUGHTS_KEPT_MS,
      }
      sharedLimits.saveNote(note).catch(() => undefined)
    },
    find: async (accountId, callIds) => {
      const sealed = await sharedLimits.findNotes(accountId, callIds).catch(() => [])
      return callIds.map((callId, index) =>
        openOrNull(sealed[index] ?? null, thoughtPlace(accountId, callId), secrets),
      )
    },
  }
}

function thoughtPlace(accountId: string, callId: string): SealedPlace {
  return { table: 'thoughts', column: 'text', id: [accountId, callId] }
}

function openOrNull(
  sealed: string | null,
  place: SealedPlace,
  { open }: Pick<Sealer, 'open'>,
): string | null {
  if (sealed === null) return null
  try {
    return open(sealed, place)
  } catch {
    // Sealed with another secret, by another version, for another call, or not by a node at all.
    return null
  }
}
