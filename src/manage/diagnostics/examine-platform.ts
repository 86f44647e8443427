import type { PlatformFinding } from '../../vocabulary/observability/dashboard.ts'
import type { SinkProgress } from '../../vocabulary/observability/sink.ts'
import type { ChannelStore } from '../ports/alert-channels.ts'
import type { SinkStore } from '../ports/sinks.ts'

export interface PlatformDiagnosisParts {
  readonly storage: Pick<SinkStore, 'loadSinkProgress'> &
    Pick<ChannelStore, 'loadChannels' | 'loadChannelStates'>
  /** Refusals that this process has not kept. */
  readonly refusedRequests: { readonly dropped: number }
}

/** Finds what operators were not told of, or what was lost on its way elsewhere. Calls nobody. */
export async function examinePlatform(parts: PlatformDiagnosisParts): Promise<readonly PlatformFinding[]> {
  const { storage, refusedRequests } = parts
  const sinks = [...(await storage.loadSinkProgress())].flatMap(([id, progress]) => examineSink(id, progress))
  const states = await storage.loadChannelStates()
  const channels = (await storage.loadChannels()).flatMap(({ id, enabled }): PlatformFinding[] => {
    const failure = states.get(id)?.lastFailure ?? null
    if (!enabled || failure === null) return []
    const hint = `The last message failed: ${failure} Once it is fixed, send a test.`
    return [{ part: 'alert_channel', id, problem: 'fails', hint }]
  })
  const { dropped } = refusedRequests
  const refusals: PlatformFinding[] =
    dropped === 0 ? [] : [{ part: 'refusals', id: null, problem: 'has_lost', hint: droppedHint(dropped) }]
  return [...sinks, ...channels, ...refusals]
}

function examineSink(id: string, progress: SinkProgress): PlatformFinding[] {
  const { waiting, oldestAtMs, failures, lastFailure, lost } = progress
  const findings: PlatformFinding[] = []
  if (failures > 0) {
    const since = oldestAtMs === null ? '' : `, the oldest since ${describeTime(oldestAtMs)}`
    const hint = `${tries(failures)}: ${lastFailure ?? 'no reason is known.'} Records waiting: ${waiting}${since}.`
    findings.push({ part: 'sink', id, problem: 'fails', hint })
  }
  if (lost > 0) {
    const hint = `Records lost since the sink was created: ${lost}. Export the period instead.`
    findings.push({ part: 'sink', id, problem: 'has_lost', hint })
  }
  return findings
}

/** `2026-11-15 17:42 UTC`, for people. */
function describeTime(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

function tries(failures: number): string {
  return failures === 1 ? 'The last try failed' : `The last ${failures} tries failed`
}

function droppedHint(dropped: number): string {
  return `Refused requests that this node has not kept since it started: ${dropped}. Too many waited for the database.`
}
