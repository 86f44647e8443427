import { GatewayError } from '../../errors/gateway-error.ts'
import type { Profiling } from '../../manage/ports/profiling.ts'

// A sample takes a few microseconds; more of them would slow down what they measure.
const SAMPLE_EVERY_MICROSECONDS = 1_000
// A snapshot takes as much memory again, and seconds in which nothing is served.
const MAX_HEAP_BYTES = 1024 * 1024 * 1024

export interface ProfilerParts {
  readonly isOn: boolean
  /** Puts it on record who takes a profile; before it is taken. */
  readonly note: (what: 'cpu_profile' | 'heap_snapshot', actor: string) => Promise<void>
  readonly heapBytes?: () => number
}

/** One profile at a time. */
export class Profiler implements Profiling {
  readonly #parts: ProfilerParts
  #isBusy = false

  constructor(parts: ProfilerParts) {
    this.#parts = parts
  }

  takeCpuProfile(seconds: number, actor: string): Promise<string> {
    return this.#alone(async () => {
      await this.#parts.note('cpu_profile', actor)
      return sampleProcess(seconds)
    })
  }

  takeHeapSnapshot(actor: string): Promise<ArrayBuffer> {
    return this.#alone(async () => {
      const heapBytes = this.#parts.heapBytes?.() ?? process.memoryUsage().heapUsed
      if (heapBytes > MAX_HEAP_BYTES) {
        throw new GatewayError(
          'temporarily_unavailable',
          `The heap has ${heapBytes} bytes; snapshots are taken up to ${MAX_HEAP_BYTES}. Restart the process and take one earlier.`,
        )
      }
      await this.#parts.note('heap_snapshot', actor)
      return Bun.generateHeapSnapshot('v8', 'arraybuffer')
    })
  }

  async #alone<Result>(take: () => Promise<Result>): Promise<Result> {
    if (!this.#parts.isOn) {
      throw new GatewayError(
        'permission_denied',
        'Profiling is off. Set TURNPIKE_PROFILING to on and restart.',
      )
    }
    if (this.#isBusy) {
      throw new GatewayError('temporarily_unavailable', 'Another profile is being taken. Try again later.')
    }
    this.#isBusy = true
    try {
      return await take()
    } finally {
      this.#isBusy = false
    }
  }
}

async function sampleProcess(seconds: number): Promise<string> {
  const { Session } = await import('node:inspector/promises')
  const session = new Session()
  session.connect()
  try {
    await session.post('Profiler.enable')
    await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_EVERY_MICROSECONDS })
    await session.post('Profiler.start')
    await Bun.sleep(seconds * 1_000)
    const { profile } = await session.post('Profiler.stop')
    return JSON.stringify(profile)
  } finally {
    session.disconnect()
  }
}
