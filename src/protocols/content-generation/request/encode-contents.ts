import type { Turn } from '../../../conversation/conversation.ts'
import type {
  OpaquePart,
  Part,
  ThinkingPart,
  ToolCallPart,
  ToolResultPart,
} from '../../../conversation/part.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import { asObject, type JsonObject } from '../../../wire/json-values.ts'
import type { SupplyContext } from '../../translation.ts'
import { parseObject, wrapResult } from '../function-calls.ts'
import { encodeImage, FORMAT, NO_SIGNATURE_NEEDED, restored, type Signed } from '../parts.ts'

const NOTHING_SAID_YET = '(continue)'
const IMAGE_FOLLOWS = 'The result is the image that follows.'

interface EncodedContents {
  readonly contents: readonly JsonObject[]
  readonly dropped: ReadonlySet<string>
}

/** The turns as suppliers of this format require them: alternating roles, user first and last. */
export function encodeContents(turns: readonly Turn[], context: SupplyContext): EncodedContents {
  const encoder = new ContentEncoder(context)
  for (const turn of turns) encoder.push(turn)
  return { contents: encoder.finish(), dropped: encoder.dropped }
}

interface OpenContent {
  readonly role: 'user' | 'model'
  readonly parts: JsonObject[]
  /** Tool results, which come first in the content. */
  readonly responses: JsonObject[]
  readonly callIds: string[]
  readonly answeredIds: Set<string>
}

class ContentEncoder {
  readonly dropped = new Set<string>()
  readonly #context: SupplyContext
  readonly #contents: OpenContent[] = []
  readonly #toolNames = new Map<string, string>()

  constructor(context: SupplyContext) {
    this.#context = context
  }

  push({ role, parts }: Turn): void {
    if (role === 'assistant') this.#pushAnswer(parts)
    else for (const part of parts) this.#pushAsked(part, role === 'system')
  }

  finish(): JsonObject[] {
    const last = this.#contents.at(-1)
    if (last?.role === 'model' && last.callIds.length === 0 && !this.#context.traits.prefill) {
      this.#contents.pop()
      this.dropped.add('prefill')
    }
    this.#contents.forEach((content, index) => {
      refuseMissingResults(content, this.#contents[index + 1])
    })
    if (this.#contents[0]?.role !== 'user') this.#contents.unshift(openContent('user', NOTHING_SAID_YET))
    return this.#contents.map(({ role, parts, responses }) => ({ role, parts: [...responses, ...parts] }))
  }

  #open(role: OpenContent['role']): OpenContent {
    const last = this.#contents.at(-1)
    if (last?.role === role) return last
    const opened = openContent(role)
    this.#contents.push(opened)
    return opened
  }

  /** The format has no system text between turns, and moving it to the top would change its meaning. */
  #pushAsked(part: Part, isSystem: boolean): void {
    if (part.type === 'text') {
      const text = isSystem ? `<system-reminder>\n${part.text}\n</system-reminder>` : part.text
      this.#open('user').parts.push({ text })
    } else if (part.type === 'tool-result') this.#pushResult(part)
    else this.#pushOther(part, 'user')
  }

  #pushAnswer(parts: readonly Part[]): void {
    let signature: Signed = {}
    for (const part of parts) {
      if (part.type === 'thinking') signature = this.#pushThought(part) ?? signature
      else if (part.type === 'text')
        this.#open('model').parts.push({ text: part.text, ...restored(part.proof, this.#context.route) })
      else if (part.type === 'tool-call') {
        this.#pushCall(part, signature)
        signature = {}
      } else this.#pushOther(part, 'model')
    }
  }

  /** Drops thoughts without a signature. The signature of a call is returned, to be put on the next call. */
  #pushThought({ text, proof }: ThinkingPart): Signed | null {
    const signed = restored(proof, this.#context.route)
    if (proof === null || signed.thoughtSignature === undefined) return null
    if (proof.on === 'tool-call') return signed
    const isThought = proof.on === 'thinking' || text !== ''
    this.#open('model').parts.push({ text, ...(isThought && { thought: true }), ...signed })
    return null
  }

  #pushCall(call: ToolCallPart, fallback: Signed): void {
    const content = this.#open('model')
    const own = restored(call.proof, this.#context.route)
    const signed = own.thoughtSignature === undefined ? fallback : own
    const isFirst = content.callIds.length === 0
    const functionCall = { id: call.id, name: call.name, args: encodeArguments(call) }
    content.callIds.push(call.id)
    content.parts.push({ functionCall, ...(isFirst ? excuse(signed) : signed) })
    this.#toolNames.set(call.id, call.name)
  }

  #pushResult(result: ToolResultPart): void {
    const content = this.#open('user')
    const name = this.#toolNames.get(result.callId) ?? result.name
    if (name === null) throw refuseOrphan(result.callId)
    const images = result.parts.flatMap((part) => (part.type === 'image' ? [encodeImage(part)] : []))
    const isInside = this.#context.traits.toolResultImages && images.length > 0
    const functionResponse = {
      id: result.callId,
      name,
      response: encodeResponse(result, !isInside && images.length > 0),
      ...(isInside && { parts: images }),
    }
    for (const part of result.parts) if (part.type === 'opaque') this.dropped.add(part.kind)
    content.responses.push({ functionResponse })
    content.answeredIds.add(result.callId)
    if (!isInside) content.parts.push(...images)
  }

  #pushOther(part: Part, role: OpenContent['role']): void {
    if (part.type === 'image') {
      this.#open(role).parts.push(encodeImage(part))
      if (part.detail !== null && part.detail !== 'auto') this.dropped.add('detail')
    } else if (part.type === 'refusal') this.#open(role).parts.push({ text: part.text })
    else if (part.type === 'opaque') this.#pushOpaque(part, role)
  }

  #pushOpaque({ format, kind, value }: OpaquePart, role: OpenContent['role']): void {
    const own = format === FORMAT ? asObject(value) : null
    if (own === null) this.dropped.add(kind)
    else this.#open(role).parts.push(own)
  }
}

function openContent(role: OpenContent['role'], text?: string): OpenContent {
  const parts = text === undefined ? [] : [{ text }]
  return { role, parts, responses: [], callIds: [], answeredIds: new Set() }
}

/** Newer models reject a step whose first call has no signature; older ones ignore the placeholder. */
function excuse(signed: Signed): Signed {
  return signed.thoughtSignature === undefined ? { thoughtSignature: NO_SIGNATURE_NEEDED } : signed
}

/** Broken arguments are part of the history, so they are kept as `_raw`. */
function encodeArguments({ input, kind }: ToolCallPart): JsonObject {
  if (kind === 'custom') return { input }
  if (input.trim() === '') return {}
  return parseObject(input) ?? { _raw: input }
}

function encodeResponse(result: ToolResultPart, hasImageBehind: boolean): JsonObject {
  const hasText = result.parts.some(({ type }) => type === 'text')
  return hasImageBehind && !hasText ? { output: IMAGE_FOLLOWS } : wrapResult(result)
}

/** Every call must have a result in the next content, except calls in the last one. */
function refuseMissingResults({ callIds }: OpenContent, next: OpenContent | undefined): void {
  const missing = next && callIds.find((id) => !next.answeredIds.has(id))
  if (missing === undefined) return
  const shown = JSON.stringify(missing)
  throw new GatewayError('invalid_request', `The tool call ${shown} has no result in the next turn.`)
}

function refuseOrphan(callId: string): GatewayError {
  const shown = JSON.stringify(callId)
  return new GatewayError('invalid_request', `The tool result for ${shown} matches no earlier tool call.`)
}
