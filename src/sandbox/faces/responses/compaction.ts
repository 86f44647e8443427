import { type Choice, readStep } from '../../performance/performance.ts'
import { SandboxError } from '../../sandbox-error.ts'
import type { Seals } from '../../seals.ts'
import { type CompactionItem, checkItems, type ResponsesRequest } from './schema.ts'

const TRIGGER = 'compaction_trigger'

/** Any model of this supplier takes the item, unlike a thought. */
const CLAIM = { face: 'responses', model: '', about: 'compaction' }

/** Stands for a conversation. It holds the words themselves, so that the sandbox need not remember them. */
export function sealSummary(summary: string, seals: Seals): string {
  return `${Buffer.from(summary).toString('base64url')}.${seals.seal(CLAIM, summary)}`
}

/** What the item stands for. Like a real supplier, the sandbox refuses an item that is not its own. */
export function openSummary({ encrypted_content }: CompactionItem, seals: Seals, field: string): string {
  const [words = '', seal = ''] = encrypted_content.split('.')
  const summary = Buffer.from(words, 'base64url').toString()
  if (seals.isGenuine(seal, CLAIM, summary)) return summary
  const message =
    'The encrypted content of this item could not be verified. Reason: Encrypted content could not be decrypted or parsed.'
  throw new SandboxError('bad-request', message, { field, code: 'invalid_encrypted_content' })
}

/** Whether the input ends in the item that asks for a compaction. */
export function isTriggered({ input }: ResponsesRequest): boolean {
  return typeof input !== 'string' && input.at(-1)?.type === TRIGGER
}

/** The endpoint does what an input that ends in a trigger does. */
export function withTrigger(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body
  const { input, ...rest } = body as { readonly input?: unknown }
  const items = typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : input
  return Array.isArray(items) ? { ...rest, input: [...items, { type: TRIGGER }] } : body
}

/** The messages of the user, which the endpoint returns before its item. */
export function userMessages(request: ResponsesRequest, id: (index: number) => string): readonly object[] {
  return checkItems(request).flatMap((item, index) => {
    if (item.type !== 'message' || item.role !== 'user') return []
    const content =
      typeof item.content === 'string' ? [{ type: 'input_text', text: item.content }] : item.content
    return [{ id: id(index), type: 'message', status: 'completed', role: 'user', content }]
  })
}

/** What the model has said in its answer. */
export function spokenText(choice: Choice | undefined): string {
  return (choice?.steps ?? []).flatMap((step) => (step.type === 'say' ? [readStep(step)] : [])).join('')
}
