import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { forgetPlaygroundKey, playgroundKey } from '../../api/playground.ts'
import { explainError } from '../../parts/layout/explain-error.ts'
import { type Answer, ask, NO_ANSWER } from '../../parts/wire/ask.ts'
import { type Question, type Turn, type WireRequest, writeRequest } from '../../parts/wire/write-request.ts'

/** A message and its response. */
export interface Exchange {
  readonly id: number
  readonly question: Question
  readonly request: WireRequest
  readonly said: string
  readonly answer: Answer
}

export interface Conversation {
  readonly exchanges: readonly Exchange[]
  readonly isAsking: boolean
  send(question: Omit<Question, 'turns'>, said: string): void
  stop(): void
  clear(): void
}

// Often enough to look live, but rarely enough to keep the browser responsive.
const SHOWN_EVERY_MS = 60
const UNAUTHORIZED = 401

/** A conversation with a model. It exists only in this page. */
export function useConversation(account: string): Conversation {
  const queryClient = useQueryClient()
  const [exchanges, setExchanges] = useState<readonly Exchange[]>([])
  const [stopper, setStopper] = useState<AbortController | null>(null)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])

  const show = useCallback((id: number, answer: Answer) => {
    setExchanges((before) => before.map((each) => (each.id === id ? { ...each, answer } : each)))
  }, [])

  const run = async (exchange: Exchange, controller: AbortController) => {
    const { question, request, id } = exchange
    const onChange = throttle((answer) => show(id, answer))
    const attempt = async () =>
      ask({
        format: question.format,
        request,
        secret: await playgroundKey(queryClient, account),
        signal: controller.signal,
        onChange,
      })
    let answer = await attempt().catch(failed)
    // The key may have been revoked or replaced in the meantime. Get a new one.
    if (answer.status === UNAUTHORIZED) {
      forgetPlaygroundKey(queryClient, account)
      answer = await attempt().catch(failed)
    }
    show(id, answer)
    setStopper((current) => (current === controller ? null : current))
  }

  return {
    exchanges,
    isAsking: stopper !== null,
    send: (settings, said) => {
      const question = { ...settings, turns: [...turnsOf(exchanges), { role: 'user' as const, text: said }] }
      const id = (exchanges.at(-1)?.id ?? 0) + 1
      const exchange = { id, question, request: writeRequest(question), said, answer: NO_ANSWER }
      const controller = new AbortController()
      running.current = controller
      setExchanges([...exchanges, exchange])
      setStopper(controller)
      void run(exchange, controller)
    },
    stop: () => stopper?.abort(),
    clear: () => {
      stopper?.abort()
      setStopper(null)
      setExchanges([])
    },
  }
}

/** The conversation so far. Omits messages without a response: many models refuse two user turns in a row. */
export function turnsOf(exchanges: readonly Pick<Exchange, 'said' | 'answer'>[]): Turn[] {
  return exchanges
    .filter(({ answer }) => answer.text !== '')
    .flatMap(({ said, answer }): Turn[] => [
      { role: 'user', text: said },
      { role: 'assistant', text: answer.text },
    ])
}

/** Whether the key was refused. */
function failed(error: unknown): Answer {
  return { ...NO_ANSWER, phase: 'failed', failure: explainError(error).message }
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
