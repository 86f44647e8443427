import type { TSchema } from 'typebox'
import { GatewayError } from '../../../errors/gateway-error.ts'
import { branchesOf, type SchemaNode } from '../../../validation/describe-schema.ts'
import { compileCheck } from '../../../validation/validation.ts'
import { isObject, type JsonObject } from '../../../wire/json-values.ts'
import {
  type CountBody,
  CountRequestSchema,
  type GenerateRequest,
  GenerateRequestSchema,
  type WireContent,
  type WireGenerationConfig,
  type WireMedia,
  type WirePart,
} from './schema.ts'

const nameGenerateFields = compileNames(GenerateRequestSchema as TSchema as SchemaNode)
const nameCountFields = compileNames(CountRequestSchema as TSchema as SchemaNode)
const checkGenerateShape = compileCheck(GenerateRequestSchema)
const checkCountShape = compileCheck(CountRequestSchema)

const MAX_SHOWN_CHARACTERS = 100

/** Returns the body with camelCase names; throws a GatewayError that names the first invalid field. */
export function validateRequest(body: unknown): GenerateRequest {
  const request = checkGenerateShape(nameGenerateFields(body))
  checkGeneration(request, '')
  return request
}

/** The prompt to count: a whole request, or only its contents. */
export function validateCount(body: unknown): GenerateRequest {
  const count = checkCountShape(nameCountFields(body))
  const { request, path } = findCounted(count)
  checkGeneration(request, path)
  return request
}

function findCounted(count: CountBody): { request: GenerateRequest; path: string } {
  const { contents, generateContentRequest } = count
  const hasContents = contents !== undefined && contents !== null
  const hasRequest = generateContentRequest !== undefined && generateContentRequest !== null
  if (hasContents === hasRequest) {
    const param = hasContents ? 'generateContentRequest' : 'contents'
    const message = 'Send exactly one of contents and generateContentRequest.'
    throw new GatewayError('invalid_request', message, { param })
  }
  if (hasRequest) return { request: generateContentRequest, path: 'generateContentRequest.' }
  return { request: { ...count, contents: contents ?? [] }, path: '' }
}

function checkGeneration(request: GenerateRequest, path: string): void {
  request.contents.forEach((content, index) => {
    checkContent(content, () => `${path}contents[${index}]`)
  })
  if (request.generationConfig) checkConfig(request.generationConfig, `${path}generationConfig`)
}

// Paths are built only for parts that can be invalid here: most of a long conversation is text.
function checkContent({ role, parts }: WireContent, pathOf: () => string): void {
  parts?.forEach((part, index) => {
    const { functionCall, functionResponse, inlineData, fileData } = part
    if (!(functionCall || functionResponse || inlineData || fileData)) return
    const path = `${pathOf()}.parts[${index}]`
    checkPart(part, path)
    if (functionCall && role !== 'model')
      refuse(`${path}.functionCall`, 'is allowed only in a content with role "model"')
    if (functionResponse && role === 'model')
      refuse(`${path}.functionResponse`, 'is not allowed in a content with role "model"')
  })
}

function checkPart(part: WirePart, path: string): void {
  checkMedia(part, path)
  part.functionResponse?.parts?.forEach((inner, index) => {
    checkMedia(inner, `${path}.functionResponse.parts[${index}]`)
  })
}

function checkMedia({ inlineData, fileData }: WireMedia, path: string): void {
  if (inlineData) checkMediaType(inlineData.mimeType, `${path}.inlineData.mimeType`)
  if (!fileData) return
  if (fileData.mimeType) checkMediaType(fileData.mimeType, `${path}.fileData.mimeType`)
  if (!/^https:\/\//i.test(fileData.fileUri)) refuse(`${path}.fileData.fileUri`, 'must be an https URL')
}

function checkMediaType(mediaType: string, path: string): void {
  if (/^image\/[a-z0-9.+-]+$/i.test(mediaType)) return
  const shown = JSON.stringify(mediaType.slice(0, MAX_SHOWN_CHARACTERS))
  refuse(path, `must be an image type such as "image/png"; ${shown} is not accepted`)
}

function checkConfig(config: WireGenerationConfig, path: string): void {
  const { thinkingBudget, thinkingLevel } = config.thinkingConfig ?? {}
  if (isGiven(thinkingBudget) && isGiven(thinkingLevel))
    refuse(`${path}.thinkingConfig`, 'takes either thinkingBudget or thinkingLevel, not both')
  if (isGiven(thinkingLevel) && !THINKING_LEVELS.has(thinkingLevel.toUpperCase()))
    refuse(`${path}.thinkingConfig.thinkingLevel`, `must be one of ${[...THINKING_LEVELS].join(', ')}`)
  if (isGiven(config.logprobs) && config.responseLogprobs !== true)
    refuse(`${path}.logprobs`, 'requires responseLogprobs to be true')
  if (config.responseSchema && config.responseJsonSchema)
    refuse(`${path}.responseSchema`, 'may not be given together with responseJsonSchema')
}

const THINKING_LEVELS: ReadonlySet<string> = new Set([
  'MINIMAL',
  'LOW',
  'MEDIUM',
  'HIGH',
  'THINKING_LEVEL_UNSPECIFIED',
])

function isGiven<Value>(value: Value | null | undefined): value is Value {
  return value !== null && value !== undefined
}

function refuse(param: string, complaint: string): never {
  throw new GatewayError('invalid_request', `${param} ${complaint}.`, { param })
}

/** Renames the fields of a body to the names in its schema. */
type Renamer = (body: unknown) => unknown

/** The same for a value in the body. `path` is its path, or null when no error message needs it. */
type RenameAt = (value: unknown, path: string | null) => unknown

/**
 * Compiles a function that renames known fields to camelCase, since both `inlineData` and `inline_data` are legal.
 * A single object where the schema wants an array becomes an array of one, as in the vendor's service. Fields outside
 * the schema, such as tool arguments, stay as they are. Unchanged values are not copied.
 *
 * Paths are built only for an error: a long conversation has tens of thousands of parts.
 */
export function compileNames(schema: SchemaNode): Renamer {
  const rename = compileValue(schema)
  return (body) => {
    try {
      return rename(body, null)
    } catch (error) {
      if (error !== GIVEN_TWICE) throw error
      return rename(body, '')
    }
  }
}

const GIVEN_TWICE = new Error('A field is given twice.')

function compileValue(schema: SchemaNode): RenameAt {
  const branches = branchesOf(schema)
  const list = branches.find(({ type }) => type === 'array')
  const record = branches.find(({ type }) => type === 'object')
  const renameItems = list && compileItems(list)
  const renameMembers = record && compileMembers(record)
  return (value, path) => {
    if (Array.isArray(value)) return renameItems ? renameItems(value, path) : value
    if (!isObject(value)) return value
    if (renameMembers) return renameMembers(value, path)
    return renameItems ? renameItems([value], path) : value
  }
}

function compileItems({
  items = {},
}: SchemaNode): (value: readonly unknown[], path: string | null) => unknown {
  const rename = compileValue(items)
  return (value, path) => {
    let isChanged = false
    const renamed = value.map((item, index) => {
      const other = rename(item, path === null ? null : `${path}[${index}]`)
      isChanged ||= other !== item
      return other
    })
    return isChanged ? renamed : value
  }
}

interface NamedMember {
  readonly name: string
  readonly otherName: string
  readonly rename: RenameAt
}

/** Iterates over the fields that were sent, which are fewer than those of the schema. */
function compileMembers({
  properties = {},
}: SchemaNode): (value: JsonObject, path: string | null) => unknown {
  const members = new Map<string, NamedMember>()
  for (const [name, property] of Object.entries(properties)) {
    const otherName = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    const member = { name, otherName, rename: compileValue(property) }
    members.set(otherName, member).set(name, member)
  }
  return (value, path) => {
    let renamed: Record<string, unknown> | null = null
    for (const sent of Object.keys(value)) {
      const member = members.get(sent)
      if (member === undefined) continue
      const { name } = member
      if (sent !== name && Object.hasOwn(value, name)) throw givenTwice(member, path)
      const other = member.rename(value[sent], joinPath(path, name))
      if (sent === name && other === value[name]) continue
      renamed ??= { ...value }
      if (sent !== name) delete renamed[sent]
      renamed[name] = other
    }
    return renamed ?? value
  }
}

function joinPath(path: string | null, name: string): string | null {
  if (path === null) return null
  return path === '' ? name : `${path}.${name}`
}

/** Rejects both spellings at once: suppliers may not agree on which one counts. */
function givenTwice({ name, otherName }: NamedMember, path: string | null): Error {
  const param = joinPath(path, name)
  if (param === null) return GIVEN_TWICE
  const message = `${param} is given twice, as ${name} and as ${otherName}.`
  return new GatewayError('invalid_request', message, { param })
}
