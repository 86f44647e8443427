import type { Conversation } from '../../conversation/conversation.ts'
import type { ImagePart, ImageSource, Part } from '../../conversation/part.ts'

/** Gets one picture, for the client that is waiting. */
export type FetchPicture = (url: string) => Promise<ImageSource & { type: 'base64' }>

/** The conversation with every picture as bytes, for suppliers that fetch nothing themselves. */
export async function withImageBytes(
  conversation: Conversation,
  fetchImage: FetchPicture,
): Promise<Conversation> {
  const urls = new Set<string>()
  forEachImage(conversation, ({ source }) => {
    if (source.type === 'url') urls.add(source.url)
  })
  if (urls.size === 0) return conversation
  const fetched = new Map<string, ImageSource>()
  await Promise.all(
    [...urls].map(async (url) => {
      fetched.set(url, await fetchImage(url))
    }),
  )
  return {
    ...conversation,
    turns: conversation.turns.map((turn) => ({
      ...turn,
      parts: turn.parts.map((part) => withBytes(part, fetched)),
    })),
  }
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
