import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Connection } from '../../src/edges/supplier-client/connection.ts'
import {
  type CallParts,
  SocketCall,
  type SocketRequest,
} from '../../src/edges/supplier-client/socket-call.ts'
import { type Piece, type PieceTaker, SupplyFlow } from '../../src/serve/delivery/supply-flow.ts'

const HEAD = Buffer.from('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
const nextTurn = () => new Promise(setImmediate)

/** A connection that notes what it is told. */
class NotedConnection {
  readonly unsent = null
  readonly mayBeStale = false
  isPaused = false
  isClosed = false
  readonly kept: boolean[] = []
  setPaused(isPaused: boolean): void {
    this.isPaused = isPaused
  }
  close(): void {
    this.isClosed = true
  }
  release(isKept: boolean): void {
    this.kept.push(isKept)
  }
  distrustOrigin(): void {}
}

const stories = fc.record({
  /** The sizes of the chunks that the supplier sends, and of what arrives at once. */
  chunks: fc.array(fc.oneof(fc.integer({ min: 1, max: 2_500 }), fc.integer({ min: 1, max: 60_000 })), {
    maxLength: 25,
  }),
  arrivals: fc.array(fc.integer({ min: 1, max: 70_000 }), { minLength: 1, maxLength: 20 }),
  /** After how many arrivals the pieces are handed over, and how many turns each then takes. */
  beginsAfter: fc.integer({ min: 1, max: 5 }),
  turns: fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 20 }),
  end: fc.constantFrom('whole', 'lost', 'malformed'),
  /** The piece at which the answer is given up, inside of the callback that brings it. */
  abortsAt: fc.option(fc.nat({ max: 25 })),
})

type Story = typeof stories extends fc.Arbitrary<infer Found> ? Found : never

function wireOf({ chunks, end }: Story): { readonly wire: Buffer; readonly whole: Buffer } {
  const bodies = chunks.map((size, place) => Buffer.alloc(size, 33 + place))
  const sent = bodies.flatMap((body) => [
    Buffer.from(`${body.length.toString(16)}\r\n`),
    body,
    Buffer.from('\r\n'),
  ])
  const last = Buffer.from({ whole: '0\r\n\r\n', lost: '', malformed: 'zz\r\n' }[end])
  return { wire: Buffer.concat([HEAD, ...sent, last]), whole: Buffer.concat(bodies) }
}

/** Takes the pieces as slowly as the story says, and gives up where it says. */
class SlowTaker implements PieceTaker {
  readonly got: Piece[] = []
  isEnded = false
  #isBusy = false
  readonly #story: Story
  readonly #call: SocketCall

  constructor(story: Story, call: SocketCall) {
    this.#story = story
    this.#call = call
  }

  takePiece(piece: Piece): Promise<void> | null {
    if (this.#isBusy) throw new Error('One piece at a time.')
    const place = this.got.length
    const { turns, abortsAt } = this.#story
    this.got.push(piece === 'end' ? piece : Buffer.from(piece))
    this.isEnded = piece === 'end' || place === abortsAt
    if (place === abortsAt) this.#call.abort()
    return this.isEnded ? null : this.#work(turns[place % turns.length] ?? 0)
  }

  async #work(turns: number): Promise<void> {
    this.#isBusy = true
    for (let turn = 0; turn < turns; turn += 1) await nextTurn()
    this.#isBusy = false
  }

  giveUp(problem: unknown): void {
    throw problem
  }
}

async function play(story: Story) {
  const { wire, whole } = wireOf(story)
  const connection = new NotedConnection()
  const parts = { headMs: 60_000 } as CallParts
  const call = new SocketCall({} as SocketRequest, parts, connection as unknown as Connection)
  const taker = new SlowTaker(story, call)
  const begin = async () => {
    const { body } = await call.answered
    if (body === null) throw new Error('The answer has a body.')
    const begun = new SupplyFlow(body.getReader(), taker)
    await begun.begin()
    return begun
  }
  let flow: SupplyFlow | null = null
  let at = 0
  for (let arrival = 0; at < wire.length && !connection.isClosed; arrival += 1) {
    const size = arrival === 0 ? HEAD.length + 1 : (story.arrivals[arrival % story.arrivals.length] ?? 1)
    call.receive(wire.subarray(at, at + size))
    at += size
    if (arrival === story.beginsAfter) flow = await begin()
    while (flow !== null && connection.isPaused && !connection.isClosed) await nextTurn()
  }
  flow ??= await begin()
  if (story.end === 'lost') call.lose(null)
  while (!taker.isEnded) await nextTurn()
  const seen = Buffer.concat(taker.got.filter((piece) => piece !== 'end'))
  return { whole, seen, connection, hasEnd: taker.got.includes('end'), isBroken: flow.isBroken }
}

test('an answer is handed over whole and in order, however it arrives, ends or is given up', async () => {
  const property = fc.asyncProperty(stories, async (story) => {
    const { whole, seen, connection, hasEnd, isBroken } = await play(story)
    expect(whole.subarray(0, seen.length).equals(seen)).toBe(true)
    if (hasEnd) expect([seen.length, isBroken]).toEqual([whole.length, story.end !== 'whole'])
    if (story.end === 'whole' && !connection.isClosed) expect(connection.kept).toEqual([true])
  })
  await fc.assert(property, { numRuns: 300 })
})
