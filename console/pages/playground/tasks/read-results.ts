/** Reads the responses of the tasks. What a response lacks is left out. */

import { parse } from '../../../parts/wire/read-answer.ts'

interface EmbeddingReply {
  readonly data?: readonly { readonly index?: number; readonly embedding?: unknown }[]
}

/** The vectors in the order of the texts. */
export function readVectors(body: string): readonly (readonly number[])[] {
  const { data = [] } = (parse(body) ?? {}) as EmbeddingReply
  return data
    .toSorted((one, other) => (one.index ?? 0) - (other.index ?? 0))
    .flatMap(({ embedding }) => (Array.isArray(embedding) ? [embedding as number[]] : []))
}

/** The cosine of the angle between two vectors: 1 for the same direction. */
export function similarityOf(one: readonly number[], other: readonly number[]): number {
  let product = 0
  let oneSquare = 0
  let otherSquare = 0
  for (const [index, value] of one.entries()) {
    const second = other[index] ?? 0
    product += value * second
    oneSquare += value * value
    otherSquare += second * second
  }
  const length = Math.sqrt(oneSquare * otherSquare)
  return length === 0 ? 0 : product / length
}

export interface Pair {
  readonly first: number
  readonly second: number
  readonly similarity: number
}

/** The most similar two; null when there are fewer than two. */
export function closestPair(vectors: readonly (readonly number[])[]): Pair | null {
  let best: Pair | null = null
  for (const [first, one] of vectors.entries()) {
    for (let second = first + 1; second < vectors.length; second++) {
      const similarity = similarityOf(one, vectors[second] ?? [])
      if (best === null || similarity > best.similarity) best = { first, second, similarity }
    }
  }
  return best
}

export interface Ranked {
  /** The position in the request, from 0. */
  readonly index: number
  readonly score: number
}

interface RerankReply {
  readonly results?: readonly { readonly index?: number; readonly relevance_score?: number }[]
}

export function readRanking(body: string): Ranked[] {
  const { results = [] } = (parse(body) ?? {}) as RerankReply
  return results.map(({ index = 0, relevance_score: score = 0 }) => ({ index, score }))
}

export interface Verdict {
  readonly isFlagged: boolean
  /** The highest score first. */
  readonly categories: readonly Category[]
}

export interface Category {
  readonly name: string
  readonly isFlagged: boolean
  readonly score: number
}

interface ModerationReply {
  readonly results?: readonly {
    readonly flagged?: boolean
    readonly categories?: Readonly<Record<string, boolean>>
    readonly category_scores?: Readonly<Record<string, number>>
  }[]
}

export function readVerdict(body: string): Verdict | null {
  const { results = [] } = (parse(body) ?? {}) as ModerationReply
  const [result] = results
  if (result === undefined) return null
  const { flagged = false, categories = {}, category_scores: scores = {} } = result
  const names = [...new Set([...Object.keys(categories), ...Object.keys(scores)])]
  return {
    isFlagged: flagged,
    categories: names
      .map((name) => ({ name, isFlagged: categories[name] === true, score: scores[name] ?? 0 }))
      .toSorted((one, other) => other.score - one.score || one.name.localeCompare(other.name)),
  }
}

/** The text of a transcript in JSON. Subtitles are text already. */
export function readTranscript(body: string): string {
  const value = parse(body)
  const text = typeof value === 'object' && value !== null && 'text' in value ? value.text : null
  return typeof text === 'string' ? text : body
}

/** The lines of a text that say something. */
export function splitLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** The usual ending of a file with audio of this content type. */
export function audioExtension(contentType: string): string {
  const subtype = /^audio\/(?:x-)?([\w-]+)/.exec(contentType.toLowerCase())?.[1] ?? ''
  return { mpeg: 'mp3', wave: 'wav', ogg: 'opus', l16: 'pcm', '': 'audio' }[subtype] ?? subtype
}
