import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { forgetPlaygroundKey, playgroundKey } from '../../api/playground.ts'
import { explainError } from '../../parts/layout/explain-error.ts'
import { type Answer, NO_ANSWER } from '../../parts/wire/ask.ts'
import { failureOf, parse } from '../../parts/wire/read-answer.ts'

export interface ImageRequest {
  readonly model: string
  readonly prompt: string
  readonly n: number
  /** Empty for the model's default. */
  readonly size: string
  readonly quality: string
  /** The image to edit; null to generate new ones. */
  readonly edit: { readonly image: Blob; readonly mask: Blob | null } | null
}

export interface GeneratedImage {
  /** A URL the browser can show. */
  readonly source: string
  readonly revisedPrompt: string | null
}

export interface Generation {
  readonly question: ImageRequest
  readonly answer: Answer
  readonly images: readonly GeneratedImage[]
}

export interface ImageGenerator {
  readonly generation: Generation | null
  readonly isRunning: boolean
  generate(question: ImageRequest): void
  stop(): void
}

const UNAUTHORIZED = 401

/** Requests images, one request at a time. */
export function useImageGeneration(account: string): ImageGenerator {
  const queryClient = useQueryClient()
  const [generation, setGeneration] = useState<Generation | null>(null)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])

  const run = useCallback(
    async (question: ImageRequest, signal: AbortSignal) => {
      const attempt = async () => send(question, await playgroundKey(queryClient, account), signal)
      const answer = await attempt()
      if (answer.status !== UNAUTHORIZED) return answer
      forgetPlaygroundKey(queryClient, account)
      return attempt()
    },
    [account, queryClient],
  )

  return {
    generation,
    isRunning: generation?.answer.phase === 'waiting',
    generate: (question) => {
      const controller = new AbortController()
      running.current = controller
      setGeneration({ question, answer: NO_ANSWER, images: [] })
      void run(question, controller.signal)
        .catch((error: unknown): Answer => {
          const isStopped = controller.signal.aborted
          const failure = isStopped ? null : explainError(error).message
          return { ...NO_ANSWER, phase: isStopped ? 'stopped' : 'failed', failure }
        })
        .then((answer) => {
          if (running.current === controller) setGeneration({ question, answer, images: imagesOf(answer) })
        })
    },
    stop: () => running.current?.abort(),
  }
}

async function send(question: ImageRequest, secret: string, signal: AbortSignal): Promise<Answer> {
  const sentAtMs = performance.now()
  const { path, body, headers } = buildImageRequest(question)
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
    : (failureOf(parse(text)) ?? `The gateway returned status ${response.status}.`)
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

/** The text fields of the request. Asks for Base64, because image URLs expire. */
export function imageFields({ model, prompt, n, size, quality }: ImageRequest) {
  return {
    model,
    prompt,
    ...(n > 1 && { n }),
    ...(size !== '' && { size }),
    ...(quality !== '' && { quality }),
    response_format: 'b64_json',
  }
}

function buildImageRequest(question: ImageRequest): {
  path: string
  body: string | FormData
  headers: Record<string, string>
} {
  const fields = imageFields(question)
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

function imagesOf(answer: Answer): GeneratedImage[] {
  if (answer.phase !== 'done' || answer.body === null) return []
  const { data = [] } = (parse(answer.body) ?? {}) as ImageReply
  return data.flatMap(({ b64_json, url, revised_prompt }) => {
    const source = b64_json === undefined ? url : `data:${typeOf(b64_json)};base64,${b64_json}`
    return source === undefined ? [] : [{ source, revisedPrompt: revised_prompt ?? null }]
  })
}

/** Detects the type from the first bytes, in Base64. */
function typeOf(base64: string): string {
  if (base64.startsWith('/9j/')) return 'image/jpeg'
  if (base64.startsWith('UklGR')) return 'image/webp'
  return 'image/png'
}
