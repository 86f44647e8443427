import type { Conversation } from '../../../../conversation/conversation.ts'
import type { ImagePart, ImageSource, Part } from '../../../../conversation/part.ts'
import { GatewayError } from '../../../../errors/gateway-error.ts'

/** Fetches one image for the waiting client. */
export type FetchImageBytes = (url: string) => Promise<ImageSource & { type: 'base64' }>

const MAX_AT_ONCE = 4
// Suppliers that need bytes accept this many in one request.
const MAX_ADDRESSES = 100
// More than any supplier accepts in one request, and all of it has to fit in memory.
const MAX_CHARACTERS = 64 * 1_024 * 1_024

/** Replaces every image URL by the bytes, for suppliers that do not fetch URLs. */
export async function withImageBytes(
  conversation: Conversation,
  fetchImage: FetchImageBytes,
): Promise<Conversation> {
  const uses = countAddresses(conversation)
  if (uses.size > MAX_ADDRESSES) throw tooMany(uses.size)
  const fetched = await fetchAll(uses, fetchImage)
  if (fetched.size === 0) return conversation
  return {
    ...conversation,
    turns: conversation.turns.map((turn) => ({
      ...turn,
      parts: turn.parts.map((part) => withBytes(part, fetched)),
    })),
  }
}

/** How often each URL is used: an image used several times is fetched once. */
function countAddresses(conversation: Conversation): ReadonlyMap<string, number> {
  const uses = new Map<string, number>()
  forEachImage(conversation, ({ source }) => {
    if (source.type === 'url') uses.set(source.url, (uses.get(source.url) ?? 0) + 1)
  })
  return uses
}

/** Fetches a few at a time; the first image that cannot be used fails the request. */
async function fetchAll(
  uses: ReadonlyMap<string, number>,
  fetchImage: FetchImageBytes,
): Promise<ReadonlyMap<string, ImageSource>> {
  const fetched = new Map<string, ImageSource>()
  const addresses = [...uses]
  let characters = 0
  for (let start = 0; start < addresses.length; start += MAX_AT_ONCE) {
    const portion = addresses.slice(start, start + MAX_AT_ONCE)
    const images = await Promise.all(portion.map(([url]) => fetchImage(url)))
    for (const [index, [url, count]] of portion.entries()) {
      const image = images[index]
      if (image === undefined) continue
      characters += image.data.length * count
      fetched.set(url, image)
    }
    if (characters > MAX_CHARACTERS) throw tooLarge()
  }
  return fetched
}

function tooMany(count: number): GatewayError {
  return new GatewayError(
    'invalid_request',
    `This request has ${count} images by URL; at most ${MAX_ADDRESSES} are fetched. Send the others as Base64.`,
  )
}

function tooLarge(): GatewayError {
  return new GatewayError(
    'request_too_large',
    'The images given by URL are too large in total. Send fewer or smaller images.',
  )
}

function forEachImage(conversation: Conversation, visit: (image: ImagePart) => void): void {
  for (const turn of conversation.turns) {
    for (const part of turn.parts) {
      if (part.type === 'image') visit(part)
      if (part.type === 'tool-result') {
        for (const inner of part.parts) if (inner.type === 'image') visit(inner)
      }
    }
  }
}

function withBytes(part: Part, fetched: ReadonlyMap<string, ImageSource>): Part {
  if (part.type === 'image') return imageWithBytes(part, fetched)
  if (part.type !== 'tool-result') return part
  return {
    ...part,
    parts: part.parts.map((inner) => (inner.type === 'image' ? imageWithBytes(inner, fetched) : inner)),
  }
}

function imageWithBytes(image: ImagePart, fetched: ReadonlyMap<string, ImageSource>): ImagePart {
  const source = image.source.type === 'url' ? fetched.get(image.source.url) : undefined
  return source === undefined ? image : { ...image, source }
}
