import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { forgetPlaygroundKey, playgroundKey } from '../../../api/playground.ts'
import type { FormFile } from '../../../parts/code/literals.ts'
import { explainError } from '../../../parts/layout/explain-error.ts'
import { formatBytes } from '../../../parts/text/format.ts'
import { type Answer, NO_ANSWER } from '../../../parts/wire/ask.ts'
import { failureOf, parse } from '../../../parts/wire/read-answer.ts'

/** A request that is answered as a whole. */
export interface Call {
  readonly path: string
  readonly fields: Readonly<Record<string, unknown>>
  /** Files make it a form instead of JSON. */
  readonly files: readonly CallFile[]
}

export interface CallFile extends FormFile {
  readonly content: Blob
}

export interface Called<Question> {
  readonly question: Question
  readonly call: Call
  readonly answer: Answer
  /** The body of the response, which may be binary; null until it has arrived. */
  readonly content: Blob | null
}

export interface Caller<Question> {
  readonly called: Called<Question> | null
  readonly isRunning: boolean
  run(question: Question): void
  stop(): void
}

const UNAUTHORIZED = 401

/** Calls the gateway as any client does, one request at a time. Leaving the page ends the request. */
export function useCall<Question>(account: string, write: (question: Question) => Call): Caller<Question> {
  const queryClient = useQueryClient()
  const [called, setCalled] = useState<Called<Question> | null>(null)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])

  const ask = async (call: Call, signal: AbortSignal) => {
    const secret = await playgroundKey(queryClient, account)
    const reply = await send(call, secret, signal)
    if (reply.answer.status !== UNAUTHORIZED) return reply
    // The key may have been revoked or replaced in the meantime. Get a new one.
    forgetPlaygroundKey(queryClient, account, secret)
    return send(call, await playgroundKey(queryClient, account), signal)
  }

  return {
    called,
    isRunning: called?.answer.phase === 'waiting',
    run: (question) => {
      const controller = new AbortController()
      const call = write(question)
      running.current = controller
      setCalled({ question, call, answer: NO_ANSWER, content: null })
      void ask(call, controller.signal)
        .catch((error: unknown) => ({ answer: failed(error, controller.signal), content: null }))
        .then((reply) => {
          if (running.current === controller) setCalled({ question, call, ...reply })
        })
    },
    stop: () => running.current?.abort(),
  }
}

function failed(error: unknown, { aborted: isStopped }: AbortSignal): Answer {
  const failure = isStopped ? null : explainError(error).message
  return { ...NO_ANSWER, phase: isStopped ? 'stopped' : 'failed', failure }
}

type Reply = Pick<Called<unknown>, 'answer' | 'content'>

async function send(call: Call, secret: string, signal: AbortSignal): Promise<Reply> {
  const sentAtMs = performance.now()
  const { body, headers } = bodyOf(call)
  const response = await fetch(call.path, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${secret}` },
    body,
    credentials: 'omit',
    signal,
  })
  const firstByteMs = performance.now() - sentAtMs
  const content = await response.blob()
  const text = await readText(content, response.headers.get('content-type') ?? '')
  const failure = response.ok
    ? null
    : (failureOf(parse(text)) ?? `The gateway returned status ${response.status}.`)
  const answer = {
    ...NO_ANSWER,
    phase: failure === null ? ('done' as const) : ('failed' as const),
    failure,
    status: response.status,
    headers: Object.fromEntries(response.headers),
    firstByteMs,
    durationMs: performance.now() - sentAtMs,
    body: text,
  }
  return { answer, content }
}

function bodyOf({ fields, files }: Call): { body: string | FormData; headers: Record<string, string> } {
  if (files.length === 0) {
    return { body: JSON.stringify(fields), headers: { 'content-type': 'application/json' } }
  }
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value))
  for (const { field, name, content } of files) form.set(field, content, name)
  return { body: form, headers: {} }
}

/** Binary responses are described instead. */
async function readText(content: Blob, type: string): Promise<string> {
  if (/^(text\/|application\/(json|x-subrip))/.test(type)) return content.text()
  return `(${type || 'no content type'}, ${formatBytes(content.size)})`
}
