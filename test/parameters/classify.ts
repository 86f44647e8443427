import { GatewayError } from '../../src/errors/gateway-error.ts'
import { PROTOCOLS } from '../../src/protocols/index.ts'
import type { ClientRequest, Protocol } from '../../src/protocols/protocol.ts'
import { adaptTools } from '../../src/serve/families/text/translate/adapt-tools.ts'
import { refuseLosses } from '../../src/serve/families/text/translate/losses.ts'
import type { TextFormat } from '../conformance/talk.ts'
import { supplyContext } from '../support/translation-contexts.ts'
import type { Sample } from './samples.ts'

/**
 * What becomes of a parameter on its way to a supplier.
 * - `passed`: relayed as it is.
 * - `translated`: the supplier gets it in its own words.
 * - `dropped`: left out, and named in `x-gateway-dropped-params`.
 * - `refused`: the request is refused with an error that names it.
 * - `done here`: the gateway does it itself.
 * - `silent`: nobody is told.
 */
export type Fate = 'passed' | 'translated' | 'dropped' | 'refused' | 'done here' | 'silent'

export interface Verdict {
  readonly fate: Fate
  /** The names that the client is told. */
  readonly told: readonly string[]
}

const NOTHING: readonly string[] = []
const TEXT = 'Hi'
const BODIES: Readonly<Record<TextFormat, object>> = {
  'chat-completion': { model: 'm', messages: [{ role: 'user', content: TEXT }] },
  responses: { model: 'm', input: TEXT },
  messages: { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: TEXT }] },
  'content-generation': { contents: [{ role: 'user', parts: [{ text: TEXT }] }] },
}

export const TEXT_FORMATS = Object.keys(BODIES) as readonly TextFormat[]

export function classify(client: TextFormat, supplier: TextFormat, sample: Sample): Verdict {
  try {
    return client === supplier ? relay(client, sample) : translate(client, supplier, sample)
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return { fate: 'refused', told: [error.param ?? ''] }
  }
}

function relay(client: TextFormat, { fields }: Sample): Verdict {
  const sent = JSON.parse(read(client, fields).relayBody('upstream').join('')) as Record<string, unknown>
  const isKept = Object.entries(fields).every(([name, value]) => Bun.deepEquals(sent[name], value))
  return { fate: isKept ? 'passed' : 'silent', told: [] }
}

function translate(client: TextFormat, supplier: TextFormat, { fields }: Sample): Verdict {
  const plain = encode(client, supplier, {})
  const { body, dropped, isDoneHere } = encode(client, supplier, fields)
  if (isDoneHere) return { fate: 'done here', told: [] }
  const told = dropped.filter((name) => !plain.dropped.includes(name))
  if (told.length > 0) return { fate: 'dropped', told }
  return { fate: Bun.deepEquals(body, plain.body) ? 'silent' : 'translated', told }
}

function encode(client: TextFormat, supplier: TextFormat, fields: object) {
  const side = protocolOf(supplier).supplier
  const conversation = read(client, fields).client.decode()
  refuseLosses(conversation, supplier)
  // As the gateway does before it encodes a request: several answers by several calls, and stop sequences.
  const { choices, stop } = conversation
  const isDoneHere = choices > side.traits.maxChoices || (stop.length > 0 && !side.traits.stop)
  const adapted = adaptTools(conversation, side.toolRules)
  if (isDoneHere) return { body: {}, dropped: NOTHING, isDoneHere }
  const { body, dropped } = side.encodeRequest(adapted.conversation, supplyContext({}, side.traits))
  return { body: JSON.parse(JSON.stringify(body)) as object, dropped, isDoneHere }
}

function read(client: TextFormat, fields: object): ClientRequest {
  const body = { ...BODIES[client], ...fields }
  const address = { rest: 'm:generateContent', query: new URLSearchParams() }
  return protocolOf(client).readRequest(body, JSON.stringify(body), address)
}

function protocolOf(format: TextFormat): Protocol {
  const found = PROTOCOLS.find(({ name }) => name === format)
  if (found === undefined) throw new Error(`no protocol is named ${format}`)
  return found
}
