import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { GatewayError } from '../../errors/gateway-error.ts'
import type { FetchImage } from '../../gateway/ports/fetch-image.ts'
import { isPublicAddress } from '../../rules/access/public-address.ts'
import { resolveHost } from '../../wire/resolve-host.ts'
import { imageTypeOf } from './image-type.ts'

export interface FetchRules {
  readonly maxBytes: number
  /** For the whole way, redirects and body included. */
  readonly timeoutMs: number
  readonly maxRedirects: number
  /** Which addresses may be connected to. */
  readonly isAllowed: (address: string) => boolean
  /** All addresses a name has. */
  readonly lookup: (hostname: string) => Promise<readonly string[]>
  /** In PEM, in place of those the system trusts. */
  readonly trustedCertificate?: string
}

const RULES: FetchRules = {
  maxBytes: 20 * 1024 * 1024,
  timeoutMs: 15_000,
  maxRedirects: 3,
  isAllowed: isPublicAddress,
  lookup: async (hostname) => (await lookup(hostname, { all: true })).map(({ address }) => address),
}

export const fetchImage: FetchImage = createImageFetcher(RULES)

/**
 * Gets pictures for suppliers that want bytes. The name is resolved once, every address it has must be allowed, and
 * the connection goes to the very address that was checked: a name that resolves differently a moment later, or a
 * redirect to somewhere private, gets nobody in.
 */
export function createImageFetcher(rules: FetchRules): FetchImage {
  return async (url, client) => {
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(), rules.timeoutMs)
    const stopListening = client.onLeave(() => deadline.abort())
    try {
      return await followTo(new URL(url), rules, deadline.signal)
    } catch (error) {
      if (error instanceof GatewayError) throw error
      throw refuse('it could not be fetched', error)
    } finally {
      clearTimeout(timer)
      stopListening()
      // Whatever was refused half-way is not to go on sending.
      deadline.abort()
    }
  }
}

async function followTo(start: URL, rules: FetchRules, signal: AbortSignal) {
  let url = start
  for (let hop = 0; hop <= rules.maxRedirects; hop += 1) {
    const response = await fetchPinned(url, rules, signal)
    const location = response.headers.get('location')
    if (response.status < 300 || response.status >= 400 || location === null)
      return await readImage(response, rules)
    await response.body?.cancel()
    url = new URL(location, url)
  }
  throw refuse('it redirects too often')
}

async function fetchPinned(url: URL, rules: FetchRules, signal: AbortSignal): Promise<Response> {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refuse('its address is not http or https')
  if (url.username !== '' || url.password !== '') throw refuse('its address holds a password')
  const hostname = url.hostname.replace(/^\[|\]$/g, '')
  const address = await resolve(hostname, rules, signal)
  const pinned = new URL(url)
  pinned.hostname = isIP(address) === 6 ? `[${address}]` : address
  return fetch(pinned, {
    headers: { host: url.host, accept: 'image/*', 'accept-encoding': 'identity' },
    redirect: 'manual',
    signal,
    // A connection made for another name at this address must not be used for this one.
    keepalive: false,
    // A few bytes can unpack to more than memory holds.
    decompress: false,
    tls: {
      ...(isIP(hostname) === 0 && { serverName: hostname }),
      ...(rules.trustedCertificate !== undefined && { ca: rules.trustedCertificate }),
    },
  })
}

async function resolve(hostname: string, rules: FetchRules, signal: AbortSignal): Promise<string> {
  const address = await resolveHost(hostname, rules, signal)
  if (address === null) throw refuse('its address is not public')
  return address
}

async function readImage(response: Response, rules: FetchRules) {
  if (!response.ok) throw refuse(`its server answered ${response.status}`)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > rules.maxBytes) throw refuse(`it is larger than ${rules.maxBytes} bytes`)
    chunks.push(chunk)
  }
  const bytes = Buffer.concat(chunks)
  const mediaType = imageTypeOf(bytes)
  if (mediaType === null) throw refuse('it is not a PNG, JPEG, GIF or WebP picture')
  return { type: 'base64', mediaType, data: bytes.toString('base64') } as const
}

function refuse(reason: string, cause?: unknown): GatewayError {
  return new GatewayError('invalid_request', `A picture given by its address cannot be used: ${reason}.`, {
    cause,
  })
}
