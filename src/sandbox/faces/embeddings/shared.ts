import { Type } from 'typebox'
import { MAX_DIMENSIONS, USUAL_DIMENSIONS } from '../../embeddings/embed.ts'
import { countTokens } from '../../performance/tokens.ts'
import { SandboxError } from '../../sandbox-error.ts'
import type { Incoming } from '../face.ts'
import { Nullable } from '../shape.ts'

export const Dimensions = Nullable(Type.Integer({ minimum: 1, maximum: MAX_DIMENSIONS }))

export const dimensionsOr = (said: number | null | undefined) => said ?? USUAL_DIMENSIONS

/** Throws unless the model embeds. An unknown one is refused later, as by every face. */
export function checkEmbeds(model: string, { traitsOf }: Pick<Incoming, 'traitsOf'>, field = 'model'): void {
  const traits = traitsOf(model)
  if (traits === null || traits.embeds === true) return
  throw new SandboxError('bad-request', `The model '${model}' does not make embeddings.`, { field })
}

/** Throws for a list that is empty, too long, or has an empty text. */
export function checkTexts(texts: readonly string[], most: number, field: string): void {
  if (texts.length === 0) throw refuse(`'${field}' must not be empty.`, field)
  if (texts.length > most)
    throw refuse(`'${field}' has ${texts.length} entries; at most ${most} are accepted.`, field)
  if (texts.includes('')) throw refuse(`'${field}' must not have an empty entry.`, field)
}

export function refuse(message: string, field: string): SandboxError {
  return new SandboxError('bad-request', message, { field })
}

/** Each text takes at least one token. */
export function tokensOf(texts: readonly string[]): number {
  return texts.reduce((total, text) => total + Math.max(1, countTokens(text.length)), 0)
}
