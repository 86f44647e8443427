import type { EnvelopeDress } from '../../errors/render-error.ts'
import type { Contract } from '../../vocabulary/runtime/contract.ts'
import type { HeaderFields } from '../../wire/http-answer.ts'
import type { RequestFindings } from './log.ts'
import type { UploadedForm, UploadRules } from './uploads.ts'
import type { OpenWebSocket } from './web-socket.ts'

/** One HTTP request, independent of the server that carries it. */
export interface Exchange extends RequestFindings {
  /** Also the `x-request-id` of the response and the id of the settlement. */
  readonly requestId: string
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly query: URLSearchParams
  /** Values of the `:name` parts of the endpoint's path, percent-decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly headers: HeaderFields
  /** The client's address: as a trusted proxy names it, else that of the connection. Null when the client is gone. */
  readonly address: string | null
  /** The caller for the audit log; set by the guard that identifies it. */
  actor?: string
  /** The model that a refused request named, as far as it was read. */
  refusedModel?: string
  /** Whether a request that failed was admitted, so that its settlement says how it ended. */
  hasSettlement?: boolean
  /**
   * Calls back once when the client leaves, or when this gateway shuts down and can wait no longer; at once when that has
   * happened already. Returns a function that stops listening.
   */
  onLeave(listener: () => void): () => void
  /** How long the body says it is, infinite when it comes in chunks. */
  readonly bodyLength: number
  /** How much of the body has been read. */
  readonly bodyBytes: number
  /** The account whose share of the memory for bodies the body takes up; set before it is read. */
  bodyOwner?: string
  /**
   * The whole body as text, a promise when some of it has yet to arrive. Refuses bodies over the limit or over this size, of a
   * wrong content type, or that are not valid UTF-8, and those there is no memory for.
   */
  readText(maxBytes?: number): string | Promise<string>
  /** The body as a multipart form, whose files are in temporary storage until it is disposed of. */
  readForm(rules: UploadRules): Promise<UploadedForm>
}

/** A response as its parts. The server makes one response of them, which is much cheaper than changing one. */
export interface Reply {
  readonly status: number
  /** Lower-case names. The steps of a story add to them. */
  readonly headers: Record<string, string>
  readonly body: string | ReadableStream<Uint8Array> | PushedBody
}

/** Takes the pieces of a pushed body. */
export interface BodySink {
  /** Sends all of it, however far the client is behind. Check `isBehind` before you produce more. */
  send(bytes: Uint8Array): void
  /** Whether the client has yet to take what was sent. */
  readonly isBehind: boolean
  /** How many bytes the client has yet to take. */
  readonly behindBytes: number
  /** Resolves when the client has caught up, or is gone. */
  caughtUp(): Promise<void>
  /** The body is complete. */
  end(): void
  /** Ends the connection without an end of the body, so that the client sees that something is missing. */
  breakOff(): void
}

/** A body whose pieces are sent as they arrive. Each piece costs two promises less than in a body that is pulled. */
export interface PushedBody {
  /** Called once. The exchange says when the client leaves. */
  pushTo(sink: BodySink): void
}

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** One HTTP endpoint. A thrown GatewayError becomes the error response. */
export interface Endpoint {
  readonly method: HttpMethod
  /** `/operator/v1/accounts/:id`; a last segment `*` matches the rest of the path, given as `params['*']`. */
  readonly path: string
  handle(exchange: Exchange): Response | Reply | Promise<Response | Reply>
  /** Its entry in the API document. */
  readonly contract?: Contract
  readonly dressError?: EnvelopeDress
  /** Present on GET endpoints that are also, or only, WebSockets. Refuses by throwing a GatewayError. */
  acceptWebSocket?(exchange: Exchange): Promise<OpenWebSocket>
  /** Served even while the gateway shuts down; every other endpoint refuses new requests then. */
  readonly isServedWhileClosing?: true
}
