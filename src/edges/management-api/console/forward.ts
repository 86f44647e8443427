import type { Endpoint, Exchange, Reply } from '../../../gateway/ports/exchange.ts'
import type { UploadedForm, UploadRules } from '../../../gateway/ports/uploads.ts'
import type { HeaderFields } from '../../../wire/http-answer.ts'

/** What is said in place of the client, so that a question about an account can be about no other. */
export interface Instead {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: URLSearchParams
  readonly text?: string
}

export type Forward = (exchange: Exchange, instead: Instead) => Promise<Response | Reply>

/** Finds endpoints of the operator API by name, `GET /accounts/:id`; one that is not there is a mistake of the program. */
export function forwarder(endpoints: readonly Endpoint[]): (name: string) => Forward {
  const byName = new Map(
    endpoints.map((endpoint) => [
      `${endpoint.method} ${endpoint.path.replace(/^\/operator\/v1/, '')}`,
      endpoint,
    ]),
  )
  return (name) => {
    const endpoint = byName.get(name)
    if (endpoint === undefined) throw new Error(`There is no endpoint ${name} to forward to.`)
    return async (exchange, instead) => endpoint.handle(new ForwardedExchange(exchange, instead))
  }
}

/** The same request, asking something else. */
class ForwardedExchange implements Exchange {
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly actor?: string
  readonly #exchange: Exchange
  readonly #text: string | undefined

  constructor(exchange: Exchange, { params = {}, query = exchange.query, text }: Instead) {
    this.#exchange = exchange
    this.#text = text
    this.params = params
    this.query = query
    if (exchange.actor !== undefined) this.actor = exchange.actor
  }

  get requestId(): string {
    return this.#exchange.requestId
  }

  get method(): string {
    return this.#exchange.method
  }

  get path(): string {
    return this.#exchange.path
  }

  get headers(): HeaderFields {
    return this.#exchange.headers
  }

  get address(): string | null {
    return this.#exchange.address
  }

  get bodyLength(): number {
    return this.#exchange.bodyLength
  }

  get bodyBytes(): number {
    return this.#exchange.bodyBytes
  }

  onLeave(listener: () => void): () => void {
    return this.#exchange.onLeave(listener)
  }

  async readText(maxBytes?: number): Promise<string> {
    return this.#text ?? this.#exchange.readText(maxBytes)
  }

  readForm(rules: UploadRules): Promise<UploadedForm> {
    return this.#exchange.readForm(rules)
  }
}

/** The query under the names the operator API has for it, and about this account whatever the client says. */
export function narrowQuery(
  { query }: Exchange,
  fixed: Readonly<Record<string, string>>,
  renamed: Readonly<Record<string, string>> = {},
): URLSearchParams {
  const narrowed = new URLSearchParams()
  for (const [name, value] of query) narrowed.append(renamed[name] ?? name, value)
  for (const [name, value] of Object.entries(fixed)) narrowed.set(name, value)
  return narrowed
}
