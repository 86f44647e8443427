import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { PieceReceiver } from '../../wire/http-answer.ts'
import { type Piece, SupplyFlow } from './supply-flow.ts'

type Step = 'arrives' | 'is dealt with'

/** A reader that hands over, and what takes its pieces. `holdsUp` says of each piece whether it takes time. */
function openFlow(holdsUp: readonly boolean[]) {
  const waiting: Uint8Array[] = []
  const taken: Piece[] = []
  const problems: unknown[] = []
  let receiver: PieceReceiver | null = null
  let end: 'no' | 'end' | 'lost' = 'no'
  let held: PromiseWithResolvers<void> | null = null
  const reader = {
    read: () => Promise.reject(new Error('It is handed over.')),
    handTo: (given: PieceReceiver) => {
      receiver = given
    },
    readNow: () => {
      const piece = waiting.shift()
      if (piece !== undefined) return piece
      if (end === 'lost') throw new Error('lost')
      return end === 'end' ? ('end' as const) : null
    },
  }
  const taker = {
    isEnded: false,
    takePiece: (piece: Piece) => {
      if (held !== null) throw new Error('One piece at a time.')
      taken.push(piece)
      if (piece === 'end') taker.isEnded = true
      if (piece === 'end' || holdsUp[taken.length - 1] !== true) return null
      held = Promise.withResolvers()
      return held.promise
    },
    giveUp: (problem: unknown) => {
      problems.push(problem)
      taker.isEnded = true
    },
  }
  const flow = new SupplyFlow(reader, taker)
  return {
    flow,
    taken,
    problems,
    begin: () => flow.begin(),
    arrive: (piece: Uint8Array) => {
      if (waiting.length > 0 || receiver?.receive(piece) !== true) waiting.push(piece)
    },
    end: (how: 'end' | 'lost') => {
      end = how
      receiver?.noteEnd()
    },
    dealWith: async () => {
      const { promise, resolve } = held ?? Promise.withResolvers<void>()
      held = null
      resolve()
      await promise
    },
  }
}

describe('a flow of pieces', () => {
  test('hands over each once, in order, one at a time, and then the end', async () => {
    const steps = fc.array(fc.constantFrom<Step>('arrives', 'is dealt with'), { maxLength: 30 })
    const story = fc.record({
      script: steps,
      beginsAfter: fc.nat({ max: 10 }),
      holdsUp: fc.array(fc.boolean(), { maxLength: 30 }),
      how: fc.constantFrom('end' as const, 'lost' as const),
    })
    const property = fc.asyncProperty(story, async ({ script, beginsAfter, holdsUp, how }) => {
      const { flow, taken, problems, begin, arrive, end, dealWith } = openFlow(holdsUp)
      const sent: Piece[] = []
      for (const [place, step] of script.entries()) {
        if (place === beginsAfter) await begin()
        if (step === 'arrives') {
          const piece = Uint8Array.of(place)
          sent.push(piece)
          arrive(piece)
        } else await dealWith()
      }
      if (script.length <= beginsAfter) await begin()
      end(how)
      for (let left = sent.length; left >= 0; left -= 1) await dealWith()
      expect(taken).toEqual([...sent, 'end'])
      expect([flow.isBroken, problems]).toEqual([how === 'lost', []])
    })
    await fc.assert(property, { numRuns: 500 })
  })

  test('is the same from a reader that is asked for each piece', async () => {
    const pieces = [Uint8Array.of(1), Uint8Array.of(2)]
    const taken: Piece[] = []
    const taker = {
      isEnded: false,
      takePiece: (piece: Piece) => {
        taken.push(piece)
        if (piece === 'end') taker.isEnded = true
        return piece === 'end' ? null : Promise.resolve()
      },
      giveUp: () => {},
    }
    const read = async () => {
      const value = pieces.shift()
      if (value === undefined) throw new Error('lost')
      return { done: false as const, value }
    }
    const flow = new SupplyFlow({ read }, taker)
    await flow.begin()
    expect([taken, flow.isBroken]).toEqual([[Uint8Array.of(1), Uint8Array.of(2), 'end'], true])
  })

  test('gives up where a piece cannot be dealt with, at once or later', async () => {
    for (const isLate of [false, true]) {
      const problems: unknown[] = []
      const problem = new Error('unreadable')
      const taker = {
        isEnded: false,
        takePiece: () => {
          if (isLate) return Promise.reject(problem)
          throw problem
        },
        giveUp: (found: unknown) => {
          problems.push(found)
          taker.isEnded = true
        },
      }
      const reader = { read: () => Promise.reject(problem), handTo: () => {}, readNow: () => null }
      const flow = new SupplyFlow(reader, taker)
      await flow.begin()
      expect(flow.receive(Uint8Array.of(1))).toBe(true)
      await null
      await null
      expect([problems, flow.receive(Uint8Array.of(2))]).toEqual([[problem], false])
    }
  })
})
