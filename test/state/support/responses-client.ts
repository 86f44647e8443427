import { eventsOf, StreamReader } from '../../support/stream-reader.ts'
import type { TestGateway } from '../../support/test-gateway.ts'

/** A response object as far as tests look at it. */
export interface ResponseBody {
  readonly id: string
  readonly status: string
  readonly store: boolean
  readonly previous_response_id: string | null
  readonly output: readonly {
    readonly id: string
    readonly type: string
    readonly [field: string]: unknown
  }[]
}

export type Fields = Readonly<Record<string, unknown>>

/** Calls the responses family as any HTTP client would. */
export class ResponsesClient {
  readonly #gateway: Pick<TestGateway, 'url'>
  readonly #key: string

  constructor(gateway: Pick<TestGateway, 'url'>, key: string) {
    this.#gateway = gateway
    this.#key = key
  }

  send(fields: Fields): Promise<Response> {
    return this.#fetch('', 'POST', { model: 'sandbox-chat', input: 'Hello', ...fields })
  }

  get(path: string): Promise<Response> {
    return this.#fetch(`/${path}`, 'GET')
  }

  delete(id: string): Promise<Response> {
    return this.#fetch(`/${id}`, 'DELETE')
  }

  /** A whole response; anything else is a failure. */
  async create(fields: Fields): Promise<ResponseBody> {
    return (await this.#successful(await this.send(fields))).json() as Promise<ResponseBody>
  }

  async retrieve(id: string): Promise<ResponseBody> {
    return (await this.#successful(await this.get(id))).json() as Promise<ResponseBody>
  }

  /** The events of a stream up to its last one; the connection itself may still be open. */
  async stream(fields: Fields): Promise<readonly Fields[]> {
    const response = await this.#successful(await this.send({ ...fields, stream: true }))
    const text = await new StreamReader(response).readUntil(/^event: response\.completed\ndata: .*\n\n/m)
    return eventsOf(text).map((data) => JSON.parse(data) as Fields)
  }

  async #successful(response: Response): Promise<Response> {
    if (response.ok) return response
    throw new Error(`${response.status} ${await response.text()}`)
  }

  #fetch(path: string, method: string, body?: unknown): Promise<Response> {
    return fetch(`${this.#gateway.url}/v1/responses${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  }
}

/** The response inside the last event of a stream. */
export function finalResponse(events: readonly Fields[]): ResponseBody {
  const { response } = events.at(-1) ?? {}
  if (response === undefined) throw new Error('the stream ended without a response')
  return response as ResponseBody
}

export function textOf({ output }: ResponseBody): string {
  const parts = output.flatMap((item) =>
    item.type === 'message' ? (item.content as { text: string }[]) : [],
  )
  return parts.map(({ text }) => text).join('')
}
