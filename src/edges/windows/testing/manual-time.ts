import type { Clock, Timers } from '../../../vocabulary/clock.ts'

interface Task {
  readonly dueAtMs: number
  readonly run: () => void
}

/** Lets everything happen that needs no time. */
export function settleAll(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** A clock and timers that stand still until they are moved. */
export class ManualTime implements Clock, Timers {
  #nowMs: number
  #tasks: Task[] = []

  constructor(startMs: number) {
    this.#nowMs = startMs
  }

  nowMs(): number {
    return this.#nowMs
  }

  after(delayMs: number, run: () => void): () => void {
    const task = { dueAtMs: this.#nowMs + delayMs, run }
    this.#tasks.push(task)
    return () => {
      this.#tasks = this.#tasks.filter((other) => other !== task)
    }
  }

  async advance(byMs: number): Promise<void> {
    const endMs = this.#nowMs + byMs
    await settleAll()
    for (;;) {
      const due = this.#tasks.filter(({ dueAtMs }) => dueAtMs <= endMs)
      const first = due.reduce<Task | null>(
        (earliest, task) => (earliest === null || task.dueAtMs < earliest.dueAtMs ? task : earliest),
        null,
      )
      if (first === null) break
      this.#tasks = this.#tasks.filter((task) => task !== first)
      this.#nowMs = first.dueAtMs
      first.run()
      await settleAll()
    }
    this.#nowMs = endMs
  }
}
