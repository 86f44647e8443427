import type { TSchema } from 'typebox'
import { GatewayError } from '../../../errors/gateway-error.ts'
import type { SchemaNode } from '../../describe-schema.ts'
import { compileCheck } from '../../validation.ts'
import { compileNames } from './field-names.ts'
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

const LONGEST_SHOWN = 100

/** The body with camelCase names and every known field sound; throws a GatewayError that names the first that is not. */
export function validateRequest(body: unknown): GenerateRequest {
  const request = checkGenerateShape(nameGenerateFields(body))
  checkGeneration(request, '')
  return request
}

/** The prompt to count: a count may wrap a whole request or name its contents alone. */
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
    const message = 'Exactly one of contents and generateContentRequest must be given.'
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

// Paths are made only for parts that can be wrong here: most of a long conversation is text.
function checkContent({ role, parts }: WireContent, pathOf: () => string): void {
  parts?.forEach((part, index) => {
    const { functionCall, functionResponse, inlineData, fileData } = part
    if (!(functionCall || functionResponse || inlineData || fileData)) return
    const path = `${pathOf()}.parts[${index}]`
    checkPart(part, path)
    if (functionCall && role !== 'model')
      refuse(`${path}.functionCall`, 'may stand only in a content of role "model"')
    if (functionResponse && role === 'model')
      refuse(`${path}.functionResponse`, 'may not stand in a content of role "model"')
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
  const shown = JSON.stringify(mediaType.slice(0, LONGEST_SHOWN))
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
