import { expect, test } from 'bun:test'
import { buildPrompt } from './prompts.ts'

test.each([1, 12, 125, 1_250])(
  'a prompt of %i KB is as large as it says, and ends with what to do',
  (kilobytes) => {
    const prompt = buildPrompt({ kilobytes, script: 'wait=5' })
    expect(prompt.length / 1_000 / kilobytes).toBeWithin(0.6, 1.1)
    const { messages } = JSON.parse(prompt) as { messages: { role: string; content: string }[] }
    expect(messages.at(-1)).toEqual({ role: 'user', content: 'wait=5' })
  },
)

test('tools and streams are asked for only when wanted', () => {
  expect(JSON.parse(buildPrompt({ kilobytes: 1 }))).not.toContainAnyKeys(['tools', 'stream'])
  const asked = JSON.parse(buildPrompt({ kilobytes: 1, tools: 3, isStreamed: true }))
  expect(asked).toMatchObject({ stream: true })
  expect(asked.tools).toHaveLength(3)
})
