import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { AnswerEvent } from '../../../../conversation/answer-event.ts'
import { type Conversation, newConversation } from '../../../../conversation/conversation.ts'
import { fold, unfold } from '../../../../conversation/fold.ts'
import { type Part, type ToolCallPart, textPart } from '../../../../conversation/part.ts'
import type { CustomTool, FunctionTool, Tool, ToolChoice } from '../../../../conversation/tool.ts'
import { PROTOCOLS } from '../../../../protocols/index.ts'
import type { ToolRules } from '../../../../protocols/translation.ts'
import { adaptTools } from './adapt-tools.ts'
import { ToolRestorer } from './restore-tools.ts'
import { passThrough } from './translating-tap.ts'

const RULES: readonly (readonly [string, ToolRules])[] = PROTOCOLS.map(({ name, supplier }) => [
  name,
  supplier.toolRules,
])
/** The strictest suppliers there are: every adaptation is needed. */
const STRICT: ToolRules = {
  name: /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/,
  callId: /^[A-Za-z0-9_-]{1,40}$/,
  hasCustomTools: false,
  hasNamespaces: false,
}

function functionTool(name: string, namespace: string | null = null): FunctionTool {
  return { type: 'function', name, namespace, description: null, schema: null, strict: null, cache: null }
}

function customTool(name: string, namespace: string | null = null): CustomTool {
  return { type: 'custom', name, namespace, description: null, grammar: null, cache: null }
}

function callOf(tool: FunctionTool | CustomTool, fields: Partial<ToolCallPart> = {}): ToolCallPart {
  const { name, namespace, type } = tool
  return { type: 'tool-call', id: 'call_1', name, namespace, kind: type, input: '{}', proof: null, ...fields }
}

interface Asked {
  readonly tools?: readonly Tool[]
  readonly toolChoice?: ToolChoice | null
  readonly parts?: readonly Part[]
  readonly results?: readonly Part[]
}

function prepared({ tools = [], toolChoice = null, parts = [], results = [] }: Asked): Conversation {
  return newConversation({
    model: 'm',
    turns: [
      { role: 'user', parts: [textPart('go')] },
      { role: 'assistant', parts },
      { role: 'user', parts: results },
    ],
    tools,
    toolChoice,
  })
}

function resultOf(callId: string, name: string | null, kind: 'function' | 'custom' = 'function'): Part {
  return { type: 'tool-result', callId, name, kind, parts: [], isError: false, cache: null }
}

/** A tool's name as models' users choose them: long, of any script, alike, or in a group. */
const anyName = fc.oneof(
  fc.constantFrom('a', 'b', 'a__b', 'group__a', 'a b', 'a.b', 'a-b', '1st', 'x'.repeat(64), 'x'.repeat(65)),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 }),
)
const anyTool = fc
  .record({
    name: anyName,
    namespace: fc.constantFrom(null, null, 'group', 'a', 'group 2'),
    isCustom: fc.boolean(),
  })
  .map(({ name, namespace, isCustom }) => (isCustom ? customTool : functionTool)(name, namespace))
const anyTools = fc.uniqueArray(anyTool, {
  minLength: 1,
  maxLength: 8,
  selector: (tool) => JSON.stringify([tool.namespace, tool.name]),
})

/** The call as a supplier would stream it, in pieces of this size. */
function tellCall(call: ToolCallPart, pieceLength: number): AnswerEvent[] {
  const events: AnswerEvent[] = [{ type: 'part-start', choice: 0, part: { ...call, input: '' } }]
  for (let start = 0; start < call.input.length; start += pieceLength) {
    events.push({ type: 'part-delta', choice: 0, text: call.input.slice(start, start + pieceLength) })
  }
  return [...events, { type: 'part-end', choice: 0 }]
}

describe.each([...RULES, ['the strictest', STRICT] as const])('towards %s suppliers', (_name, rules) => {
  test('every name and id fits the supplier’s rules, and tool names are unique', () => {
    fc.assert(
      fc.property(anyTools, fc.array(fc.string({ unit: 'grapheme', maxLength: 90 })), (tools, ids) => {
        const parts = ids.map((id, index) => callOf(tools[index % tools.length] ?? functionTool('a'), { id }))
        const { conversation } = adaptTools(prepared({ tools, parts }), rules)
        const adapted = conversation.tools.flatMap((tool) => ('name' in tool ? [tool] : []))
        for (const tool of adapted) {
          expect(tool.name).toMatch(rules.name)
          if (!rules.hasCustomTools) expect(tool.type).toBe('function')
          if (!rules.hasNamespaces) expect(tool.namespace).toBeNull()
        }
        const keys = adapted.map(({ name, namespace }) => JSON.stringify([namespace, name]))
        expect(new Set(keys).size).toBe(tools.length)
        const calls = conversation.turns[1]?.parts.flatMap((part) =>
          part.type === 'tool-call' ? [part] : [],
        )
        for (const call of calls ?? []) expect(call.id).toMatch(rules.callId)
      }),
    )
  })

  test('calls are returned with the client’s name and kind of the tool', () => {
    fc.assert(
      fc.property(
        anyTools,
        fc.string({ unit: 'grapheme' }),
        fc.integer({ min: 1, max: 9 }),
        (tools, text, size) => {
          const calls = tools.map((tool) =>
            callOf(tool, { input: tool.type === 'custom' ? text : JSON.stringify({ text }) }),
          )
          const { conversation, names } = adaptTools(prepared({ tools, parts: calls }), rules)
          const sent = conversation.turns[1]?.parts ?? []
          const events = sent.flatMap((part) => (part.type === 'tool-call' ? tellCall(part, size) : []))
          const restored = fold(passThrough(events, [new ToolRestorer(names)]))
          expect(restored.choices[0]?.parts).toEqual(calls)
        },
      ),
    )
  })

  test('the same tools get the same names in every request', () => {
    fc.assert(
      fc.property(anyTools, (tools) => {
        const namesIn = (asked: Asked) => adaptTools(prepared(asked), rules).conversation.tools
        const parts = tools.toReversed().map((tool) => callOf(tool))
        expect(namesIn({ tools, parts })).toEqual(namesIn({ tools }))
      }),
    )
  })
})

describe('a free-text tool becomes a function', () => {
  const grammar = { syntax: 'lark', definition: 'start: "x"' }
  const tool: CustomTool = { ...customTool('patch'), description: 'Patches.', grammar }
  const adapted = adaptTools(prepared({ tools: [tool] }), STRICT).conversation.tools[0]

  test('with one text argument, and its description includes the grammar', () => {
    expect(adapted).toMatchObject({
      type: 'function',
      name: 'patch',
      schema: { required: ['input'], properties: { input: { type: 'string' } } },
    })
    const { description } = adapted as FunctionTool
    expect(description).toStartWith('Patches.')
    expect(description).toContain(grammar.definition)
  })

  test('and its calls in the history are wrapped too', () => {
    const { conversation } = adaptTools(
      prepared({ tools: [tool], parts: [callOf(tool, { input: 'a "b"' })] }),
      STRICT,
    )
    expect(conversation.turns[1]?.parts[0]).toMatchObject({
      kind: 'function',
      input: '{"input":"a \\"b\\""}',
    })
  })

  test.each([
    ['not JSON at all', 'not JSON at all'],
    ['{"input":7}', '{"input":7}'],
    ['{"other":"x"}', '{"other":"x"}'],
    ['{"input":""}', ''],
    ['"text"', '"text"'],
    ['', ''],
  ])('a model that calls it with %j gives the client %j', (input, expected) => {
    const { names } = adaptTools(prepared({ tools: [tool] }), STRICT)
    const events = tellCall(callOf(functionTool('patch'), { input }), 3)
    const restored = fold(passThrough(events, [new ToolRestorer(names)]))
    expect(restored.choices[0]?.parts[0]).toMatchObject({ kind: 'custom', input: expected })
  })
})

describe('a tool in a group', () => {
  const tools = [functionTool('find', 'files'), functionTool('find', 'people'), customTool('find')]

  test('has the group in its name', () => {
    const { conversation } = adaptTools(prepared({ tools }), STRICT)
    expect(conversation.tools.map((tool) => 'name' in tool && tool.name)).toEqual([
      'files__find',
      'people__find',
      'find',
    ])
  })

  test('also has it in the result of its call, which does not name the group', () => {
    const parts = [callOf(functionTool('find', 'people'), { id: 'odd id' })]
    const { conversation } = adaptTools(
      prepared({ tools, parts, results: [resultOf('odd id', 'find')] }),
      STRICT,
    )
    const [call, result] = [conversation.turns[1]?.parts[0], conversation.turns[2]?.parts[0]]
    expect(call).toMatchObject({ name: 'people__find', namespace: null })
    expect(result).toMatchObject({ name: 'people__find', callId: (call as ToolCallPart).id })
  })

  test('can be chosen, by name or as one of several', () => {
    const choose = (toolChoice: ToolChoice) =>
      adaptTools(prepared({ tools, toolChoice }), STRICT).conversation.toolChoice
    expect(choose({ type: 'named', name: 'find', namespace: 'people' })).toEqual({
      type: 'named',
      name: 'people__find',
      namespace: null,
    })
    expect(choose({ type: 'allowed', names: ['find', 'odd one'], isRequired: true })).toEqual({
      type: 'allowed',
      names: ['files__find', 'people__find', 'find', expect.stringMatching(/^odd_one_[0-9a-f]{8}$/)],
      isRequired: true,
    })
    expect(choose({ type: 'required' })).toEqual({ type: 'required' })
  })

  test('choosing a plain function does not make it the free-text tool of its name in a group', () => {
    const twins = [functionTool('find'), customTool('find', 'files')]
    const { names } = adaptTools(
      prepared({ tools: twins, toolChoice: { type: 'named', name: 'find', namespace: null } }),
      STRICT,
    )
    expect(names.toClient({ name: 'find', namespace: null, kind: 'function' })?.kind).toBe('function')
  })
})

describe('the history', () => {
  test('of a tool that has since become a function does not turn its calls into free text', () => {
    const { names } = adaptTools(
      prepared({ tools: [functionTool('run')], parts: [callOf(customTool('run'))] }),
      STRICT,
    )
    expect(names.toClient({ name: 'run', namespace: null, kind: 'function' })?.kind).toBe('function')
  })

  test('with a result that answers no call is left unchanged', () => {
    const { conversation } = adaptTools(prepared({ results: [resultOf('call_9', null, 'custom')] }), STRICT)
    expect(conversation.turns[2]?.parts[0]).toEqual(resultOf('call_9', null))
  })
})

test('a call of a tool that the model made up is passed on unchanged', () => {
  const { names } = adaptTools(prepared({ tools: [functionTool('odd name')] }), STRICT)
  const answer = {
    id: 'a',
    choices: [
      {
        index: 0,
        parts: [callOf(functionTool('odd name')), callOf(functionTool('unknown'))],
        finish: { reason: 'tool-call', stopSequence: null, explanation: null } as const,
        logprobs: null,
      },
    ],
    usage: null,
  }
  expect(fold(passThrough(unfold(answer), [new ToolRestorer(names)]))).toEqual(answer)
})
