import { SandboxError } from '../../sandbox-error.ts'
import type { Seals } from '../../seals.ts'
import type { InputItem, ReasoningItem } from './schema.ts'

export const FACE = 'responses'

const THOUGHTFUL = /^(?:msg|fc|ctc)_sandbox_thoughtful_(\d+)_\d+$/

/**
 * The ids of items that followed a thought say so: the real service refuses such an item when it comes back under
 * its id but without the thought.
 */
export function nameItem(prefix: 'msg' | 'fc' | 'ctc' | 'rs', place: ItemPlace): string {
  const thoughtful = place.followsThought && prefix !== 'rs' ? 'thoughtful_' : ''
  return `${prefix}_sandbox_${thoughtful}${place.head.number}_${place.index}`
}

export interface ItemPlace {
  readonly head: { readonly number: number }
  /** Position in the answer, from 0. */
  readonly index: number
  readonly followsThought: boolean
}

/** The number of the answer whose thought this item needs beside it; null when it needs none. */
function thoughtNeeded(id: string): string | null {
  return THOUGHTFUL.exec(id)?.[1] ?? null
}

function thoughtNumber(id: string): string | null {
  return /^rs_sandbox_(\d+)_\d+$/.exec(id)?.[1] ?? null
}

/** What a reasoning item's seal vouches for: this item and no other. */
export function reasoningClaim(model: string, id: string) {
  return { face: FACE, model, about: id }
}

/**
 * The tool behind each call id. Real suppliers refuse a history whose calls and outputs do not pair up, and so must
 * the sandbox, because a gateway that loses half of a pair is exactly what it is there to catch.
 */
export function nameCalls(items: readonly InputItem[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const open = new Set<string>()
  items.forEach((item, index) => {
    if (item.type === 'function_call' || item.type === 'custom_tool_call') {
      names.set(item.call_id, item.name)
      open.add(item.call_id)
    }
    if (item.type === 'function_call_output' || item.type === 'custom_tool_call_output') {
      if (!names.has(item.call_id)) throw orphan(item.call_id, index)
      open.delete(item.call_id)
    }
  })
  const [unanswered] = open
  if (unanswered === undefined) return names
  const message = `No tool output found for function call ${unanswered}.`
  throw new SandboxError('bad-request', message, { field: 'input' })
}

function orphan(callId: string, index: number): SandboxError {
  const message = `No tool call found for function call output with call_id ${callId}.`
  return new SandboxError('bad-request', message, { field: `input[${index}].call_id` })
}

/** Every thought that comes back must be one of ours, unaltered, with what it led to. */
export function checkThoughts(items: readonly InputItem[], model: string, seals: Seals): void {
  const thoughts = new Set<string>()
  items.forEach((item, index) => {
    const field = `input[${index}]`
    if (item.type === 'reasoning') {
      checkReasoning(item, { field, model, seals })
      if (!isLedTo(items[index + 1])) throw unfollowed(item, field)
      thoughts.add(thoughtNumber(item.id ?? '') ?? '')
    }
    const id = 'id' in item ? (item.id ?? '') : ''
    const needed = thoughtNeeded(id)
    if (needed !== null && !thoughts.has(needed)) throw thoughtless(item.type, id, field)
  })
}

interface ReasoningPlace {
  readonly field: string
  readonly model: string
  readonly seals: Seals
}

function checkReasoning(item: ReasoningItem, { field, model, seals }: ReasoningPlace): void {
  const id = item.id ?? ''
  const seal = item.encrypted_content ?? null
  if (seal === null) {
    const message = `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`
    throw new SandboxError('bad-request', message, { field })
  }
  const summary = item.summary.map(({ text }) => text).join('')
  if (seals.isGenuine(seal, reasoningClaim(model, id), summary === '' ? null : summary)) return
  const message = `The encrypted content for item ${id} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`
  throw new SandboxError('bad-request', message, { field, code: 'invalid_encrypted_content' })
}

function isLedTo(item: InputItem | undefined): boolean {
  switch (item?.type) {
    case 'message':
      return item.role === 'assistant'
    case 'reasoning':
    case 'function_call':
    case 'custom_tool_call':
      return true
    default:
      return false
  }
}

function unfollowed({ id }: ReasoningItem, field: string): SandboxError {
  const message = `Item '${id}' of type 'reasoning' was provided without its required following item.`
  return new SandboxError('bad-request', message, { field })
}

function thoughtless(type: string, id: string, field: string): SandboxError {
  const message = `Item '${id}' of type '${type}' was provided without its required 'reasoning' item.`
  return new SandboxError('bad-request', message, { field })
}
