import { GatewayError } from '../../../errors/gateway-error.ts'
import { asObject, asText, type JsonObject } from '../../../wire/json-values.ts'
import type { CompactionSealer, OpenedBody } from '../../protocol.ts'
import { inputItemsOf } from '../request/input-items.ts'

export const COMPACTION = 'compaction'
const TRIGGER = 'compaction_trigger'

export function isConcerned(body: unknown): boolean {
  const input = asObject(body)?.input
  return (
    Array.isArray(input) && input.some((item) => isCompactionItem(item) || asObject(item)?.type === TRIGGER)
  )
}

/** Whether the input ends in the item that asks for a compaction. */
export function isTriggered(body: unknown): boolean {
  const items = inputItemsOf(body)
  const place = items.findIndex((item) => asObject(item)?.type === TRIGGER)
  if (place === -1) return false
  if (place === items.length - 1) return true
  const param = `input[${place}]`
  throw new GatewayError('invalid_request', `${param} must be the last item of the input.`, { param })
}

export function withoutTrigger(items: readonly unknown[]): readonly unknown[] {
  return items.filter((item) => asObject(item)?.type !== TRIGGER)
}

export function isCompactionItem(item: unknown): boolean {
  return asObject(item)?.type === COMPACTION
}

/**
 * Replaces each sealed item: a summary becomes a message, a supplier's own item is sent as that supplier made it. Values
 * that the gateway has not sealed stay as they are.
 */
export function openItems(body: unknown, sealer: CompactionSealer): OpenedBody {
  const request = asObject(body)
  if (request === null || !Array.isArray(request.input)) return { body, supplier: null }
  let supplier: string | null = null
  let isChanged = false
  const input = request.input.map((item, index) => {
    const context = isCompactionItem(item) ? openItem(item, index, sealer) : null
    if (context === null) return item
    isChanged = true
    if (context.type === 'summary') return summaryMessage(context.text)
    if (supplier !== null && supplier !== context.supplier) throw ofTwoSuppliers(index)
    supplier = context.supplier
    return { ...item, encrypted_content: context.value }
  })
  return isChanged ? { body: { ...request, input }, supplier } : { body, supplier: null }
}

function openItem(item: JsonObject, index: number, sealer: CompactionSealer) {
  try {
    return sealer.open(asText(item.encrypted_content) ?? '')
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    const param = `input[${index}].encrypted_content`
    throw new GatewayError(error.code, `${param}: ${error.message}`, { param })
  }
}

function ofTwoSuppliers(index: number): GatewayError {
  const param = `input[${index}]`
  const message = `${param} was made by another supplier than the compaction item before it, and no supplier can read both.`
  return new GatewayError('invalid_request', message, { param })
}

const SUMMARY_INTRODUCTION =
  'Everything before this message was summarized to save space. Continue from this summary; do not repeat work that it says is done.'

/** From the user, because in this place only that role exists in every format. */
function summaryMessage(summary: string): JsonObject {
  const text = `${SUMMARY_INTRODUCTION}\n\n<summary>\n${summary}\n</summary>`
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] }
}
