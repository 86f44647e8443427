import type { Conversation, Instruction, Turn } from '../../../conversation/conversation.ts'
import type {
  ImagePart,
  OpaquePart,
  Part,
  TextPart,
  ThinkingPart,
  ToolCallPart,
  ToolResultPart,
} from '../../../conversation/part.ts'
import { isProofFor } from '../../../conversation/proof.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { JsonObject } from '../../../wire/json-values.ts'
import type { SupplyContext } from '../../translation.ts'
import { FORMAT, OPAQUE_CALL } from '../format.ts'
import { encodeCallSignature } from '../thinking.ts'
import { encodeCache, encodeImage, encodeText } from './content.ts'

const MOVED_IMAGE = '[The image is in the next user message.]'
const NO_OUTPUT = '(no output)'

/** Encodes a conversation as messages. Adds to `dropped` what this format cannot express. */
export function encodeMessages(
  { instructions, turns }: Pick<Conversation, 'instructions' | 'turns'>,
  context: SupplyContext,
  dropped: Set<string>,
): JsonObject[] {
  const encoder = new MessagesEncoder(context, dropped)
  encoder.addInstructions(instructions)
  for (const turn of turns) encoder.addTurn(turn)
  encoder.end()
  return encoder.messages
}

class MessagesEncoder {
  readonly messages: JsonObject[] = []
  readonly #context: SupplyContext
  readonly #dropped: Set<string>
  /** Images from tool results and answers. Only a user message may hold images. */
  #moved: ImagePart[] = []

  constructor(context: SupplyContext, dropped: Set<string>) {
    this.#context = context
    this.#dropped = dropped
  }

  addInstructions(instructions: readonly Instruction[]): void {
    if (instructions.length === 0) return
    const hasMarks = this.#marks && instructions.some(({ cache }) => cache !== null)
    const content = hasMarks
      ? instructions.map(({ text, cache }) => ({ type: 'text', text, ...encodeCache(cache) }))
      : instructions.map(({ text }) => text).join('\n\n')
    this.messages.push({ role: this.#systemRole, content })
  }

  addTurn({ role, parts }: Turn): void {
    switch (role) {
      case 'system':
        this.#addSystem(parts)
        break
      case 'user':
        this.#addUser(parts)
        break
      case 'assistant':
        this.#addAssistant(parts)
    }
  }

  end(): void {
    if (this.#moved.length > 0) this.#dropped.add('image')
  }

  get #systemRole(): string {
    return this.#context.traits.developerRole ? 'developer' : 'system'
  }

  get #marks(): boolean {
    return this.#context.traits.cacheBreakpoints
  }

  #addSystem(parts: readonly Part[]): void {
    const text = joinTexts(parts, '\n\n')
    if (text === '') return
    const message = this.#context.traits.inlineSystem
      ? { role: this.#systemRole, content: text }
      : { role: 'user', content: `<system-reminder>\n${text}\n</system-reminder>` }
    this.messages.push(message)
  }

  #addUser(parts: readonly Part[]): void {
    for (const part of parts) if (part.type === 'tool-result') this.#addResult(part)
    const moved = this.#moved.map((image) => this.#image(image))
    this.#moved = []
    const content = [...moved, ...parts.flatMap((part) => this.#userPart(part))]
    if (content.length > 0) this.messages.push({ role: 'user', content: simplify(content) })
  }

  #userPart(part: Part): readonly JsonObject[] {
    switch (part.type) {
      case 'text':
        return [encodeText(part, this.#marks)]
      case 'refusal':
        return [{ type: 'text', text: part.text }]
      case 'image':
        return [this.#image(part)]
      case 'opaque':
        return this.#opaque(part)
      case 'tool-result':
      case 'tool-call':
      case 'thinking':
        return []
    }
  }

  #image(part: ImagePart): JsonObject {
    if (this.#context.traits.vision) return encodeImage(part, this.#marks)
    throw new GatewayError(
      'unsupported_parameter',
      'This model does not take images. Choose a model with vision.',
      { param: 'messages' },
    )
  }

  #opaque({ format, kind, value }: OpaquePart): readonly JsonObject[] {
    if (format === FORMAT) return [value as JsonObject]
    this.#dropped.add(kind)
    return []
  }

  #addResult(result: ToolResultPart): void {
    const keepsImages = this.#context.traits.toolResultImages && !result.isError
    const hasImage = result.parts.some(({ type }) => type === 'image')
    const content =
      keepsImages && hasImage
        ? result.parts.flatMap((part) => this.#userPart(part))
        : this.#resultText(result)
    this.messages.push({ role: 'tool', tool_call_id: result.callId, content })
  }

  #resultText({ parts, isError }: ToolResultPart): string {
    const texts = parts.flatMap((part) => this.#resultPart(part))
    const text = texts.join('\n')
    if (isError) return `Error: ${text === '' ? NO_OUTPUT : text}`
    return text
  }

  #resultPart(part: TextPart | ImagePart | OpaquePart): readonly string[] {
    switch (part.type) {
      case 'text':
        return [part.text]
      case 'image':
        this.#moved.push({ ...part, cache: null })
        return [MOVED_IMAGE]
      case 'opaque':
        this.#dropped.add(part.kind)
        return []
    }
  }

  #addAssistant(parts: readonly Part[]): void {
    const calls = parts.flatMap((part) => {
      if (part.type === 'tool-call') return [this.#call(part)]
      return isOpaqueCall(part) ? this.#opaque(part) : []
    })
    const content = this.#answerContent(parts)
    for (const part of parts) if (part.type === 'image') this.#moved.push({ ...part, cache: null })
    // Thinking is not sent, so a turn with nothing else would be an empty message.
    if (content === null && calls.length === 0) return
    this.messages.push({
      role: 'assistant',
      content,
      ...this.#thinking(parts, calls.length > 0),
      ...(calls.length > 0 && { tool_calls: calls }),
    })
  }

  // Many suppliers accept only a string from the assistant. Opaque parts of this format stay parts.
  #answerContent(parts: readonly Part[]): string | readonly JsonObject[] | null {
    const opaque = parts.flatMap((part) =>
      part.type === 'opaque' && !isOpaqueCall(part) ? this.#opaque(part) : [],
    )
    const text = joinTexts(parts, '')
    if (opaque.length === 0) return text === '' ? null : text
    return text === '' ? opaque : [{ type: 'text', text }, ...opaque]
  }

  // Beside calls the field is required, even if it is empty.
  #thinking(parts: readonly Part[], isRequired: boolean): JsonObject {
    if (!this.#context.traits.needsReasoningContent) return {}
    const text = parts
      .filter((part): part is ThinkingPart => part.type === 'thinking')
      .map((part) => part.text)
      .join('')
    return text === '' && !isRequired ? {} : { reasoning_content: text }
  }

  #call({ id, name, kind, input, proof }: ToolCallPart): JsonObject {
    const called =
      kind === 'function'
        ? { function: { name, arguments: input === '' ? '{}' : input } }
        : { custom: { name, input } }
    const isOurs = proof !== null && isProofFor(proof, { format: FORMAT, route: this.#context.route })
    return { id, type: kind, ...called, ...(isOurs && encodeCallSignature(proof.value)) }
  }
}

function isOpaqueCall(part: Part): part is OpaquePart {
  return part.type === 'opaque' && part.format === FORMAT && part.kind.startsWith(OPAQUE_CALL)
}

function joinTexts(parts: readonly Part[], separator: string): string {
  const texts = parts.flatMap((part) => (part.type === 'text' || part.type === 'refusal' ? [part.text] : []))
  return texts.join(separator)
}

/** Turns a single text part into a string, because some suppliers refuse lists. */
function simplify(content: readonly JsonObject[]): string | readonly JsonObject[] {
  const [only] = content
  const isPlain = content.length === 1 && only?.type === 'text' && Object.keys(only).length === 2
  return isPlain ? String(only.text) : content
}
