import type { TSchema } from 'typebox'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { SchemaNode } from '../../../validation/describe-schema.ts'
import { findProblem } from '../../../validation/find-problem.ts'
import { compileCheck } from '../../../validation/validation.ts'
import { deeper } from '../../../wire/json-members.ts'
import { asArray, asObject, type JsonObject } from '../../../wire/json-values.ts'
import { LateCheck } from '../../../wire/shapes/late-check.ts'
import {
  ITEM_SCHEMAS,
  PART_SCHEMAS,
  type ResponsesRequest,
  ResponsesRequestSchema,
  TOOL_CHOICE_SCHEMAS,
  TOOL_SCHEMAS,
} from '../schema.ts'
import { inputItemsOf, kindOfItem } from './input-items.ts'

const checkShape = compileCheck(ResponsesRequestSchema)
const checkPartShape = compileKinds(PART_SCHEMAS)
const checkItemShape = compileKinds(ITEM_SCHEMAS)
const checkToolShape = compileKinds(TOOL_SCHEMAS)
const checkChoiceShape = compileKinds(TOOL_CHOICE_SCHEMAS)

/** Validates every known field of a body. Throws a GatewayError that names the first invalid one. */
export function validateRequest(body: unknown): ResponsesRequest {
  refusePrompt(asObject(body) ?? {})
  const request = checkShape(body) as ResponsesRequest
  refuseTwoHistories(request)
  refuseEmptyInput(request)
  checkItems(inputItemsOf(request), 'input')
  checkTools(asArray(request.tools), () => 'tools')
  const choice = asObject(request.tool_choice)
  if (choice !== null) checkChoiceShape(choice, readKind(choice, choicePath), choicePath)
  return request
}

const choicePath = () => 'tool_choice'

/** It names a template that one vendor stores. */
function refusePrompt({ prompt }: JsonObject): void {
  if (prompt === undefined || prompt === null || prompt === false) return
  const message =
    'prompt names a template stored at a vendor, which this gateway cannot read. Send its text as instructions and input.'
  throw new GatewayError('unsupported_parameter', message, { param: 'prompt' })
}

/** Validates every known field of a list of items. */
export function checkItems(items: readonly unknown[], name: string): void {
  items.forEach((item, index) => {
    checkItem(item, () => `${name}[${index}]`)
  })
}

function refuseTwoHistories({ conversation, previous_response_id }: ResponsesRequest): void {
  if (!conversation || !previous_response_id) return
  const message = 'previous_response_id and conversation exclude each other; send one of them.'
  throw new GatewayError('invalid_request', message, { param: 'previous_response_id' })
}

function refuseEmptyInput({ input, instructions }: ResponsesRequest): void {
  if (input.length > 0 || instructions) return
  throw new GatewayError('invalid_request', 'input must not be empty.', { param: 'input' })
}

// Paths are built only for an error: a long conversation has tens of thousands of items.
type PathOf = () => string

function checkItem(item: unknown, pathOf: PathOf): void {
  const known = asObject(item) ?? {}
  const kind = kindOfItem(known)
  checkItemShape(known, kind, pathOf)
  // The gateway has already resolved references. A remaining one has no stored item.
  if (kind === 'item_reference') {
    const path = pathOf()
    throw new GatewayError('invalid_request', `${path} refers to an item that is not stored here.`, {
      param: path,
    })
  }
  checkParts(known.content, () => `${pathOf()}.content`)
  checkParts(known.output, () => `${pathOf()}.output`)
}

function checkParts(parts: unknown, pathOf: PathOf): void {
  asArray(parts).forEach((part, index) => {
    const known = asObject(part)
    const placeOf = () => `${pathOf()}[${index}]`
    if (known !== null) checkPartShape(known, readKind(known, placeOf), placeOf)
  })
}

function checkTools(tools: readonly unknown[], pathOf: PathOf, depth = 0): void {
  tools.forEach((tool, index) => {
    const known = asObject(tool) ?? {}
    const placeOf = () => `${pathOf()}[${index}]`
    const kind = readKind(known, placeOf)
    checkToolShape(known, kind, placeOf)
    if (kind === 'namespace') checkTools(asArray(known.tools), () => `${placeOf()}.tools`, deeper(depth))
  })
}

function readKind(value: JsonObject, pathOf: PathOf): string {
  if (typeof value.type === 'string') return value.type
  const param = `${pathOf()}.type`
  throw new GatewayError('invalid_request', `${param} is required.`, { param })
}

type CheckKind = (value: JsonObject, kind: string, pathOf: PathOf) => void

/** Makes a check for objects distinguished by `type`. Types without a schema pass. */
function compileKinds(schemas: Readonly<Record<string, TSchema>>): CheckKind {
  const kinds = new Map(Object.entries(schemas).map(([kind, schema]) => [kind, new LateCheck(schema)]))
  return (value, kind, pathOf) => {
    const known = kinds.get(kind)
    if (known === undefined || known.passes(value)) return
    const path = pathOf()
    const problem = findProblem(known.schema as SchemaNode, value, path)
    const { complaint, path: param } = problem ?? { complaint: 'does not have the expected shape', path }
    throw new GatewayError('invalid_request', `${param} ${complaint}.`, { param })
  }
}
