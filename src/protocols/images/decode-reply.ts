import type { GeneratedImage, ImageAnswer } from '../../conversation/families/images.ts'
import { decodeImageUrl } from '../../conversation/part.ts'
import { asArray, asObject, asText, type JsonObject } from '../../wire/json-values.ts'
import { decodeUsage, readLook } from './usage.ts'

/** Members of a reply that apply to all images and are passed to the client. */
const REMARKS = ['background', 'output_format', 'quality', 'size'] as const

/** Reads a supplier's reply; null when it is not one of this format. */
export function decodeReply(body: unknown): ImageAnswer | null {
  const reply = asObject(body)
  if (reply === null || !Array.isArray(reply.data)) return null
  const pictures = asArray(reply.data).flatMap((entry) => decodePicture(asObject(entry) ?? {}) ?? [])
  if (pictures.length === 0) return null
  const usage = decodeUsage(reply.usage)
  // The supplier's usage object is passed on if it is valid, because it has more details.
  const remarks = { ...remarksOf(reply), ...(usage !== null && { usage: reply.usage }) }
  return { pictures, usage, look: readLook(reply.size, reply.quality), remarks, refusal: null }
}

function remarksOf(reply: JsonObject): JsonObject {
  const said = REMARKS.filter((name) => reply[name] !== undefined && reply[name] !== null)
  return Object.fromEntries(said.map((name) => [name, reply[name]]))
}

function decodePicture(entry: JsonObject): GeneratedImage | null {
  const source = decodeSource(entry)
  return source && { source, revisedPrompt: asText(entry.revised_prompt) }
}

function decodeSource({ b64_json, url }: JsonObject): GeneratedImage['source'] | null {
  const data = asText(b64_json)
  if (data !== null) return decodeBase64(data)
  const address = asText(url)
  if (address === null) return null
  const image = decodeImageUrl(address)
  return image.type === 'url' ? { type: 'url', url: image.url } : { type: 'base64', data: image.data }
}

/** Some suppliers send a data URL instead of its content. */
function decodeBase64(data: string): GeneratedImage['source'] {
  const image = decodeImageUrl(data)
  return { type: 'base64', data: image.type === 'base64' ? image.data : data }
}
