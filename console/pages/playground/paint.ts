import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { forgetPlaygroundKey, playgroundKey } from '../../api/playground.ts'
import { explainError } from '../../parts/layout/explain-error.ts'
import { type Answer, NO_ANSWER } from '../../parts/wire/ask.ts'
import { failureOf, parse } from '../../parts/wire/read-answer.ts'

export interface PaintQuestion {
  readonly model: string
  readonly prompt: string
  readonly n: number
  /** Empty leaves it to the model. */
  readonly size: string
  readonly quality: string
  /** What to change; null makes new pictures. */
  readonly edit: { readonly image: Blob; readonly mask: Blob | null } | null
}

export interface Picture {
  /** An address the browser can show. */
  readonly source: string
  readonly revisedPrompt: string | null
}

export interface Painting {
  readonly question: PaintQuestion
  readonly answer: Answer
  readonly pictures: readonly Picture[]
}

export interface Easel {
  readonly painting: Painting | null
  readonly isPainting: boolean
  paint(question: PaintQuestion): void
  stop(): void
}

const UNAUTHORIZED = 401

/** Asks for pictures, one question after the other. */
export function usePainting(account: string): Easel {
  const queryClient = useQueryClient()
  const [painting, setPainting] = useState<Painting | null>(null)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])

  const run = useCallback(
    async (question: PaintQuestion, signal: AbortSignal) => {
      const attempt = async () => send(question, await playgroundKey(queryClient, account), signal)
      const told = await attempt()
      if (told.status !== UNAUTHORIZED) return told
      forgetPlaygroundKey(queryClient, account)
      return attempt()
    },
    [account, queryClient],
  )

  return {
    painting,
    isPainting: painting?.answer.phase === 'waiting',
    paint: (question) => {
      const controller = new AbortController()
      running.current = controller
      setPainting({ question, answer: NO_ANSWER, pictures: [] })
      void run(question, controller.signal)
        .catch((error: unknown): Answer => {
          const isStopped = controller.signal.aborted
          const failure = isStopped ? null : explainError(error).message
          return { ...NO_ANSWER, phase: isStopped ? 'stopped' : 'failed', failure }
        })
        .then((answer) => {
          if (running.current === controller) setPainting({ question, answer, pictures: picturesOf(answer) })
        })
    },
    stop: () => running.current?.abort(),
  }
}

async function send(question: PaintQuestion, secret: string, signal: AbortSignal): Promise<Answer> {
  const sentAtMs = performance.now()
  const { path, body, headers } = paintRequest(question)
  const response = await fetch(path, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${secret}` },
    body,
    credentials: 'omit',
    signal,
  })
  const firstByteMs = performance.now() - sentAtMs
  const text = await response.text()
  const failure = response.ok
    ? null
    : (failureOf(parse(text)) ?? `The gateway answered with status ${response.status}.`)
  return {
    ...NO_ANSWER,
    phase: failure === null ? 'done' : 'failed',
    failure,
    status: response.status,
    headers: Object.fromEntries(response.headers),
    firstByteMs,
    durationMs: performance.now() - sentAtMs,
    body: text,
  }
}

/** The fields that say what to paint, as text. Pictures come as Base64: an address would end with the day. */
export function paintFields({ model, prompt, n, size, quality }: PaintQuestion) {
  return {
    model,
    prompt,
    ...(n > 1 && { n }),
    ...(size !== '' && { size }),
    ...(quality !== '' && { quality }),
    response_format: 'b64_json',
  }
}

function paintRequest(question: PaintQuestion): {
  path: string
  body: string | FormData
  headers: Record<string, string>
} {
  const fields = paintFields(question)
  if (question.edit === null) {
    return {
      path: '/v1/images/generations',
      body: JSON.stringify(fields),
      headers: { 'content-type': 'application/json' },
    }
  }
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value))
  form.set('image', question.edit.image, 'image.png')
  if (question.edit.mask !== null) form.set('mask', question.edit.mask, 'mask.png')
  return { path: '/v1/images/edits', body: form, headers: {} }
}

interface ImageReply {
  readonly data?: readonly { b64_json?: string; url?: string; revised_prompt?: string }[]
}

function picturesOf(answer: Answer): Picture[] {
  if (answer.phase !== 'done' || answer.body === null) return []
  const { data = [] } = (parse(answer.body) ?? {}) as ImageReply
  return data.flatMap(({ b64_json, url, revised_prompt }) => {
    const source = b64_json === undefined ? url : `data:${typeOf(b64_json)};base64,${b64_json}`
    return source === undefined ? [] : [{ source, revisedPrompt: revised_prompt ?? null }]
  })
}

/** Base64 of the first bytes of the kinds of picture there are. */
function typeOf(base64: string): string {
  if (base64.startsWith('/9j/')) return 'image/jpeg'
  if (base64.startsWith('UklGR')) return 'image/webp'
  return 'image/png'
}
