import { MODEL } from './targets/target.ts'

// With what must be escaped in JSON, as code and prose have it.
const SENTENCE =
  'The function reads the configuration, then checks "limits" and writes\n  the result; see `src/main.ts`. '

export interface PromptShape {
  readonly kilobytes: number
  readonly model?: string
  /** The end of the prompt, which tells the supplier what to do. */
  readonly script?: string
  readonly isStreamed?: boolean
  readonly tools?: number
}

/** A conversation of about this size: turns of one to six kilobytes, as an agent sends it again with every step. */
export function buildPrompt(shape: PromptShape): string {
  const { kilobytes, model = MODEL, script = 'Go on.', isStreamed = false, tools = 0 } = shape
  const messages = [{ role: 'system', content: 'You are a careful assistant.' }]
  let characters = 0
  for (let turn = 0; characters < kilobytes * 1_000 - 300; turn++) {
    const left = kilobytes * 1_000 - 300 - characters
    const content = SENTENCE.repeat(10 + (turn % 7) * 8).slice(0, left)
    characters += content.length * 1.05 + 32
    messages.push({ role: turn % 2 === 0 ? 'user' : 'assistant', content })
  }
  messages.push({ role: 'user', content: script })
  return JSON.stringify({
    model,
    messages,
    temperature: 0.7,
    max_tokens: 512,
    ...(tools > 0 && { tools: Array.from({ length: tools }, (_, index) => buildTool(index)) }),
    ...(isStreamed && { stream: true }),
  })
}

function buildTool(index: number) {
  const text = (description: string) => ({ type: 'string', description })
  return {
    type: 'function',
    function: {
      name: `tool_${index}`,
      description: `Does step ${index}. ${SENTENCE}`,
      parameters: {
        type: 'object',
        properties: { path: text('Where the file is.'), content: text('What it holds.') },
        required: ['path'],
      },
    },
  }
}
