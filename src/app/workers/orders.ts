import { OTHER_NAMES } from '../../edges/settings/known-names.ts'
import { SettingError } from '../../edges/settings/settings.ts'
import type { Readings } from '../../edges/telemetry/metrics/readings.ts'

/** What a parent passes to a worker at start. It is in the environment, so it contains no secret. */
export interface Assignment {
  readonly nodeId: string
  readonly slot: number
  readonly port: number
  readonly sandboxUrl: string | null
  /** The socket of the parent; null when Redis holds the limits. */
  readonly parentPath: string | null
}

/** Where a worker finds the open file of the limits that it shares, when it has a socket of the parent. */
export const TABLE_DESCRIPTOR = 3

/** What a parent sends to a worker. */
export type Order =
  /** `isReplaced`: other workers have already taken over, so no client is refused. */
  | { readonly type: 'leave'; readonly isReplaced: boolean }
  | { readonly type: 'end' }
  /** Asks for the metrics of this worker. */
  | { readonly type: 'read-metrics'; readonly round: number }
  /** The metrics of all workers, as an answer. */
  | { readonly type: 'metrics'; readonly question: number; readonly readings: Readings }

/** What a worker reports. */
export type Report =
  | { readonly type: 'ready' }
  | { readonly type: 'failed'; readonly reason: string }
  /** The metrics of this worker; `round` is null when it was not asked. */
  | { readonly type: 'metrics'; readonly round: number | null; readonly readings: Readings }
  /** Asks for the metrics of all workers. */
  | { readonly type: 'want-metrics'; readonly question: number }

/** Reports that concern metrics only. */
export type MetricsReport = Extract<Report, { type: 'metrics' | 'want-metrics' }>

export function encodeAssignment(assignment: Assignment): Readonly<Record<string, string>> {
  return { [OTHER_NAMES.worker]: JSON.stringify(assignment) }
}

/** null when this process is not a worker. */
export function readAssignment(environment: Readonly<Record<string, string | undefined>>): Assignment | null {
  const text = environment[OTHER_NAMES.worker]
  if (!text) return null
  // Without a parent, the variable was set by hand.
  const assignment = process.send === undefined ? null : parse(text)
  if (assignment !== null) return assignment
  throw new SettingError(
    `${OTHER_NAMES.worker} is what the gateway tells its own workers; unset it, or did you mean TURNPIKE_WORKERS?`,
  )
}

function parse(text: string): Assignment | null {
  try {
    const value: unknown = JSON.parse(text)
    const isAssignment = typeof value === 'object' && value !== null && 'nodeId' in value && 'slot' in value
    return isAssignment ? (value as Assignment) : null
  } catch {
    return null
  }
}
