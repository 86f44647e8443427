import { type Assignment, encodeAssignment, type MetricsReport, type Order, type Report } from './orders.ts'

/** A worker as its parent sees it. */
export interface WorkerProcess {
  readonly nodeId: string
  readonly slot: number
  readonly pid: number
  /** Resolves when it serves; rejects with its reason when it ends before that. */
  readonly ready: Promise<void>
  /** Resolves with its exit code after all its output was read. A signal counts as 128 plus its number. */
  readonly exited: Promise<number>
  order(order: Order): void
  kill(): void
}

export type Forward = (printed: ReadableStream<Uint8Array>, slot: number) => Promise<void>

export interface WorkerListener {
  readonly forward: Forward
  readonly onMetrics: (nodeId: string, report: MetricsReport) => void
}

/** Starts this program again, as a worker, which inherits the file of the limits it shares. */
export function spawnWorker(
  assignment: Assignment,
  tableDescriptor: number | null,
  { forward, onMetrics }: WorkerListener,
): WorkerProcess {
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>()
  // The supervisor handles the end of a worker, so an early rejection needs no handler.
  ready.catch(() => {})
  const child = Bun.spawn(ownCommand(), {
    env: { ...process.env, ...encodeAssignment(assignment) },
    stdio: ['ignore', 'pipe', 'pipe', ...(tableDescriptor === null ? [] : [tableDescriptor])],
    ipc: (report: Report) => {
      if (report.type === 'ready') resolve()
      else if (report.type !== 'failed') onMetrics(assignment.nodeId, report)
      else reject(new Error(report.reason))
    },
  })
  const forwarded = [child.stdout, child.stderr].map((printed) => forward(printed, assignment.slot))
  const exited = Promise.all([child.exited, ...forwarded]).then(([code]) => {
    reject(new Error(`A worker ended with code ${code} before it could serve.`))
    return code
  })
  return {
    nodeId: assignment.nodeId,
    slot: assignment.slot,
    pid: child.pid,
    ready,
    exited,
    order: (order) => {
      // A worker that has ended receives nothing.
      if (child.exitCode === null && child.signalCode === null) child.send(order)
    },
    kill: () => child.kill('SIGKILL'),
  }
}

function ownCommand(): string[] {
  const program = Bun.isStandaloneExecutable ? [] : [...process.execArgv, Bun.main]
  return [process.execPath, ...program, ...process.argv.slice(2)]
}
