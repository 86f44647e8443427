import { beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  arbitraryConversation,
  arbitraryStreamedAnswer,
} from '../../../../../test/support/arbitrary-conversation.ts'
import { createMovableClock, type MovableClock } from '../../../../../test/support/movable-clock.ts'
import type { Answer, AnswerPart } from '../../../../conversation/answer.ts'
import type { AnswerEvent } from '../../../../conversation/answer-event.ts'
import type { Conversation, Turn } from '../../../../conversation/conversation.ts'
import { unfold } from '../../../../conversation/fold.ts'
import { type Part, type ThinkingPart, type ToolCallPart, textPart } from '../../../../conversation/part.ts'
import type { Proof } from '../../../../conversation/proof.ts'
import { ThinkingMemory } from './thinking-memory.ts'
import { passThrough } from './translating-tap.ts'

const HOURS_MS = 60 * 60 * 1_000

function proofOf(value: string, on: Proof['on'] = 'thinking'): Proof {
  return { origin: 'messages', model: 'deep-1', route: 'sup_1', on, value, itemId: null }
}

function thought(text: string): ThinkingPart {
  return { type: 'thinking', text, proof: proofOf(`signed ${text}`), isRedacted: false }
}

function bare(text: string): ThinkingPart {
  return { type: 'thinking', text, proof: null, isRedacted: false }
}

function call(id: string, proof: Proof | null = null): ToolCallPart {
  return { type: 'tool-call', id, name: 'look', kind: 'function', input: '{}', namespace: null, proof }
}

function answerOf(...choices: readonly (readonly AnswerPart[])[]): Answer {
  const finish = { reason: 'tool-call', stopSequence: null, explanation: null } as const
  return {
    id: 'a',
    choices: choices.map((parts, index) => ({ index, parts, finish, logprobs: null })),
    usage: null,
  }
}

const [sample] = fc.sample(arbitraryConversation(), { numRuns: 1, seed: 1 })
const prepared = (turns: readonly Turn[]) => ({ ...sample, turns }) as Conversation

let clock: MovableClock
let memory: ThinkingMemory
beforeEach(() => {
  clock = createMovableClock()
  memory = new ThinkingMemory(clock)
})

function remember(events: readonly AnswerEvent[], account = 'acc_1'): readonly AnswerEvent[] {
  return passThrough(events, [memory.watch(account)])
}

/** The assistant turn as it goes to the supplier when the client sends these parts. */
async function restore(parts: readonly Part[], account = 'acc_1'): Promise<readonly Part[] | undefined> {
  const turns: Turn[] = [
    { role: 'user', parts: [textPart('go')] },
    { role: 'assistant', parts },
  ]
  return (await memory.restore(account, prepared(turns))).turns[1]?.parts
}

describe('thoughts a client could not keep', () => {
  test('are put back before the call', async () => {
    remember(unfold(answerOf([thought('A'), call('c1')])))
    expect(await restore([call('c1')])).toEqual([thought('A'), call('c1')])
  })

  test('are put back at the start of the turn when text followed them', async () => {
    remember(unfold(answerOf([thought('A'), textPart('Let me look.'), call('c1')])))
    expect(await restore([textPart('Let me look.'), call('c1')])).toEqual([
      thought('A'),
      textPart('Let me look.'),
      call('c1'),
    ])
  })

  test('are put back in their place, also between calls', async () => {
    const parts = [thought('A'), textPart('Hm.'), thought('B'), call('c1'), thought('C'), call('c2')]
    remember(unfold(answerOf(parts)))
    expect(await restore([textPart('Hm.'), call('c1'), call('c2')])).toEqual(parts)
  })

  test('are put back once for parallel calls', async () => {
    remember(unfold(answerOf([thought('A'), call('c1'), call('c2')])))
    expect(await restore([call('c1'), call('c2')])).toEqual([thought('A'), call('c1'), call('c2')])
  })

  test('are whole, however they were streamed', async () => {
    remember([
      { type: 'part-start', choice: 0, part: bare('') },
      { type: 'part-delta', choice: 0, text: 'A ' },
      { type: 'part-delta', choice: 0, text: 'thought' },
      { type: 'part-proof', choice: 0, proof: proofOf('late') },
      { type: 'part-end', choice: 0 },
      { type: 'part-start', choice: 0, part: call('c1') },
      { type: 'part-delta', choice: 0, text: '{}' },
      { type: 'part-proof', choice: 0, proof: proofOf('on call', 'tool-call') },
      { type: 'part-end', choice: 0 },
    ])
    expect(await restore([call('c1')])).toEqual([
      { ...bare('A thought'), proof: proofOf('late') },
      call('c1', proofOf('on call', 'tool-call')),
    ])
  })

  test('need no signature for suppliers that want all of them back', async () => {
    const events = unfold(answerOf([bare('A'), textPart('Hm.'), call('c1')]))
    remember(events)
    expect(await restore([textPart('Hm.'), call('c1')])).toEqual([textPart('Hm.'), call('c1')])
    passThrough(events, [memory.watch('acc_1', 'every')])
    expect(await restore([textPart('Hm.'), call('c1')])).toEqual([bare('A'), textPart('Hm.'), call('c1')])
    expect(await restore([bare('A'), textPart('Hm.'), call('c1')])).toEqual([
      bare('A'),
      textPart('Hm.'),
      call('c1'),
    ])
  })

  test('replace copies without a signature', async () => {
    remember(unfold(answerOf([thought('A'), call('c1')])))
    expect(await restore([bare('A'), call('c1')])).toEqual([thought('A'), call('c1')])
  })

  test('of one choice are not used for another', async () => {
    remember(unfold(answerOf([thought('A'), call('c1')], [thought('B'), call('c2')], [call('c3')])))
    expect(await restore([call('c2')])).toEqual([thought('B'), call('c2')])
    expect(await restore([call('c3')])).toEqual([call('c3')])
  })
})

describe('thoughts a client did keep', () => {
  test('stay unchanged, and only a missing call signature is added', async () => {
    remember(unfold(answerOf([thought('A'), call('c1', proofOf('on call', 'tool-call'))])))
    expect(await restore([thought('own'), call('c1')])).toEqual([
      thought('own'),
      call('c1', proofOf('on call', 'tool-call')),
    ])
    const own = proofOf('own', 'tool-call')
    expect(await restore([thought('own'), call('c1', own)])).toEqual([thought('own'), call('c1', own)])
  })

  test('stay without a signature when there is no signed one to replace them', async () => {
    remember(unfold(answerOf([call('c1', proofOf('on call', 'tool-call'))])))
    expect(await restore([bare('A'), call('c1')])).toEqual([
      bare('A'),
      call('c1', proofOf('on call', 'tool-call')),
    ])
  })

  test('do not change the turns of other roles', async () => {
    remember(unfold(answerOf([thought('A'), call('c1')])))
    const turns: Turn[] = [{ role: 'user', parts: [textPart('go')] }]
    expect((await memory.restore('acc_1', prepared(turns))).turns).toEqual(turns)
  })
})

describe('the memory', () => {
  test('passes every answer on unchanged', () => {
    fc.assert(
      fc.property(arbitraryStreamedAnswer(), ({ events }) => expect(remember(events)).toEqual(events)),
    )
  })

  test('belongs to the account', async () => {
    remember(unfold(answerOf([thought('A'), call('c1')])))
    expect(await restore([call('c1')], 'acc_2')).toEqual([call('c1')])
    expect(await restore([call('c1')])).toEqual([thought('A'), call('c1')])
  })

  test('stores nothing of an answer without signatures', () => {
    remember(unfold(answerOf([bare('A'), textPart('Hm.'), call('c1')])))
    expect(memory.size).toBe(0)
  })

  test('lasts six hours', async () => {
    remember(unfold(answerOf([thought('A'), call('c1')])))
    clock.advance(6 * HOURS_MS - 1)
    expect(await restore([call('c1')])).toEqual([thought('A'), call('c1')])
    clock.advance(1)
    expect(await restore([call('c1')])).toEqual([call('c1')])
    remember(unfold(answerOf([thought('B'), call('c2')])))
    expect(memory.size).toBe(1)
  })

  test('holds a limited number of thoughts, and drops the oldest first', async () => {
    memory = new ThinkingMemory(clock, {
      bounds: { keptMs: HOURS_MS, mostThoughts: 3, mostCharacters: 1_000 },
    })
    for (const id of ['c1', 'c2', 'c3']) remember(unfold(answerOf([thought(id), call(id)])))
    // Thought of again, c1 is no longer the oldest.
    remember(unfold(answerOf([thought('c1'), call('c1')])))
    remember(unfold(answerOf([thought('c4'), call('c4')])))
    expect(memory.size).toBe(3)
    expect(await restore([call('c2')])).toEqual([call('c2')])
    expect(await restore([call('c1')])).toEqual([thought('c1'), call('c1')])
  })

  test('never exceeds its limits, for any input', async () => {
    const given = fc.array(fc.tuple(fc.nat(9), fc.nat(60)), { maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(given, async (thoughts) => {
        memory = new ThinkingMemory(clock, {
          bounds: { keptMs: HOURS_MS, mostThoughts: 5, mostCharacters: 100 },
        })
        for (const [id, length] of thoughts) {
          const part: ThinkingPart = { ...bare('x'.repeat(length)), proof: proofOf('') }
          remember(unfold(answerOf([part, call(`c${id}`)])))
        }
        const ids = Array.from({ length: 10 }, (_, id) => `c${id}`)
        const restored = await Promise.all(ids.map((id) => restore([call(id)])))
        const held = restored.flatMap((parts) => parts?.slice(0, -1) ?? [])
        const characters = held.reduce(
          (sum, part) => sum + (part.type === 'thinking' ? part.text.length : 0),
          0,
        )
        expect(characters).toBeLessThanOrEqual(100)
        expect(memory.size).toBeLessThanOrEqual(5)
        expect(memory.size).toBe(held.length)
      }),
    )
  })

  test('finds thoughts of another node in the store, and asks only for missing ones', async () => {
    const store = new Map<string, string>()
    const asked: string[][] = []
    const parts = {
      store: {
        save: (accountId: string, callId: string, text: string) => void store.set(accountId + callId, text),
        find: async (accountId: string, ids: readonly string[]) => {
          asked.push([...ids])
          return ids.map((id) => store.get(accountId + id) ?? null)
        },
      },
    }
    memory = new ThinkingMemory(clock, parts)
    remember(unfold(answerOf([thought('A'), call('c1')])))
    memory = new ThinkingMemory(clock, parts)
    expect(await restore([call('c1')], 'acc_2')).toEqual([call('c1')])
    expect(await restore([call('c1')])).toEqual([thought('A'), call('c1')])
    expect(await restore([call('c1'), call('c9')])).toEqual([thought('A'), call('c1'), call('c9')])
    expect(asked).toEqual([['c1'], ['c1'], ['c9']])
  })
})
