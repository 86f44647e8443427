import type { Answer } from '../../../../parts/wire/ask.ts'
import type { ChatFormat, Question, ToolResult } from '../../../../parts/wire/question.ts'
import { isRunning, type Round, type Rounds, type Said, type Step, turnsFor } from '../conversation.ts'
import type { Settings } from '../settings.tsx'

/** What the list of chats shows. */
export interface ChatSummary {
  readonly id: string
  /** The user and the account whose chat it is: several may use one browser. */
  readonly owner: string
  readonly title: string
  readonly models: readonly string[]
  readonly changedAtMs: number
}

/** What a chat needs to go on. */
export interface ChatContent {
  readonly format: ChatFormat
  readonly models: readonly string[]
  readonly settings: Settings
  readonly rounds: Rounds
}

export interface StoredChat extends Omit<ChatContent, 'rounds'> {
  readonly id: string
  readonly rounds: readonly StoredRound[]
}

interface StoredRound {
  readonly id: number
  readonly said: Said
  readonly replies: readonly { readonly model: string; readonly steps: readonly StoredStep[] }[]
}

/** Without the turns of the question, which are the rounds before, and without the raw response. */
interface StoredStep {
  readonly results: readonly ToolResult[]
  readonly question: Omit<Question, 'turns'>
  readonly answer: Omit<Answer, 'events' | 'body'>
}

const TITLE_LENGTH = 80

/** The first words of a chat. */
export function titleOf(rounds: Rounds): string {
  const said = rounds[0]?.said
  const text = said?.text.trim().replace(/\s+/g, ' ') ?? ''
  if (text === '') return said?.files[0]?.name ?? 'Untitled chat'
  return text.length > TITLE_LENGTH ? `${text.slice(0, TITLE_LENGTH - 1)}…` : text
}

export function toStored(id: string, { rounds, ...content }: ChatContent): StoredChat {
  return { id, ...content, rounds: rounds.map(storeRound) }
}

function storeRound({ id, said, replies }: Round): StoredRound {
  return { id, said, replies: replies.map(({ model, steps }) => ({ model, steps: steps.map(storeStep) })) }
}

function storeStep({ results, question, answer }: Step): StoredStep {
  const { turns, ...asked } = question
  const { events, body, ...answered } = answer
  // What runs while it is stored will not run when it is opened.
  return {
    results,
    question: asked,
    answer: isRunning(answer) ? { ...answered, phase: 'stopped' } : answered,
  }
}

export function fromStored({ rounds, ...content }: StoredChat): ChatContent {
  const restored = rounds.reduce<Round[]>((before, round) => {
    before.push(restoreRound(before, round))
    return before
  }, [])
  return { ...content, rounds: restored }
}

/** Each question gets its turns back, step by step, since those of a step contain the step before. */
function restoreRound(before: Rounds, { id, said, replies }: StoredRound): Round {
  return {
    id,
    said,
    replies: replies.map(({ model, steps }) => {
      const restored: Step[] = []
      for (const { results, question, answer } of steps) {
        const sofar = [...before, { id, said, replies: [{ model, steps: restored }] }]
        const turns = turnsFor(sofar, { round: id, model }, results)
        restored.push({
          results,
          question: { ...question, turns },
          answer: { ...answer, events: [], body: null },
        })
      }
      return { model, steps: restored }
    }),
  }
}
