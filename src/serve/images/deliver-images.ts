import type { MadePicture, PictureAnswer } from '../../conversation/images.ts'
import { imageTypeOf } from '../../conversation/part.ts'
import { GatewayError } from '../../errors/gateway-error.ts'
import { encodeReply, type HandedPicture } from '../../protocols/images/index.ts'
import type { Gateway } from '../gateway.ts'
import type { Exchange } from '../ports/exchange.ts'
import type { ImageAsking } from './read-image-request.ts'

/** A picture whose bytes are here. */
export interface CollectedPicture {
  readonly mediaType: string
  readonly base64: string
  readonly revisedPrompt: string | null
}

export interface CollectingParts {
  readonly gateway: Pick<Gateway, 'fetchImage' | 'callTools'>
  /** Where the supplier lives, which may be a private address: an operator has put it there. */
  readonly supplierUrl: string
  readonly signal: AbortSignal
}

/** Gets the bytes of every picture; null when one of them is no picture. Rejects when one cannot be fetched. */
export async function collectPictures(
  pictures: readonly MadePicture[],
  parts: CollectingParts,
): Promise<readonly CollectedPicture[] | null> {
  const collected: CollectedPicture[] = []
  for (const { source, revisedPrompt } of pictures) {
    const base64 = source.type === 'base64' ? source.data : await fetchPicture(source.url, parts)
    const mediaType = imageTypeOf(base64)
    if (mediaType === null) return null
    collected.push({ mediaType, base64, revisedPrompt })
  }
  return collected
}

/** Only the supplier's own address may be anywhere; for all others the rules for what clients send hold. */
async function fetchPicture(url: string, parts: CollectingParts): Promise<string> {
  if (URL.parse(url)?.origin === URL.parse(parts.supplierUrl)?.origin) return fetchFromSupplier(url, parts)
  const { data } = await parts.gateway.fetchImage(url, { onLeave: (leave) => onAbort(parts.signal, leave) })
  return data
}

const MOST_BYTES = 32 * 1024 * 1024

/** No credential goes along, and no redirect is followed: either could lead somewhere else. */
async function fetchFromSupplier(url: string, { gateway, signal }: CollectingParts): Promise<string> {
  const response = await gateway.callTools.call(new Request(url, { redirect: 'manual', signal }))
  if (!response.ok) throw new Error(`A picture could not be fetched from its supplier: ${response.status}.`)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > MOST_BYTES) throw new Error(`A picture of its supplier is larger than ${MOST_BYTES} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('base64')
}

function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) listener()
  signal.addEventListener('abort', listener)
  return () => signal.removeEventListener('abort', listener)
}

export interface HandingParts {
  readonly asking: ImageAsking
  readonly gateway: Gateway
  readonly answer: PictureAnswer
}

/** The reply as the client wants it: with the pictures in it, or with addresses under which they are kept for a while. */
export async function handOut(
  pictures: readonly CollectedPicture[],
  { asking, gateway, answer }: HandingParts,
): Promise<string> {
  const { wants } = asking.picture
  const address = ownAddressOf(asking.exchange, gateway.publicUrl)
  const handed: HandedPicture[] = []
  for (const picture of pictures) {
    const value = wants === 'base64' ? picture.base64 : address + (await keep(picture, gateway))
    handed.push({ value, revisedPrompt: picture.revisedPrompt })
  }
  return encodeReply(handed, { ...answer, wants, createdAtMs: gateway.clock.nowMs() })
}

async function keep({ base64, mediaType }: CollectedPicture, { assets }: Gateway): Promise<string> {
  try {
    return (await assets.save(Buffer.from(base64, 'base64'), mediaType)).path
  } catch (cause) {
    throw cannotKeep(cause)
  }
}

/** A client that tried again would have the suppliers draw for nothing once more. */
function cannotKeep(cause: unknown): GatewayError {
  const advice = 'Nothing is charged. With response_format "b64_json" pictures come in the answer itself.'
  const message = `The picture was made, but this gateway cannot keep it to give it an address. ${advice}`
  return new GatewayError('internal_error', message, { cause, headers: { 'x-should-retry': 'false' } })
}

/** Under which address this client reaches the gateway, without a slash at its end. */
export function ownAddressOf({ headers }: Pick<Exchange, 'headers'>, publicUrl: string | null): string {
  if (publicUrl !== null) return publicUrl.replace(/\/+$/, '')
  const scheme = headers.get('x-forwarded-proto')?.trim().toLowerCase() === 'https' ? 'https' : 'http'
  const host = headers.get('host') ?? ''
  // A name that is none must not become part of an address; without one the path alone still leads here.
  return /^[\w.-]+(?::\d{1,5})?$|^\[[\da-f:.]+\](?::\d{1,5})?$/i.test(host) ? `${scheme}://${host}` : ''
}
