import type { Answer } from '../../conversation/answer.ts'
import { fold } from '../../conversation/fold.ts'
import { asObject } from '../../wire/json-values.ts'
import type { SupplyContext } from '../translation.ts'
import { ChunkReader } from './chunk-reader.ts'
import { isReply } from './read-reply.ts'

/** null when the body is not a reply. */
export function decodeReply(body: unknown, context: SupplyContext): Answer | null {
  const reply = asObject(body)
  if (reply === null || !isReply(reply)) return null
  const reader = new ChunkReader(context)
  return fold([...reader.read(reply), ...reader.close()])
}
