import { GatewayError } from '../../errors/gateway-error.ts'
import type { FoundBodies, FoundBody } from '../../vocabulary/observability/read-bodies.ts'
import type { KeptBody } from '../../vocabulary/settlement.ts'
import type { BodyQuestion, BodyRange } from '../ports/console.ts'
import type { Storage } from '../ports/storage.ts'
import { streamedText } from './read-bodies.ts'

// What one call does at most. A client that wants more asks again with the cursor.
const MAX_BODIES = 200
const MAX_CHARACTERS = 16 * 1024 * 1024
const MAX_FOUND = 50
/** So few are in memory at a time; each may be half a megabyte. */
const PORTION = 10
const MAX_WAITING = 5
const EXCERPT_BEFORE = 24
const EXCERPT_AFTER = 120

type SearchedStorage = Pick<Storage, 'readBodies' | 'countBodies' | 'findSettlement'>

/**
 * Looks for a text in stored bodies. They are encrypted, so no index can help: the newest are opened and read one by
 * one, and other requests go on in between. Searches run one at a time.
 */
export class BodySearches {
  readonly #storage: SearchedStorage
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0

  constructor(storage: SearchedStorage) {
    this.#storage = storage
  }

  async search(accountId: string, question: BodyQuestion & BodyRange): Promise<FoundBodies> {
    if (this.#waiting >= MAX_WAITING) {
      throw new GatewayError('rate_limit_exceeded', 'Other searches are still running. Try again.', {
        headers: { 'retry-after': '1' },
      })
    }
    this.#waiting += 1
    const found = this.#last.then(() => this.#search(accountId, question))
    this.#last = found
      .catch(() => undefined)
      .finally(() => {
        this.#waiting -= 1
      })
    return found
  }

  async #search(
    accountId: string,
    { text, cursor, ...range }: BodyQuestion & BodyRange,
  ): Promise<FoundBodies> {
    const total = await this.#storage.countBodies(accountId, range)
    const needles = needlesOf(text)
    const data: FoundBody[] = []
    let searched = 0
    let characters = 0
    let next = cursor
    do {
      const page = { cursor: next, limit: PORTION }
      const bodies = await this.#storage.readBodies(accountId, range, page)
      for (const body of bodies.data) {
        searched += 1
        characters += body.request.length + (body.response?.length ?? 0)
        const found = await this.#find(body, needles)
        if (found !== null) data.push(found)
        // Everything else gets its turn.
        await new Promise((resolve) => setImmediate(resolve))
      }
      next = bodies.nextCursor
    } while (next !== null && searched < MAX_BODIES && characters < MAX_CHARACTERS && data.length < MAX_FOUND)
    return { data, searched, total, nextCursor: next }
  }

  async #find(body: KeptBody, needles: readonly string[]): Promise<FoundBody | null> {
    const { requestId, createdAtMs, request, response } = body
    const asked = excerptOf(request, needles)
    if (asked !== null) return { requestId, createdAtMs, place: 'request', excerpt: asked }
    if (response === null) return null
    // The words of a stream are spread over its events.
    const settlement = response.startsWith('{') ? null : await this.#storage.findSettlement(requestId)
    const streamed = settlement === null ? null : streamedText(body, settlement)
    const answered = excerptOf(streamed ?? response, needles)
    return answered === null ? null : { requestId, createdAtMs, place: 'response', excerpt: answered }
  }
}

/** The text as people write it, and as JSON has it. */
function needlesOf(text: string): readonly string[] {
  const plain = text.toLowerCase()
  const escaped = JSON.stringify(plain).slice(1, -1)
  return escaped === plain ? [plain] : [plain, escaped]
}

function excerptOf(text: string, needles: readonly string[]): string | null {
  const lower = text.toLowerCase()
  for (const needle of needles) {
    const at = lower.indexOf(needle)
    if (at === -1) continue
    const start = Math.max(0, at - EXCERPT_BEFORE)
    const end = Math.min(text.length, at + needle.length + EXCERPT_AFTER)
    return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`
  }
  return null
}
