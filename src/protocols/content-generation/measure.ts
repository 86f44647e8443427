import { asArray, asObject, isObject, type JsonObject, textLength } from '../../wire/json-values.ts'
import type { GenerateRequest, WireContent, WireMedia, WirePart } from './request/schema.ts'

/** Fields of a part that do not count as text. */
const NO_WORDS: ReadonlySet<string> = new Set(['thought', 'thoughtSignature', 'inlineData', 'fileData'])

/** Approximate length of a value as JSON. Iterative, because a body may nest deeper than the stack. */
function jsonLength(value: unknown): number {
  if (typeof value !== 'object' || value === null) return scalarLength(value)
  let length = 0
  const open: unknown[] = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (Array.isArray(next)) {
      length += next.length + 1
      for (const item of next) open.push(item)
    } else if (isObject(next)) {
      length += 2
      for (const name of Object.keys(next)) {
        length += name.length + 3
        open.push(next[name])
      }
    } else length += scalarLength(next)
  }
  return length
}

function scalarLength(value: unknown): number {
  return typeof value === 'string' ? value.length + 2 : String(value).length
}

/** Characters of a part a client sent. */
function countPart(part: WirePart): number {
  let characters = 0
  for (const name of Object.keys(part)) {
    const value = (part as JsonObject)[name]
    if (NO_WORDS.has(name) || value === null) continue
    if (name === 'functionResponse') characters += countResponse(part)
    else characters += typeof value === 'string' ? value.length : jsonLength(value)
  }
  return characters
}

// Its parts are images, which count by number and not by length.
function countResponse({ functionResponse }: WirePart): number {
  return functionResponse ? functionResponse.name.length + jsonLength(functionResponse.response ?? {}) : 0
}

export function countContents(contents: readonly WireContent[]): number {
  return sumParts(contents, countPart)
}

export function countInstruction(instruction: GenerateRequest['systemInstruction']): number {
  if (typeof instruction === 'string') return instruction.length
  return (instruction?.parts ?? []).reduce((total, part) => total + countPart(part), 0)
}

export function countMedia(contents: readonly WireContent[]): number {
  return sumParts(contents, (part) => {
    const inner = part.functionResponse?.parts ?? NO_PARTS
    return (isMedia(part) ? 1 : 0) + (inner.length === 0 ? 0 : inner.filter(isMedia).length)
  })
}

const NO_PARTS: readonly WireMedia[] = []

function isMedia({ inlineData, fileData }: WireMedia): boolean {
  return Boolean(inlineData ?? fileData)
}

function sumParts(contents: readonly WireContent[], measure: (part: WirePart) => number): number {
  let total = 0
  for (const { parts } of contents) for (const part of parts ?? []) total += measure(part)
  return total
}

/** Images generated in one candidate. Drafts among the thoughts are not a part of the answer. */
export function countImages(candidate: unknown): number {
  let images = 0
  for (const item of asArray(asObject(asObject(candidate)?.content)?.parts)) {
    const part = asObject(item)
    if (!part?.inlineData || part.thought === true) continue
    const { mimeType } = asObject(part.inlineData) ?? {}
    if (typeof mimeType === 'string' && mimeType.startsWith('image/')) images += 1
  }
  return images
}

/** Characters generated in one candidate: text, thinking, and names and arguments of calls. */
export function countGenerated(candidate: unknown): number {
  let characters = 0
  for (const item of asArray(asObject(asObject(candidate)?.content)?.parts)) {
    const part = asObject(item)
    const call = asObject(part?.functionCall)
    characters += textLength(part?.text)
    if (call !== null) characters += textLength(call.name) + jsonLength(call.args ?? {})
  }
  return characters
}
