import type { Settings } from '../edges/settings/settings.ts'
import { protocolOf } from '../protocols/index.ts'
import type { Gateway } from '../serve/gateway.ts'
import { isDue } from '../serve/is-due.ts'
import type { Log } from '../serve/ports/log.ts'
import { BackgroundRuns } from '../serve/state/background/background-runs.ts'
import { endLostReplies } from '../serve/state/background/lost-replies.ts'
import type { Services } from './services.ts'
import type { SystemServices } from './system-services.ts'

const INTERVAL_MS = 5_000
const JOB = 'lost-replies'

/** The background responses of this node, as configured. */
export function openBackground(
  settings: Settings,
  { membership, storage }: Pick<Services, 'membership' | 'storage'>,
  log: Log,
): BackgroundRuns {
  const limits = {
    maxRuns: settings.backgroundPerNode,
    maxBodyBytes: settings.maxHeldBodyBytes,
    maxBodyBytesPerAccount: settings.maxHeldBodyBytesPerAccount,
  }
  return new BackgroundRuns({ nodeId: membership.nodeId, limits, storage, log })
}

/**
 * Ends the background responses that an earlier process has left behind. Returns what to call about once a second: it
 * gives up responses that other nodes have ended, and ends those of nodes that are gone.
 */
export async function watchBackground(
  { background }: Pick<Gateway, 'background'>,
  services: Pick<Services, 'storage' | 'journal' | 'membership'>,
  system: SystemServices,
): Promise<() => Promise<unknown>> {
  const endLost = lostReplyJob(services, system)
  await endLost()
  return () => Promise.all([background.beat(), endLost()])
}

/** On one node at a time. Never rejects. */
function lostReplyJob(
  { storage, journal, membership }: Pick<Services, 'storage' | 'journal' | 'membership'>,
  { clock, log }: SystemServices,
): () => Promise<void> {
  const { hasCompany, registry, nodeId } = membership
  const rules = protocolOf('responses')?.state?.background
  if (rules === undefined) throw new Error('responses keeps no state')
  const livingNodes = async () => (hasCompany ? registry.listLiving(true) : [nodeId])
  const parts = { rules, storage, journal, livingNodes }
  let nextMs = Number.NEGATIVE_INFINITY
  let isDone = false
  return async () => {
    const nowMs = clock.nowMs()
    if (isDone || !isDue(nowMs, nextMs, INTERVAL_MS) || (hasCompany && !registry.mayJudge)) return
    nextMs = nowMs + INTERVAL_MS
    try {
      const ended = await storage.unlessRunning(JOB, () => endLostReplies(parts))
      // Alone, only the process before this one can have left any.
      isDone = !hasCompany && ended === 0
      if (ended) log.notice('background responses of lost nodes have failed', { responses: ended })
    } catch (problem) {
      log.trouble('background responses of lost nodes could not be ended', problem)
    }
  }
}
