import { imageTypeOf } from '../../conversation/image-source.ts'
import type { MadePicture } from '../../conversation/pictures.ts'
import type { Gateway } from '../gateway.ts'

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
