import { type Static, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { Refusal } from '../../refusal.ts'
import { refuseShape } from '../openai-style.ts'
import { findShapeProblem } from '../shape.ts'
import type { ResponsesRequest } from './schema.ts'

const Literals = <T extends string[]>(...values: [...T]) => Type.Enum(values)
const Nullable = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))

const InputPart = Type.Object({
  type: Literals('input_text', 'input_image', 'input_file', 'input_audio'),
  text: Type.Optional(Type.String()),
  image_url: Nullable(Type.String()),
})
const OutputPart = Type.Object({
  type: Literals('output_text', 'refusal'),
  text: Type.Optional(Type.String()),
  refusal: Type.Optional(Type.String()),
})
const Id = Nullable(Type.String())
const CallId = Type.String({ minLength: 1, maxLength: 64 })
const Output = Type.Union([Type.String(), Type.Array(InputPart)])

const AskedMessage = Type.Object({
  type: Type.Literal('message'),
  id: Id,
  role: Literals('user', 'system', 'developer'),
  content: Type.Union([Type.String(), Type.Array(InputPart)]),
})
const SaidMessage = Type.Object({
  type: Type.Literal('message'),
  id: Id,
  role: Type.Literal('assistant'),
  content: Type.Union([Type.String(), Type.Array(OutputPart)]),
})
const FunctionCall = Type.Object({
  type: Type.Literal('function_call'),
  id: Id,
  call_id: CallId,
  name: Type.String(),
  arguments: Type.String(),
})
const FunctionCallOutput = Type.Object({
  type: Type.Literal('function_call_output'),
  call_id: CallId,
  output: Output,
})
const CustomToolCall = Type.Object({
  type: Type.Literal('custom_tool_call'),
  id: Id,
  call_id: CallId,
  name: Type.String(),
  input: Type.String(),
})
const CustomToolCallOutput = Type.Object({
  type: Type.Literal('custom_tool_call_output'),
  call_id: CallId,
  output: Output,
})
const Reasoning = Type.Object({
  type: Type.Literal('reasoning'),
  id: Id,
  summary: Type.Array(Type.Object({ type: Type.Literal('summary_text'), text: Type.String() })),
  encrypted_content: Nullable(Type.String()),
})

export type AskedMessage = Static<typeof AskedMessage>
export type SaidMessage = Static<typeof SaidMessage>
export type ReasoningItem = Static<typeof Reasoning>
export type InputItem =
  | AskedMessage
  | SaidMessage
  | Static<typeof FunctionCall>
  | Static<typeof FunctionCallOutput>
  | Static<typeof CustomToolCall>
  | Static<typeof CustomToolCallOutput>
  | ReasoningItem

const asked = Compile(AskedMessage)
const said = Compile(SaidMessage)
const CHECKERS = {
  function_call: Compile(FunctionCall),
  function_call_output: Compile(FunctionCallOutput),
  custom_tool_call: Compile(CustomToolCall),
  custom_tool_call_output: Compile(CustomToolCallOutput),
  reasoning: Compile(Reasoning),
} as const

/** Traces of tools that the real service runs itself; the sandbox has none and passes over them. */
const PASSED_OVER = /^(web_search|file_search|code_interpreter|image_generation|mcp|tool_search|compaction)/

/** The input as items of known shape. A text stands for one message of the user. */
export function checkItems({ input }: ResponsesRequest): readonly InputItem[] {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }]
  return input.flatMap((item, index) => checkItem(item, index))
}

function checkItem(given: { type?: string }, index: number): readonly InputItem[] {
  // A message may leave its type out.
  const item = { type: 'message', ...given }
  if (PASSED_OVER.test(item.type)) return []
  const problem = findShapeProblem(checkerOf(item, index), item)
  if (problem === null) return [item as InputItem]
  throw refuseShape({ ...problem, place: ['input', index, ...problem.place] })
}

function checkerOf(item: { type: string }, index: number) {
  if (item.type === 'message') return 'role' in item && item.role === 'assistant' ? said : asked
  if (item.type in CHECKERS) return CHECKERS[item.type as keyof typeof CHECKERS]
  const field = `input[${index}]`
  const message =
    item.type === 'item_reference'
      ? 'The item this refers to was not found. Items are not persisted by the sandbox.'
      : `Invalid value: '${item.type}'. Supported values are: 'message', '${Object.keys(CHECKERS).join("', '")}'.`
  throw new Refusal('bad-request', message, { field })
}
