import { asResponse, type HttpAnswer } from '../../wire/http-answer.ts'

type Coding = NonNullable<ConstructorParameters<typeof DecompressionStream>[0]>

const CODINGS = new Map<string, Coding>([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'brotli'],
  ['zstd', 'zstd'],
])

/** We ask for answers as they are; whoever compresses them nevertheless is understood all the same. */
export function decompress(answer: HttpAnswer): HttpAnswer {
  const coding = answer.headers.get('content-encoding')?.toLowerCase() ?? 'identity'
  const format = CODINGS.get(coding)
  if (format === undefined) return answer
  const { status, headers, body } = asResponse(answer)
  const plain = body?.pipeThrough(new DecompressionStream(format)) ?? null
  return new Response(plain, { status, headers })
}
