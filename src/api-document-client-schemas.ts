import Type, { type TSchema } from 'typebox'
import { cleanSchema, type JsonSchema, withNotes } from './edges/api-docs/clean-schema.ts'
import * as shared from './edges/api-docs/shared-schemas.ts'
import * as chatReply from './protocols/chat-completion/reply-schema.ts'
import * as chat from './protocols/chat-completion/schema.ts'
import * as generationReply from './protocols/content-generation/reply-schema.ts'
import * as generation from './protocols/content-generation/schema.ts'
import * as imageReply from './protocols/images/reply-schema.ts'
import * as images from './protocols/images/schema.ts'
import * as messagesReply from './protocols/messages/reply-schema.ts'
import * as messages from './protocols/messages/schema.ts'
import * as responsesReply from './protocols/responses/reply-schema.ts'
import * as responses from './protocols/responses/schema.ts'

const MODEL = 'A model id from `GET /v1/models`.'
const STREAM = 'True: the answer comes as server-sent events.'
const MAX_TOKENS = 'The most tokens to generate. What they may cost is held while the request runs.'
const UNKNOWN_FIELDS = 'Fields that are not listed are allowed and passed on to suppliers of the same format.'

/** Requests and answers of clients, by the name the document gives them. */
export function clientSchemas(): Record<string, JsonSchema> {
  return { ...requestSchemas(), ...kindSchemas(), ...answerSchemas() }
}

function requestSchemas(): Record<string, JsonSchema> {
  const request = (schema: object, notes: Readonly<Record<string, string>>) =>
    withNotes({ ...cleanSchema(schema), description: UNKNOWN_FIELDS }, notes)
  return {
    ChatCompletionRequest: request(chat.ChatRequestSchema, {
      model: MODEL,
      stream: STREAM,
      max_tokens: MAX_TOKENS,
      max_completion_tokens: 'The newer name of `max_tokens`.',
      messages: 'Content is text, or parts as in `ChatContentPart`.',
      tools: 'As in `ChatTool`.',
    }),
    ResponseRequest: request(responses.ResponsesRequestSchema, {
      model: MODEL,
      stream: STREAM,
      max_output_tokens: MAX_TOKENS,
      input:
        'Text, or items as in `ResponseInputItem`, whose content is text or parts as in `ResponseInputPart`.',
      tools: 'As in `ResponseTool`.',
      store: 'Whether the response is kept for 30 days; true when left out.',
      previous_response_id: 'Continue from a kept response, whichever supplier answered it.',
    }),
    MessageRequest: request(messages.MessagesRequestSchema, {
      model: MODEL,
      stream: STREAM,
      max_tokens: MAX_TOKENS,
      messages: 'Content is text, or blocks as in `MessageBlock`.',
      tools: 'As in `MessageTool`.',
    }),
    MessageCountRequest: request(messages.CountRequestSchema, { model: MODEL }),
    GenerateContentRequest: request(generation.GenerateRequestSchema, {}),
    ImageRequest: request(images.GenerationRequestSchema, {
      model: MODEL,
      n: 'How many pictures, 1 to 4; some models make fewer.',
      size: '`WIDTHxHEIGHT` or `auto`. Which sizes there are depends on the model.',
      quality: '`standard` or `hd`, or a word the model itself knows.',
      response_format: '`url` when left out: an address of this gateway that works for a while.',
      stream: 'Only `false`: pictures come whole.',
    }),
    ImageEditRequest: imageEditSchema(request(images.EditRequestSchema, { model: MODEL, n: '1 to 10.' })),
    CountTokensRequest: request(generation.CountRequestSchema, {
      contents: 'Send either this or `generateContentRequest`.',
    }),
  }
}

/** Files stand in the form beside what is checked as fields. */
function imageEditSchema(fields: JsonSchema): JsonSchema {
  const file = (description: string) => ({ type: 'string', format: 'binary', description })
  const properties = {
    ...(fields.properties as object),
    image: file('The picture to change: PNG, JPEG or WebP. Several come as `image[]`.'),
    mask: file('A PNG of the same size; its transparent areas are changed.'),
  }
  return { ...fields, properties, required: ['image', ...((fields.required as string[] | undefined) ?? [])] }
}

const CHECKED = 'The kinds whose fields are checked. Other kinds are passed on as they are.'

/** What may stand in lists whose elements are checked one by one, after the request itself. */
function kindSchemas(): Record<string, JsonSchema> {
  return {
    ChatContentPart: oneOfKinds(Object.values(chat.KNOWN_PARTS)),
    ChatToolCall: oneOfKinds(Object.values(chat.KNOWN_CALLS)),
    ChatTool: oneOfKinds(Object.values(chat.KNOWN_TOOLS)),
    ResponseInputItem: oneOfKinds(withTypes(responses.ITEM_SCHEMAS)),
    ResponseInputPart: oneOfKinds(withTypes(responses.PART_SCHEMAS)),
    ResponseTool: oneOfKinds(withTypes(responses.TOOL_SCHEMAS)),
    MessageBlock: oneOfKinds([
      messages.TextBlockSchema,
      messages.ImageBlockSchema,
      messages.ThinkingBlockSchema,
      messages.RedactedThinkingBlockSchema,
      messages.ToolUseBlockSchema,
      messages.ToolResultBlockSchema,
    ]),
    MessageTool: oneOfKinds([messages.ClientToolSchema]),
  }
}

function oneOfKinds(kinds: readonly TSchema[]): JsonSchema {
  return { ...cleanSchema(Type.Union([...kinds])), description: CHECKED }
}

/** The kinds with the word that tells them apart, by which they are found when a request is checked. */
function withTypes(kinds: Readonly<Record<string, TSchema>>): TSchema[] {
  return Object.entries(kinds).map(([type, schema]) =>
    Type.Intersect([Type.Object({ type: Type.Literal(type) }), schema]),
  )
}

function answerSchemas(): Record<string, JsonSchema> {
  const { messagesErrorFields, MessagesReplySchema, MessagesCountSchema } = messagesReply
  return {
    Error: cleanSchema(shared.ErrorSchema),
    MessagesError: cleanSchema(Type.Object({ ...messagesErrorFields, error: shared.ErrorObject })),
    Model: cleanSchema(shared.ModelSchema),
    ModelList: cleanSchema(shared.ModelListSchema),
    Limits: cleanSchema(shared.LimitsSchema),
    ChatCompletion: cleanSchema(chatReply.ChatReplySchema),
    Response: cleanSchema(responsesReply.ResponsesReplySchema),
    ResponseInputItemList: cleanSchema(shared.InputItemListSchema),
    ResponseInputTokens: cleanSchema(responsesReply.InputTokensSchema),
    DeletedResponse: cleanSchema(shared.DeletedResponseSchema),
    Message: cleanSchema(MessagesReplySchema),
    MessageTokens: cleanSchema(MessagesCountSchema),
    GenerateContentResult: cleanSchema(generationReply.GenerateReplySchema),
    Images: cleanSchema(imageReply.ImageReplySchema),
    TokenCount: cleanSchema(generationReply.CountReplySchema),
    GenerationModel: cleanSchema(generationReply.GenerationModelSchema),
    GenerationModelList: cleanSchema(generationReply.GenerationModelListSchema),
  }
}
