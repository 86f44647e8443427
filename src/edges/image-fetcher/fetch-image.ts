import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { GatewayError } from '../../errors/gateway-error.ts'
import { isPublicAddress } from '../../rules/access/public-address.ts'
import type { FetchImage, ImageClient } from '../../serve/ports/fetch-image.ts'
import { resolveHost } from '../../wire/resolve-host.ts'
import { type BudgetLimits, FetchBudget } from './fetch-budget.ts'

export interface FetchRules {
  readonly maxBytes: number
  /** For the whole fetch, including redirects and body, but not the time spent waiting for room. */
  readonly timeoutMs: number
  /** Concurrent fetches, in all and per host. */
  readonly fetches: BudgetLimits
  /** Bytes in flight, in all and per host. */
  readonly bytes: BudgetLimits
  readonly maxRedirects: number
  /** Which addresses may be connected to. */
  readonly isAllowed: (address: string) => boolean
  /** Resolves a host name to all its addresses. */
  readonly lookup: (hostname: string) => Promise<readonly string[]>
  /** A PEM certificate that replaces the system's trust store. */
  readonly trustedCertificate?: string
}

const RULES: FetchRules = {
  maxBytes: 20 * 1024 * 1024,
  timeoutMs: 15_000,
  fetches: { perHost: 8, inAll: 64, maxWaiting: 1_000 },
  bytes: { perHost: 64 * 1024 * 1024, inAll: 256 * 1024 * 1024, maxWaiting: 1_000 },
  maxRedirects: 3,
  isAllowed: isPublicAddress,
  lookup: async (hostname) => (await lookup(hostname, { all: true })).map(({ address }) => address),
}

export const fetchImage: FetchImage = createImageFetcher(RULES)

/**
 * Fetches images for suppliers that take bytes only. The host is resolved once, all its addresses must be allowed, and
 * the connection goes to the address that was checked. So neither DNS rebinding nor a redirect reaches a private
 * address.
 */
export function createImageFetcher(rules: FetchRules): FetchImage {
  const fetches = new FetchBudget(rules.fetches)
  const bytes = new FetchBudget(rules.bytes)
  return async (url, client) => {
    const fetching = new Fetching({ ...rules, fetches, bytes }, client)
    try {
      return await followTo(new URL(url), fetching)
    } catch (error) {
      if (error instanceof GatewayError) throw error
      throw refuse('it could not be fetched', error)
    } finally {
      fetching.end()
    }
  }
}

interface SharedRules extends Omit<FetchRules, 'fetches' | 'bytes'> {
  readonly fetches: FetchBudget
  readonly bytes: FetchBudget
}

// For requests without a deadline; other timeouts end them earlier.
const MAX_FETCH_MS = 10 * 60_000

/** One image's fetch: its remaining time, and the room it has taken. */
class Fetching {
  readonly rules: SharedRules
  readonly #controller = new AbortController()
  readonly #deadline: Timer
  readonly #stopListening: () => void
  #leftMs: number
  #startedAtMs = 0
  #timer: Timer | null = null
  #giveBack: (() => void)[] = []

  constructor(rules: SharedRules, client: ImageClient) {
    this.rules = rules
    this.#leftMs = rules.timeoutMs
    this.#deadline = setTimeout(() => this.#controller.abort(), client.remainingMs?.() ?? MAX_FETCH_MS)
    this.#stopListening = client.onLeave(() => this.#controller.abort())
    this.#run()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Waits for room. The fetch's timeout is paused meanwhile. */
  async take(budget: FetchBudget, host: string, amount: number): Promise<void> {
    this.#pause()
    try {
      this.#giveBack.push(await budget.take(host, amount, this.signal))
    } catch (cause) {
      throw new GatewayError(
        'provider_overloaded',
        'Too many images are being fetched from URLs. Try again, or send them as Base64.',
        { cause },
      )
    }
    this.#run()
  }

  giveBack(): void {
    for (const giveBack of this.#giveBack.splice(0)) giveBack()
  }

  end(): void {
    this.#pause()
    clearTimeout(this.#deadline)
    this.#stopListening()
    this.giveBack()
    // Stops a response that was refused half-way.
    this.#controller.abort()
  }

  #run(): void {
    this.#startedAtMs = performance.now()
    this.#timer = setTimeout(() => this.#controller.abort(), this.#leftMs)
  }

  #pause(): void {
    if (this.#timer === null) return
    clearTimeout(this.#timer)
    this.#timer = null
    this.#leftMs -= performance.now() - this.#startedAtMs
  }
}

async function followTo(start: URL, fetching: Fetching) {
  let url = start
  for (let hop = 0; hop <= fetching.rules.maxRedirects; hop += 1) {
    const { response, address } = await fetchPinned(url, fetching)
    const location = response.headers.get('location')
    if (response.status < 300 || response.status >= 400 || location === null)
      return await readImage(response, address, fetching)
    await response.body?.cancel()
    fetching.giveBack()
    url = new URL(location, url)
  }
  throw refuse('it redirects too often')
}

async function fetchPinned(url: URL, fetching: Fetching) {
  const { rules, signal } = fetching
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refuse('its address is not http or https')
  if (url.username !== '' || url.password !== '') throw refuse('its address holds a password')
  const hostname = url.hostname.replace(/^\[|\]$/g, '')
  const address = await resolve(hostname, rules, signal)
  // Limited by address, because one host can have many names.
  await fetching.take(rules.fetches, address, 1)
  const pinned = new URL(url)
  pinned.hostname = isIP(address) === 6 ? `[${address}]` : address
  const response = await fetch(pinned, {
    headers: { host: url.host, accept: 'image/*', 'accept-encoding': 'identity' },
    redirect: 'manual',
    signal,
    // A connection opened for another host name at this address must not be reused.
    keepalive: false,
    // A few compressed bytes can fill the memory.
    decompress: false,
    tls: {
      ...(isIP(hostname) === 0 && { serverName: hostname }),
      ...(rules.trustedCertificate !== undefined && { ca: rules.trustedCertificate }),
    },
  })
  return { response, address }
}

async function resolve(hostname: string, rules: SharedRules, signal: AbortSignal): Promise<string> {
  const address = await resolveHost(hostname, rules, signal)
  if (address === null) throw refuse('its address is not public')
  return address
}

async function readImage(response: Response, address: string, fetching: Fetching) {
  const { rules } = fetching
  if (!response.ok) throw refuse(`its server answered ${response.status}`)
  const saidBytes = Number(response.headers.get('content-length') ?? rules.maxBytes)
  if (saidBytes > rules.maxBytes) throw refuse(`it is larger than ${rules.maxBytes} bytes`)
  // All at once: two fetches that each hold half of their room could wait for each other forever.
  await fetching.take(rules.bytes, address, saidBytes)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > rules.maxBytes) throw refuse(`it is larger than ${rules.maxBytes} bytes`)
    chunks.push(chunk)
  }
  const bytes = Buffer.concat(chunks)
  const mediaType = imageTypeOf(bytes)
  if (mediaType === null) throw refuse('it is not a PNG, JPEG, GIF or WebP image')
  return { type: 'base64', mediaType, data: bytes.toString('base64') } as const
}

function refuse(reason: string, cause?: unknown): GatewayError {
  return new GatewayError('invalid_request', `An image given by its address cannot be used: ${reason}.`, {
    cause,
  })
}

/** The image types that every supplier format takes, by their first bytes. */
const SIGNATURES: readonly (readonly [mediaType: string, matches: (bytes: Uint8Array) => boolean])[] = [
  ['image/png', (bytes) => startsWith(bytes, [0x89, 0x50, 0x4e, 0x47])],
  ['image/jpeg', (bytes) => startsWith(bytes, [0xff, 0xd8, 0xff])],
  ['image/gif', (bytes) => startsWith(bytes, [0x47, 0x49, 0x46, 0x38])],
  [
    'image/webp',
    (bytes) =>
      startsWith(bytes, [0x52, 0x49, 0x46, 0x46]) && startsWith(bytes.subarray(8), [0x57, 0x45, 0x42, 0x50]),
  ],
]

/** The image type by content, whatever the server claims; null when it is unknown. */
export function imageTypeOf(bytes: Uint8Array): string | null {
  return SIGNATURES.find(([, matches]) => matches(bytes))?.[0] ?? null
}

function startsWith(bytes: Uint8Array, signature: readonly number[]): boolean {
  return signature.every((byte, index) => bytes[index] === byte)
}
