import Type from 'typebox'
import { compileCheck } from '../../validation/validation.ts'
import { asArray, asObject, asText, type JsonObject } from '../../wire/json-values.ts'
import type { StoredRequest } from '../protocol.ts'
import { type Metadata, readMetadata, StoredMetadata } from '../request-limits.ts'
import type { ChatRequest } from './schema.ts'

export const ChatChangeSchema = Type.Object({ metadata: Type.Union([StoredMetadata, Type.Null()]) })

const checkChange = compileCheck(ChatChangeSchema)
const checkMetadata = compileCheck(
  Type.Object({ metadata: Type.Optional(Type.Union([StoredMetadata, Type.Null()])) }),
)

/** A request whose completion is to be stored. */
export function readStored(request: ChatRequest): StoredRequest {
  const { metadata } = checkMetadata({ metadata: request.metadata })
  return {
    model: request.model,
    messages: request.messages,
    metadata: readMetadata(metadata),
    completionOf: (reply, requestId) => {
      const completion = asObject(reply)
      const id = asText(completion?.id)
      return completion === null || id === null
        ? null
        : { id, object: { ...completion, request_id: requestId, ...echo(request) } }
    },
  }
}

/** The parameters that a stored completion repeats. */
function echo(request: ChatRequest): JsonObject {
  return {
    temperature: request.temperature ?? 1,
    top_p: request.top_p ?? 1,
    presence_penalty: request.presence_penalty ?? 0,
    frequency_penalty: request.frequency_penalty ?? 0,
    seed: request.seed ?? null,
    tools: request.tools ?? null,
    tool_choice: request.tool_choice ?? null,
    response_format: request.response_format ?? null,
    input_user: request.user ?? null,
  }
}

export const storedChats = {
  readChange: (body: unknown): Metadata => readMetadata(checkChange(body).metadata),
  encode: (completion: JsonObject, metadata: Metadata) => ({
    ...completion,
    id: asText(completion.id) ?? '',
    metadata,
  }),
  encodeDeleted: (id: string) => ({ id, object: 'chat.completion.deleted', deleted: true }),
  /** The messages of the request, under ids that are made of the completion's. */
  listMessages: (id: string, messages: readonly unknown[]) =>
    messages.map((message, index) => {
      const { content, ...rest } = asObject(message) ?? {}
      const parts = Array.isArray(content) ? asArray(content) : null
      return {
        ...rest,
        id: `${id}-${index}`,
        content: parts === null ? (content ?? null) : textOf(parts),
        content_parts: parts,
      }
    }),
}

function textOf(parts: readonly unknown[]): string {
  return parts.map((part) => asText(asObject(part)?.text) ?? '').join('')
}
