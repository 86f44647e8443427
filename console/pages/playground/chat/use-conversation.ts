import { useQueryClient } from '@tanstack/react-query'
import { type Dispatch, type SetStateAction, useEffect, useRef, useState } from 'react'
import { forgetPlaygroundKey, playgroundKey } from '../../../api/playground.ts'
import { explainError } from '../../../parts/layout/explain-error.ts'
import { type Answer, ask, NO_ANSWER } from '../../../parts/wire/ask.ts'
import type { Question, ToolResult } from '../../../parts/wire/question.ts'
import { writeRequest } from '../../../parts/wire/write-request.ts'
import {
  changeAnswer,
  changeReply,
  isReplyRunning,
  type Place,
  type Rounds,
  replyAt,
  rewrite,
  type Said,
  turnsFor,
  upTo,
} from './conversation.ts'

/** How to ask, without what and whom. */
export type Manner = Omit<Question, 'turns' | 'model'>

export interface Conversation {
  readonly rounds: Rounds
  readonly isAsking: boolean
  /** Asks all models the same. Replaces the round and what follows it, if one is given. */
  send(manner: Manner, to: { readonly models: readonly string[]; readonly round?: number }, said: Said): void
  /** Asks again, by another model if one is given. What follows the round is dropped. */
  regenerate(manner: Manner, place: Place, model?: string): void
  /** Goes on after the model has called functions. */
  giveResults(manner: Manner, place: Place, results: readonly ToolResult[]): void
  rewrite(place: Place, text: string): void
  /** Stops one model, or all. */
  stop(place?: Place): void
  /** Shows another conversation. What still runs is stopped. */
  replace(rounds: Rounds): void
}

// Often enough to look live, but rarely enough to keep the browser responsive.
const SHOWN_EVERY_MS = 60
const UNAUTHORIZED = 401

/** A conversation of this page. Leaving the page stops everything that still runs. */
export function useConversation(account: string): Conversation {
  const [rounds, setRounds] = useState<Rounds>([])
  const { start, abortAfter, stop } = useRunner(account, setRounds)
  const keepUpTo = (round: number) => {
    abortAfter(round)
    return upTo(rounds, round)
  }
  const startAll = (from: Rounds, places: readonly Place[], how: Start) =>
    setRounds(places.reduce((all, place) => start(all, place, how), from))
  return {
    rounds,
    isAsking: rounds.some(({ replies }) => replies.some(isReplyRunning)),
    send: (manner, { models, round }, said) => {
      const before = round === undefined ? rounds : keepUpTo(round - 1)
      const id = (before.at(-1)?.id ?? 0) + 1
      const replies = models.map((model) => ({ model, steps: [] }))
      const places = models.map((model) => ({ round: id, model }))
      startAll([...before, { id, said, replies }], places, { manner, results: [] })
    },
    regenerate: (manner, place, model = place.model) => {
      const emptied = changeReply(keepUpTo(place.round), place, () => ({ model, steps: [] }))
      startAll(emptied, [{ round: place.round, model }], { manner, results: [] })
    },
    giveResults: (manner, place, results) => startAll(keepUpTo(place.round), [place], { manner, results }),
    rewrite: (place, text) => setRounds(rewrite(keepUpTo(place.round), place, text)),
    stop,
    replace: (others) => {
      abortAfter(0)
      setRounds(others)
    },
  }
}

/** Runs the requests of a conversation and shows what they answer. */
function useRunner(account: string, setRounds: Dispatch<SetStateAction<Rounds>>) {
  const running = useRef<RunningSteps>(new Map())
  const ask = useAsker(account)
  useEffect(() => {
    const steps = running.current
    return () => abortAfter(steps, 0)
  }, [])

  const start = (from: Rounds, place: Place, { manner, results }: Start) => {
    const question = { ...manner, model: place.model, turns: turnsFor(from, place, results) }
    const round = from.find(({ id }) => id === place.round)
    const at = { ...place, step: replyAt(round, place.model)?.steps.length ?? 0 }
    const controller = new AbortController()
    const name = nameOf(place)
    running.current.get(name)?.controller.abort()
    running.current.set(name, { place, controller })
    const show = (answer: Answer) => setRounds((before) => changeAnswer(before, at, answer))
    void ask(question, controller.signal, show).then((answer) => {
      // Another conversation may be shown by now.
      if (running.current.get(name)?.controller !== controller) return
      running.current.delete(name)
      show(answer)
    })
    return changeReply(from, place, (reply) => ({
      ...reply,
      steps: [...reply.steps, { results, question, answer: NO_ANSWER }],
    }))
  }
  return {
    start,
    abortAfter: (round: number) => abortAfter(running.current, round),
    stop: (place?: Place) => {
      for (const { place: each, controller } of running.current.values()) {
        if (place === undefined || nameOf(place) === nameOf(each)) controller.abort()
      }
    },
  }
}

interface Start {
  readonly manner: Manner
  readonly results: readonly ToolResult[]
}

function nameOf({ round, model }: Place): string {
  return `${round}/${model}`
}

type RunningSteps = Map<string, { readonly place: Place; readonly controller: AbortController }>

/** Ends everything after a round, and forgets it, so that its last words are not shown. */
function abortAfter(running: RunningSteps, round: number): void {
  for (const [name, { place, controller }] of running) {
    if (place.round <= round) continue
    controller.abort()
    running.delete(name)
  }
}

type Asker = (question: Question, signal: AbortSignal, onChange: (answer: Answer) => void) => Promise<Answer>

/** Asks with the key of the playground. Never throws. */
function useAsker(account: string): Asker {
  const queryClient = useQueryClient()
  return async (question, signal, onChange) => {
    const throttled = throttle((answer) => {
      if (!signal.aborted) onChange(answer)
    })
    const attempt = async () => {
      const secret = await playgroundKey(queryClient, account)
      const request = writeRequest(question)
      const answer = await ask({ format: question.format, request, secret, signal, onChange: throttled })
      return { answer, secret }
    }
    try {
      const { answer, secret } = await attempt()
      if (answer.status !== UNAUTHORIZED) return answer
      // The key may have been revoked or replaced in the meantime. Get a new one.
      forgetPlaygroundKey(queryClient, account, secret)
      return (await attempt()).answer
    } catch (error) {
      return { ...NO_ANSWER, phase: 'failed', failure: explainError(error).message }
    }
  }
}

/** Throttles updates. The caller shows the final state. */
function throttle(show: (answer: Answer) => void): (answer: Answer) => void {
  let shownAtMs = 0
  return (answer) => {
    const nowMs = performance.now()
    if (nowMs - shownAtMs < SHOWN_EVERY_MS) return
    shownAtMs = nowMs
    show(answer)
  }
}
