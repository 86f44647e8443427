import type { EnvelopeDress } from '../../errors/render-error.ts'
import type { Contract } from '../../vocabulary/runtime/contract.ts'
import type { HeaderFields } from '../../wire/http-answer.ts'
import type { UploadedForm, UploadRules } from './uploads.ts'

/** One HTTP request as the gateway's stories see it, whatever server carries it. */
export interface Exchange {
  /** Also the `x-request-id` of the response and the id of the settlement. */
  readonly requestId: string
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly query: URLSearchParams
  /** Values of the `:name` parts of the endpoint's path, percent-decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly headers: HeaderFields
  /** The client, as far as a trusted proxy says who it is, else whoever is connected. Null when it is gone. */
  readonly address: string | null
  /** Who asks, as the audit will say it; set by the guard that found out. */
  actor?: string
  /**
   * Calls back once when the client goes away, or when this gateway can wait no longer because it shuts down; at
   * once when that has happened already. Gives a function that stops listening.
   */
  onLeave(listener: () => void): () => void
  /** How long the body says it is, infinite when it comes in chunks. */
  readonly bodyLength: number
  /** How much of the body has been read. */
  readonly bodyBytes: number
  /** The account whose share of the memory for bodies the body takes up; set before it is read. */
  bodyOwner?: string
  /**
   * The whole body as text, a promise when it has not all come. Refuses bodies over the limit or over this size, of a
   * wrong content type, or that are not valid UTF-8, and those there is no memory for.
   */
  readText(maxBytes?: number): string | Promise<string>
  /** The body as a multipart form, whose files lie in temporary storage until it is disposed of. */
  readForm(rules: UploadRules): Promise<UploadedForm>
}

/** An answer as its parts. The server makes one response of them, which is much cheaper than changing one. */
export interface Reply {
  readonly status: number
  /** Lower-case names. The steps of a story add to them. */
  readonly headers: Record<string, string>
  readonly body: string | ReadableStream<Uint8Array> | PushedBody
}

/** Where a body that is pushed goes. */
export interface BodySink {
  /** All of it is sent, however far the client is behind: look at `isBehind` before more is made. */
  send(bytes: Uint8Array): void
  /** Whether the client has not taken yet what was sent. */
  readonly isBehind: boolean
  /** How much of it. */
  readonly behindBytes: number
  /** Resolves when the client has caught up, or is gone. */
  caughtUp(): Promise<void>
  /** The body is complete. */
  end(): void
  /** The connection is ended without an end of the body, by which a client sees that something is missing. */
  breakOff(): void
}

/** A body whose pieces are sent as they come: cheaper by two promises for each than one that is pulled. */
export interface PushedBody {
  /** Called once. Whoever pushes hears of the client's going from its exchange. */
  pushTo(sink: BodySink): void
}

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** One thing that can be asked over HTTP. A thrown GatewayError becomes the error response. */
export interface Endpoint {
  readonly method: HttpMethod
  /** `/operator/v1/accounts/:id`; a last segment `*` matches the rest of the path, given as `params['*']`. */
  readonly path: string
  handle(exchange: Exchange): Response | Reply | Promise<Response | Reply>
  /** What the API document says of it. */
  readonly contract?: Contract
  readonly dressError?: EnvelopeDress
  /** Served even while the gateway shuts down; every other endpoint refuses new requests then. */
  readonly isServedWhileClosing?: true
}
