import { expect, test } from 'bun:test'
import { UsageTap as MessagesTap } from '../../protocols/messages/stream/tap-usage.ts'
import { UsageTap as ResponsesTap } from '../../protocols/responses/stream/tap-usage.ts'

// 3,000 bytes, of which 2,350 are text.
const ENCRYPTED = 'A'.repeat(4_000)
const HIDDEN = 2_350

const encoder = new TextEncoder()
const frame = (data: object) => encoder.encode(`data: ${JSON.stringify(data)}\n\n`)

test('a messages stream with a signature counts the whole thought, shown or not', () => {
  const tap = new MessagesTap('m')
  const delta = (value: object) => tap.push(frame({ type: 'content_block_delta', index: 0, delta: value }))
  tap.push(
    frame({ type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } }),
  )
  delta({ type: 'thinking_delta', thinking: 'x'.repeat(100) })
  delta({ type: 'signature_delta', signature: ENCRYPTED })
  expect(tap.outputCharacters).toBe(HIDDEN)
  const redacted = { type: 'redacted_thinking', data: ENCRYPTED }
  tap.push(frame({ type: 'content_block_start', index: 1, content_block: redacted }))
  expect(tap.outputCharacters).toBe(2 * HIDDEN)
})

test('a responses stream with encrypted reasoning counts all of it, shown or not', () => {
  const tap = new ResponsesTap()
  const item = { id: 'rs_1', type: 'reasoning', summary: [] }
  tap.push(frame({ type: 'response.output_item.added', item }))
  tap.push(frame({ type: 'response.reasoning_summary_text.delta', delta: 'x'.repeat(100) }))
  tap.push(frame({ type: 'response.output_item.done', item: { ...item, encrypted_content: ENCRYPTED } }))
  expect(tap.outputCharacters).toBe(HIDDEN)
})
