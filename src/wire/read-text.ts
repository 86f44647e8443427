import type { AnswerBytes, HttpAnswer } from './http-answer.ts'

/** More than the largest answer there is, ten pictures in one. */
export const LARGEST_ANSWER_BYTES = 256 * 1024 * 1024
/** More than anybody says who refuses, or answers with a number or a list. */
export const LARGEST_MESSAGE_BYTES = 4 * 1024 * 1024

const decoder = new TextDecoder()

/** The text of a body; null when it is longer than that: one without end would take all the memory there is. */
export function readText(response: HttpAnswer, mostBytes: number): Promise<string | null> {
  const { headers, body } = response
  const saidBytes = Number(headers.get('content-length') ?? Number.NaN)
  if (saidBytes > mostBytes) return refuse(body)
  // What is compressed may be a thousand times as long as it says.
  const isSure = saidBytes <= mostBytes && !headers.has('content-encoding')
  return isSure || body === null ? response.text() : readChunks(body, mostBytes)
}

async function refuse(body: AnswerBytes | null): Promise<null> {
  await body?.cancel()
  return null
}

async function readChunks(body: AnswerBytes, mostBytes: number): Promise<string | null> {
  const reader = body.getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return decoder.decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))
    chunks.push(value)
    length += value.length
    if (length <= mostBytes) continue
    await reader.cancel()
    return null
  }
}
