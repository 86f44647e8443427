import type { Fault } from '../../src/sandbox/faults.ts'
import { chat } from './chat.ts'
import { startTwoSuppliers, type TwoSuppliers } from './two-suppliers.ts'

/** Every way in which the preferred of two suppliers can fail before its first byte. */
export const FAULT_SERIES: readonly (readonly [name: string, fault: Fault | 'stopped'])[] = [
  ['refused connection', 'stopped'],
  ['connection closed', { type: 'refuse' }],
  ['hang', { type: 'hang' }],
  ['500', { type: 'status', status: 500 }],
  ['503', { type: 'status', status: 503 }],
  ['429', { type: 'status', status: 429, retryAfterSeconds: 5 }],
  ['401', { type: 'status', status: 401 }],
  ['cut before first byte', { type: 'cut', afterPieces: 0 }],
  ['garbage body', { type: 'garbage' }],
]

export interface SeriesResult {
  /** Status and body of every answer that was not a good one. */
  readonly failures: readonly string[]
  /** Requests that met the failing supplier. */
  readonly touched: number
  readonly latenciesMs: readonly number[]
}

/** Sends requests one after the other, every second one streamed, while the preferred supplier fails. */
export async function runFaultSeries(
  fault: Fault | 'stopped' | null,
  requests: number,
): Promise<SeriesResult> {
  const suppliers = await startTwoSuppliers()
  try {
    await impatientWith(suppliers, 'first')
    if (fault === 'stopped') await suppliers.first.stop()
    else if (fault !== null) suppliers.first.faults.set({ fault })
    return await sendSeries(suppliers, requests)
  } finally {
    await suppliers.stop()
  }
}

/** A supplier that hangs costs its whole time-out, which is kept short here. */
async function impatientWith({ gateway, first }: TwoSuppliers, id: string): Promise<void> {
  await gateway.operator('PUT', `/suppliers/${id}`, {
    type: 'openai-compatible',
    base_url: `${first.url}/v1`,
    formats: ['chat-completion'],
    timeouts: { first_byte_seconds: 0.2 },
    enabled: true,
  })
}

async function sendSeries({ gateway, key }: TwoSuppliers, requests: number): Promise<SeriesResult> {
  const failures: string[] = []
  const latenciesMs: number[] = []
  let touched = 0
  for (let index = 0; index < requests; index += 1) {
    const startedAt = performance.now()
    const response = await chat(gateway.url, { model: 'pair', stream: index % 2 === 1 }, { key })
    const text = await response.text()
    latenciesMs.push(performance.now() - startedAt)
    if (response.headers.get('x-gateway-attempts') !== '1') touched += 1
    const isWhole = text.includes('pong') && (index % 2 === 0 || text.includes('[DONE]'))
    if (response.status !== 200 || !isWhole) failures.push(`${response.status} ${text.slice(0, 300)}`)
  }
  return { failures, touched, latenciesMs }
}
