import { tryParseJson } from '../../../wire/json-values.ts'
import {
  type Choice,
  type Performance,
  type PerformanceUsage,
  readStep,
  type Step,
  type StepOf,
} from '../../performance/performance.ts'
import type { Seals } from '../../seals.ts'
import { signatureClaim, spellCall } from './signatures.ts'

/** What every object of one answer has in common. */
export interface AnswerHead {
  readonly number: number
  readonly model: string
  readonly seals: Seals
  readonly showsThoughts: boolean
  /** Only the newest models name their calls; with the others, order is all there is. */
  readonly namesCalls: boolean
}

const FINISH_REASONS = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  // This format tells calls from words by the parts alone.
  'tool-call': 'STOP',
  refusal: 'SAFETY',
} as const satisfies Record<Choice['finish'], string>

const SAFETY_RATINGS = [{ category: 'HARM_CATEGORY_DANGEROUS_CONTENT', probability: 'HIGH', blocked: true }]

export function encodeReply({ choices, usage }: Performance, head: AnswerHead) {
  return {
    candidates: choices.map((choice, index) => encodeCandidate(encodeParts(choice, head), index, choice)),
    ...(usage === null ? {} : { usageMetadata: encodeUsage(usage) }),
    ...encodeTail(head),
  }
}

/** `choice` is null while the candidate goes on. */
export function encodeCandidate(parts: readonly object[], index: number, choice: Choice | null) {
  return {
    ...(parts.length === 0 ? {} : { content: { role: 'model', parts } }),
    ...(choice === null ? {} : { finishReason: FINISH_REASONS[choice.finish] }),
    index,
    ...(choice?.finish === 'refusal' ? { safetyRatings: SAFETY_RATINGS } : {}),
  }
}

export function encodeTail(head: AnswerHead) {
  return { modelVersion: head.model, responseId: `sandbox-${head.number}` }
}

function encodeParts({ steps, finish, image }: Choice, head: AnswerHead): readonly object[] {
  const spoken = steps.flatMap((step, position) => {
    const signature = signStep(step, { steps, position, head })
    return encodeStep(step, { position, head }).map((part) => ({ ...part, ...signature }))
  })
  const parts = [...spoken, ...encodeImage(image)]
  // An empty list would make clients forget the turn; a refusal has no content at all.
  return parts.length === 0 && finish !== 'refusal' ? [{ text: '' }] : parts
}

export function encodeImage(image: Choice['image']): readonly { inlineData: object }[] {
  if (image === undefined) return []
  return [{ inlineData: { mimeType: 'image/png', data: Buffer.from(image).toString('base64') } }]
}

interface StepPlace {
  readonly position: number
  readonly head: AnswerHead
}

function encodeStep(step: Step, place: StepPlace): readonly object[] {
  switch (step.type) {
    case 'think':
      return isShown(step, place.head) ? [{ text: readStep(step), thought: true }] : []
    case 'say':
      return [{ text: readStep(step) }]
    // A blocked candidate has no words.
    case 'refuse':
      return []
    case 'call':
      return encodeCall(step, place)
  }
}

export function isShown(step: StepOf<'think'>, head: AnswerHead): boolean {
  return head.showsThoughts && step.isRedacted !== true
}

/** Calls come whole; one that was cut off in the middle of its arguments does not come at all. */
export function encodeCall(
  step: StepOf<'call'>,
  { position, head }: StepPlace,
): readonly { functionCall: object }[] {
  const args = tryParseJson(readStep(step))
  if (args === undefined) return []
  const id = head.namesCalls ? { id: `call_sandbox_${head.number}_${position}` } : {}
  return [{ functionCall: { ...id, name: step.tool, args } }]
}

/** What was thought before is vouched for on the thought itself, on the words, and on the first of several calls. */
export function signStep(
  step: Step,
  { steps, position, head }: StepPlace & { readonly steps: readonly Step[] },
): { thoughtSignature?: string } {
  const before = steps.slice(0, position)
  const hasThought = step.type === 'think' || before.some((earlier) => earlier.type === 'think')
  if (!hasThought || before.some((earlier) => earlier.type === 'call')) return {}
  const { seals, model } = head
  switch (step.type) {
    case 'think':
      return { thoughtSignature: seals.seal(signatureClaim(model, 'thought'), readStep(step)) }
    case 'say':
      return { thoughtSignature: seals.seal(signatureClaim(model, 'text'), readStep(step)) }
    case 'call': {
      const call = spellCall(step.tool, tryParseJson(readStep(step)) ?? {})
      return { thoughtSignature: seals.seal(signatureClaim(model, 'call'), call) }
    }
    case 'refuse':
      return {}
  }
}

/** Thoughts are counted beside the candidates, cached tokens within the prompt. */
export function encodeUsage(usage: PerformanceUsage) {
  return {
    promptTokenCount: usage.input,
    candidatesTokenCount: usage.output - usage.reasoning,
    totalTokenCount: usage.input + usage.output,
    ...(usage.cachedInput === 0 ? {} : { cachedContentTokenCount: usage.cachedInput }),
    ...(usage.reasoning === 0 ? {} : { thoughtsTokenCount: usage.reasoning }),
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: usage.input }],
    ...encodeImageTokens(usage),
  }
}

function encodeImageTokens({ imageOutput = 0 }: PerformanceUsage) {
  if (imageOutput === 0) return {}
  return { candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: imageOutput }] }
}
