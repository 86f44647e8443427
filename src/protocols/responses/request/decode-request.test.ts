import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { departures } from '../../../../test/support/normal-form.ts'
import type { Conversation } from '../../../conversation/conversation.ts'
import { textPart } from '../../../conversation/part.ts'
import { type Proof, sealProof } from '../../../conversation/proof.ts'
import { decodeRequest } from './decode-request.ts'
import { validateRequest } from './validate.ts'

const CASES = join(import.meta.dirname, '../cases')
const decode = (fields: object): Conversation =>
  decodeRequest(validateRequest({ model: 'm', input: 'hi', ...fields }))
const turnsOf = (...input: unknown[]) => decode({ input }).turns
const user = (...content: unknown[]) => ({ role: 'user', content })
const call = (call_id: string, name = 'f') => ({ type: 'function_call', call_id, name, arguments: '{}' })
const output = (call_id: string, said: unknown = 'ok') => ({
  type: 'function_call_output',
  call_id,
  output: said,
})
const callPart = (id: string, name = 'f') => ({
  type: 'tool-call' as const,
  id,
  name,
  kind: 'function' as const,
  input: '{}',
  namespace: null,
  proof: null,
})
const resultPart = (callId: string, name: string | null = 'f') => ({
  type: 'tool-result' as const,
  callId,
  name,
  kind: 'function' as const,
  parts: [textPart('ok')],
  isError: false,
  cache: null,
})

describe('recorded requests', () => {
  const names = readdirSync(CASES).filter((name) => name.endsWith('.request.json'))
  test.each(names)('%s decodes to normal form', (name) => {
    const conversation = decodeRequest(validateRequest(JSON.parse(readFileSync(join(CASES, name), 'utf8'))))
    expect(departures(conversation)).toEqual([])
    expect(conversation.turns.length).toBeGreaterThan(0)
  })

  test('decodes a coding agent inside a tool loop', () => {
    const body: unknown = JSON.parse(readFileSync(join(CASES, 'codex.request.json'), 'utf8'))
    const conversation = decodeRequest(validateRequest(body))
    expect(conversation).toMatchObject({
      model: 'gpt-5',
      stream: true,
      instructions: [
        { text: 'You are a coding agent.' },
        { text: '<skills>none</skills>' },
        { text: '<permissions>read only</permissions>' },
      ],
      toolChoice: { type: 'auto' },
      parallelTools: true,
      reasoning: { control: { type: 'unspecified' }, showThoughts: true },
      cacheKey: 'session-1',
      extras: {},
    })
    expect(conversation.turns.map(({ role, parts }) => [role, ...parts.map(({ type }) => type)])).toEqual([
      ['user', 'text', 'text'],
      ['assistant', 'tool-call'],
      ['user', 'tool-result'],
    ])
    expect(conversation.tools).toMatchObject([
      { type: 'function', name: 'exec_command', namespace: null, strict: false },
      { type: 'function', name: 'close_agent', namespace: 'multi_agent_v1' },
      { type: 'function', name: 'resume_agent', namespace: 'multi_agent_v1' },
      { type: 'web-search', original: { format: 'responses' } },
    ])
  })
})

describe('turns', () => {
  test('consecutive reasoning, messages and calls are one assistant turn', () => {
    const turns = turnsOf(
      user({ type: 'input_text', text: 'a' }),
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'b' }] },
      call('c1'),
      call('c2', 'g'),
      output('c2'),
      output('c1'),
      { role: 'user', content: 'c' },
    )
    expect(turns).toEqual([
      { role: 'user', parts: [textPart('a')] },
      {
        role: 'assistant',
        parts: [
          { type: 'thinking', text: 'hm', proof: null, isRedacted: false },
          textPart('b'),
          callPart('c1'),
          callPart('c2', 'g'),
        ],
      },
      { role: 'user', parts: [resultPart('c1'), resultPart('c2', 'g'), textPart('c')] },
    ])
  })

  test('a result goes right after its call, whatever came between', () => {
    expect(turnsOf(user(), call('c1'), { role: 'developer', content: 'd' }, output('c1'))).toEqual([
      { role: 'assistant', parts: [callPart('c1')] },
      { role: 'user', parts: [resultPart('c1')] },
      { role: 'system', parts: [textPart('d')] },
    ])
    expect(turnsOf(call('c1'), { role: 'user', content: 'hey' }, output('c1'))).toEqual([
      { role: 'assistant', parts: [callPart('c1')] },
      { role: 'user', parts: [resultPart('c1'), textPart('hey')] },
    ])
  })

  test('the later of two results for one call wins, and one without a call has no name', () => {
    expect(turnsOf(call('c1'), output('c1', 'old'), output('c1'))).toMatchObject([
      {},
      { parts: [resultPart('c1')] },
    ])
    expect(turnsOf(output('c9'))).toEqual([{ role: 'user', parts: [resultPart('c9', null)] }])
  })

  test('system text is an instruction before the first turn, and a turn after it', () => {
    const { instructions, turns } = decode({
      instructions: 'first',
      input: [
        { role: 'system', content: 'second' },
        {
          role: 'developer',
          content: [
            { type: 'input_text', text: 'third', prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' } },
          ],
        },
        { role: 'user', content: 'a' },
        { role: 'system', content: 'late' },
      ],
    })
    expect(instructions).toEqual([
      { text: 'first', cache: null },
      { text: 'second', cache: null },
      { text: 'third', cache: { ttl: '1h' } },
    ])
    expect(turns.map(({ role }) => role)).toEqual(['user', 'system'])
  })

  test('drops empty items and parts', () => {
    expect(
      turnsOf({ role: 'user', content: '' }, user({ type: 'input_text', text: '' }), {
        role: 'user',
        content: 'a',
      }),
    ).toEqual([{ role: 'user', parts: [textPart('a')] }])
  })
})

describe('parts', () => {
  const image = (image_url: string, rest: object = {}) =>
    turnsOf(user({ type: 'input_image', image_url, ...rest }))[0]?.parts[0]

  test.each([
    ['https://a.example/x.png', { type: 'url', url: 'https://a.example/x.png', mediaType: null }],
    ['data:image/jpg;base64,AA\nBB', { type: 'base64', mediaType: 'image/jpeg', data: 'AABB' }],
    ['DATA:IMAGE/PNG;charset=x;BASE64,AAAA', { type: 'base64', mediaType: 'image/png', data: 'AAAA' }],
    ['data:;base64,R0lGODlh', { type: 'base64', mediaType: 'image/gif', data: 'R0lGODlh' }],
    ['data:image/svg+xml,%3Csvg%3E', { type: 'base64', mediaType: 'image/svg+xml', data: 'PHN2Zz4=' }],
  ])('an image at %s', (url, source) =>
    expect(image(url, { detail: 'high' })).toEqual({
      type: 'image',
      source,
      detail: 'high',
      cache: null,
    } as never),
  )

  test('keeps items and parts that only this format has', () => {
    const file = { type: 'input_file', file_id: 'file_1' }
    const search = { type: 'web_search_call', id: 'ws_1', action: {} }
    const shell = { type: 'shell_call_output', call_id: 'c', output: [] }
    expect(turnsOf(user(file), search, shell)).toEqual([
      {
        role: 'user',
        parts: [{ type: 'opaque', format: 'responses', kind: 'input_file', value: { content_part: file } }],
      },
      {
        role: 'assistant',
        parts: [{ type: 'opaque', format: 'responses', kind: 'web_search_call', value: search }],
      },
      {
        role: 'user',
        parts: [{ type: 'opaque', format: 'responses', kind: 'shell_call_output', value: shell }],
      },
    ])
  })

  test('a custom call in a namespace and its result', () => {
    const turns = turnsOf(
      { type: 'custom_tool_call', call_id: 'c', name: 'patch', input: '***', namespace: 'edit' },
      { type: 'custom_tool_call_output', call_id: 'c', output: [{ type: 'output_text', text: 'ok' }] },
    )
    expect(turns[0]?.parts).toEqual([
      {
        type: 'tool-call',
        id: 'c',
        name: 'patch',
        kind: 'custom',
        input: '***',
        namespace: 'edit',
        proof: null,
      },
    ])
    expect(turns[1]?.parts).toEqual([{ ...resultPart('c', 'patch'), kind: 'custom' }])
  })
})

describe('reasoning items', () => {
  const PROOF: Proof = {
    origin: 'messages',
    model: 'deep',
    route: 'sup_1',
    on: 'thinking',
    value: 'c2ln',
    itemId: null,
  }
  const thought = (encrypted_content: string, text = '') =>
    turnsOf(
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: text ? [{ type: 'summary_text', text }] : [],
        encrypted_content,
      },
      call('c1'),
    )[0]?.parts

  test('signed by another format are read from the gateway’s envelope', () =>
    expect(thought(sealProof(PROOF), 'hm')?.[0]).toEqual({
      type: 'thinking',
      text: 'hm',
      proof: PROOF,
      isRedacted: false,
    }))

  test('signed by this format keep the id of their item', () =>
    expect(thought('gAAAAB')?.[0]).toMatchObject({
      proof: { origin: 'responses', model: '', route: '', value: 'gAAAAB', itemId: 'rs_1' },
    }))

  test('without a signature have no proof, and empty ones are dropped', () => {
    const none = sealProof({ ...PROOF, origin: 'none', value: '' })
    expect(thought(none, 'hm')?.[0]).toMatchObject({ text: 'hm', proof: null })
    expect(thought(none)).toEqual([callPart('c1')])
  })

  test('carry the signature of the call that follows', () => {
    const proof: Proof = { ...PROOF, origin: 'content-generation', on: 'tool-call' }
    expect(thought(sealProof(proof))).toEqual([
      { type: 'thinking', text: '', proof, isRedacted: false },
      callPart('c1'),
    ])
  })
})

describe('other fields', () => {
  test.each([
    [
      { tool_choice: { type: 'function', name: 'f' } },
      { toolChoice: { type: 'named', name: 'f', namespace: null } },
    ],
    [
      {
        tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'custom', name: 'f' }] }],
        tool_choice: { type: 'custom', name: 'f' },
      },
      { toolChoice: { type: 'named', name: 'f', namespace: 'n' } },
    ],
    [
      { tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'f' }] } },
      { toolChoice: { type: 'allowed', names: ['f'], isRequired: true } },
    ],
    [
      { tool_choice: { type: 'web_search' } },
      { toolChoice: null, extras: { responses: { tool_choice: { type: 'web_search' } } } },
    ],
    [
      { tools: [{ type: 'code_interpreter', container: {} }] },
      { tools: [{ type: 'hosted', format: 'responses', kind: 'code_interpreter' }] },
    ],
    [
      { reasoning: { effort: 'none' } },
      { reasoning: { control: { type: 'effort', effort: 'none' }, showThoughts: null } },
    ],
    [{ reasoning: { effort: null } }, { reasoning: null }],
    [
      { reasoning: { summary: 'detailed' } },
      { reasoning: { showThoughts: true }, extras: { responses: { reasoning: { summary: 'detailed' } } } },
    ],
    [
      { include: ['message.output_text.logprobs'], top_logprobs: 3 },
      { topLogprobs: 3, extras: {} },
    ],
    [{ top_logprobs: 3 }, { topLogprobs: null }],
    [
      { temperature: 0, top_p: 0 },
      { temperature: 0, topP: 0, stop: [] },
    ],
    [
      { text: { format: { type: 'json_object' }, verbosity: 'low' } },
      { output: { type: 'json' }, verbosity: 'low' },
    ],
    [
      { user: 'u', safety_identifier: 's', prompt_cache_key: 'k' },
      { endUser: 's', cacheKey: 'k' },
    ],
    [{ metadata: { a: 'b', c: 7 } }, { metadata: { a: 'b', c: '7' } }],
    [
      {
        truncation: 'auto',
        service_tier: 'flex',
        include: ['x'],
        store: true,
        previous_response_id: 'r',
        new: 1,
      },
      { extras: { responses: { truncation: 'auto', service_tier: 'flex', include: ['x'], new: 1 } } },
    ],
    [{ truncation: 'disabled', max_tool_calls: null }, { extras: {} }],
  ])('%j', (fields, expected) => expect(decode(fields)).toMatchObject(expected as object))
})
