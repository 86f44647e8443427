import type { Log } from '../../../serve/ports/log.ts'

const REPORT_EVERY_MS = 60_000
const SUCCESS = 0

/** How an exporter of the SDK says how an export ended. */
interface ExportEnd {
  readonly code: number
  readonly error?: Error
}

interface Exporter<Items> {
  export(items: Items, onEnd: (end: ExportEnd) => void): void
}

/** Reports exports that fail, at most once a minute for each kind of telemetry. */
export interface FailureWatch {
  exporter<Items, Watched extends Exporter<Items>>(
    signal: string,
    exporter: Watched & Exporter<Items>,
  ): Watched
  readonly noteProblem: (problem: unknown) => void
}

export interface WatchParts {
  /** Not one that exports: its lines would be lost too. */
  readonly log: Log
  nowMs(): number
}

export function watchExports({ log, nowMs }: WatchParts): FailureWatch {
  const reported = new Map<string, number>()
  const report = (signal: string, problem: unknown) => {
    const lastMs = reported.get(signal) ?? Number.NEGATIVE_INFINITY
    if (nowMs() - lastMs < REPORT_EVERY_MS) return
    reported.set(signal, nowMs())
    // Requests go on as before, so this is not an error.
    log.notice('telemetry could not be sent', { signal, reason: reasonOf(problem) })
  }
  return {
    exporter: (signal, exporter) => {
      const send = exporter.export.bind(exporter)
      exporter.export = (items, onEnd) =>
        send(items, (end) => {
          if (end.code !== SUCCESS) report(signal, end.error)
          onEnd(end)
        })
      return exporter
    },
    noteProblem: (problem) => report('spans', problem),
  }
}

function reasonOf(problem: unknown): string {
  return problem instanceof Error ? problem.message : 'unknown'
}
