import type { AnswerPart } from '../../conversation/answer.ts'
import type { Conversation } from '../../conversation/conversation.ts'
import { fold } from '../../conversation/fold.ts'
import type { Part } from '../../conversation/part.ts'
import { PROTOCOLS, RELAYED_PROTOCOLS } from '../../protocols/index.ts'
import type { Protocol } from '../../protocols/protocol.ts'
import type { SupplyContext } from '../../protocols/translation.ts'
import type { ReadBodies, SaidPart, SaidTurn } from '../../vocabulary/observability/read-bodies.ts'
import type { KeptContent, Settlement } from '../../vocabulary/settlement.ts'
import { tryParseJson } from '../../wire/json-values.ts'

type Asked = Pick<Settlement, 'clientFormat' | 'model'>
type ReadAnswer = Pick<ReadBodies, 'answers' | 'failure'>

const NOTHING: ReadAnswer = { answers: null, failure: null }
const byName = new Map([...PROTOCOLS, ...RELAYED_PROTOCOLS].map((protocol) => [protocol.name, protocol]))

/** Reads stored bodies as a conversation. What cannot be read is null: the bodies themselves can still be shown. */
export function readBodies(content: KeptContent, asked: Asked): ReadBodies {
  const protocol = byName.get(asked.clientFormat)
  if (protocol === undefined) return { turns: null, tools: [], ...NOTHING }
  const conversation = content.isRequestCut ? null : decodeRequest(protocol, content.request, asked)
  return {
    turns: conversation === null ? null : turnsOf(conversation),
    tools: (conversation?.tools ?? []).map((tool) => ('name' in tool ? tool.name : toolKind(tool))),
    ...decodeResponse(protocol, content.response, asked),
  }
}

/** The text of a stored answer; null when it is no stream, so that it can be searched as it is. */
export function streamedText({ response }: KeptContent, asked: Asked): string | null {
  const protocol = byName.get(asked.clientFormat)
  if (protocol === undefined || response === null || isJson(response)) return null
  const { answers } = decodeResponse(protocol, response, asked)
  return answers?.flatMap(({ parts }) => parts.map(({ text }) => text)).join('\n') ?? null
}

function isJson(text: string): boolean {
  return text.startsWith('{') || text.startsWith('[')
}

function decodeRequest(protocol: Protocol, text: string, { model }: Asked): Conversation | null {
  const address = protocol.addressOf?.(model) ?? { rest: '', query: new URLSearchParams() }
  try {
    return protocol.readRequest(JSON.parse(text), text, address).client.decode()
  } catch {
    // It was valid when it was sent, but formats change.
    return null
  }
}

/** The client's answer has the shape of a supplier's of the same format. */
function decodeResponse({ supplier }: Protocol, response: string | null, { model }: Asked): ReadAnswer {
  if (response === null || response === '') return NOTHING
  const { traits } = supplier
  const context: SupplyContext = { upstreamModel: model, route: '', traits, outputTokenLimit: null }
  try {
    const body = isJson(response) ? tryParseJson(response) : null
    if (typeof body === 'object' && body !== null) {
      const choices = supplier.decodeReply(body, context)?.choices ?? null
      const answers = choices?.map(({ parts, finish }) => ({
        parts: parts.map(sayPart),
        finish: finish.reason,
      }))
      return { answers: answers ?? null, failure: null }
    }
    return decodeStream(supplier.openDecoder(context), response)
  } catch {
    return NOTHING
  }
}

function decodeStream(
  decoder: ReturnType<Protocol['supplier']['openDecoder']>,
  response: string,
): ReadAnswer {
  const events = [...decoder.push(Buffer.from(response))]
  // A stream that was cut has an error of its own only after what was stored of it.
  const failure = decoder.failure?.message ?? null
  events.push(...decoder.end())
  const ended = new Set(events.flatMap((event) => (event.type === 'choice-end' ? [event.choice] : [])))
  const { choices } = fold(events)
  const answers = choices.map(({ index, parts, finish }) => ({
    parts: parts.map(sayPart),
    finish: ended.has(index) ? finish.reason : null,
  }))
  return { answers: answers.length === 0 ? null : answers, failure }
}

function turnsOf({ instructions, turns }: Conversation): SaidTurn[] {
  const system: SaidTurn[] = instructions.map(({ text }) => ({ role: 'system', parts: [said('text', text)] }))
  return [...system, ...turns.map(({ role, parts }): SaidTurn => ({ role, parts: parts.map(sayPart) }))]
}

function said(type: SaidPart['type'], text: string, more: Partial<SaidPart> = {}): SaidPart {
  return { type, text, name: null, callId: null, isError: false, ...more }
}

function sayPart(part: Part | AnswerPart): SaidPart {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return said(part.type, part.text)
    case 'thinking':
      return said('thinking', part.text === '' ? 'Hidden by the supplier.' : part.text)
    case 'tool-call':
      return said('tool_call', part.input, { name: part.name, callId: part.id })
    case 'tool-result': {
      const text = part.parts.map((each) => sayPart(each).text).join('\n')
      return said('tool_result', text, { name: part.name, callId: part.callId, isError: part.isError })
    }
    case 'image':
      return said('image', describeImage(part.source))
    case 'opaque':
      return said('other', part.text ?? part.kind)
  }
}

const BASE64_BYTES = 0.75

function describeImage(source: Extract<Part, { type: 'image' }>['source']): string {
  if (source.type === 'url') return source.url
  const kilobytes = Math.ceil((source.data.length * BASE64_BYTES) / 1_024)
  return `${source.mediaType}, ${kilobytes} KB`
}

function toolKind(tool: Exclude<Conversation['tools'][number], { readonly name: string }>): string {
  return tool.type === 'hosted' ? tool.kind : tool.type
}
