import {
  type Choice,
  type Performance,
  readStep,
  type Step,
  type StepOf,
} from '../../performance/performance.ts'
import { type AnswerHead, FINISH_REASONS, nameCall } from './head.ts'
import { encodeUsage } from './usage.ts'

export function encodeReply({ choices, usage }: Performance, head: AnswerHead) {
  return {
    id: head.id,
    object: 'chat.completion',
    created: head.created,
    model: head.model,
    choices: choices.map((choice, index) => ({
      index,
      message: encodeMessage(choice, (call) => nameCall(head, index, call)),
      finish_reason: FINISH_REASONS[choice.finish],
      logprobs: null,
    })),
    ...(usage === null ? {} : { usage: encodeUsage(usage) }),
  }
}

function encodeMessage({ steps }: Choice, nameOf: (call: number) => string) {
  const thought = joinSteps(steps, 'think')
  const calls = steps.flatMap((step) => (step.type === 'call' ? [step] : []))
  return {
    role: 'assistant',
    content: joinSteps(steps, 'say'),
    refusal: joinSteps(steps, 'refuse'),
    ...(thought === null ? {} : { reasoning_content: thought }),
    ...(calls.length === 0
      ? {}
      : { tool_calls: calls.map((call, index) => encodeCall(call, nameOf(index))) }),
  }
}

function encodeCall(step: StepOf<'call'>, id: string) {
  const text = readStep(step)
  return step.input === 'text'
    ? { id, type: 'custom', custom: { name: step.tool, input: text } }
    : { id, type: 'function', function: { name: step.tool, arguments: text } }
}

/** null when the answer has no step of this type to show, which is not the same as an empty one. */
function joinSteps(steps: readonly Step[], type: 'think' | 'say' | 'refuse'): string | null {
  const wanted = steps.filter((step) => step.type === type && !isHidden(step))
  return wanted.length === 0 ? null : wanted.map(readStep).join('')
}

/** This format has no place for a thought without words. */
export function isHidden(step: Step): boolean {
  return step.type === 'think' && step.isRedacted === true
}
