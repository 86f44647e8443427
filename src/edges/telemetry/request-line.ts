import type { RequestLine } from '../../serve/ports/log.ts'
import { scrub } from './scrub.ts'

const LONGEST_PATH = 200
const MOST_REMEMBERED_PATHS = 500
// The number other lines of this log carry for the level `info`.
const INFO_LEVEL = 30

/**
 * Writes the line every request leaves. Its shape never changes, so it is put together by hand: a general logger takes
 * several times as long, on every request.
 */
export class RequestLineWriter {
  readonly #paths = new Map<string, string>()
  #timeMs = Number.NaN
  #time = ''

  write({ requestId, method, path, status, durationMs }: RequestLine, nowMs: number): string {
    if (nowMs !== this.#timeMs) {
      this.#timeMs = nowMs
      this.#time = new Date(nowMs).toISOString()
    }
    return `{"level":${INFO_LEVEL},"time":"${this.#time}","requestId":"${requestId}","method":"${method}","path":${this.#quote(path)},"status":${status},"durationMs":${durationMs},"msg":"request"}\n`
  }

  /** Few paths make nearly all requests; what strangers make up must not fill memory. */
  #quote(path: string): string {
    const known = this.#paths.get(path)
    if (known !== undefined) return known
    const quoted = JSON.stringify(scrub(path.slice(0, LONGEST_PATH)))
    if (this.#paths.size < MOST_REMEMBERED_PATHS) this.#paths.set(path, quoted)
    return quoted
  }
}
