import type { Answer } from '../../../conversation/answer.ts'
import { fold } from '../../../conversation/fold.ts'
import { asObject, isObject, type JsonObject } from '../../../wire/json-values.ts'
import type { SupplyContext } from '../../translation.ts'
import { ChunkReader } from './chunk-reader.ts'
import { isReply } from './read-reply.ts'

/** null when the body is not a reply. */
export function decodeReply(body: unknown, context: SupplyContext): Answer | null {
  if (Array.isArray(body)) return decodeChunks(body, context)
  const reply = asObject(body)
  if (reply === null || !isReply(reply)) return null
  const reader = new ChunkReader(context)
  return fold([...reader.read(reply), ...reader.close()])
}

/** A stream comes as the list of its chunks when the wish for events got lost on the way. */
function decodeChunks(chunks: readonly unknown[], context: SupplyContext): Answer | null {
  if (!chunks.every(isChunk)) return null
  const reader = new ChunkReader(context)
  const events = chunks.flatMap((chunk) => reader.read(chunk))
  return reader.isComplete ? fold([...events, ...reader.close()]) : null
}

function isChunk(value: unknown): value is JsonObject {
  return isObject(value) && !isObject(value.error)
}
