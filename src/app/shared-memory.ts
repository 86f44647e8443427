import type { AttemptPeers } from '../manage/identity/parts.ts'
import type { SealedPlace, Sealer } from '../rules/access/server-secret.ts'
import type { Router } from '../rules/routing/router.ts'
import type { RoutingNews } from '../rules/routing/supply-health.ts'
import type { LiveConfiguration } from '../serve/ports/configuration.ts'
import type { ConversationMemory, NodeNotices, SharedNotice } from '../serve/ports/shared-limits.ts'
import type { ThoughtShelf } from '../serve/translate/thinking-memory.ts'
import type { Persistence } from './persistence.ts'

/** The part of the limits store a function uses; null when the gateway runs alone. */
interface Sharing<Part> {
  readonly sharedLimits: Part | null
}

// What a cooling credential or an open circuit is told to nodes that start later is worth no more than this.
const LONGEST_KEPT_MS = 60 * 60 * 1_000
const THOUGHTS_KEPT_MS = 6 * 60 * 60 * 1_000

/** Tells the other nodes what routing has learned here. Nobody waits for it, and at worst they learn it themselves. */
export function routingTeller(
  { sharedLimits }: Sharing<Pick<NodeNotices, 'publish'> & Pick<ConversationMemory, 'savePin'>>,
  current: () => ReturnType<LiveConfiguration['current']>,
): ((news: RoutingNews) => void) | undefined {
  if (sharedLimits === null) return undefined
  const ignore = () => undefined
  return (news) => {
    if (news.type !== 'pinned') {
      const keptMs = news.type === 'circuit-closed' ? undefined : Math.min(news.forMs, LONGEST_KEPT_MS)
      sharedLimits.publish(news, keptMs).catch(ignore)
      return
    }
    const keyId = news.conversation.slice(0, news.conversation.indexOf(':'))
    const accountId = current().keys.get(keyId)?.accountId
    if (accountId === undefined) return
    const { conversation, supplierId, credentialId, forMs } = news
    sharedLimits.savePin({ accountId, conversation, supplierId, credentialId, keptMs: forMs }).catch(ignore)
  }
}

/** Listens to the other nodes, from what they have said to be kept on. */
export async function followOthers(
  { sharedLimits }: Sharing<NodeNotices>,
  { configuration, router }: { readonly configuration: LiveConfiguration; readonly router: Router },
): Promise<void> {
  if (sharedLimits === null) return
  const hear = (notice: SharedNotice) => {
    if (notice.type === 'generation' || notice.type === 'attempt') return
    if (notice.type === 'configuration') {
      void configuration.reloadTo(notice.version).catch(() => undefined)
      return
    }
    const credentials = configuration.current().supply.credentialsBySupplier.get(notice.supplierId)
    const credential = credentials?.find(({ id }) => id === notice.credentialId)
    if (credential !== undefined) router.learn(notice, credential)
  }
  sharedLimits.onNotice(hear)
  for (const notice of await sharedLimits.listKept().catch(() => [])) hear(notice)
}

/** Tells of attempts to sign in and hears of those on other nodes. Nobody waits for it; what is lost is counted here alone. */
export function attemptPeers({ sharedLimits }: Sharing<NodeNotices>): AttemptPeers | undefined {
  if (sharedLimits === null) return undefined
  return {
    tell: (throttle, news) => {
      sharedLimits.publish({ type: 'attempt', throttle, ...news }).catch(() => undefined)
    },
    onNews: (listener) => {
      sharedLimits.onNotice((notice) => {
        if (notice.type === 'attempt') listener(notice.throttle, notice)
      })
    },
  }
}

/** Thoughts are the client's, so they lie there sealed. */
export function thoughtShelf(
  { sharedLimits }: Sharing<ConversationMemory>,
  { secrets }: Persistence,
): ThoughtShelf | undefined {
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
    // Sealed by a node with another secret or of another version, for another call, or not by a node at all.
    return null
  }
}
