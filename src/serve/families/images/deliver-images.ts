import type { GeneratedImage, ImageAnswer } from '../../../conversation/families/images.ts'
import { imageTypeOf } from '../../../conversation/part.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import { encodeEvents, encodeReply, type HandedPicture } from '../../../protocols/images/index.ts'
import type { Gateway } from '../../gateway.ts'
import type { Exchange } from '../../ports/exchange.ts'
import type { PreparedImageRequest } from './prepare-images.ts'

/** An image whose bytes have been fetched. */
export interface CollectedImage {
  readonly mediaType: string
  readonly base64: string
  readonly revisedPrompt: string | null
}

export interface CollectingParts {
  readonly gateway: Pick<Gateway, 'fetchImage' | 'callTools'>
  /** The supplier's address. It may be private, since an operator configured it. */
  readonly supplierUrl: string
  readonly signal: AbortSignal
}

/** Fetches the bytes of every image. Returns null when one is not an image; rejects when one cannot be fetched. */
export async function collectImages(
  images: readonly GeneratedImage[],
  parts: CollectingParts,
): Promise<readonly CollectedImage[] | null> {
  const collected: CollectedImage[] = []
  for (const { source, revisedPrompt } of images) {
    const base64 = source.type === 'base64' ? source.data : await fetchImage(source.url, parts)
    const mediaType = imageTypeOf(base64)
    if (mediaType === null) return null
    collected.push({ mediaType, base64, revisedPrompt })
  }
  return collected
}

/** The supplier's own address may be private. All other addresses follow the rules for URLs from clients. */
async function fetchImage(url: string, parts: CollectingParts): Promise<string> {
  if (URL.parse(url)?.origin === URL.parse(parts.supplierUrl)?.origin) return fetchFromSupplier(url, parts)
  const { data } = await parts.gateway.fetchImage(url, { onLeave: (leave) => onAbort(parts.signal, leave) })
  return data
}

const MAX_BYTES = 32 * 1024 * 1024

/** Sends no credential and follows no redirect, since the URL may lead elsewhere. */
async function fetchFromSupplier(url: string, { gateway, signal }: CollectingParts): Promise<string> {
  const response = await gateway.callTools.call(new Request(url, { redirect: 'manual', signal }))
  if (!response.ok)
    throw new Error(`Fetching an image from its supplier failed with status ${response.status}.`)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > MAX_BYTES) throw new Error(`The supplier sent an image larger than ${MAX_BYTES} bytes.`)
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
  readonly prepared: PreparedImageRequest
  readonly gateway: Gateway
  readonly answer: ImageAnswer
}

/** Encodes the reply with either the images themselves or temporary URLs of the stored images. */
export async function handOut(
  images: readonly CollectedImage[],
  { prepared, gateway, answer }: HandingParts,
): Promise<string> {
  const { wants, stream, edit } = prepared.imageRequest
  const createdAtMs = gateway.clock.nowMs()
  if (stream) {
    const pictures = images.map((image) => ({ ...image, value: image.base64 }))
    return encodeEvents(pictures, { ...answer, createdAtMs, isEdit: edit !== null })
  }
  const form = wants ?? answer.pictures[0]?.source.type ?? 'url'
  const address = ownAddressOf(prepared.exchange, gateway.publicUrl)
  const handed: HandedPicture[] = []
  for (const image of images) {
    const value = form === 'base64' ? image.base64 : address + (await keep(image, gateway))
    handed.push({ value, revisedPrompt: image.revisedPrompt })
  }
  return encodeReply(handed, { ...answer, form, createdAtMs })
}

async function keep({ base64, mediaType }: CollectedImage, { assets }: Gateway): Promise<string> {
  try {
    return (await assets.save(Buffer.from(base64, 'base64'), mediaType)).path
  } catch (cause) {
    throw cannotKeep(cause)
  }
}

/** The client should not retry: the supplier would generate another image for nothing. */
function cannotKeep(cause: unknown): GatewayError {
  const advice = 'You are not charged. Set response_format to "b64_json" to receive images in the response.'
  const message = `The image was generated, but the gateway could not store it. ${advice}`
  return new GatewayError('internal_error', message, { cause, headers: { 'x-should-retry': 'false' } })
}

/** The address at which this client reaches the gateway, without a trailing slash. */
export function ownAddressOf({ headers }: Pick<Exchange, 'headers'>, publicUrl: string | null): string {
  if (publicUrl !== null) return publicUrl.replace(/\/+$/, '')
  const scheme = headers.get('x-forwarded-proto')?.trim().toLowerCase() === 'https' ? 'https' : 'http'
  const host = headers.get('host') ?? ''
  // An invalid host must not become part of a URL; the path alone still works for the client.
  return /^[\w.-]+(?::\d{1,5})?$|^\[[\da-f:.]+\](?::\d{1,5})?$/i.test(host) ? `${scheme}://${host}` : ''
}
