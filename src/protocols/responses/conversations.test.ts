import { describe, expect, test } from 'bun:test'
import { GatewayError } from '../../errors/gateway-error.ts'
import { conversations, itemPrefix, listedItem } from './conversations.ts'
import { readRequest } from './request/read-request.ts'
import { UsageTap } from './stream/tap-usage.ts'

const NOTHING: ReadonlySet<string> = new Set()

function refusalOf(run: () => unknown): unknown[] {
  try {
    run()
  } catch (error) {
    if (error instanceof GatewayError) return [error.code, error.param]
    throw error
  }
  throw new Error('it was not refused')
}

describe('a request in a conversation', () => {
  const BODIES = [
    '{"model":"m","conversation":"conv_1","input":"Hi"}',
    '{"model":"m","input":"Hi","conversation":{"id":"conv_1"}}',
    '{"model":"m","input":"Hi","previous_response_id":null,"conversation":"conv_1"}',
    '{"conversation":"conv_1", "previous_response_id":null,"model":"m","input":"Hi"}',
    '{"model":"m","input":"Hi","conversation":null,"previous_response_id":null}',
  ]
  test.each(BODIES)('%s reaches suppliers without it', (text) => {
    const sent = JSON.parse(readRequest(JSON.parse(text), text).relayBody('m').join(''))
    expect(sent).toEqual({ model: 'm', input: 'Hi', store: false })
  })

  test('may not continue a response as well', () => {
    const body = { model: 'm', input: 'Hi', conversation: 'conv_1', previous_response_id: 'resp_1' }
    const refusal = refusalOf(() => readRequest(body, JSON.stringify(body)))
    expect(refusal).toEqual(['invalid_request', 'previous_response_id'])
  })

  test.each([[5], [''], [{}], [{ id: '' }], [[]]])('with the conversation %j is refused', (conversation) => {
    const body = { model: 'm', input: 'Hi', conversation }
    const [code, param] = refusalOf(() => readRequest(body, JSON.stringify(body)))
    expect([code, String(param)]).toEqual(['invalid_request', expect.stringMatching(/^conversation/)])
  })

  test('names it in relayed responses', () => {
    const shown = { previousId: null, isStored: false, isBackground: false, conversationId: 'conv_1' }
    const tap = new UsageTap(shown)
    const event = { type: 'response.completed', response: { id: 'r', store: false, output: [] } }
    const bytes = tap.push(Buffer.from(`data: ${JSON.stringify(event)}\n\n`)) ?? new Uint8Array()
    const sent = JSON.parse(Buffer.from(bytes).toString().replace('data: ', ''))
    expect(sent.response.conversation).toEqual({ id: 'conv_1' })
    expect(tap.finalReply).toMatchObject({ conversation: { id: 'conv_1' } })
  })
})

describe('what a client sends', () => {
  const item = { role: 'user', content: 'Hi' }

  test('may be nothing', () => {
    expect(conversations.readNew({})).toEqual({ input: { input: [] }, metadata: {} })
    expect(conversations.readNew({ items: null, metadata: null }).metadata).toEqual({})
  })

  test.each([
    [{ items: Array(21).fill(item) }, 'items'],
    [{ items: [1] }, 'items[0]'],
    [{ metadata: { n: 5 } }, 'metadata.n'],
    [{ metadata: { n: 'x'.repeat(513) } }, 'metadata.n'],
    [{ metadata: { ['n'.repeat(65)]: 'x' } }, 'metadata'],
    [{ metadata: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [n, 'x'])) }, 'metadata'],
  ])('%# beyond the limits is refused', (body, param) => {
    expect(refusalOf(() => conversations.readNew(body))).toEqual(['invalid_request', param])
  })

  test('has items that are checked one by one', () => {
    const items = [item, { type: 'function_call', name: 'f' }]
    expect(refusalOf(() => conversations.itemsOf({ input: items }))).toEqual([
      'invalid_request',
      'items[1].call_id',
    ])
    expect(refusalOf(() => conversations.itemsOf({ input: [{ id: 'msg_1' }] }))).toEqual([
      'invalid_request',
      'items[0]',
    ])
    expect(refusalOf(() => conversations.readAddition({}))).toEqual(['invalid_request', 'items'])
    expect(refusalOf(() => conversations.readChange({}))).toEqual(['invalid_request', 'metadata'])
  })
})

describe('a listed item', () => {
  test('has what the official types require, in the long form', () => {
    expect(listedItem({ role: 'user', content: 'Hi' }, 'msg_1', NOTHING)).toEqual({
      type: 'message',
      id: 'msg_1',
      role: 'user',
      status: 'completed',
      content: [{ type: 'input_text', text: 'Hi' }],
    })
    expect(listedItem({ role: 'assistant', content: 'Yes' }, 'msg_2', NOTHING).content).toEqual([
      { type: 'output_text', text: 'Yes', annotations: [] },
    ])
    const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}', status: 'incomplete' }
    expect(listedItem(call, 'fc_1', NOTHING)).toEqual({ ...call, id: 'fc_1' })
  })

  test('has the signature of its reasoning only where that is wanted', () => {
    const item = { type: 'reasoning', summary: [], encrypted_content: 'signed' }
    expect(listedItem(item, 'rs_1', NOTHING)).toEqual({ type: 'reasoning', summary: [], id: 'rs_1' })
    const include = new Set(['reasoning.encrypted_content'])
    expect(listedItem(item, 'rs_1', include)).toMatchObject({ encrypted_content: 'signed' })
    const compaction = { type: 'compaction', encrypted_content: 'sealed' }
    expect(listedItem(compaction, 'cmp_1', NOTHING)).toMatchObject(compaction)
  })

  test('gets an id that says what it is', () => {
    expect(itemPrefix({ role: 'user', content: '' })).toBe('msg_')
    expect(itemPrefix({ type: 'reasoning' })).toBe('rs_')
    expect(itemPrefix({ type: 'mcp_call' })).toBe('item_')
  })
})
