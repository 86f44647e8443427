import type { Exchange } from '../../gateway/ports/exchange.ts'
import { type BodyLimits, readBodyText } from './read-body.ts'

const NO_PARAMS: Readonly<Record<string, string>> = {}

/** A request of Bun's server as an exchange. What costs something is worked out only when asked for. */
export class BunExchange implements Exchange {
  readonly requestId: string
  readonly #request: Request
  readonly #limits: BodyLimits
  readonly params: Readonly<Record<string, string>>
  #path: string | null = null

  constructor(request: Request, limits: BodyLimits, wildcardPrefix: string | null = null) {
    this.requestId = newRequestId()
    this.#request = request
    this.#limits = limits
    this.params = paramsOf(request, wildcardPrefix === null ? null : this.path.slice(wildcardPrefix.length))
  }

  get method(): string {
    return this.#request.method
  }

  get path(): string {
    this.#path ??= pathOf(this.#request.url)
    return this.#path
  }

  get query(): URLSearchParams {
    const { url } = this.#request
    const mark = url.indexOf('?')
    return new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1))
  }

  get headers(): Headers {
    return this.#request.headers
  }

  get signal(): AbortSignal {
    return this.#request.signal
  }

  readText(): Promise<string> {
    return readBodyText(this.#request, this.#limits)
  }
}

function newRequestId(): string {
  return `req_${crypto.randomUUID().replaceAll('-', '')}`
}

/** Cheaper than parsing the whole address, and the query never comes along. */
export function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  const end = url.indexOf('?', start)
  return end < 0 ? url.slice(start) : url.slice(start, end)
}

function paramsOf(request: Request, rest: string | null): Readonly<Record<string, string>> {
  const named = (request as Partial<Bun.BunRequest>).params
  if (rest !== null) return { ...named, '*': decodePath(rest) }
  return named ?? NO_PARAMS
}

/** A path that is not valid percent-encoding names nothing, so it is left as it is and will not be found. */
function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
