import fc from 'fast-check'
import type { Conversation, Instruction, OutputFormat, Turn } from '../../src/conversation/conversation.ts'
import { EFFORTS, type ReasoningRequest } from '../../src/conversation/effort.ts'
import type { Part, ToolCallPart, ToolResultPart } from '../../src/conversation/part.ts'
import type { Tool, ToolChoice } from '../../src/conversation/tool.ts'
import {
  type ArbitraryOptions,
  ArbitraryParts,
  type CallableTool,
  constants,
  jsonSchema,
  toolName,
  words,
} from './arbitrary-parts.ts'

export { arbitraryAnswer, arbitraryStreamedAnswer, type StreamedAnswer } from './arbitrary-answer.ts'
export type { ArbitraryOptions, Feature } from './arbitrary-parts.ts'

/**
 * Conversations in normal form, with every call answered. What stands at the top of a Conversation is always varied:
 * a test whose format lacks, say, `seed`, maps it to null.
 */
export function arbitraryConversation(options: ArbitraryOptions = {}): fc.Arbitrary<Conversation> {
  const parts = new ArbitraryParts(options)
  return arbitraryTools(parts).chain((tools) =>
    fc.record({
      ...constants({ tools, extras: {} }),
      model: toolName(),
      stream: fc.boolean(),
      instructions: fc.array(instruction(parts), { maxLength: 2 }),
      turns: arbitraryTurns(parts, callable(tools)),
      toolChoice: callable(tools).length === 0 ? fc.constant(null) : fc.option(toolChoice(callable(tools))),
      parallelTools: callable(tools).length === 0 ? fc.constant(null) : fc.option(fc.boolean()),
      ...sampling(),
      maxOutputTokens: fc.option(fc.integer({ min: 16, max: 65_536 })),
      choices: parts.has('many-choices') ? fc.integer({ min: 1, max: 4 }) : fc.constant(1),
      reasoning: fc.option(reasoning()),
      output: output(),
      topLogprobs: parts.when('logprobs', fc.option(fc.integer({ min: 0, max: 20 })), null),
      verbosity: fc.constantFrom('low', 'medium', 'high', null),
      endUser: fc.option(words()),
      cacheKey: fc.option(words()),
      metadata: fc.option(fc.dictionary(toolName(), words(), { minKeys: 1, maxKeys: 2 })),
    }),
  )
}

function instruction(parts: ArbitraryParts): fc.Arbitrary<Instruction> {
  return fc.record({ text: words(), cache: parts.cache() })
}

function sampling() {
  const share = fc.constantFrom(null, 0, 0.25, 0.5, 1)
  const penalty = fc.constantFrom(null, 0, -1.5, 2)
  return {
    temperature: share,
    topP: share,
    topK: fc.option(fc.integer({ min: 1, max: 100 })),
    seed: fc.option(fc.integer({ min: 0, max: 2 ** 31 - 1 })),
    presencePenalty: penalty,
    frequencyPenalty: penalty,
    stop: fc.uniqueArray(words(), { maxLength: 4 }),
  }
}

function reasoning(): fc.Arbitrary<ReasoningRequest> {
  const control = fc.oneof(
    fc.record({ type: fc.constant('effort' as const), effort: fc.constantFrom(...EFFORTS) }),
    fc.record({
      type: fc.constant('budget' as const),
      tokens: fc.constantFrom(0, 1024, 8192, 24_576, 32_768),
    }),
    fc.record({ type: fc.constantFrom('adaptive' as const, 'unspecified' as const) }),
  )
  return fc.record({ control, showThoughts: fc.constantFrom(true, false, null) })
}

function output(): fc.Arbitrary<OutputFormat> {
  const schema = fc.record({
    type: fc.constant('schema' as const),
    name: toolName(),
    description: fc.option(words()),
    schema: jsonSchema(),
    strict: fc.constantFrom(true, false, null),
  })
  const plain = fc.constantFrom<OutputFormat>({ type: 'text' }, { type: 'json' })
  return fc.oneof({ weight: 2, arbitrary: plain }, schema)
}

function arbitraryTools(parts: ArbitraryParts): fc.Arbitrary<readonly Tool[]> {
  const named = { name: toolName(), description: fc.option(words()), cache: parts.cache() }
  const namespace = parts.when('namespaces', fc.constantFrom('left', 'right', null), null)
  const functionTool: fc.Arbitrary<Tool> = fc.record({
    ...named,
    type: fc.constant('function' as const),
    namespace,
    schema: fc.option<Record<string, unknown>>(jsonSchema()),
    strict: fc.constantFrom(true, false, null),
  })
  const grammar = fc.option(fc.record({ syntax: fc.constantFrom('lark', 'regex'), definition: words() }))
  const customTool: fc.Arbitrary<Tool> = fc.record({
    ...named,
    type: fc.constant('custom' as const),
    namespace,
    grammar,
  })
  const kinds = parts.has('custom-tools') ? fc.oneof(functionTool, customTool) : functionTool
  // Flattened names must stay apart too, so no two tools share a name even across namespaces.
  const callables = fc.uniqueArray(kinds, {
    maxLength: 3,
    selector: (tool) => ('name' in tool ? tool.name : tool.type),
  })
  const search = parts.when('web-search', fc.option(webSearch(), { freq: 4 }), null)
  return fc.tuple(callables, search).map(([tools, found]) => (found === null ? tools : [...tools, found]))
}

function webSearch(): fc.Arbitrary<Tool> {
  return fc.record({
    ...constants({
      type: 'web-search',
      allowedDomains: null,
      blockedDomains: null,
      maxUses: null,
      original: null,
    }),
    contextSize: fc.constantFrom('low', 'medium', 'high', null),
    userLocation: fc.constantFrom({ city: 'Oslo', country: 'NO' }, null),
  })
}

function callable(tools: readonly Tool[]): readonly CallableTool[] {
  return tools.flatMap((tool) => (tool.type === 'function' || tool.type === 'custom' ? [tool] : []))
}

function toolChoice(tools: readonly CallableTool[]): fc.Arbitrary<ToolChoice> {
  const plain = fc.constantFrom<ToolChoice>({ type: 'auto' }, { type: 'none' }, { type: 'required' })
  const named = fc
    .constantFrom(...tools)
    .map(({ name, namespace }): ToolChoice => ({ type: 'named', name, namespace }))
  const allowed: fc.Arbitrary<ToolChoice> = fc.record({
    type: fc.constant('allowed' as const),
    names: fc.subarray(
      tools.map(({ name }) => name),
      { minLength: 1 },
    ),
    isRequired: fc.boolean(),
  })
  return fc.oneof(plain, named, allowed)
}

/** One exchange: what the user says, then what the assistant says; calls are answered in the next exchange. */
interface Exchange {
  readonly user: readonly Part[]
  readonly assistant: readonly Part[]
  readonly system: readonly Part[]
  /** One for each call, more than enough. */
  readonly results: readonly Pick<ToolResultPart, 'parts' | 'isError' | 'cache'>[]
}

const MAX_CALLS = 3

function arbitraryTurns(
  parts: ArbitraryParts,
  tools: readonly CallableTool[],
): fc.Arbitrary<readonly Turn[]> {
  const exchanges = fc.array(exchange(parts, tools), { minLength: 1, maxLength: 3 })
  const startsWithAssistant = parts.when('assistant-first', fc.boolean(), false)
  const endsWithAssistant = parts.when('prefill', fc.boolean(), false)
  return fc
    .tuple(exchanges, startsWithAssistant, endsWithAssistant)
    .map(([drawn, isAssistantFirst, isPrefilled]) => {
      const turns = numberCalls(drawn).flatMap(toTurns)
      const begun = isAssistantFirst && turns[1]?.role === 'assistant' ? turns.slice(1) : turns
      const closing = begun.at(-1)
      const mayEnd = isPrefilled && closing?.role === 'assistant' && !closing.parts.some(isCall)
      return mayEnd ? begun : [...begun, closingTurn(drawn)]
    })
}

function exchange(parts: ArbitraryParts, tools: readonly CallableTool[]): fc.Arbitrary<Exchange> {
  const userPart = parts.has('images') ? fc.oneof(parts.plainText(), parts.image()) : parts.plainText()
  const resultPart = parts.has('result-images')
    ? fc.oneof(parts.plainText(), parts.image())
    : parts.plainText()
  const single = parts.plainText().map((text) => [text])
  const result = fc.record({
    parts: parts.has('result-parts') ? fc.array(resultPart, { maxLength: 2 }) : single,
    isError: parts.when('result-errors', fc.boolean(), false),
    cache: parts.cache(),
  })
  return fc.record({
    user: fc.array(userPart, { minLength: 1, maxLength: 2 }),
    assistant: assistantParts(parts, tools),
    system: parts.when('system-turns', fc.array(parts.plainText(), { maxLength: 1 }), []),
    results: fc.array(result, { minLength: MAX_CALLS, maxLength: MAX_CALLS }),
  })
}

function assistantParts(
  parts: ArbitraryParts,
  tools: readonly CallableTool[],
): fc.Arbitrary<readonly Part[]> {
  const thoughts = parts.when('thinking', fc.array(parts.thinking(), { maxLength: 1 }), [])
  const said = parts.has('refusals')
    ? fc.oneof({ weight: 4, arbitrary: parts.answerText() }, parts.refusal())
    : parts.answerText()
  const calls =
    tools.length === 0 ? fc.constant([]) : fc.array(parts.toolCall(tools), { maxLength: MAX_CALLS })
  const spoken = fc.array(said, { minLength: 1, maxLength: 1 })
  return fc.tuple(thoughts, spoken, calls, fc.nat(5)).map(([first, second, third, order]) => {
    const inOrder: readonly Part[] = [...first, ...second, ...third]
    return parts.has('mixed-order') ? [...inOrder.slice(order), ...inOrder.slice(0, order)] : inOrder
  })
}

function isCall(part: Part): part is ToolCallPart {
  return part.type === 'tool-call'
}

function numberCalls(exchanges: readonly Exchange[]): readonly Exchange[] {
  let count = 0
  return exchanges.map((each) => ({
    ...each,
    assistant: each.assistant.map((part) => (isCall(part) ? { ...part, id: `call_${++count}` } : part)),
  }))
}

function toTurns(each: Exchange, index: number, all: readonly Exchange[]): readonly Turn[] {
  const before = all[index - 1]
  const turns: Turn[] = [{ role: 'user', parts: [...answers(before), ...each.user] }]
  if (each.system.length > 0) turns.push({ role: 'system', parts: each.system })
  turns.push({ role: 'assistant', parts: each.assistant })
  return turns
}

function answers(exchange: Exchange | undefined): readonly ToolResultPart[] {
  if (exchange === undefined) return []
  return exchange.assistant.filter(isCall).flatMap(({ id, name, kind }, index) => {
    const result = exchange.results[index]
    return result === undefined ? [] : [{ type: 'tool-result', callId: id, name, kind, ...result }]
  })
}

function closingTurn(exchanges: readonly Exchange[]): Turn {
  const results = answers(numberCalls(exchanges).at(-1))
  const [first] = exchanges
  return { role: 'user', parts: results.length > 0 ? results : (first?.user ?? []) }
}
