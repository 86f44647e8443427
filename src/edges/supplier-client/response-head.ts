import type { HeaderFields } from '../../wire/http-answer.ts'

/** What was sent is no response that can be trusted to end where it seems to. */
export class MalformedResponse extends Error {
  override readonly name = 'MalformedResponse'
}

export interface ResponseHead {
  readonly status: number
  readonly isHttp11: boolean
  readonly fields: HeadFields
}

/**
 * Whole lines with a name, a colon and a value. A stray line break ends a line for some readers and not for others, and
 * a line that begins with a blank goes on with the one before for some readers: neither is taken.
 */
const HEAD = /^HTTP\/1\.[01] [1-5]\d\d(?: [^\0\r\n]*)?(?:\r\n[\w!#$%&'*+.^`|~-]+:[^\0\r\n]*)*$/

/** The head of a response, without the empty line that ends it. */
export function parseHead(text: string): ResponseHead {
  if (!HEAD.test(text)) throw new MalformedResponse('The head of the response is malformed.')
  return {
    status: Number(text.slice(9, 12)),
    isHttp11: text.charCodeAt(7) === ONE,
    fields: new HeadFields(text),
  }
}

const ONE = 0x31
const LINE_END = '\r\n'

/** The fields of a head, found in its text when somebody asks: of a dozen, two or three are ever looked at. */
export class HeadFields implements HeaderFields {
  readonly #text: string
  /** The same in small letters, in which names are looked for. */
  readonly #lower: string

  constructor(text: string) {
    this.#text = text
    this.#lower = text.toLowerCase()
  }

  /** A field that occurs several times is one whose value is a list. */
  get(name: string): string | null {
    const mark = markOf(name)
    let found: string | null = null
    for (let at = this.#lower.indexOf(mark); at >= 0; at = this.#lower.indexOf(mark, at + mark.length)) {
      const value = this.#valueFrom(at + mark.length)
      found = found === null ? value : `${found}, ${value}`
    }
    return found
  }

  has(name: string): boolean {
    return this.#lower.includes(markOf(name))
  }

  forEach(visit: (value: string, name: string) => void): void {
    for (
      let line = this.#lower.indexOf(LINE_END);
      line >= 0;
      line = this.#lower.indexOf(LINE_END, line + 2)
    ) {
      const colon = this.#lower.indexOf(':', line)
      visit(this.#valueFrom(colon + 1), this.#lower.slice(line + LINE_END.length, colon))
    }
  }

  #valueFrom(from: number): string {
    const found = this.#text.indexOf(LINE_END, from)
    let end = found < 0 ? this.#text.length : found
    let start = from
    while (start < end && isBlank(this.#text.charCodeAt(start))) start++
    while (end > start && isBlank(this.#text.charCodeAt(end - 1))) end--
    return this.#text.slice(start, end)
  }
}

// The same few names are looked for in every response.
const marks = new Map<string, string>()

function markOf(name: string): string {
  const known = marks.get(name)
  if (known !== undefined) return known
  const mark = `${LINE_END}${name}:`
  marks.set(name, mark)
  return mark
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}
