import type { Candidate } from '../../src/rules/routing/candidate.ts'
import type { Price } from '../../src/vocabulary/price.ts'
import type { Arrival } from './arrivals.ts'
import { EventQueue } from './event-queue.ts'
import type { Strategy } from './strategies.ts'
import type { World } from './world.ts'

/** How one request went. */
export interface Outcome {
  readonly atMs: number
  readonly isAnswered: boolean
  /** Until the first byte, failed attempts included. */
  readonly tookMs: number
  readonly attempts: number
  readonly cost: number
  /** Whether the turn before was answered by the same credential; null for a first turn. */
  readonly isKept: boolean | null
}

const MAX_ATTEMPTS = 3

export interface Simulation {
  readonly strategy: Strategy
  readonly world: World
  /** Receives the simulated time before each event. */
  readonly tellTime: (nowMs: number) => void
}

/** Sends every arrival through a strategy into a world, in the order of simulated time. */
export function simulate(arrivals: readonly Arrival[], simulation: Simulation): Outcome[] {
  const queue = new EventQueue()
  const outcomes: Outcome[] = []
  const homes = new Map<string, string>()
  for (const arrival of arrivals) {
    queue.add(arrival.atMs, () => {
      new Request(arrival, { ...simulation, queue, outcomes, homes }).start()
    })
  }
  queue.run(simulation.tellTime)
  return outcomes
}

interface RequestParts extends Simulation {
  readonly queue: EventQueue
  readonly outcomes: Outcome[]
  /** The credential that answered a conversation last. */
  readonly homes: Map<string, string>
}

/** One request on its way from candidate to candidate. */
class Request {
  readonly #arrival: Arrival
  readonly #parts: RequestParts
  #line: readonly Candidate[] = []
  #attempts = 0

  constructor(arrival: Arrival, parts: RequestParts) {
    this.#arrival = arrival
    this.#parts = parts
  }

  start(): void {
    this.#line = this.#parts.strategy.order(this.#arrival)
    this.#next(this.#arrival.atMs)
  }

  #next(nowMs: number): void {
    const candidate = this.#attempts < MAX_ATTEMPTS ? this.#beginNext() : null
    if (candidate === null) {
      this.#finish(null, nowMs)
      return
    }
    const { strategy, world, queue } = this.#parts
    const { afterMs, result } = world.attempt(candidate, nowMs)
    queue.add(nowMs + afterMs, () => {
      strategy.end(candidate, result, this.#arrival.conversation)
      if (result.type === 'answered') this.#finish(candidate, nowMs + afterMs)
      else this.#next(nowMs + afterMs)
    })
  }

  #beginNext(): Candidate | null {
    const candidate = this.#line.find((one) => this.#parts.strategy.begin(one))
    if (candidate === undefined) return null
    this.#line = this.#line.slice(this.#line.indexOf(candidate) + 1)
    this.#attempts += 1
    return candidate
  }

  #finish(served: Candidate | null, nowMs: number): void {
    const { outcomes, homes } = this.#parts
    const { atMs, conversation } = this.#arrival
    const home = homes.get(conversation)
    const isKept = home === undefined || served === null ? null : home === served.credential.id
    if (served !== null) homes.set(conversation, served.credential.id)
    const cost = served === null ? 0 : costOf(served.route.price, this.#arrival)
    const tookMs = nowMs - atMs
    outcomes.push({ atMs, isAnswered: served !== null, tookMs, attempts: this.#attempts, cost, isKept })
  }
}

/** In USDT. */
function costOf(price: Price, { promptTokens, outputTokens }: Arrival): number {
  const { inputNanoPerMillion, outputNanoPerMillion } = price
  return (promptTokens * Number(inputNanoPerMillion) + outputTokens * Number(outputNanoPerMillion)) / 1e15
}
