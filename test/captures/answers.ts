import { expect } from 'bun:test'
import { isObject } from '../../src/wire/json-values.ts'
import { readSseEvent } from '../../src/wire/sse-events.ts'
import { isStreamed, type Recording } from './recordings.ts'
import type { TextFormat } from './suppliers-by-format.ts'

const EVENT_STREAM = 'text/event-stream; charset=utf-8'
const JSON_TYPE = 'application/json'

/** How each format's whole answers and its streams' last events are known. */
const MARKS: Readonly<Record<TextFormat, { whole: object; last: object | '[DONE]' }>> = {
  'chat-completion': { whole: { object: 'chat.completion' }, last: '[DONE]' },
  responses: { whole: { object: 'response', status: 'completed' }, last: { type: 'response.completed' } },
  messages: { whole: { type: 'message', role: 'assistant' }, last: { type: 'message_stop' } },
  'content-generation': {
    whole: { candidates: [{ finishReason: 'STOP' }] },
    last: { candidates: [{ finishReason: 'STOP' }] },
  },
}

/** Checks that an answer is what the client waits for, and gives its text. */
export async function checkAnswer(
  response: Response,
  format: TextFormat,
  recording: Recording,
): Promise<string> {
  const text = await response.text()
  expect([response.status, text.slice(0, 500)]).toEqual([200, expect.any(String)])
  expect(response.headers.get('content-type')).toBe(isStreamed(recording) ? EVENT_STREAM : JSON_TYPE)
  const { whole, last } = MARKS[format]
  if (!isStreamed(recording)) expect(JSON.parse(text)).toMatchObject(whole)
  else if (last === '[DONE]') expect(readEvents(text).at(-1)).toBe(last)
  else expect(readEvents(text).at(-1)).toMatchObject(last)
  return text
}

/** The events of a stream; throws when one of them tells of an error. */
export function readEvents(stream: string): readonly unknown[] {
  const frames = stream.split(/\r?\n\r?\n/).filter((frame) => frame.trim() !== '')
  return frames.map((frame) => {
    const { data } = readSseEvent(new TextEncoder().encode(frame))
    const event = data === null || data === '[DONE]' ? data : JSON.parse(data)
    if (isObject(event) && (isObject(event.error) || event.type === 'error')) throw new Error(frame)
    return event
  })
}
