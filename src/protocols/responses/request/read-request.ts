import { openingText, upToFirst } from '../../../conversation/opening.ts'
import { type Members, type Span, TopLevelMembers } from '../../../wire/json-members.ts'
import { asArray, asObject, isObject, textLength } from '../../../wire/json-values.ts'
import type { ClientRequest, CountRequest, OwnCompaction } from '../../protocol.ts'
import { checkMediaParts } from '../../request-limits.ts'
import type { ClientSide } from '../../translation.ts'
import { encodeReply } from '../reply/encode-reply.ts'
import type { ResponsesRequest } from '../schema.ts'
import { shownStateOf } from '../state.ts'
import { ResponsesEncoder } from '../stream/encode-stream.ts'
import { UsageTap } from '../stream/tap-usage.ts'
import { decodeRequest, decodeSettings } from './decode-request.ts'
import { inputItemsOf } from './input-items.ts'
import { isRelayable, prepareRelay } from './relay-body.ts'
import { validateRequest } from './validate.ts'

/** Validates and reads a parsed body. `text` is its JSON text. */
export function readRequest(body: unknown, text: string): ClientRequest {
  const request = validateRequest(body)
  const shownState = shownStateOf(request)
  const members = new TopLevelMembers(text, request)
  return {
    longStrings: members.longStrings,
    facts: {
      model: request.model,
      stream: request.stream === true,
      ...countPrompt(request, members),
      maxOutputTokens: request.max_output_tokens ?? null,
      choices: 1,
    },
    relayBody: prepareRelay(request, text, members),
    openTap: () => new UsageTap(shownState),
    shownState,
    conversationHint: () => request.prompt_cache_key ?? openingText(openingOf(request)),
    client: clientSide(request),
    isRelayable: isRelayable(request),
    ownCompaction: ownCompaction(request),
  }
}

/** Without a threshold the supplier decides, and most likely does nothing. */
function ownCompaction({ context_management }: ResponsesRequest): OwnCompaction | null {
  if (context_management === undefined || context_management === null) return null
  const entry = asArray(context_management).find((each) => asObject(each)?.type === 'compaction')
  const tokens = asObject(entry)?.compact_threshold
  return typeof tokens === 'number' ? { param: 'context_management', fromTokens: tokens } : null
}

function openingOf({ instructions, input }: ResponsesRequest): readonly unknown[] {
  const items = typeof input === 'string' ? [input] : (input ?? [])
  return [instructions, ...upToFirst<unknown>(items, isQuestion)]
}

function isQuestion(item: unknown): boolean {
  return typeof item === 'string' || (isObject(item) && item.role === 'user')
}

function clientSide(request: ResponsesRequest): ClientSide {
  return {
    decode: () => decodeRequest(request),
    decodeSettings: () => decodeSettings(request),
    encodeReply: (answer, context) => encodeReply(request, answer, context),
    openEncoder: (context) => new ResponsesEncoder(request, context),
  }
}

/** Reads a token count request. */
export function readCount(body: unknown, text: string): CountRequest {
  const request = validateRequest(body)
  const members = new TopLevelMembers(text, request)
  return {
    facts: { model: request.model, ...countPrompt(request, members) },
    relayBody: prepareRelay(request, text, members),
    encode: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
  }
}

/** Members that identify or link an item and are not part of the prompt. */
const NOT_TEXT: ReadonlySet<string> = new Set([
  'type',
  'id',
  'role',
  'status',
  'phase',
  'call_id',
  'encrypted_content',
  'prompt_cache_breakpoint',
  'annotations',
  'logprobs',
])
const MEDIA: ReadonlySet<unknown> = new Set([
  'input_image',
  'input_file',
  'input_audio',
  'computer_screenshot',
  'image_generation_call',
])

interface PromptSize {
  readonly promptCharacters: number
  readonly mediaParts: number
}

/** Counts definitions by their length in the text, because deep nesting could overflow `JSON.stringify`. */
function countPrompt(request: ResponsesRequest, members: Members): PromptSize {
  const input = countInput(inputItemsOf(request))
  checkMediaParts(input.mediaParts, 'input')
  const format = request.text?.format?.type === 'json_schema' ? memberLength(members.get('text')) : 0
  return {
    promptCharacters:
      input.promptCharacters +
      (request.instructions?.length ?? 0) +
      (request.tools?.length ? memberLength(members.get('tools')) : 0) +
      format,
    mediaParts: input.mediaParts,
  }
}

/** Counts every text in the items, known or not. Does not recurse: a body may nest deeper than the stack. */
function countInput(items: readonly unknown[]): PromptSize {
  let promptCharacters = 0
  let mediaParts = 0
  const waiting: unknown[] = [...items]
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (typeof value === 'string') promptCharacters += value.length
    else if (Array.isArray(value)) pushAll(waiting, value)
    else if (isObject(value)) {
      if (MEDIA.has(value.type)) mediaParts++
      // The supplier reads all of it, and charges for that.
      else if (value.type === 'compaction') promptCharacters += textLength(value.encrypted_content)
      else pushTexts(waiting, value)
    }
  }
  return { promptCharacters, mediaParts }
}

function pushTexts(waiting: unknown[], value: Readonly<Record<string, unknown>>): void {
  for (const name of Object.keys(value)) if (!NOT_TEXT.has(name)) waiting.push(value[name])
}

// Spreading a very long array into a call would overflow the stack.
function pushAll(waiting: unknown[], values: readonly unknown[]): void {
  for (const value of values) waiting.push(value)
}

function memberLength(span: Span | undefined): number {
  return span ? span.end - span.start : 0
}
