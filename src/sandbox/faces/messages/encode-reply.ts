import { tryParseJson } from '../../../wire/json-values.ts'
import { type Performance, readStep, type Step } from '../../performance/performance.ts'
import { type AnswerHead, encodeStop, encodeUsage, nameCall } from './head.ts'
import { thinkingClaim } from './thinking.ts'

export function encodeReply({ choices, usage }: Performance, head: AnswerHead) {
  const [choice] = choices
  if (choice === undefined) throw new Error('an answer has one choice')
  return {
    id: head.id,
    type: 'message',
    role: 'assistant',
    model: head.model,
    content: choice.steps.flatMap((step, index) => encodeBlock(step, index, head)),
    ...encodeStop(choice),
    ...(usage === null ? {} : { usage: encodeUsage(usage, head) }),
  }
}

function encodeBlock(step: Step, index: number, head: AnswerHead): readonly object[] {
  switch (step.type) {
    case 'think':
      return [encodeThought(step, head)]
    case 'say':
      return [{ type: 'text', text: readStep(step) }]
    // The words of a refusal stand beside the content, which stays empty.
    case 'refuse':
      return []
    case 'call':
      return [encodeCall(step.tool, { id: nameCall(head, index), input: parseInput(readStep(step)) })]
  }
}

export function encodeThought(step: Step & { type: 'think' }, head: AnswerHead): object {
  const words = readStep(step)
  if (step.isRedacted === true) {
    const data = head.seals.seal(thinkingClaim(head.model, 'redacted_thinking'), words)
    return { type: 'redacted_thinking', data }
  }
  const signature = head.seals.seal(thinkingClaim(head.model, 'thinking'), words)
  return { type: 'thinking', thinking: head.showsThoughts ? words : '', signature }
}

export function encodeCall(name: string, { id, input }: { id: string; input: unknown }): object {
  return { type: 'tool_use', id, name, input, caller: { type: 'direct' } }
}

/** A call that was cut off in the middle of its input has none that could be read. */
function parseInput(text: string): unknown {
  return tryParseJson(text) ?? {}
}
