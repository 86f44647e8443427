import type { Instruction, Turn } from '../../../conversation/conversation.ts'
import { type Part, type TextPart, type ToolResultPart, textPart } from '../../../conversation/part.ts'
import { GatewayError } from '../../../errors/gateway-error.ts'
import { CallPairing, unwrapResult, writeJson } from '../function-calls.ts'
import { decodeImage, decodeOpaque, decodeProof } from '../parts.ts'
import type {
  GenerateRequest,
  WireContent,
  WireFunctionCall,
  WireFunctionResponse,
  WirePart,
} from './schema.ts'

export function decodeInstructions(instruction: GenerateRequest['systemInstruction']): Instruction[] {
  if (typeof instruction === 'string') return instruction === '' ? [] : [{ text: instruction, cache: null }]
  return (instruction?.parts ?? []).flatMap((part, index) => {
    if (typeof part.text === 'string') return part.text === '' ? [] : [{ text: part.text, cache: null }]
    const param = `systemInstruction.parts[${index}]`
    throw new GatewayError('invalid_request', `${param} must be text.`, { param })
  })
}

export function decodeTurns(contents: readonly WireContent[]): Turn[] {
  const decoder = new ContentDecoder()
  contents.forEach((content, index) => {
    decoder.push(content, index)
  })
  return decoder.turns()
}

interface OpenTurn {
  readonly role: 'user' | 'assistant'
  readonly parts: Part[]
  /** Results by call id. When a client answers a call twice, the last answer counts. */
  readonly results: Map<string, { result: ToolResultPart; order: number }>
}

/** Collects contents into turns: adjacent contents of one role are merged, results come first in the order of calls. */
class ContentDecoder {
  readonly #turns: OpenTurn[] = []
  readonly #pairing = new CallPairing()

  push({ role, parts }: WireContent, index: number): void {
    const turn = this.#openTurn(role === 'model' ? 'assistant' : 'user')
    parts?.forEach((part, partIndex) => {
      this.#decodePart(part, turn, `contents[${index}].parts[${partIndex}]`)
    })
  }

  turns(): Turn[] {
    const turns: { readonly role: Turn['role']; readonly parts: Part[] }[] = []
    for (const { role, parts, results } of this.#turns) {
      const inOrder = [...results.values()].sort((one, other) => one.order - other.order)
      const all = [...inOrder.map(({ result }) => result), ...parts]
      if (all.length === 0) continue
      const last = turns.at(-1)
      if (last?.role === role) for (const part of all) last.parts.push(part)
      else turns.push({ role, parts: all })
    }
    return turns
  }

  #openTurn(role: OpenTurn['role']): OpenTurn {
    const last = this.#turns.at(-1)
    if (last?.role === role) return last
    const opened: OpenTurn = { role, parts: [], results: new Map() }
    this.#turns.push(opened)
    return opened
  }

  #decodePart(part: WirePart, turn: OpenTurn, place: string): void {
    const { functionCall, functionResponse } = part
    if (functionCall) turn.parts.push(this.#decodeCall(functionCall, part, place))
    else if (functionResponse) this.#decodeResult(functionResponse, turn, place)
    else {
      const decoded = decodeImage(part) ?? decodeOpaque(part)
      if (decoded !== null) turn.parts.push(decoded)
      else if (turn.role === 'assistant') addSaid(turn.parts, part)
      else if (part.text) turn.parts.push(textPart(part.text))
    }
  }

  #decodeCall(call: WireFunctionCall, { thoughtSignature }: WirePart, place: string): Part {
    const { id, name } = this.#pairing.addCall(call, place)
    return {
      type: 'tool-call',
      id,
      name,
      kind: 'function',
      input: writeOrRefuse(call.args ?? {}, `${place}.functionCall.args`),
      namespace: null,
      proof: decodeProof(thoughtSignature, 'tool-call'),
    }
  }

  #decodeResult(response: WireFunctionResponse, turn: OpenTurn, place: string): void {
    const { id, name, order } = this.#pairing.findCall(response, place)
    const { value, isError } = unwrapResult(response.response ?? {})
    const text =
      typeof value === 'string' ? value : writeOrRefuse(value, `${place}.functionResponse.response`)
    const images = (response.parts ?? []).flatMap((inner) => decodeImage(inner) ?? [])
    const texts: TextPart[] =
      text === '' || (isEmptyObject(value) && images.length > 0) ? [] : [textPart(text)]
    const result: ToolResultPart = {
      type: 'tool-result',
      callId: id,
      name,
      kind: 'function',
      parts: [...texts, ...images],
      isError,
      cache: null,
    }
    turn.results.set(id, { result, order })
  }
}

// Clients that return only images still have to send an object.
function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

/** Adds text or a thought of the model. Chunks are joined, and a late signature is attached to its part. */
function addSaid(parts: Part[], { text, thought, thoughtSignature }: WirePart): void {
  const said = text ?? ''
  const isThought = thought === true
  const proof = decodeProof(thoughtSignature, isThought ? 'thinking' : 'text')
  const last = parts.at(-1)
  const isSameKind = last?.type === (isThought ? 'thinking' : 'text')
  if (isSameKind && last.proof === null) {
    parts[parts.length - 1] = { ...last, text: last.text + said, proof }
  } else if (!isThought && said !== '') parts.push({ ...textPart(said), proof })
  else if (said !== '' || proof !== null)
    parts.push({ type: 'thinking', text: said, proof, isRedacted: false })
}

function writeOrRefuse(value: unknown, param: string): string {
  const text = writeJson(value)
  if (text !== null) return text
  throw new GatewayError('invalid_request', `${param} is nested too deeply.`, { param })
}
