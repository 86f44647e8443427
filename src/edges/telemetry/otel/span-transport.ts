import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import {
  type ExportResponse,
  type IExporterTransport,
  OTLPExporterError,
} from '@opentelemetry/otlp-exporter-base'
import type { convertLegacyHttpOptions } from '@opentelemetry/otlp-exporter-base/node-http'

const MAX_RETRIES = 5
const FIRST_DELAY_MS = 1_000
const LONGEST_DELAY_MS = 5_000
const DELAY_GROWTH = 1.5
// The conventions of OTLP: any other status would be the same next time.
const PASSING_STATUSES: readonly number[] = [429, 502, 503, 504]
const MAX_ANSWER_BYTES = 64 * 1024

const compress = promisify(gzip)

type Target = ReturnType<typeof convertLegacyHttpOptions>

/** How to wait before another try, and by how much of the usual time: gateways that lost a collector return one by one. */
export interface RetryParts {
  readonly sleep: (delayMs: number) => Promise<void>
  readonly random: () => number
}

const USUAL_PARTS: RetryParts = { sleep: Bun.sleep, random: Math.random }
const JITTER = 0.2

/**
 * Sends batches by `fetch`, which takes a third of the processor time of the package's transport for Node. The package's
 * own transport by `fetch` is made for browsers and gives up when nobody listens at the address.
 */
export class SpanTransport implements IExporterTransport {
  readonly #target: Pick<Target, 'url' | 'headers' | 'compression'>
  readonly #parts: RetryParts

  constructor(target: Pick<Target, 'url' | 'headers' | 'compression'>, parts: RetryParts = USUAL_PARTS) {
    this.#target = target
    this.#parts = parts
  }

  async send(bytes: Uint8Array<ArrayBuffer>, timeoutMs: number): Promise<ExportResponse> {
    const { sleep, random } = this.#parts
    const deadlineMs = performance.now() + timeoutMs
    let delayMs = FIRST_DELAY_MS
    for (let retries = 0; ; retries += 1) {
      const response = await this.#try(bytes, deadlineMs - performance.now())
      if (response.status !== 'retryable' || retries === MAX_RETRIES) return response
      const usualMs = Math.min(delayMs, LONGEST_DELAY_MS) * (1 + JITTER * (random() * 2 - 1))
      const waitMs = response.retryInMillis ?? usualMs
      if (performance.now() + waitMs >= deadlineMs) return response
      await sleep(waitMs)
      delayMs *= DELAY_GROWTH
    }
  }

  shutdown(): void {}

  async #try(bytes: Uint8Array<ArrayBuffer>, leftMs: number): Promise<ExportResponse> {
    const { url, headers, compression } = this.#target
    const isCompressed = compression === 'gzip'
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...(await headers()), ...(isCompressed && { 'content-encoding': 'gzip' }) },
        body: isCompressed ? await compress(bytes) : bytes,
        redirect: 'manual',
        signal: AbortSignal.timeout(leftMs),
      })
      return await readAnswer(response)
    } catch (error) {
      return { status: 'retryable', error: error instanceof Error ? error : new Error(String(error)) }
    }
  }
}

async function readAnswer(response: Response): Promise<ExportResponse> {
  const { status } = response
  // What a collector says about a batch is short.
  const isShort =
    Number(response.headers.get('content-length') ?? Number.POSITIVE_INFINITY) <= MAX_ANSWER_BYTES
  if (response.ok && isShort) return { status: 'success', data: await response.bytes() }
  await response.body?.cancel()
  if (response.ok) return { status: 'success' }
  const error = new OTLPExporterError(response.statusText, status)
  if (!PASSING_STATUSES.includes(status)) return { status: 'failure', error }
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return { status: 'retryable', error, ...(seconds > 0 && { retryInMillis: seconds * 1_000 }) }
}
