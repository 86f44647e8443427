import type { AnswerEvent } from '../../../../conversation/answer-event.ts'
import type { ToolCallPart } from '../../../../conversation/part.ts'
import type { ToolNames } from './adapt-tools.ts'
import type { EventStep } from './translating-tap.ts'

/** Restores the names and kinds that the client defined for its tools. The opposite of adapt-tools.ts. */
export class ToolRestorer implements EventStep {
  readonly #names: ToolNames
  /** Input of free-text calls that arrive as a function's argument: it is unwrapped when the call is complete. */
  readonly #wrapped = new Map<number, string[]>()

  constructor(names: ToolNames) {
    this.#names = names
  }

  push(event: AnswerEvent): readonly AnswerEvent[] {
    switch (event.type) {
      case 'part-start':
        return event.part.type === 'tool-call' ? this.#startCall(event, event.part) : [event]
      case 'part-delta':
        return this.#hold(event.choice, event.text) ? [] : [event]
      case 'part-end':
        return this.#endCall(event)
      default:
        return [event]
    }
  }

  #startCall(event: AnswerEvent & { type: 'part-start' }, part: ToolCallPart): AnswerEvent[] {
    const tool = this.#names.toClient(part)
    if (tool === undefined) return [event]
    const isWrapped = tool.kind === 'custom' && part.kind === 'function'
    if (isWrapped) this.#wrapped.set(event.choice, [part.input])
    return [{ ...event, part: { ...part, ...tool, input: isWrapped ? '' : part.input } }]
  }

  #hold(choice: number, text: string): boolean {
    const held = this.#wrapped.get(choice)
    held?.push(text)
    return held !== undefined
  }

  #endCall(event: AnswerEvent & { type: 'part-end' }): AnswerEvent[] {
    const held = this.#wrapped.get(event.choice)
    if (held === undefined) return [event]
    this.#wrapped.delete(event.choice)
    const text = unwrapInput(held.join(''))
    return text === '' ? [event] : [{ type: 'part-delta', choice: event.choice, text }, event]
  }
}

/** When the model did not use the one argument, its whole input counts as the text. */
function unwrapInput(input: string): string {
  try {
    const parsed: unknown = JSON.parse(input)
    if (
      typeof parsed === 'object' &&
      parsed !== null &&
      'input' in parsed &&
      typeof parsed.input === 'string'
    ) {
      return parsed.input
    }
  } catch {
    // Not JSON: it is the text itself.
  }
  return input
}
